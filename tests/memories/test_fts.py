"""The search table: its triggers fire, and whatever happens to it, the installer brings it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, connection
from django.utils import timezone

from memories import fts
from memories.checks import check_search_table
from memories.models import Memory, MemoryChange
from memories.services.edit import Actor, memories_set_status
from settings_app.models import ApiKey
from tests.factories import make_memory


def sql(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters)
        return list(cursor.fetchall()) if cursor.description else []


def found(word: str) -> list[int]:
    return fts.matching_ids(f'"{word}"', 100)


def reopen() -> None:
    """Forget what the connection holds of the schema, as a restart does."""
    connection.close()


@pytest.mark.django_db
@pytest.mark.parametrize("name", list(fts.TRIGGERS))
def test_the_migrated_database_has_each_trigger_as_it_is_defined(name: str) -> None:
    assert sql("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = %s", name) == [(fts.TRIGGERS[name],)]


@pytest.mark.django_db
def test_the_migrated_database_has_nothing_wrong_with_it() -> None:
    assert fts.problem() is None
    assert fts.inconsistency() is None
    assert sql("SELECT sql FROM sqlite_master WHERE name = 'memory_fts'") == [(fts.CREATE_TABLE,)]


@pytest.mark.django_db
@pytest.mark.parametrize("column", ["content", "key", "context", "search_extra"])
def test_an_inserted_row_is_found_by_each_of_its_texts(alice: ApiKey, column: str) -> None:
    fields = {"content": "something", column: "quokka"}
    memory = make_memory(alice, **fields)
    assert found("quokka") == [memory.pk]


@pytest.mark.django_db
def test_an_updated_row_is_found_by_its_new_text_only(alice: ApiKey) -> None:
    memory = make_memory(alice, "I like wombats", key="a")
    Memory.objects.update(content="I like quokkas")
    assert (found("wombats"), found("quokkas")) == ([], [memory.pk])


@pytest.mark.django_db
def test_a_deleted_row_is_not_found(alice: ApiKey) -> None:
    make_memory(alice, "I like wombats").delete()
    assert found("wombats") == []
    assert fts.inconsistency() is None


@pytest.mark.django_db
def test_a_row_that_becomes_shared_is_found_among_the_shared(alice: ApiKey) -> None:
    memory = make_memory(alice)
    assert found("kall") == []
    Memory.objects.update(shared=True)
    assert found("kall") == [memory.pk]


@pytest.mark.django_db
def test_a_row_that_changes_its_owner_is_found_under_the_new_one(alice: ApiKey, bob: ApiKey) -> None:
    memory = make_memory(alice)
    Memory.objects.update(api_key=bob)
    assert (found(f"k{alice.pk}"), found(f"k{bob.pk}")) == ([], [memory.pk])


def test_counting_does_not_index_anew(own_database: Path, alice: ApiKey) -> None:
    memory = make_memory(alice)
    before = sql("SELECT id, block FROM memory_fts_data ORDER BY id")
    Memory.objects.filter(pk=memory.pk).update(
        repetitions=7, last_seen_at=timezone.now(), pinned=True, status="deleted"
    )
    assert sql("SELECT id, block FROM memory_fts_data ORDER BY id") == before


@pytest.mark.django_db
def test_every_change_is_logged_for_its_owner(alice: ApiKey, bob: ApiKey) -> None:
    MemoryChange.objects.all().delete()  # emptying the tables after another test was logged too
    memory = make_memory(alice)
    Memory.objects.update(repetitions=2)
    Memory.objects.update(api_key=bob)
    Memory.objects.all().delete()
    owners = list(MemoryChange.objects.order_by("seq").values_list("owner_id", flat=True))
    assert owners == [alice.pk, alice.pk, bob.pk, alice.pk, bob.pk]
    assert set(MemoryChange.objects.values_list("memory_id", flat=True)) == {memory.pk}


@pytest.mark.django_db
def test_the_installer_does_nothing_when_nothing_is_missing() -> None:
    before = sql("SELECT name, rootpage FROM sqlite_master ORDER BY name")
    assert fts.install() is False
    assert sql("SELECT name, rootpage FROM sqlite_master ORDER BY name") == before


DAMAGES = {
    "a dropped insert trigger": "DROP TRIGGER memory_fts_ai",
    "a dropped delete trigger": "DROP TRIGGER memory_fts_ad",
    "a dropped update trigger": "DROP TRIGGER memory_fts_au",
    "a dropped log trigger": "DROP TRIGGER memory_changes_au",
    "a dropped table": "DROP TABLE memory_fts",
    "a renamed table": "ALTER TABLE memory_fts RENAME TO lost",
    "no data": "DROP TABLE memory_fts_data",
    "no index": "DROP TABLE memory_fts_idx",
    "no configuration": "DROP TABLE memory_fts_config",
    "emptied data": "DELETE FROM memory_fts_data",
}


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_damage_is_noticed_and_mended(own_database: Path, alice: ApiKey, damage: str) -> None:
    memory = make_memory(alice, "I like wombats")
    sql(damage)
    reopen()
    assert fts.problem()
    assert [message.id for message in check_search_table(databases=["default"])] == ["memories.W001"]
    assert fts.install() is True
    assert found("wombats") == [memory.pk]
    assert (fts.problem(), fts.inconsistency(), fts.install()) == (None, None, False)


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE memory_fts_data SET block = zeroblob(length(block)) WHERE id > 10",
        "UPDATE memory_fts_data SET block = zeroblob(4) WHERE id > 10",
        "DELETE FROM memory_fts_docsize",
        "DROP TABLE memory_fts_docsize",
        "INSERT INTO memory_fts(rowid, content) VALUES (999, 'a row that is not there')",
    ],
)
def test_hidden_corruption_is_found_by_the_full_check_and_mended(
    own_database: Path, alice: ApiKey, damage: str
) -> None:
    memory = make_memory(alice, "I like wombats")
    sql(damage)
    reopen()
    assert fts.inconsistency()
    assert fts.install(rebuild=True) is True
    assert fts.inconsistency() is None
    assert found("wombats") == [memory.pk]


def test_an_outdated_trigger_is_replaced(own_database: Path) -> None:
    sql("DROP TRIGGER memory_fts_au")
    sql("CREATE TRIGGER memory_fts_au AFTER UPDATE ON memories BEGIN SELECT 1; END")
    assert "memory_fts_au" in str(fts.problem())
    assert fts.install() is True
    assert fts.problem() is None


def test_an_outdated_table_is_replaced(own_database: Path) -> None:
    sql("DROP TABLE memory_fts")
    sql("CREATE VIRTUAL TABLE memory_fts USING fts5(content, content='memories', content_rowid='id')")
    assert fts.problem() == "the table memory_fts is out of date"
    assert fts.install() is True
    assert fts.problem() is None


def test_rows_written_while_a_trigger_was_missing_are_found_afterwards(own_database: Path, alice: ApiKey) -> None:
    sql("DROP TRIGGER memory_fts_ai")
    memory = make_memory(alice, "I like wombats")
    assert found("wombats") == []
    fts.install()
    assert found("wombats") == [memory.pk]


def test_a_log_that_missed_changes_is_emptied_so_that_every_pool_starts_anew(own_database: Path, alice: ApiKey) -> None:
    make_memory(alice, key="a")
    sql("DROP TRIGGER memory_changes_ai")
    make_memory(alice, key="b")
    fts.install()
    assert not MemoryChange.objects.exists()
    make_memory(alice, key="c")
    assert MemoryChange.objects.get().seq > 1


def test_nothing_is_installed_into_a_file_that_is_not_migrated(empty_database: Path) -> None:
    assert fts.problem() == fts.UNMIGRATED
    assert fts.install(rebuild=True) is False
    assert check_search_table(databases=["default"]) == []


def test_a_missing_table_is_an_error_not_an_empty_answer(own_database: Path) -> None:
    sql("DROP TABLE memory_fts")
    with pytest.raises(DatabaseError):
        found("wombats")


def test_a_deleted_word_is_gone_from_the_whole_index(own_database: Path, alice: ApiKey) -> None:
    make_memory(alice, "I like wombats", key="a")
    Memory.objects.all().delete()
    sql("INSERT INTO memory_fts(memory_fts) VALUES ('optimize')")
    sql("CREATE VIRTUAL TABLE temp.words USING fts5vocab('main', 'memory_fts', 'row')")
    assert sql("SELECT term FROM words") == []
    assert not any(b"wombat" in bytes(block) for (block,) in sql("SELECT block FROM memory_fts_data"))


@pytest.mark.django_db
def test_a_recoverably_deleted_memory_stays_indexed_for_its_return(alice: ApiKey) -> None:
    memory = make_memory(alice, "I like wombats")
    memories_set_status(ids=[memory.pk], status="deleted", actor=Actor("user"))
    assert found("wombats") == [memory.pk]
