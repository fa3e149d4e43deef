"""The named constraints of memories refuse what they should, whoever writes."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.db import IntegrityError, connection

from memories.models import Memory, MemoryRevision
from settings_app.models import ApiKey
from tests.factories import make_memory, make_revision

pytestmark = pytest.mark.django_db

REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("memory_type_known", {"type": "dream"}),
    ("memory_status_known", {"status": "lost"}),
    ("memory_trust_known", {"trust": "oracle"}),
    ("memory_content_length", {"content": ""}),
    ("memory_content_length", {"content": "x" * 16_001}),
    ("memory_key_length", {"key": ""}),
    ("memory_key_length", {"key": "x" * 256}),
    ("memory_session_length", {"session_id": ""}),
    ("memory_session_length", {"session_id": "x" * 256}),
    ("memory_repetitions_positive", {"repetitions": 0}),
]


@pytest.mark.parametrize(("constraint", "fields"), REFUSED)
def test_a_row_out_of_range_is_refused(alice: ApiKey, constraint: str, fields: dict[str, Any]) -> None:
    memory = make_memory(alice)
    with pytest.raises(IntegrityError, match=constraint):
        Memory.objects.filter(pk=memory.pk).update(**fields)


@pytest.mark.parametrize(
    "fields", [{"content": "x" * 16_000}, {"content": "😀" * 16_000}, {"key": "x" * 255}, {"session_id": "x" * 255}]
)
def test_a_row_at_the_limit_is_kept_exactly(alice: ApiKey, fields: dict[str, Any]) -> None:
    memory = make_memory(alice, **fields)
    memory.refresh_from_db()
    assert all(getattr(memory, name) == value for name, value in fields.items())


def test_every_constraint_has_a_test() -> None:
    names = {constraint.name for constraint in Memory._meta.constraints}
    assert names == {name for name, _ in REFUSED} | {"memory_active_key_unique", "memory_candidate_unique"}


def test_an_owner_has_one_active_memory_a_key(alice: ApiKey) -> None:
    make_memory(alice, key="home", content="I live in Paris")
    with pytest.raises(IntegrityError, match=r"memories\.api_key_id, memories\.key"):
        make_memory(alice, key="home", content="I live in Berlin")


def test_another_owner_may_use_the_same_key(alice: ApiKey, bob: ApiKey) -> None:
    make_memory(alice, key="home")
    assert make_memory(bob, key="home").pk


@pytest.mark.parametrize("status", ["superseded", "deleted"])
def test_history_may_repeat_a_key(alice: ApiKey, status: str) -> None:
    make_memory(alice, key="home")
    assert [make_memory(alice, key="home", status=status).key for _ in range(2)] == ["home", "home"]


def test_candidates_of_one_key_differ_by_fingerprint(alice: ApiKey) -> None:
    candidate = {"key": "home", "status": "candidate"}
    make_memory(alice, fingerprint="a", **candidate)
    make_memory(alice, fingerprint="b", **candidate)
    with pytest.raises(IntegrityError, match="fingerprint"):
        make_memory(alice, fingerprint="a", **candidate)


def test_the_owner_token_names_the_owner_and_the_shared_pool(alice: ApiKey) -> None:
    memory = make_memory(alice)
    memory.refresh_from_db()
    assert memory.owner_token == f"k{alice.pk}"
    Memory.objects.update(shared=True)
    memory.refresh_from_db()
    assert memory.owner_token == f"k{alice.pk} kall"


def test_ids_are_never_given_twice(alice: ApiKey) -> None:
    newest = make_memory(alice, key="a").pk
    Memory.objects.all().delete()
    assert make_memory(alice, key="b").pk > newest


@pytest.mark.parametrize("table", ["memories", "settings_app_apikey", "settings_app_settingsaudit", "memory_changes"])
def test_ids_that_are_remembered_elsewhere_are_autoincrement(table: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT sql FROM sqlite_master WHERE name = %s", [table])
        assert re.search(r"PRIMARY KEY AUTOINCREMENT", cursor.fetchone()[0])


def test_what_replaced_a_memory_may_go(alice: ApiKey) -> None:
    new = make_memory(alice, key="new")
    old = make_memory(alice, key="old", status="superseded", superseded_by=new)
    new.delete()
    old.refresh_from_db()
    assert old.superseded_by is None


def test_revisions_go_with_their_memory(alice: ApiKey) -> None:
    memory = make_memory(alice)
    make_revision(memory)
    memory.delete()
    assert not MemoryRevision.objects.exists()


@pytest.mark.parametrize(
    ("where", "index"),
    [
        ("needs_reindex", "memory_pending"),
        ("expires_at IS NOT NULL AND expires_at < '2026-01-01'", "memory_expiry"),
        ("api_key_id = 1 AND status = 'active' ORDER BY created_at", "memory_owner"),
        ("api_key_id = 1 AND session_id = 's'", "memory_session"),
    ],
)
def test_a_usual_question_is_answered_from_an_index(where: str, index: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"EXPLAIN QUERY PLAN SELECT id FROM memories WHERE {where}")
        assert index in str(cursor.fetchall())
