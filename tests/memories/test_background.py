"""The queue after the reply: nothing lost, nothing blocked, nobody waits for nothing."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from memories.background import Background, Finished
from memories.models import Memory, Receipt
from memories.services.receipts import ReceiptDraft
from memories.services.remember import Turn
from settings_app.models import ApiKey

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def background() -> Iterator[Background]:
    made = Background(max_waiting=1000)
    made.start()
    yield made
    assert made.stop()


def finished(owner: ApiKey, text: str | None = None, request_id: str = "") -> Finished:
    draft = ReceiptDraft(request_id or uuid.uuid4().hex, owner.pk, datetime.now(UTC), "on")
    return Finished(draft, Turn(owner.pk, None, [text], "") if text else None)


def test_a_flush_waits_until_everything_is_written(alice: ApiKey, background: Background) -> None:
    for n in range(250):
        background.submit(finished(alice, f"I love fruit{n}"))
    assert background.flush(30)
    assert (Memory.objects.count(), Receipt.objects.count()) == (250, 250)


def test_stopping_works_off_what_waits(alice: ApiKey) -> None:
    background = Background()
    background.start()
    for n in range(50):
        background.submit(finished(alice, f"I love fruit{n}"))
    assert background.stop()
    assert (Memory.objects.count(), Receipt.objects.count()) == (50, 50)


def test_a_turn_that_says_nothing_settles_at_once(alice: ApiKey, background: Background) -> None:
    background.submit(finished(alice, "What time is it?"))
    background.flush(10)
    assert not background.unsettled(alice.pk)


def test_an_owner_is_unsettled_until_the_fact_is_stored(alice: ApiKey, bob: ApiKey) -> None:
    background = Background()
    background.submit(finished(alice, "I love tea"))
    assert background.unsettled(alice.pk)
    assert not background.unsettled(bob.pk)
    background.start()
    assert background.flush(10)
    assert not background.unsettled(alice.pk)
    assert background.stop()


def test_a_full_queue_drops_the_oldest_and_counts(alice: ApiKey) -> None:
    background = Background(max_waiting=3)
    for n in range(5):
        background.submit(finished(alice, f"I love fruit{n}"))
    background.start()
    assert background.stop()
    assert background.dropped == 2
    assert sorted(Memory.objects.values_list("content", flat=True)) == [f"I love fruit{n}" for n in (2, 3, 4)]
    assert not background.unsettled(alice.pk)


def test_one_receipt_written_twice_is_one_receipt(alice: ApiKey, background: Background) -> None:
    for _ in range(2):
        background.submit(finished(alice, request_id="req-same"))
        background.flush(10)
    assert Receipt.objects.count() == 1


def test_the_receipt_of_a_key_that_is_gone_costs_the_others_nothing(alice: ApiKey) -> None:
    background = Background()
    gone = finished(alice, "I love coffee")
    gone.draft.owner_id = 999_999
    for entry in (gone, finished(alice, "I love tea")):
        background.submit(entry)
    background.start()
    assert background.stop()
    assert Receipt.objects.count() == 1


def test_a_batch_that_fails_does_not_end_the_thread(alice: ApiKey, background: Background) -> None:
    broken = finished(alice)
    broken.draft.mode = None  # type: ignore[assignment]  # what no request can be
    background.submit(broken)
    background.flush(10)
    background.submit(finished(alice, "I love tea"))
    assert background.flush(10)
    assert (Memory.objects.count(), Receipt.objects.count()) == (1, 1)


def test_the_use_of_a_key_is_written(alice: ApiKey, background: Background) -> None:
    background.touch(alice.pk, datetime(2026, 1, 2, tzinfo=UTC))
    background.flush(10)
    alice.refresh_from_db()
    assert alice.last_used_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_a_missing_search_table_is_rebuilt(alice: ApiKey, background: Background) -> None:
    from django.db import connection

    from memories import fts

    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE memory_fts")
    background.submit(finished(alice, "I love tea"))
    assert background.flush(10)
    assert fts.problem() is None
    assert Memory.objects.count() == 1


def test_submitting_from_many_threads_loses_nothing(alice: ApiKey, background: Background) -> None:
    def send() -> None:
        for _ in range(40):
            background.submit(finished(alice))

    threads = [threading.Thread(target=send) for _ in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
    background.flush(30)
    assert Receipt.objects.count() == 200
