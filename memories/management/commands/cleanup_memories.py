"""`manage.py cleanup_memories`: for cron; expired and outlived memories, old receipts, the change log."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.utils import timezone

from memories.services.cleanup import memories_cleanup
from settings_app import selectors
from settings_app.database import database_migrate


class Command(BaseCommand):
    """Safe beside a running server, safe to run twice."""

    help = "Move expired and outlived memories to deleted, purge what was deleted long ago, prune receipts."
    # A cron job must not mail the checks' remarks every night.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define --dry-run, --vacuum and --json."""
        parser.add_argument("--dry-run", action="store_true", help="only count")
        parser.add_argument("--vacuum", action="store_true", help="give free pages of the file back to the disk")
        parser.add_argument("--json", action="store_true", dest="as_json", help="print the numbers as a JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Clean up and print the numbers."""
        try:
            database_migrate()
            settings = selectors.snapshot().memory
            report = memories_cleanup(settings=settings, now=timezone.now(), dry_run=options["dry_run"])
            if options["vacuum"] and not options["dry_run"]:
                _vacuum()
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}. Run: memroute doctor") from error
        numbers = asdict(report)
        if options["as_json"]:
            self.stdout.write(json.dumps(numbers))
            return
        verb = "would be" if options["dry_run"] else "were"
        self.stdout.write(
            f"{numbers['expired']} expired and {numbers['past_retention']} outlived memories {verb} deleted"
        )
        self.stdout.write(f"{numbers['purged']} deleted memories and {numbers['receipts']} receipts {verb} removed")
        self.stdout.write(f"{numbers['changes']} entries of the change log {verb} pruned")


def _vacuum() -> None:
    """Rewrite the file without its free pages, and empty the write-ahead log, which still holds what was removed."""
    with connection.cursor() as cursor:
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
