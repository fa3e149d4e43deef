"""The one door to the environment: typed readers that stop the start on a nonsense value."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import time
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured
from platformdirs import user_data_path

TRUE = {"1", "true", "yes", "on"}
FALSE = {"0", "false", "no", "off", ""}
SECRET_LENGTH = 32
_NAME, _V6 = r"[a-zA-Z0-9][\w.-]*", r"[0-9a-fA-F:.]*:[0-9a-fA-F:.]*"
ONE_HOST = re.compile(rf"{_NAME}|{_V6}(%\w+)?", re.ASCII)
# As Django's ALLOWED_HOSTS takes them: also all (*), and a domain with all its subdomains (.example.com).
HOST_PATTERN = re.compile(rf"\*|\.?{_NAME}|{_V6}|\[{_V6}\]", re.ASCII)


def text(name: str, default: str = "") -> str:
    """Read a string; surrounding white space is dropped, an empty value counts as unset."""
    return os.environ.get(name, "").strip() or default


def flag(name: str, default: bool = False) -> bool:
    """Read a boolean: 1/true/yes/on or 0/false/no/off."""
    raw = os.environ.get(name, "").strip().lower()
    if raw in TRUE:
        return True
    if raw in FALSE:
        return default if raw == "" else False
    raise ImproperlyConfigured(f"{name} is {raw!r}; it takes true or false.")


def integer(name: str, default: int, low: int, high: int) -> int:
    """Read a whole number in `low…high`."""
    raw = text(name)
    if not raw:
        return default
    try:
        value = int(raw)
    except ValueError as error:
        raise ImproperlyConfigured(f"{name} is {raw!r}; it takes a whole number from {low} to {high}.") from error
    if not low <= value <= high:
        raise ImproperlyConfigured(f"{name} is {value}; it takes a whole number from {low} to {high}.")
    return value


def choice(name: str, default: str, allowed: tuple[str, ...]) -> str:
    """Read one of a few words."""
    value = text(name, default).lower()
    if value not in allowed:
        raise ImproperlyConfigured(f"{name} is {value!r}; it takes one of: {', '.join(allowed)}.")
    return value


def words(name: str) -> list[str]:
    """Read a comma-separated list."""
    return [part.strip() for part in text(name).split(",") if part.strip()]


def hosts(name: str) -> list[str]:
    """Read a comma-separated list of host names, addresses and patterns (`*`, `.example.com`)."""
    return [_host(name, given, HOST_PATTERN) for given in words(name)]


def host(name: str, default: str) -> str:
    """Read one host name or address."""
    return _host(name, text(name, default), ONE_HOST)


def _host(name: str, given: str, pattern: re.Pattern[str]) -> str:
    if pattern.fullmatch(given) is None or len(given) > 253:
        raise ImproperlyConfigured(f"{name} has {given!r}; it takes a host name or address: no scheme, port or path.")
    return given


def data_dir() -> Path:
    """The folder of the database and the secret key (`MEMROUTE_DATA_DIR`), made when it is missing."""
    given = text("MEMROUTE_DATA_DIR") or user_data_path("memroute", appauthor=False)
    try:
        folder = Path(given).expanduser().absolute()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ImproperlyConfigured(f"MEMROUTE_DATA_DIR: {given} cannot be made ({error.strerror}).") from error
    except RuntimeError as error:  # ~ of a user that does not exist
        raise ImproperlyConfigured(f"MEMROUTE_DATA_DIR: {given} cannot be made ({error}).") from error
    return folder


def database_file(folder: Path) -> Path:
    """The database file, made with mode 0600 when it is missing: nobody else on the machine reads memories."""
    path = folder / "memroute.sqlite3"
    with contextlib.suppress(
        OSError
    ):  # an existing one keeps its mode; a folder that cannot be written is told elsewhere
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
    return path


def secret_key(folder: Path) -> str:
    """`MEMROUTE_SECRET_KEY`, or the key in `secret.key` of the data folder, generated once with mode 0600."""
    given = text("MEMROUTE_SECRET_KEY")
    if given:
        return _long_enough("MEMROUTE_SECRET_KEY", given)
    path = folder / "secret.key"
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return _read_key(path)
    except OSError as error:
        raise ImproperlyConfigured(
            f"MEMROUTE_DATA_DIR: {path} cannot be written ({error.strerror}); name a folder of your own."
        ) from error
    with os.fdopen(handle, "w", encoding="ascii") as file:
        key = secrets.token_urlsafe(48)
        file.write(key)
    return key


def secret_key_fallbacks() -> list[str]:
    """`MEMROUTE_SECRET_KEY_FALLBACKS`: former secret keys, with which stored credentials can still be read."""
    return [_long_enough("MEMROUTE_SECRET_KEY_FALLBACKS", key) for key in words("MEMROUTE_SECRET_KEY_FALLBACKS")]


def _long_enough(name: str, key: str) -> str:
    """Return a secret key; the message about a short one does not quote it."""
    if len(key) < SECRET_LENGTH:
        raise ImproperlyConfigured(f"{name} is too short; a key takes at least {SECRET_LENGTH} characters.")
    return key


def _read_key(path: Path, patience: float = 1.0) -> str:
    """Read a key file; one that another process has just made and not yet filled is given a moment."""
    until = time.monotonic() + patience
    while True:
        try:
            key = path.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise ImproperlyConfigured(f"{path} cannot be read ({getattr(error, 'strerror', 'not text')}).") from error
        if len(key) >= SECRET_LENGTH:
            return key
        if key or time.monotonic() > until:
            raise ImproperlyConfigured(
                f"{path} holds no usable key; restore it from a backup, or delete it to start anew."
            )
        time.sleep(0.05)
