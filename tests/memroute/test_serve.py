"""`memroute serve`: the first start sets everything up, the guide works as it stands, a taken port is one sentence."""

from __future__ import annotations

import shlex
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from django.contrib.auth import authenticate, get_user_model
from pytest_django import Settings

from memroute.bootstrap import FirstStart, bootstrap
from memroute.cli import main
from memroute.serve import guide, listen, serve
from settings_app import crypto
from settings_app.models import ApiKey
from tests.processes import ROOT, environment

FIRST = FirstStart(admin_password="pass-word", api_key="mr-secret")


@pytest.fixture(autouse=True)
def _quick_passwords(settings: Settings) -> None:
    """A real hash takes half a second on purpose."""
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.fixture
def taken() -> Iterator[int]:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        yield other.getsockname()[1]


def test_the_first_start_makes_an_operator_and_a_key(empty_database: Path) -> None:
    first = bootstrap()
    assert authenticate(username="admin", password=first.admin_password) is not None
    key = ApiKey.objects.get()
    assert crypto.hash_secret(str(first.api_key)) == key.secret_hash
    assert key.scopes == {"proxy", "management"}
    assert bootstrap() == FirstStart()


@pytest.mark.django_db
@pytest.mark.parametrize("superuser", [True, False])
def test_an_operator_who_is_there_is_left_alone(superuser: bool) -> None:
    get_user_model().objects.create_user("admin", password="mine", is_superuser=superuser)
    assert bootstrap().admin_password is None
    assert authenticate(username="admin", password="mine") is not None


def test_a_taken_port_is_one_sentence(taken: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(host="127.0.0.1", port=taken) == 1
    said = capsys.readouterr().err
    assert f"cannot listen on 127.0.0.1 port {taken}: Address already in use" in said
    assert "MEMROUTE_PORT=8001" in said
    assert said.count("\n") == 1


def test_a_port_is_taken_as_soon_as_it_is_bound() -> None:
    first = listen("127.0.0.1", 0)
    with pytest.raises(OSError, match="in use"):
        listen("127.0.0.1", first.getsockname()[1])
    first.close()


def test_an_address_that_is_not_ours_is_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve(host="192.0.2.1", port=0) == 1
    assert "MEMROUTE_HOST" in capsys.readouterr().err


def test_a_file_that_is_no_database_is_one_sentence(empty_database: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty_database.write_bytes(b"a letter to my aunt " * 100)
    assert serve(host="127.0.0.1", port=0) == 1
    said = capsys.readouterr().err
    assert "cannot be used: file is not a database. Run: memroute doctor" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("port", ["65536", "-1", "abc", "1.5"])
def test_a_port_that_is_none_is_one_sentence(port: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["serve", "--port", port])
    assert "takes a whole number from 0 to 65535" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://localhost:8000"),
        ("0.0.0.0", "http://localhost:8000"),  # noqa: S104
        ("::1", "http://[::1]:8000"),
        ("10.0.0.7", "http://10.0.0.7:8000"),
    ],
)
def test_the_guide_names_an_address_that_can_be_opened(host: str, url: str) -> None:
    assert f"is ready: {url}\n" in guide(host, 8000, FIRST)


def test_the_guide_shows_what_was_made_and_what_to_do_next(settings: Settings) -> None:
    shown = guide("127.0.0.1", 8000, FIRST)
    for part in ("password pass-word", "mr-secret (shown once)", str(settings.MEMROUTE_DATA_DIR), "enabled=true"):
        assert part in shown


def test_a_later_guide_shows_no_secret_and_how_to_get_one() -> None:
    shown = guide("127.0.0.1", 8000, FirstStart())
    assert "(shown once)" not in shown
    assert "create_api_key NAME --scopes proxy,management)" in shown
    assert "changepassword admin" in shown
    assert "Bearer $MEMROUTE_KEY" in shown


def test_the_guide_knows_that_memory_is_on() -> None:
    shown = guide("127.0.0.1", 8000, FirstStart(), memory_on=True)
    assert "Memory is on." in shown
    assert "enabled=true" not in shown


def test_the_guides_commands_are_words_of_a_shell(settings: Settings, tmp_path: Path) -> None:
    settings.MEMROUTE_DATA_DIR = tmp_path / "it's a folder"
    line = next(line for line in guide("127.0.0.1", 8000, FIRST).splitlines() if "memory_settings" in line)
    words = shlex.split(line)
    assert words[0] == f"MEMROUTE_DATA_DIR={tmp_path}/it's a folder"
    assert words[-3:] == ["memory_settings", "--set", "enabled=true"]


def test_the_command_serves_until_it_is_stopped(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "memroute.cli", "serve", "--port", "0"]
    out, err = tmp_path / "out.txt", tmp_path / "err.txt"
    with out.open("w") as stdout, err.open("w") as stderr:
        process = subprocess.Popen(command, cwd=ROOT, env=environment(tmp_path), stdout=stdout, stderr=stderr)
        address = wait_for_address(out)
        assert httpx.get(f"{address}/api/health/ready", timeout=10).json() == {"status": "up"}
        process.terminate()
        # As a process ends that a signal ended, after it has drained.
        assert process.wait(30) == -signal.SIGTERM
    assert "Memory is off until you switch it on" in out.read_text()
    assert "Traceback" not in err.read_text()


def wait_for_address(out: Path) -> str:
    """Wait for the guide's first line; return the address in it."""
    for _ in range(600):
        if "Stop with Ctrl-C" in out.read_text():
            return out.read_text().splitlines()[0].rpartition(" ")[2]
        time.sleep(0.05)
    raise TimeoutError(out.read_text())
