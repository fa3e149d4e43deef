"""Clean-up: what is past its time leaves, what is exempt stays, and a second run finds nothing to do."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from memories import fts
from memories.models import Memory, MemoryChange, MemoryRevision, Receipt, ReceiptItem
from memories.services.cleanup import CHANGES_KEPT, CleanupReport, memories_cleanup
from settings_app.models import ApiKey
from settings_app.values import MemoryValues
from tests.factories import make_memory, make_receipt, make_revision

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 8, 13, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=31)
SECOND = timedelta(seconds=1)


def clean(*, dry_run: bool = False, **settings: Any) -> CleanupReport:
    return memories_cleanup(settings=MemoryValues(**settings), now=NOW, dry_run=dry_run)


def old(owner: ApiKey, **fields: Any) -> Memory:
    """A user's memory last said 31 days ago."""
    return make_memory(owner, **{"trust": "user", "last_seen_at": LONG_AGO, **fields})


@pytest.mark.parametrize(
    "metadata",
    [{}, {"category": None}, {"category": "preference"}, {"category": 5}, {"category": {"a": 1}}, [], "identity"],
    ids=str,
)
def test_an_outlived_memory_leaves_whatever_its_metadata(alice: ApiKey, metadata: Any) -> None:
    memory = old(alice, metadata=metadata)
    assert clean().past_retention == 1
    memory.refresh_from_db()
    assert memory.status == "deleted"


@pytest.mark.parametrize(
    "fields",
    [
        {"pinned": True},
        {"trust": "operator"},
        {"type": "procedural"},
        {"metadata": {"category": "identity"}},
        {"last_seen_at": NOW - timedelta(days=30)},
    ],
    ids=str,
)
def test_an_exempt_memory_stays(alice: ApiKey, fields: dict[str, Any]) -> None:
    old(alice, **fields)
    assert clean().past_retention == 0
    assert Memory.objects.get().status == "active"


@pytest.mark.parametrize("status", ["candidate", "superseded"])
def test_what_is_not_active_has_no_retention(alice: ApiKey, status: str) -> None:
    old(alice, status=status)
    assert clean().past_retention == 0


def test_retention_is_what_the_settings_say(alice: ApiKey) -> None:
    old(alice)
    assert clean(retention_days=32).past_retention == 0
    assert clean(retention_days=1).past_retention == 1


@pytest.mark.parametrize(("after", "expired"), [(-SECOND, 1), (timedelta(), 1), (SECOND, 0)])
def test_a_memory_expires_at_its_instant(alice: ApiKey, after: timedelta, expired: int) -> None:
    make_memory(alice, expires_at=NOW + after)
    assert clean().expired == expired


def test_a_pinned_memory_never_expires(alice: ApiKey) -> None:
    make_memory(alice, expires_at=LONG_AGO, pinned=True)
    assert clean().expired == 0


def test_identity_and_operators_words_expire_when_told_to(alice: ApiKey) -> None:
    make_memory(alice, key="a", expires_at=LONG_AGO, metadata={"category": "identity"})
    make_memory(alice, key="b", expires_at=LONG_AGO, trust="operator")
    assert clean().expired == 2


def test_what_leaves_can_be_restored_and_says_who_did_it(alice: ApiKey) -> None:
    old(alice)
    clean()
    left = MemoryRevision.objects.get()
    assert (left.actor, left.reason, left.before) == ("system", "clean-up", {"status": "active"})


def test_a_memory_deleted_long_ago_is_purged_with_its_revisions_and_words(alice: ApiKey) -> None:
    memory = make_memory(alice, "I like wombats", status="deleted", updated_at=LONG_AGO)
    make_revision(memory)
    assert clean().purged == 1
    assert not Memory.objects.exists()
    assert not MemoryRevision.objects.exists()
    assert fts.matching_ids('"wombats"', 5) == []


def test_a_memory_deleted_lately_is_kept(alice: ApiKey) -> None:
    make_memory(alice, status="deleted", updated_at=NOW - timedelta(days=30))
    assert clean().purged == 0
    assert clean(deleted_retention_days=29).purged == 1


def test_what_this_run_deletes_it_does_not_purge(alice: ApiKey) -> None:
    old(alice)
    assert clean(deleted_retention_days=0).purged == 0


def test_old_receipts_go_with_their_items(alice: ApiKey) -> None:
    make_receipt(alice, "old", NOW - timedelta(days=8))
    make_receipt(alice, "new", NOW - timedelta(days=7))
    assert clean().receipts == 1
    assert Receipt.objects.get().request_id == "new"
    assert ReceiptItem.objects.count() == 1


def test_the_change_log_keeps_its_newest_entries(alice: ApiKey) -> None:
    MemoryChange.objects.all().delete()  # emptying the tables after another test was logged too
    MemoryChange.objects.bulk_create(MemoryChange(owner_id=1, memory_id=1) for _ in range(CHANGES_KEPT + 700))
    assert clean().changes == 700
    assert MemoryChange.objects.count() == CHANGES_KEPT


def test_a_dry_run_counts_the_same_and_changes_nothing(alice: ApiKey) -> None:
    old(alice, key="both", expires_at=LONG_AGO)
    old(alice, key="outlived")
    make_memory(alice, key="gone", status="deleted", updated_at=LONG_AGO)
    make_receipt(alice, "old", LONG_AGO)
    counted = clean(dry_run=True)
    assert Memory.objects.filter(status="active").count() == 2
    assert clean() == counted == CleanupReport(expired=1, past_retention=1, purged=1, receipts=1, changes=0)


def test_a_second_run_finds_nothing_to_do(alice: ApiKey) -> None:
    old(alice)
    clean()
    assert clean() == CleanupReport(0, 0, 0, 0, 0)


def test_more_rows_than_a_batch_leave(alice: ApiKey) -> None:
    rows = [Memory(api_key=alice, key=str(n), content="x", trust="user", last_seen_at=LONG_AGO) for n in range(1001)]
    Memory.objects.bulk_create(rows)
    assert clean().past_retention == 1001


def command(**options: Any) -> str:
    out = StringIO()
    call_command("cleanup_memories", stdout=out, **options)
    return out.getvalue()


def test_the_command_prints_what_it_did(alice: ApiKey) -> None:
    old(alice)
    assert "1 outlived memories would be deleted" in command(dry_run=True)
    assert json.loads(command(as_json=True))["past_retention"] == 1
    assert "0 expired and 0 outlived memories were deleted" in command()
