"""The commands for keys and settings: they set up what they need and say in one sentence what is wrong."""

from __future__ import annotations

import json
import subprocess
import sys
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from settings_app import crypto, selectors
from settings_app.management.commands.memory_settings import parse_change
from settings_app.models import ApiKey, SettingsAudit
from tests.processes import ROOT, environment


def output(*command: Any, **options: Any) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=StringIO(), **options)
    return out.getvalue()


def test_a_key_can_be_made_before_anything_else(empty_database: Path) -> None:
    made = json.loads(output("create_api_key", "Laptop", scopes="proxy,management", as_json=True))
    key = ApiKey.objects.get()
    assert made == {"id": str(key.uuid), "secret": made["secret"]}
    assert key.secret_hash == crypto.hash_secret(made["secret"])
    assert key.scopes == {"proxy", "management"}
    assert SettingsAudit.objects.get().actor == "command"


def test_two_commands_may_set_up_one_new_file_together(tmp_path: Path) -> None:
    command = [sys.executable, "manage.py", "create_api_key", "Laptop", "--json"]
    both = [
        subprocess.Popen(
            command, cwd=ROOT, env=environment(tmp_path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], answers
    assert len({json.loads(out)["id"] for out, _ in answers}) == 2


@pytest.mark.django_db
def test_without_json_only_the_secret_is_printed() -> None:
    assert output("create_api_key", "Laptop").startswith("mr-")
    assert ApiKey.objects.get().scopes == {"proxy"}


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "scopes"), [("", "proxy"), ("x" * 101, "proxy"), ("Laptop", "root"), ("Laptop", ",")])
def test_a_key_that_cannot_be_made_is_a_sentence(name: str, scopes: str) -> None:
    with pytest.raises(CommandError):
        output("create_api_key", name, scopes=scopes)
    assert not ApiKey.objects.exists()


@pytest.mark.django_db
def test_the_settings_are_shown_by_their_api_names() -> None:
    shown = json.loads(output("memory_settings", as_json=True))
    assert shown == selectors.memory_settings_dict(selectors.snapshot().memory)
    assert "maxTokens = 2000" in output("memory_settings")


@pytest.mark.django_db
def test_settings_are_changed_and_shown() -> None:
    shown = json.loads(output("memory_settings", changes=["enabled=on", "maxTokens=500"], as_json=True))
    assert (shown["enabled"], shown["maxTokens"]) == (True, 500)
    assert selectors.snapshot().memory.enabled


@pytest.mark.django_db
@pytest.mark.parametrize("change", ["maxTokens=-1", "colour=blue", "primaryBackend=null", "maxTokens"])
def test_a_setting_that_is_wrong_is_a_sentence(change: str) -> None:
    with pytest.raises(CommandError, match=change.partition("=")[0]):
        output("memory_settings", changes=["enabled=true", change])
    assert not selectors.snapshot().memory.enabled


@pytest.mark.parametrize(
    ("given", "name", "value"),
    [
        ("enabled=TRUE", "enabled", True),
        ("enabled=off", "enabled", False),
        ("maxTokens= 5 ", "maxTokens", 5),
        ("strategy=recent", "strategy", "recent"),
        ('strategy="recent"', "strategy", "recent"),
        ("customModelId=4", "customModelId", "4"),
        ("customModelId=null", "customModelId", None),
        ("customModelId=", "customModelId", ""),
        ("customBaseUrl=http://x/?a=b", "customBaseUrl", "http://x/?a=b"),
        ('fallbackBackends=["obsidian"]', "fallbackBackends", ["obsidian"]),
    ],
)
def test_a_value_is_read_as_its_setting_needs_it(given: str, name: str, value: Any) -> None:
    assert parse_change(given) == (name, value)


@pytest.mark.parametrize("command", [["create_api_key", "x"], ["memory_settings"], ["cleanup_memories"]])
def test_a_file_that_is_no_database_is_a_sentence(empty_database: Path, command: list[str]) -> None:
    empty_database.write_bytes(b"this is no database, it is a letter to my aunt " * 100)
    with pytest.raises(CommandError, match=r"file is not a database\. Run: memroute doctor"):
        output(*command)
