"""Changes by people and programs: checked, revised, and safe under races."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from memories.models import Memory, MemoryRevision
from memories.services.edit import Actor, InvalidMemory, memories_set_status, memory_create, memory_edit
from settings_app.models import ApiKey
from tests.factories import make_memory

pytestmark = pytest.mark.django_db

ADA = Actor("user", "ada", "because")
CREDENTIAL = "my key is sk-proj-4f9Qw83hfKq02mZs71LxVb55"


def create(owner: ApiKey, content: str = "I prefer tabs", **fields: Any) -> Memory:
    memory, _ = memory_create(owner=owner, content=content, actor=Actor("api"), **fields)
    return memory


@pytest.mark.parametrize("text", ["😀 emoji", "مرحبا بالعالم", "line\nbreak", " spaces around ", "x" * 16_000])
def test_a_text_is_kept_exactly(alice: ApiKey, text: str) -> None:
    memory = create(alice, text)
    memory.refresh_from_db()
    assert memory.content == text


REFUSED: list[tuple[str, dict[str, Any]]] = [
    ("content", {"content": ""}),
    ("content", {"content": " \n "}),
    ("content", {"content": "x" * 16_001}),
    ("content", {"content": "tabs\0"}),
    ("content", {"content": "\ud800"}),
    ("content", {"content": CREDENTIAL}),
    ("key", {"key": "x" * 256}),
    ("key", {"key": "tabs\0"}),
    ("key", {"key": CREDENTIAL}),
    ("type", {"type": "dream"}),
    ("session_id", {"session_id": "x" * 256}),
    ("session_id", {"session_id": "\ud800"}),
    ("metadata", {"metadata": {"a": float("nan")}}),
    ("metadata", {"metadata": {"a": {1, 2}}}),
    ("metadata", {"metadata": {"a": "\ud800"}}),
    ("metadata", {"metadata": {"a": "\0"}}),
    ("metadata", {"metadata": {"note": CREDENTIAL}}),
    ("metadata", {"metadata": {"a": "x" * 16_001}}),
]


@pytest.mark.parametrize(("field", "given"), REFUSED, ids=[f"{n}-{f}" for n, (f, _) in enumerate(REFUSED)])
def test_what_must_not_be_stored_is_refused_by_its_field(alice: ApiKey, field: str, given: dict[str, Any]) -> None:
    with pytest.raises(InvalidMemory) as caught:
        create(alice, **given)
    assert caught.value.field == field
    assert not Memory.objects.exists()


@pytest.mark.parametrize(("field", "given"), REFUSED, ids=[f"{n}-{f}" for n, (f, _) in enumerate(REFUSED)])
def test_an_edit_refuses_the_same(alice: ApiKey, field: str, given: dict[str, Any]) -> None:
    memory = make_memory(alice)
    with pytest.raises(InvalidMemory):
        memory_edit(memory=memory, changes=given, actor=ADA)
    assert not MemoryRevision.objects.exists()


@pytest.mark.parametrize("changes", [{"trust": "user"}, {"api_key": 7}, {"status": "deleted"}, {"metadata": []}])
def test_what_is_not_for_editing_is_refused(alice: ApiKey, changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidMemory):
        memory_edit(memory=make_memory(alice), changes=changes, actor=ADA)


def test_a_key_being_erased_takes_no_more(alice: ApiKey) -> None:
    ApiKey.objects.filter(pk=alice.pk).update(state="erasing")
    with pytest.raises(InvalidMemory, match="being erased"):
        create(alice)


def test_a_memory_without_a_key_gets_one_that_never_collides(alice: ApiKey) -> None:
    keys = {create(alice, text).key for text in ("我喜欢用深色主题", "高铁旅行计划", "a" * 300, "a" * 299 + "b")}
    assert len(keys) == 4


def test_the_same_key_edits_in_place_merges_metadata_and_counts(alice: ApiKey) -> None:
    create(alice, "I live in Paris", key="home", metadata={"a": 1, "b": 1})
    edited = create(alice, "I live in Berlin", key="home", metadata={"b": 2})
    assert Memory.objects.get() == edited
    assert (edited.content, edited.repetitions, edited.revision) == ("I live in Berlin", 2, 2)
    assert edited.metadata == {"source": "api", "a": 1, "b": 2}
    assert MemoryRevision.objects.get().before["content"] == "I live in Paris"


def test_saying_the_same_again_only_counts(alice: ApiKey) -> None:
    create(alice)
    again = create(alice)
    assert (again.repetitions, again.revision) == (2, 1)
    assert not MemoryRevision.objects.exists()


def test_an_edit_in_place_sets_pin_expiry_and_session_only_where_given(alice: ApiKey) -> None:
    at = datetime(2030, 1, 1, tzinfo=UTC)
    create(alice, pinned=True, expires_at=at, session_id="s")
    again = create(alice)
    assert (again.pinned, again.expires_at, again.session_id) == (True, at, "s")
    assert create(alice, session_id="t").session_id == "t"


def test_another_owners_memory_is_not_touched(alice: ApiKey, bob: ApiKey) -> None:
    hers = create(alice, key="home")
    create(bob, "I live in Berlin", key="home")
    hers.refresh_from_db()
    assert (hers.content, hers.repetitions) == ("I prefer tabs", 1)


def test_an_edit_leaves_a_revision_with_what_was_before_and_who_did_it(alice: ApiKey) -> None:
    memory = make_memory(alice, "I prefer tabs")
    at = datetime(2030, 1, 1, tzinfo=UTC)
    memory_edit(memory=memory, changes={"content": "I prefer spaces", "expires_at": at}, actor=ADA)
    left = MemoryRevision.objects.get()
    assert (left.number, left.before) == (1, {"content": "I prefer tabs", "expires_at": None})
    assert (left.actor, left.who, left.reason) == ("user", "ada", "because")


def test_an_edit_that_changes_nothing_leaves_no_revision(alice: ApiKey) -> None:
    memory = make_memory(alice)
    assert memory_edit(memory=memory, changes={"content": memory.content}, actor=ADA).revision == 1
    assert not MemoryRevision.objects.exists()


def test_new_content_is_searched_and_embedded_anew(alice: ApiKey) -> None:
    memory = create(alice, "我喜欢用深色主题")
    Memory.objects.update(needs_reindex=False)
    edited = memory_edit(memory=memory, changes={"content": "高铁旅行计划"}, actor=ADA)
    assert edited.needs_reindex
    assert edited.fingerprint != memory.fingerprint
    assert "高铁" in edited.search_extra
    assert "深色" not in edited.search_extra


def test_a_taken_key_is_refused(alice: ApiKey) -> None:
    make_memory(alice, key="home")
    other = make_memory(alice, "I prefer tabs", key="style")
    with pytest.raises(InvalidMemory, match="taken"):
        memory_edit(memory=other, changes={"key": "home"}, actor=ADA)


def test_deleting_and_restoring_keep_the_row_and_leave_revisions(alice: ApiKey) -> None:
    memory = make_memory(alice)
    assert memories_set_status(ids=[memory.pk], status="deleted", actor=ADA) == 1
    assert memories_set_status(ids=[memory.pk], status="deleted", actor=ADA) == 0
    assert memories_set_status(ids=[memory.pk], status="active", actor=ADA) == 1
    memory.refresh_from_db()
    assert (memory.status, memory.revision) == ("active", 3)
    assert [r.before["status"] for r in memory.revisions.order_by("id")] == ["active", "deleted"]


def test_a_memory_whose_key_was_taken_meanwhile_stays_deleted(alice: ApiKey) -> None:
    old = make_memory(alice, key="home", status="deleted")
    make_memory(alice, key="home")
    assert memories_set_status(ids=[old.pk], status="active", actor=ADA) == 0


def test_of_two_deleted_memories_with_one_key_one_returns(alice: ApiKey) -> None:
    ids = [make_memory(alice, key="home", status="deleted").pk for _ in range(2)]
    assert memories_set_status(ids=ids, status="active", actor=ADA) == 1


def test_a_superseded_memory_that_returns_is_not_superseded_any_more(alice: ApiKey) -> None:
    new = make_memory(alice, key="home", status="deleted")
    old = make_memory(alice, key="home", status="superseded", superseded_by=new)
    memories_set_status(ids=[old.pk], status="active", actor=ADA)
    old.refresh_from_db()
    assert (old.status, old.superseded_by) == ("active", None)


def test_more_ids_than_a_batch_are_moved(alice: ApiKey) -> None:
    Memory.objects.bulk_create([Memory(api_key=alice, key=str(n), content="x") for n in range(1201)])
    ids = list(Memory.objects.values_list("pk", flat=True))
    assert memories_set_status(ids=ids, status="deleted", actor=ADA) == 1201


def test_memories_are_not_moved_to_what_only_capture_gives(alice: ApiKey) -> None:
    with pytest.raises(ValueError, match="candidate"):
        memories_set_status(ids=[1], status="candidate", actor=ADA)
