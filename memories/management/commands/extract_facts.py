"""`manage.py extract_facts`: facts from messages, JSON lines in and out; `--score FILE` measures on labelled ones."""

from __future__ import annotations

import io
import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from engine.extraction.lines import BadLine, extract_lines, report, score_lines


class Command(BaseCommand):
    """Nothing is stored: what the engine would find in a text, and what it refuses."""

    help = "Read messages {id, role, text} as JSON lines and print {id, facts, refused}."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Define --score."""
        parser.add_argument("--score", type=Path, metavar="FILE", help="score this labelled file instead")

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line per message; exit with 1 when a line was no message."""
        if options["score"]:
            self._score(options["score"])
            return
        if isinstance(sys.stdin, io.TextIOWrapper):  # bytes that are no UTF-8 make a bad line, not a crash
            sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")
        bad = False
        for answer in extract_lines(sys.stdin):
            bad = bad or "error" in answer
            self.stdout.write(json.dumps(answer, ensure_ascii=False))
        if bad:
            raise SystemExit(1)

    def _score(self, path: Path) -> None:
        try:
            with path.open(encoding="utf-8") as lines:
                score = score_lines(lines)
        except (OSError, UnicodeDecodeError, BadLine) as error:
            raise CommandError(f"cannot score {path}: {error}") from error
        for line in report(score):
            self.stdout.write(line)
