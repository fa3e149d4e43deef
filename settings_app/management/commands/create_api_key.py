"""`manage.py create_api_key NAME`: make a key and show its secret once."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from settings_app.database import database_migrate
from settings_app.fields import InvalidSetting
from settings_app.services import key_create


class Command(BaseCommand):
    """Creates a key; an unmigrated database is migrated first."""

    help = "Create an API key and print its secret, which is not stored."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define NAME, --scopes and --json."""
        parser.add_argument("name", help="what the key is for")
        parser.add_argument(
            "--scopes", default="proxy", help="proxy, management, or both with a comma (default: proxy)"
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help='print {"id", "secret"}')

    def handle(self, *args: Any, **options: Any) -> None:
        """Create the key."""
        scopes = [scope.strip() for scope in options["scopes"].split(",") if scope.strip()]
        try:
            database_migrate()
            key, secret = key_create(name=options["name"], scopes=scopes, actor="command")
        except (InvalidSetting, ValidationError) as error:
            raise CommandError("; ".join(getattr(error, "messages", [str(error)]))) from error
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}. Run: memroute doctor") from error
        if options["as_json"]:
            self.stdout.write(json.dumps({"id": str(key.uuid), "secret": secret}))
            return
        self.stdout.write(f"{secret}\n")
        self.stderr.write(f"Key {key.name} ({', '.join(sorted(key.scopes))}). The secret is shown this once.\n")
