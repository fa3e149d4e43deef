"""The documentation that operators rely on, compared with the code."""

from __future__ import annotations

import argparse
import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import DjangoHelpFormatter

from memroute.cli import make_parser
from settings_app import values
from settings_app.fields import MEMORY_FIELDS, QDRANT_FIELDS, Field, default_of
from tests.processes import ROOT, python

CONFIGURATION = (ROOT / "docs/configuration.md").read_text()
OPERATIONS = (ROOT / "docs/operations.md").read_text()
APPS = ("settings_app", "memories", "proxy", "memroute")
SOURCES = [path for app in (*APPS, "engine") for path in (ROOT / app).rglob("*.py")]


def rows(title: str) -> dict[str, list[str]]:
    """The rows of the first table below a heading, by the name in their first column."""
    section = CONFIGURATION.partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    cells = [[c.strip() for c in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("| `")]
    return {re.findall(r"`(\w+)`", row[0])[0]: row[1:] for row in cells}


def variables_read() -> set[str]:
    """The variables that any module names as a string."""
    found: set[str] = set()
    for path in SOURCES:
        if path.name not in ("pytest_plugin.py", "doctor.py"):
            found |= set(re.findall(r"""["'](MEM(?:ROUTE|ORY)_[A-Z_]+)["']""", path.read_text()))
    return found


def example() -> dict[str, str]:
    lines = (ROOT / ".env.example").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_every_variable_is_documented_and_no_other() -> None:
    assert set(rows("Environment variables")) == variables_read()


def test_the_example_has_every_variable_and_no_other() -> None:
    assert set(example()) == variables_read()


def test_only_one_module_reads_the_environment() -> None:
    readers = {str(path.relative_to(ROOT)) for path in SOURCES if reads_environment(path)}
    # The entry points set DJANGO_SETTINGS_MODULE, the guide asks whether the data folder was named, the tests clear it.
    assert readers - {"memroute/cli.py", "memroute/asgi.py", "memroute/serve.py", "memroute/pytest_plugin.py"} == {
        "memroute/env.py"
    }


def reads_environment(path: Path) -> bool:
    nodes = ast.walk(ast.parse(path.read_text()))
    return any(isinstance(node, ast.Attribute) and node.attr in ("environ", "getenv") for node in nodes)


def test_the_examples_values_are_the_defaults(tmp_path: Path) -> None:
    names = [name for name in example() if name not in ("MEMROUTE_DATA_DIR", "MEMROUTE_SECRET_KEY")]
    show = f"from memroute import settings as s; print([repr(getattr(s, n, None)) for n in {names}], s.ALLOWED_HOSTS)"
    given = {name: value for name, value in example().items() if value}
    assert python(show, data_dir=tmp_path) == python(show, data_dir=tmp_path, **given)


@pytest.mark.parametrize("name", ["MEMROUTE_HOST", "MEMROUTE_PORT", "MEMROUTE_MAX_BODY_BYTES", "MEMROUTE_LOG_FORMAT"])
def test_a_documented_default_is_the_real_one(name: str) -> None:
    assert rows("Environment variables")[name][0] == f"`{getattr(settings, name)}`"


SETTINGS = [("Memory settings", f, values.MemoryValues) for f in MEMORY_FIELDS]
SETTINGS += [("Qdrant settings", f, values.QdrantValues) for f in QDRANT_FIELDS]  # type: ignore[misc]


@pytest.mark.parametrize(("title", "field", "kind"), SETTINGS, ids=[f"{t[:6]}-{f.name}" for t, f, _ in SETTINGS])
def test_a_setting_is_documented_with_its_default_and_range(title: str, field: Field, kind: Any) -> None:
    default, allowed, meaning = rows(title)[field.name]
    assert default == f"`{json.dumps(default_of(kind, field.attr))}`"
    assert (
        allowed
        == {
            "bool": "true, false",
            "int": f"{field.low:g}…{field.high:.0f}",
            "float": f"{field.low:g}…{field.high:g}",
            "choice": ", ".join(field.choices),
            "name": f"1…{field.high:g} characters",
            "text": f"up to {field.high:g} characters, or null",
            "zone": "an IANA name such as Europe/Warsaw",
            "list": "a list of names",
            "object": "an object of objects",
        }[field.kind]
    )
    assert len(meaning) > 5


@pytest.mark.parametrize(("title", "known"), [("Memory settings", MEMORY_FIELDS), ("Qdrant settings", QDRANT_FIELDS)])
def test_no_setting_is_documented_that_is_not_there(title: str, known: tuple[Field, ...]) -> None:
    assert list(rows(title)) == [field.name for field in known]


def our_commands() -> dict[str, argparse.ArgumentParser]:
    ours = {name: app for name, app in get_commands().items() if app in APPS}
    parsers = {name: load_command_class(app, name).create_parser("manage.py", name) for name, app in ours.items()}
    return {f"manage.py {name}": parser for name, parser in parsers.items()}


def serve_and_doctor() -> dict[str, argparse.ArgumentParser]:
    actions = [a for a in make_parser()._actions if isinstance(a, argparse._SubParsersAction)]
    return {f"memroute {name}": parser for name, parser in actions[0].choices.items()}


COMMANDS = our_commands() | serve_and_doctor()


def options(parser: argparse.ArgumentParser) -> set[str]:
    """The options of a command that are its own, not Django's."""
    general = DjangoHelpFormatter.show_last | {"--help"}
    return {max(a.option_strings, key=len) for a in parser._actions if a.option_strings} - general


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_and_all_its_options_are_documented(name: str) -> None:
    section = OPERATIONS.partition(f"\n### `{name}")[2].partition("\n##")[0]
    assert section, f"{name} has no section"
    assert set(re.findall(r"^\| `(--[a-z-]+)`", section, re.MULTILINE)) == options(COMMANDS[name])


def test_no_command_is_documented_that_is_not_there() -> None:
    named = re.findall(r"^### `((?:memroute|manage\.py) \w+)", OPERATIONS, re.MULTILINE)
    assert sorted(named) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_has_a_help_text(name: str) -> None:
    assert [a.dest for a in COMMANDS[name]._actions if not a.help] == []


def test_a_check_that_is_documented_exists() -> None:
    code = "\n".join(path.read_text() for path in SOURCES)
    for check in re.findall(r"`(\w+\.W\d{3})`", OPERATIONS):
        assert f'id="{check}"' in code


@pytest.mark.parametrize("text", [CONFIGURATION, OPERATIONS])
def test_a_link_leads_to_a_page_that_is_there(text: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert (ROOT / "docs" / target).exists()
