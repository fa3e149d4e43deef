"""`manage.py memory_settings`: show the memory settings, or change some."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from settings_app import selectors
from settings_app.database import database_migrate
from settings_app.fields import MEMORY_FIELDS, InvalidSetting
from settings_app.services import memory_settings_update

WORDS = {"true": True, "on": True, "yes": True, "false": False, "off": False, "no": False}
TEXT_KINDS = ("text", "name", "choice", "zone")


class Command(BaseCommand):
    """Changes are checked together: one wrong value changes nothing."""

    help = "Show the memory settings; --set FIELD=VALUE changes them for all processes at once."
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define --set and --json."""
        parser.add_argument(
            "--set",
            action="extend",
            nargs="+",
            default=[],
            metavar="FIELD=VALUE",
            dest="changes",
            help="what to change",
        )
        parser.add_argument("--json", action="store_true", dest="as_json", help="print them as a JSON object")

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply the changes and print what is in force."""
        changes = dict(map(parse_change, options["changes"]))
        try:
            database_migrate()
            if changes:
                memory_settings_update(changes=changes, actor="command")
            current = selectors.memory_settings_dict(selectors.snapshot().memory)
        except InvalidSetting as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The database cannot be used: {error}. Run: memroute doctor") from error
        if options["as_json"]:
            self.stdout.write(json.dumps(current))
            return
        for name, value in current.items():
            self.stdout.write(f"{name} = {json.dumps(value)}")


def parse_change(given: str) -> tuple[str, Any]:
    """Split FIELD=VALUE; the value is JSON where that reads as one (true, 2000, null), text otherwise.

    A text that only looks like another kind of JSON, such as a model called 4, stays a text.
    """
    name, equals, raw = (part.strip() for part in given.partition("="))
    if not equals:
        raise CommandError(f"{given!r} is not FIELD=VALUE; fields: {', '.join(f.name for f in MEMORY_FIELDS)}")
    kind = next((f.kind for f in MEMORY_FIELDS if f.name == name), "")
    if kind == "bool" and raw.lower() in WORDS:
        return name, WORDS[raw.lower()]
    try:
        value = json.loads(raw)
    except ValueError:
        return name, raw
    return name, raw if kind in TEXT_KINDS and not (value is None or isinstance(value, str)) else value
