"""An FTS5 table of the shape the product has, in memory."""

import sqlite3
from collections.abc import Sequence
from types import ModuleType

from engine.text import Term, fts_match, search_extra

COLUMNS = "content, key, context, search_extra, owner_token"


class SearchTable:
    def __init__(self, driver: ModuleType = sqlite3) -> None:
        self.connection = driver.connect(":memory:")
        tokenizer = "porter unicode61 remove_diacritics 2"
        self.connection.execute(f"CREATE VIRTUAL TABLE memory_fts USING fts5({COLUMNS}, tokenize='{tokenizer}')")
        self.connection.execute("CREATE VIRTUAL TABLE vocabulary USING fts5vocab(memory_fts, instance)")

    def add(self, rowid: int, content: str, *, key: str = "", context: str = "", owner: str = "k12") -> None:
        extra = search_extra(content, context, "", key)
        self.connection.execute(
            f"INSERT INTO memory_fts(rowid, {COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)",
            (rowid, content, key, context, extra, owner),
        )

    def find(self, terms: Sequence[Term], owner: str = "k12", limit: int = 512) -> set[int]:
        rows = self.connection.execute(
            "SELECT rowid FROM memory_fts WHERE memory_fts MATCH ?", [fts_match(terms, owner, limit)]
        )
        return {rowid for (rowid,) in rows}

    def tokens(self) -> dict[int, list[str]]:
        """What FTS5 made of the content of every row."""
        found: dict[int, list[str]] = {}
        rows = self.connection.execute("SELECT doc, term FROM vocabulary WHERE col = 'content' ORDER BY doc, offset")
        for doc, term in rows:
            found.setdefault(doc, []).append(term)
        return found
