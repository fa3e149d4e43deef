"""The in-memory pools: exact, in step with every writer, bounded."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from django.db import OperationalError, connection

from memories import pool as pool_module
from memories.models import Memory, MemoryChange
from memories.pool import Pools
from memories.services.recall import RecallRequest, recall
from settings_app.models import ApiKey

pytestmark = pytest.mark.django_db(transaction=True)


def add(owner: ApiKey, key: str, content: str = "marmalade") -> Memory:
    return Memory.objects.create(api_key=owner, key=key, content=content)


def size(pools: Pools, owner: ApiKey) -> int:
    pool = pools.get(owner.pk)
    return -1 if pool is None else len(pool)


def test_a_pool_follows_inserts_updates_and_deletes(alice: ApiKey) -> None:
    pools = Pools()
    first = add(alice, "a")
    assert size(pools, alice) == 1
    add(alice, "b")
    assert size(pools, alice) == 2
    Memory.objects.filter(pk=first.pk).update(status="superseded")
    assert size(pools, alice) == 1
    Memory.objects.all().delete()
    assert size(pools, alice) == 0


def test_a_write_by_another_connection_is_seen_at_once(alice: ApiKey) -> None:
    pools = Pools()
    assert size(pools, alice) == 0

    def write() -> None:
        add(alice, "a")
        connection.close()

    writer = threading.Thread(target=write)
    writer.start()
    writer.join()
    assert size(pools, alice) == 1


def test_a_pruned_change_log_starts_the_pools_anew(alice: ApiKey) -> None:
    pools = Pools()
    assert size(pools, alice) == 0
    add(alice, "a")
    add(alice, "b")
    MemoryChange.objects.order_by("seq").first().delete()  # type: ignore[union-attr]
    assert size(pools, alice) == 2


def test_inside_a_transaction_there_is_no_pool(alice: ApiKey) -> None:
    from django.db import transaction

    with transaction.atomic():
        assert Pools().get(alice.pk) is None


def test_a_row_handed_to_another_owner_changes_pools(alice: ApiKey, bob: ApiKey) -> None:
    pools = Pools()
    memory = add(alice, "a")
    assert (size(pools, alice), size(pools, bob)) == (1, 0)
    Memory.objects.filter(pk=memory.pk).update(api_key=bob)
    assert (size(pools, alice), size(pools, bob)) == (0, 1)


def test_pools_that_were_not_used_for_long_are_dropped(alice: ApiKey, bob: ApiKey, monkeypatch: Any) -> None:
    monkeypatch.setattr(pool_module, "MAX_BYTES", 1)
    pools = Pools()
    add(alice, "a")
    add(bob, "a")
    assert (size(pools, alice), size(pools, bob)) == (1, 1)
    assert list(pools._pools) == [bob.pk]


def test_a_large_pool_is_built_in_the_background(alice: ApiKey, monkeypatch: Any) -> None:
    monkeypatch.setattr(pool_module, "BUILD_AT_ONCE", 100)
    Memory.objects.bulk_create(Memory(api_key=alice, key=f"k{n}", content=f"marmalade {n}") for n in range(50))
    pools = Pools()
    assert pools.get(alice.pk) is None
    add(alice, "late")
    for thread in threading.enumerate():
        if thread.name.startswith("pool-"):
            thread.join(10)
    assert size(pools, alice) == 51


def test_searching_while_others_write_never_fails(alice: ApiKey) -> None:
    for n in range(50):
        add(alice, f"k{n}", f"marmalade number {n}")
    failures: list[BaseException] = []

    def work(what: Any) -> None:
        try:
            for n in range(60):
                what(n)
        except BaseException as error:  # noqa: BLE001  (a thread's failure belongs to the test)
            failures.append(error)
        finally:
            connection.close()

    def search(_: int) -> None:
        assert len(recall(RecallRequest(alice.pk, "marmalade number")).hits) >= 10

    def write(name: str) -> Any:
        return lambda n: add(alice, f"{name}{n}", f"marmalade of {name} {n}")

    jobs = [search] * 8 + [write("x"), write("y")]
    threads = [threading.Thread(target=work, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert failures == []
    assert Memory.objects.count() == 170


def test_a_read_that_fails_loses_no_change(alice: ApiKey, monkeypatch: Any) -> None:
    pools = Pools()
    assert size(pools, alice) == 0
    add(alice, "a")

    def broken(*_: object) -> Any:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(pool_module, "read_rows", broken)
        with pytest.raises(OperationalError):
            pools.get(alice.pk)
    assert size(pools, alice) == 1


def test_a_build_that_fails_is_tried_again(alice: ApiKey, monkeypatch: Any) -> None:
    pools = Pools()
    add(alice, "a")

    def broken(*_: object) -> Any:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(pool_module, "read_rows", broken)
        with pytest.raises(OperationalError):
            pools.get(alice.pk)
    assert size(pools, alice) == 1


def test_a_large_pool_keeps_nobody_else_waiting(alice: ApiKey, bob: ApiKey, monkeypatch: Any) -> None:
    pools = Pools()
    add(alice, "a")
    held = pools.get(alice.pk)
    assert held is not None
    with held.lock:  # as if its changes were being applied just now
        assert size(pools, bob) == 0
