"""The search table and its triggers, and the few statements of the hot path: the only raw SQL of this app.

`memory_fts` is an FTS5 table whose content is the memories table itself; three triggers keep it in step, three more log
every change for the in-memory pools. Django's table remake drops triggers silently, so the installer runs after each
migrate, is idempotent, and makes the index anew when anything of it is missing or differs from what is defined here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any

from django.db import DatabaseError, connection, transaction
from django.db.migrations.recorder import MigrationRecorder

COLUMNS = "content, key, context, search_extra, owner_token"
UNMIGRATED = "the database is not migrated"

CREATE_TABLE = f"""CREATE VIRTUAL TABLE memory_fts USING fts5(
    {COLUMNS}, content='memories', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
)"""
_OLD = "old.content, old.key, old.context, old.search_extra, old.owner_token"
_NEW = "new.content, new.key, new.context, new.search_extra, new.owner_token"
_DELETE = f"INSERT INTO memory_fts(memory_fts, rowid, {COLUMNS}) VALUES ('delete', old.id, {_OLD});"  # noqa: S608
_INSERT = f"INSERT INTO memory_fts(rowid, {COLUMNS}) VALUES (new.id, {_NEW});"  # noqa: S608
_LOG_NEW = "INSERT INTO memory_changes(owner_id, memory_id) VALUES (new.api_key_id, new.id);"
_LOG_OLD = "INSERT INTO memory_changes(owner_id, memory_id) VALUES (old.api_key_id, old.id);"
# The update trigger covers only what is indexed: counting a repetition must not rewrite the index.
TRIGGERS = {
    "memory_fts_ai": f"CREATE TRIGGER memory_fts_ai AFTER INSERT ON memories BEGIN {_INSERT} END",
    "memory_fts_ad": f"CREATE TRIGGER memory_fts_ad AFTER DELETE ON memories BEGIN {_DELETE} END",
    "memory_fts_au": "CREATE TRIGGER memory_fts_au AFTER UPDATE OF content, key, context, search_extra, api_key_id, shared"
    f" ON memories BEGIN {_DELETE} {_INSERT} END",
    "memory_changes_ai": f"CREATE TRIGGER memory_changes_ai AFTER INSERT ON memories BEGIN {_LOG_NEW} END",
    "memory_changes_ad": f"CREATE TRIGGER memory_changes_ad AFTER DELETE ON memories BEGIN {_LOG_OLD} END",
    "memory_changes_au": "CREATE TRIGGER memory_changes_au AFTER UPDATE ON memories"
    f" BEGIN {_LOG_NEW} INSERT INTO memory_changes(owner_id, memory_id)"
    " SELECT old.api_key_id, old.id WHERE old.api_key_id <> new.api_key_id; END",
}


def _rows(sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql, parameters)
        return list(cursor.fetchall())


def _schema() -> dict[str, str]:
    """Return name → SQL of the memories table, the search table and their triggers, as they are in the file."""
    return {
        str(name): str(sql)
        for name, sql in _rows(
            "SELECT name, sql FROM sqlite_master WHERE name IN ('memories', 'memory_fts', 'memory_changes')"
            " OR (type = 'trigger' AND tbl_name = 'memories')"
        )
    }


# What was found at which version of the schema; dropping or renaming anything makes a new version.
_known: dict[str, tuple[int, str | None]] = {}


def known_problem() -> str | None:
    """`problem()`, asked anew only when somebody changed the schema: for every recall."""
    name = str(connection.settings_dict["NAME"])
    version = int(_rows("PRAGMA schema_version")[0][0])
    held = _known.get(name)
    if held is None or held[0] != version:
        held = _known[name] = (version, problem())
    return held[1]


def problem() -> str | None:
    """Say in words what is wrong with the search table, or None. Two small reads."""
    try:
        schema = _schema()
        if "memories" not in schema or "memory_changes" not in schema:
            return UNMIGRATED
        if "memory_fts" not in schema:
            return "the table memory_fts is missing"
        wrong = sorted(name for name, sql in TRIGGERS.items() if schema.get(name) != sql)
        if wrong:
            return f"triggers are missing or out of date: {', '.join(wrong)}"
        if schema["memory_fts"] != CREATE_TABLE:
            return "the table memory_fts is out of date"
        _rows("SELECT rowid FROM memory_fts WHERE memory_fts MATCH '\"k0\"' LIMIT 1")
    except (DatabaseError, sqlite3.Error) as error:
        return f"the table memory_fts cannot be read ({type(error).__name__})"
    return None


def inconsistency() -> str | None:
    """Compare the whole index with the memories table (FTS5's own check); reads everything, for `doctor`."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("INSERT INTO memory_fts(memory_fts, rank) VALUES ('integrity-check', 1)")
    except DatabaseError as error:
        return f"the index does not agree with the memories ({error})"
    return None


def install(*, rebuild: bool = False) -> bool:
    """Make the search table and the triggers anew if anything is wrong with them; return whether that was done.

    The table holds nothing that the memories table does not, so it is dropped and filled again rather than mended.
    """
    trouble = problem()
    if trouble == UNMIGRATED or (trouble is None and not rebuild):
        return False
    with transaction.atomic(), connection.cursor() as cursor:
        unlogged = any(
            _schema().get(name) != sql for name, sql in TRIGGERS.items() if name.startswith("memory_changes")
        )
        _drop_table()
        cursor.execute(CREATE_TABLE)
        for name, sql in TRIGGERS.items():
            cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
            cursor.execute(sql)
        cursor.execute("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')")
        if unlogged:
            # Nobody knows what changed while the log had no triggers; an emptied log makes every pool start anew.
            cursor.execute("DELETE FROM memory_changes")
    return True


def _drop_table() -> None:
    """Drop the search table; one that is too broken to be opened is taken out of the schema by hand."""
    with connection.cursor() as cursor:
        try:
            with transaction.atomic():
                cursor.execute("DROP TABLE IF EXISTS memory_fts")
        except DatabaseError:
            cursor.execute("PRAGMA writable_schema = ON")
            cursor.execute("DELETE FROM sqlite_master WHERE name = 'memory_fts'")
            cursor.execute("PRAGMA writable_schema = RESET")
        for part in ("data", "idx", "content", "docsize", "config"):
            cursor.execute(f"DROP TABLE IF EXISTS memory_fts_{part}")


def install_after_migrate(**_: object) -> None:
    """`post_migrate`: put back what a table remake dropped. Before the search table's own migration there is nothing to do."""
    if connection.vendor == "sqlite" and _search_migrated():
        install()


def _search_migrated() -> bool:
    applied = MigrationRecorder(connection).applied_migrations()
    return any(app == "memories" and name >= "0002" for app, name in applied)


def matching_ids(match: str, limit: int) -> list[int]:
    """Return the ids that an FTS5 expression finds, at most `limit`, newest first.

    The expression comes from `engine.text.fts_match`, which quotes every term. Raises `DatabaseError` when the table is
    missing or broken.
    """
    rows = _rows("SELECT rowid FROM memory_fts WHERE memory_fts MATCH %s ORDER BY rowid DESC LIMIT %s", [match, limit])
    return [int(row[0]) for row in rows]


def recall_rows(ids: Sequence[int], owner_id: int, *, shared: bool) -> list[tuple[Any, ...]]:
    """Return `(id, uuid hex, revision, type, key, content, trust)` of the active ones among the ids.

    The owner is in the statement: an index is never trusted with that. Building this query through the ORM takes longer
    than running it.
    """
    owned = "(api_key_id = %s OR shared)" if shared else "api_key_id = %s"
    marks = ", ".join(["%s"] * len(ids))
    return _rows(
        "SELECT id, uuid, revision, type, key, content, trust FROM memories"  # noqa: S608  (marks only)
        f" WHERE id IN ({marks}) AND status = 'active' AND {owned}",
        [*ids, owner_id],
    )


def change_seq() -> int:
    """Return the highest number in the change log, 0 when it is empty."""
    return int(_rows("SELECT max(seq) FROM memory_changes")[0][0] or 0)


RECEIPT_ITEM = (
    "receipt_id, kind, position, memory_uuid, revision, part,"
    " score, vec_score, fts_score, rerank_score, tokens, reason, words"
)


def insert_receipt_items(rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert rows of RECEIPT_ITEM. There are dozens a request, and building them as model instances costs ten times as much."""
    marks = ", ".join(["%s"] * (RECEIPT_ITEM.count(",") + 1))
    with connection.cursor() as cursor:
        cursor.executemany(f"INSERT INTO memories_receiptitem ({RECEIPT_ITEM}) VALUES ({marks})", rows)  # noqa: S608
