"""The search table, its triggers, and the change log's triggers. A frozen copy: migrations import no app code."""

from django.db import migrations

CREATE_TABLE = """CREATE VIRTUAL TABLE memory_fts USING fts5(
    content, key, context, search_extra, owner_token, content='memories', content_rowid='id', tokenize='porter unicode61 remove_diacritics 2'
)"""
COLUMNS = "content, key, context, search_extra, owner_token"
OLD = "old.content, old.key, old.context, old.search_extra, old.owner_token"
NEW = "new.content, new.key, new.context, new.search_extra, new.owner_token"
DELETE = f"INSERT INTO memory_fts(memory_fts, rowid, {COLUMNS}) VALUES ('delete', old.id, {OLD});"
INSERT = f"INSERT INTO memory_fts(rowid, {COLUMNS}) VALUES (new.id, {NEW});"
LOG_NEW = "INSERT INTO memory_changes(owner_id, memory_id) VALUES (new.api_key_id, new.id);"
LOG_OLD = "INSERT INTO memory_changes(owner_id, memory_id) VALUES (old.api_key_id, old.id);"
TRIGGERS = {
    "memory_fts_ai": f"CREATE TRIGGER memory_fts_ai AFTER INSERT ON memories BEGIN {INSERT} END",
    "memory_fts_ad": f"CREATE TRIGGER memory_fts_ad AFTER DELETE ON memories BEGIN {DELETE} END",
    "memory_fts_au": "CREATE TRIGGER memory_fts_au AFTER UPDATE OF content, key, context, search_extra, api_key_id, shared"
    f" ON memories BEGIN {DELETE} {INSERT} END",
    "memory_changes_ai": f"CREATE TRIGGER memory_changes_ai AFTER INSERT ON memories BEGIN {LOG_NEW} END",
    "memory_changes_ad": f"CREATE TRIGGER memory_changes_ad AFTER DELETE ON memories BEGIN {LOG_OLD} END",
    "memory_changes_au": "CREATE TRIGGER memory_changes_au AFTER UPDATE ON memories"
    f" BEGIN {LOG_NEW} INSERT INTO memory_changes(owner_id, memory_id)"
    " SELECT old.api_key_id, old.id WHERE old.api_key_id <> new.api_key_id; END",
}


class Migration(migrations.Migration):
    """One statement at a time, each with its way back."""

    dependencies = [("memories", "0001_initial")]

    operations = [
        migrations.RunSQL(CREATE_TABLE, "DROP TABLE IF EXISTS memory_fts"),
        migrations.RunSQL("INSERT INTO memory_fts(memory_fts) VALUES ('rebuild')", migrations.RunSQL.noop),
        *(migrations.RunSQL(sql, f"DROP TRIGGER IF EXISTS {name}") for name, sql in TRIGGERS.items()),
    ]
