"""Migrations: forward and back, the table remake that drops triggers, and ids that are never given again."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import connection, migrations, models
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations.base import Operation
from django.db.migrations.writer import OperationWriter
from django.db.models.signals import post_migrate

from memories import fts
from memories.models import Memory
from settings_app.migration_operations import KeepIds
from settings_app.models import ApiKey
from tests.factories import make_key, make_memory

APPS = ("memories", "settings_app")


def migrate(*target: str) -> None:
    call_command("migrate", *target, verbosity=0, interactive=False)


def our_tables() -> set[str]:
    prefixes = ("memor", "settings_app")
    return {name for name in connection.introspection.table_names() if name.startswith(prefixes)}


def triggers() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'")
        return {name for (name,) in cursor.fetchall()}


def remake(app_label: str, operation: Operation, *, backwards: bool = False) -> None:
    """Run one operation as `migrate` would, in a schema editor of its own; `backwards` takes it back at once."""
    before = MigrationExecutor(connection).loader.project_state()
    after = before.clone()
    operation.state_forwards(app_label, after)
    with connection.schema_editor() as editor:
        operation.database_forwards(app_label, editor, before, after)
    if backwards:
        with connection.schema_editor() as editor:
            operation.database_backwards(app_label, editor, after, before)


def finish() -> None:
    """What `migrate` does after the last migration."""
    config = apps.get_app_config("memories")
    post_migrate.send(config, app_config=config, verbosity=0, interactive=False, using="default")


def colour(model: str) -> migrations.AddField:
    return migrations.AddField(model, "colour", models.CharField(max_length=9, default="blue"))


def insert_memory(owner: ApiKey, content: str) -> int:
    """Insert past the ORM, whose model does not know the column that a test added."""
    row = Memory(api_key=owner, key=content, content=content)
    fields = [f for f in Memory._meta.concrete_fields if not f.generated and f.name != "id"]
    pairs = {f.attname: f.get_db_prep_save(getattr(row, f.attname), connection) for f in fields}
    with connection.cursor() as cursor:
        present = {c.name for c in connection.introspection.get_table_description(cursor, "memories")}
        pairs |= {"colour": "red"} if "colour" in present else {}
        marks = ", ".join(["%s"] * len(pairs))
        cursor.execute(f"INSERT INTO memories ({', '.join(pairs)}) VALUES ({marks})", list(pairs.values()))
        return int(cursor.lastrowid)


@pytest.mark.django_db
def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0, stdout=StringIO())


def test_forward_to_zero_and_forward_again(empty_database: Path) -> None:
    migrate()
    full = our_tables()
    make_memory(make_key("Alice"))
    migrate("memories", "zero")
    migrate("settings_app", "zero")
    assert our_tables() == set()
    assert triggers() == set()
    migrate()
    assert our_tables() == full
    assert fts.problem() is None


def test_each_step_can_be_taken_back_and_forth(own_database: Path) -> None:
    make_memory(make_key("Alice"), "I like wombats")
    migrate("memories", "0001")
    assert "memory_fts" not in our_tables()
    assert triggers() == set()
    migrate("memories")
    assert fts.problem() is None
    assert fts.matching_ids('"wombats"', 5) == [Memory.objects.get().pk]


def test_every_migration_has_a_name_and_a_way_back() -> None:
    graph = MigrationLoader(None).disk_migrations
    ours = {key: migration for key, migration in graph.items() if key[0] in APPS}
    assert ours
    for (_, name), migration in ours.items():
        assert not name.endswith("_auto")
        assert all(operation.reversible for operation in migration.operations), name


def test_migrations_import_no_code_of_the_apps() -> None:
    for app in APPS:
        for path in Path(apps.get_app_config(app).path, "migrations").glob("0*.py"):
            lines = path.read_text().splitlines()
            imports = [line for line in lines if line.startswith(("import ", "from "))]
            assert not [line for line in imports if any(f" {name}." in line for name in ("memories", "engine"))], path


REMAKES: dict[str, Operation] = {
    "a field with a default": colour("memory"),
    "an altered field": migrations.AlterField("memory", "session_id", models.CharField(max_length=300, null=True)),
    "a new constraint": migrations.AddConstraint(
        "memory", models.CheckConstraint(condition=~models.Q(key="forbidden"), name="memory_key_allowed")
    ),
}


@pytest.mark.parametrize("operation", REMAKES.values(), ids=REMAKES)
def test_a_remake_drops_the_triggers_and_the_installer_puts_them_back(
    own_database: Path, alice: ApiKey, operation: Operation
) -> None:
    old = make_memory(alice, "I like wombats").pk
    remake("memories", operation)
    assert triggers() & set(fts.TRIGGERS) == set()
    finish()
    assert fts.problem() is None
    new = insert_memory(alice, "I like quokkas")
    assert (fts.matching_ids('"wombats"', 5), fts.matching_ids('"quokkas"', 5)) == ([old], [new])
    assert fts.inconsistency() is None


def test_a_plain_remake_gives_the_newest_id_again(own_database: Path, alice: ApiKey) -> None:
    """Why KeepIds exists; should this fail one day, Django keeps the sequence itself."""
    newest = make_memory(alice, key="a").pk
    Memory.objects.all().delete()
    remake("memories", colour("memory"))
    assert insert_memory(alice, "b") == newest


@pytest.mark.parametrize("kept", [0, 2])
@pytest.mark.parametrize("backwards", [False, True])
def test_with_keep_ids_a_remade_table_gives_no_id_again(
    own_database: Path, alice: ApiKey, kept: int, backwards: bool
) -> None:
    for number in range(kept):
        make_memory(alice, key=f"kept {number}")
    newest = make_memory(alice, key="newest")
    highest = newest.pk
    newest.delete()
    remake("memories", KeepIds("memories", [colour("memory")]), backwards=backwards)
    finish()
    assert insert_memory(alice, "next") == highest + 1


def test_keep_ids_serves_keys_too(own_database: Path) -> None:
    newest = make_key("Alice")
    highest = newest.pk
    newest.delete()
    remake("settings_app", KeepIds("settings_app_apikey", [colour("apikey")]), backwards=True)
    assert make_key("Bob").pk == highest + 1


def test_keep_ids_leaves_an_empty_table_alone(own_database: Path, alice: ApiKey) -> None:
    remake("memories", KeepIds("memories", [colour("memory")]))
    assert insert_memory(alice, "first") == 1


def test_keep_ids_can_be_written_into_a_migration_file() -> None:
    text, imports = OperationWriter(KeepIds("memories", [colour("memory")]), indentation=0).serialize()
    assert "settings_app.migration_operations.KeepIds(" in text
    assert "table='memories'" in text
    assert "import settings_app.migration_operations" in imports
    assert "memories" in KeepIds("memories", []).describe()
