"""Bringing the database up to date, from whichever process comes first."""

from __future__ import annotations

import time

from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor


def pending_migrations() -> int:
    """Return how many migrations are not applied yet."""
    executor = MigrationExecutor(connection)
    return len(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def database_migrate(*, patience: float = 30.0) -> int:
    """Migrate; return how many migrations were pending. The installers that follow a migrate run even when none was.

    Two processes that start together on a new file both see work to do, and the slower one fails on what the other has
    made meanwhile: it looks again, for up to `patience` seconds while the other makes progress.
    """
    before = left = pending_migrations()
    until = time.monotonic() + patience
    while True:
        try:
            call_command("migrate", verbosity=0, interactive=False)
        except DatabaseError:
            now_left = pending_migrations()
            if now_left >= left or time.monotonic() > until:
                raise
            left = now_left
            time.sleep(0.1)
        else:
            return before
