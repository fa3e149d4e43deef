"""The environment: read once, and loud on nonsense."""

from __future__ import annotations

import stat
import threading
from pathlib import Path

import pytest
from django.core.exceptions import ImproperlyConfigured

from memroute import env
from tests.processes import manage, run

NAME = "MEMROUTE_TESTED"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.delenv(NAME, raising=False)
    return monkeypatch


@pytest.mark.parametrize(("raw", "value"), [("", "x"), ("  ", "x"), (" a ", "a")])
def test_a_blank_text_counts_as_unset(given: pytest.MonkeyPatch, raw: str, value: str) -> None:
    given.setenv(NAME, raw)
    assert env.text(NAME, "x") == value


@pytest.mark.parametrize(
    ("raw", "value"), [("", True), ("1", True), ("Yes", True), (" on ", True), ("0", False), ("FALSE", False)]
)
def test_a_flag_takes_the_usual_words(given: pytest.MonkeyPatch, raw: str, value: bool) -> None:
    given.setenv(NAME, raw)
    assert env.flag(NAME, default=True) is value


@pytest.mark.parametrize(("raw", "value"), [("", 5), ("1", 1), (" 10 ", 10)])
def test_a_number_in_range_is_taken(given: pytest.MonkeyPatch, raw: str, value: int) -> None:
    given.setenv(NAME, raw)
    assert env.integer(NAME, 5, 1, 10) == value


@pytest.mark.parametrize("raw", ["0", "11", "-1", "1.5", "ten", "1e1", "0x1", "1 0"])
def test_a_number_out_of_range_stops_the_start(given: pytest.MonkeyPatch, raw: str) -> None:
    given.setenv(NAME, raw)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} is .* from 1 to 10"):
        env.integer(NAME, 5, 1, 10)


def test_an_unknown_word_stops_the_start(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "maybe")
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} is 'maybe'; it takes true or false"):
        env.flag(NAME)
    with pytest.raises(ImproperlyConfigured, match=f"{NAME} is 'maybe'; it takes one of: text, json"):
        env.choice(NAME, "text", ("text", "json"))


def test_a_list_is_split_at_commas(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, " a, ,b,")
    assert env.words(NAME) == ["a", "b"]


@pytest.mark.parametrize("raw", ["localhost", "127.0.0.1", "::1", "0.0.0.0", "fe80::1%eth0", "my-host.example.com"])  # noqa: S104
def test_a_host_is_a_name_or_an_address(given: pytest.MonkeyPatch, raw: str) -> None:
    given.setenv(NAME, raw)
    assert env.host(NAME, "x") == raw


@pytest.mark.parametrize("raw", ["http://localhost", "a b", "localhost:80", "a/b", "*", "-", "x" * 300])
def test_what_is_no_host_stops_the_start(given: pytest.MonkeyPatch, raw: str) -> None:
    given.setenv(NAME, raw)
    with pytest.raises(ImproperlyConfigured, match=NAME):
        env.host(NAME, "x")


def test_a_host_list_takes_patterns_and_brackets(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "*, .example.com, [::1], 10.0.0.1")
    assert env.hosts(NAME) == ["*", ".example.com", "[::1]", "10.0.0.1"]
    given.setenv(NAME, "fine, https://not.fine")
    with pytest.raises(ImproperlyConfigured, match=r"not\.fine"):
        env.hosts(NAME)


def test_the_data_folder_is_made_for_its_owner_only(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv("MEMROUTE_DATA_DIR", str(tmp_path / "a" / "b"))
    folder = env.data_dir()
    assert folder == tmp_path / "a" / "b"
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


@pytest.mark.parametrize("bad", ["{file}", "{file}/below", "~nobody-of-this-name/x"])
def test_a_data_folder_that_cannot_be_made_stops_the_start(given: pytest.MonkeyPatch, tmp_path: Path, bad: str) -> None:
    (tmp_path / "file").write_text("")
    given.setenv("MEMROUTE_DATA_DIR", bad.format(file=tmp_path / "file"))
    with pytest.raises(ImproperlyConfigured, match="MEMROUTE_DATA_DIR"):
        env.data_dir()


def test_a_secret_key_is_made_once_and_readable_by_its_owner_only(tmp_path: Path) -> None:
    key = env.secret_key(tmp_path)
    assert len(key) >= 50
    assert env.secret_key(tmp_path) == key
    assert stat.S_IMODE((tmp_path / "secret.key").stat().st_mode) == 0o600


def test_a_given_secret_key_makes_no_file(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv("MEMROUTE_SECRET_KEY", "k" * 32)
    assert env.secret_key(tmp_path) == "k" * 32
    assert list(tmp_path.iterdir()) == []


def test_a_key_file_that_is_just_being_written_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "secret.key"
    path.touch()
    writer = threading.Timer(0.1, path.write_text, ["k" * 64])
    writer.start()
    assert env.secret_key(tmp_path) == "k" * 64
    writer.join()


@pytest.mark.parametrize("content", [b"short", b"\xff" * 64])
def test_a_key_file_without_a_key_stops_the_start(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "secret.key").write_bytes(content)
    with pytest.raises(ImproperlyConfigured, match=r"secret\.key"):
        env.secret_key(tmp_path)


@pytest.mark.parametrize("name", ["MEMROUTE_SECRET_KEY", "MEMROUTE_SECRET_KEY_FALLBACKS"])
def test_a_short_secret_key_stops_the_start_and_is_not_quoted(
    given: pytest.MonkeyPatch, tmp_path: Path, name: str
) -> None:
    given.setenv(name, "hunter2")
    with pytest.raises(ImproperlyConfigured) as caught:
        _ = env.secret_key(tmp_path), env.secret_key_fallbacks()
    assert name in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MEMROUTE_PORT", "abc"),
        ("MEMROUTE_HOST", "http://x"),
        ("MEMROUTE_LOG_FORMAT", "xml"),
        ("MEMROUTE_MAX_BODY_BYTES", "-1"),
        ("MEMROUTE_ALLOWED_HOSTS", "http://x"),
        ("MEMROUTE_ALLOW_PRIVATE_URLS", "http://x"),
        ("MEMROUTE_SECRET_KEY", "short"),
        ("MEMROUTE_SECRET_KEY_FALLBACKS", "short"),
    ],
)
def test_the_settings_refuse_nonsense(tmp_path: Path, name: str, value: str) -> None:
    done = run("-c", "import memroute.settings", data_dir=tmp_path, **{name: value})
    assert f"ImproperlyConfigured: {name} " in done.stderr


@pytest.mark.parametrize("command", [["-m", "memroute.cli", "serve"], ["manage.py", "create_api_key", "x"]])
def test_every_door_says_so_in_one_sentence(tmp_path: Path, command: list[str]) -> None:
    done = run(*command, data_dir=tmp_path, MEMROUTE_PORT="abc")
    assert done.returncode in (1, 2)
    assert done.stderr == "memroute: MEMROUTE_PORT is 'abc'; it takes a whole number from 1 to 65535.\n"


def test_a_command_and_the_server_use_the_same_folder(tmp_path: Path) -> None:
    manage("create_api_key", "x", data_dir=tmp_path)
    assert {path.name for path in tmp_path.iterdir()} >= {"memroute.sqlite3", "secret.key"}
