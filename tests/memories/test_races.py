"""Several writers on one file: nothing is lost, nothing is done twice."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from memories.models import Memory, MemoryRevision
from memories.services.cleanup import memories_cleanup
from memories.services.edit import Actor, memory_create
from settings_app.models import ApiKey
from settings_app.values import MemoryValues
from tests.factories import make_memory
from tests.threads import at_once

NOW = datetime(2026, 8, 13, 12, tzinfo=UTC)
LONG_AGO = NOW - timedelta(days=31)


def test_twenty_identical_creates_give_one_row_and_twenty_repetitions(own_database: Path, alice: ApiKey) -> None:
    made = at_once(20, lambda: memory_create(owner=alice, content="I prefer tabs", actor=Actor("api")))
    assert Memory.objects.get().repetitions == 20
    assert sum(created for _, created in made) == 1


def test_two_cleanups_share_the_work(own_database: Path, alice: ApiKey) -> None:
    outlived = {"api_key": alice, "content": "x", "trust": "user", "last_seen_at": LONG_AGO}
    Memory.objects.bulk_create(Memory(key=str(n), **outlived) for n in range(600))
    reports = at_once(2, lambda: memories_cleanup(settings=MemoryValues(), now=NOW))
    assert sum(report.past_retention for report in reports) == 600
    assert MemoryRevision.objects.count() == 600


def test_a_vacuum_leaves_no_purged_word_in_any_file(own_database: Path, alice: ApiKey) -> None:
    make_memory(alice, "I like quokkajam " * 50, status="deleted", updated_at=LONG_AGO)
    call_command("cleanup_memories", stdout=StringIO())
    with connection.cursor() as cursor:
        cursor.execute("INSERT INTO memory_fts(memory_fts) VALUES ('optimize')")
    call_command("cleanup_memories", vacuum=True, stdout=StringIO())
    left = [path.name for path in own_database.parent.iterdir() if b"quokkajam" in path.read_bytes()]
    assert left == []
