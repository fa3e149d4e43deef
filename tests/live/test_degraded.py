"""When something is broken, the chat goes on and says so."""

from __future__ import annotations

import httpx
import pytest

from tests.server import Server

QUESTION = "Do I prefer marmalade?"


@pytest.fixture
def told(server: Server) -> Server:
    """A server that knows one thing of a fresh key."""
    _, server.key = server.create_key("told", "proxy,management")
    server.chat("I prefer marmalade")
    server.receipt("none")
    return server


def sql(server: Server, statement: str) -> None:
    server.shell(f"from django.db import connection; connection.cursor().execute({statement!r})")


def doctor(server: Server) -> None:
    server.shell("import sys; from memroute.doctor import doctor; assert doctor(sys.stdout) == 0")


@pytest.mark.parametrize("damage", ["DROP TABLE memory_fts", "ALTER TABLE memory_fts RENAME TO lost"])
def test_a_missing_search_table_degrades_recall_and_says_so(told: Server, damage: str) -> None:
    sql(told, damage)
    try:
        reply = told.chat(QUESTION)
        assert reply.status_code == 200
        assert "memory_fts" in reply.headers["x-memroute-degraded"]
        assert reply.headers["x-memroute-memories"] == "0"
        receipt = told.receipt(reply.headers["x-memroute-request-id"]).json()
        assert "memory_fts" in receipt["degraded"]
    finally:
        told.shell("from django.db import connection; connection.cursor().execute('DROP TABLE IF EXISTS lost')")
        doctor(told)
    assert told.chat(QUESTION).headers["x-memroute-memories"] == "1"


def test_a_database_that_recall_cannot_read_does_not_break_the_chat(told: Server) -> None:
    sql(told, "ALTER TABLE memory_changes RENAME TO lost")
    try:
        reply = told.chat(QUESTION)
        assert reply.status_code == 200
        assert reply.headers["x-memroute-degraded"]
    finally:
        sql(told, "ALTER TABLE lost RENAME TO memory_changes")


def test_health_says_up_and_nothing_more(server: Server) -> None:
    for name in ("live", "ready"):
        assert httpx.get(f"{server.url}/api/health/{name}", timeout=20).json() == {"status": "up"}


def test_logs_hold_no_words_and_no_credentials(told: Server) -> None:
    told.chat("I prefer quincejelly")
    told.receipt("none")
    log = told.log()
    assert "quincejelly" not in log
    assert told.key not in log
    assert "upstream-secret" not in log
