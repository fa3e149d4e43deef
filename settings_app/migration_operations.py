"""For migrations that remake a table whose ids must never be given out again: Memory and ApiKey."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.operations import SeparateDatabaseAndState
from django.db.migrations.operations.base import Operation
from django.db.migrations.state import ProjectState


class KeepIds(SeparateDatabaseAndState):
    """Runs operations on the model of `table` and then restores SQLite's memory of the highest id ever given.

    Django remakes a SQLite table by copying it, after which AUTOINCREMENT counts on from the highest id that is left: the
    id of a deleted newest row would be given again, and with it whatever an index or a log still knows of that row.

        operations = [KeepIds("memories", [migrations.AddField("memory", "colour", models.CharField(default=""))])]
    """

    def __init__(self, table: str, operations: Sequence[Operation]) -> None:
        super().__init__(database_operations=operations, state_operations=operations)
        self.table = table
        self.operations = operations

    def deconstruct(self) -> tuple[str, list[Any], dict[str, Any]]:
        """Return what writes this operation into a migration file."""
        return type(self).__name__, [], {"table": self.table, "operations": self.operations}

    def database_forwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Apply the operations and restore the sequence."""
        highest = self._highest(schema_editor)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
        self._restore(schema_editor, highest)

    def database_backwards(
        self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: ProjectState, to_state: ProjectState
    ) -> None:
        """Take the operations back, which remakes the table once more, and restore the sequence."""
        highest = self._highest(schema_editor)
        super().database_backwards(app_label, schema_editor, from_state, to_state)
        self._restore(schema_editor, highest)

    def describe(self) -> str:
        """Say what happens, for `migrate` and `showmigrations --plan`."""
        return f"Change {self.table} and keep its ids from being given again"

    def _highest(self, schema_editor: BaseDatabaseSchemaEditor) -> int:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [self.table])
            row = cursor.fetchone()
        return int(row[0]) if row else 0

    def _restore(self, schema_editor: BaseDatabaseSchemaEditor, highest: int) -> None:
        with schema_editor.connection.cursor() as cursor:
            cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s AND seq <= %s", [self.table, highest])
            cursor.execute(
                "INSERT INTO sqlite_sequence (name, seq) SELECT %s, %s"
                " WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = %s)",
                [self.table, highest, self.table],
            )
