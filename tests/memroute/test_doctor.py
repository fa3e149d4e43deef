"""`memroute doctor`: mends what can be mended and says what to do about the rest."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.db import connection

from memories import fts
from memroute.cli import main
from memroute.doctor import doctor
from settings_app.models import ApiKey, Provider
from tests.factories import make_memory, make_provider


def examine() -> tuple[int, str]:
    out = StringIO()
    return doctor(out), out.getvalue()


def break_it(*statements: str) -> None:
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.close()


def test_a_healthy_installation_is_well(own_database: Path) -> None:
    code, said = examine()
    assert code == 0
    assert "FAIL" not in said
    assert str(own_database) in said
    for probe in ("SQLite driver", "vector extension", "migrations: up to date", "file integrity: ok"):
        assert probe in said


def test_a_new_file_is_migrated(empty_database: Path) -> None:
    code, said = examine()
    assert code == 0
    assert "applied now" in said
    assert fts.problem() is None


@pytest.mark.parametrize(
    "damage",
    [
        "DROP TRIGGER memory_fts_au",
        "DROP TABLE memory_fts",
        "ALTER TABLE memory_fts RENAME TO lost",
        "DROP TABLE memory_fts_data",
        "DROP TABLE memory_fts_config",
        "DELETE FROM memory_fts_data",
        "DELETE FROM memory_fts_docsize",
        "UPDATE memory_fts_data SET block = zeroblob(4) WHERE id > 10",
    ],
)
def test_a_damaged_search_table_is_mended(own_database: Path, alice: ApiKey, damage: str) -> None:
    memory = make_memory(alice, "I like wombats")
    break_it(damage)
    code, said = examine()
    assert code == 0, said
    assert "ok    keyword search: mended: " in said
    assert fts.matching_ids('"wombats"', 5) == [memory.pk]
    assert "mended" not in examine()[1]


@pytest.mark.parametrize("table", ["memories", "memory_changes"])
def test_a_missing_table_of_memories_is_told(own_database: Path, table: str) -> None:
    break_it("PRAGMA foreign_keys = OFF", f"ALTER TABLE {table} RENAME TO lost")
    code, said = examine()
    assert code == 1
    assert "FAIL  keyword search: the table of memories or of their changes is gone; restore a backup" in said


def test_a_file_that_is_no_database_is_told(empty_database: Path) -> None:
    empty_database.write_bytes(b"a letter to my aunt " * 100)
    code, said = examine()
    assert code == 1
    assert "the database cannot be used (file is not a database): restore a backup" in said


def test_a_credential_that_cannot_be_read_is_told(own_database: Path) -> None:
    make_provider()
    Provider.objects.update(credential="0badc0de:whatever")
    code, said = examine()
    assert code == 1
    assert "FAIL  credentials: openai: MEMROUTE_SECRET_KEY changed" in said


def test_no_secret_is_printed(own_database: Path, alice: ApiKey) -> None:
    make_provider(credential="sk-0123456789")
    assert "sk-0123456789" not in examine()[1]
    assert "1 usable keys; providers: openai" in examine()[1]


def test_the_command_prints_it(own_database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor"]) == 0
    assert "ok    database file" in capsys.readouterr().out
