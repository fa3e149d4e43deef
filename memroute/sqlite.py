"""The SQLite driver: which one is used, how a connection is prepared, and the vector extension."""

from __future__ import annotations

import importlib
import importlib.util
import sqlite3
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.db.backends.base.base import BaseDatabaseWrapper

# One place for both: Django runs them on each new connection, and so does the proxy's own reader.
# `synchronous=NORMAL` under WAL can lose the last commits on power loss, never the file.
PRAGMAS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA foreign_keys = ON",
    "PRAGMA secure_delete = ON",
    "PRAGMA cache_size = -16000",
    "PRAGMA temp_store = MEMORY",
)
BUSY_TIMEOUT_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Driver:
    """The driver in use: `name` is `sqlite3` or `sqlean`; `extensions` tells whether it can load extensions."""

    name: str
    sqlite_version: str
    extensions: bool


def can_load_extensions(module: Any) -> bool:
    """Tell whether connections of a DB-API module have `enable_load_extension` (a build option of Python)."""
    return hasattr(module.Connection, "enable_load_extension")


def install_driver() -> Driver:
    """Swap `sqlean` in for `sqlite3` where the standard library cannot load extensions; return what is in use.

    Must run before `django.db.backends.sqlite3` is imported. Every process on one file uses the same choice, because
    every entry point imports `memroute` first. Without either, only the keyword tier is available (check memroute.W001).
    """
    if not can_load_extensions(sqlite3):
        try:
            replacement = importlib.import_module("sqlean")
        except ImportError:
            pass
        else:
            sys.modules["sqlite3"] = replacement
            sys.modules["sqlite3.dbapi2"] = importlib.import_module("sqlean.dbapi2")
    return current_driver()


def current_driver() -> Driver:
    """Describe the driver that `import sqlite3` gives now."""
    module = importlib.import_module("sqlite3")
    name = module.__name__.split(".")[0]
    return Driver(name=name, sqlite_version=module.sqlite_version, extensions=can_load_extensions(module))


def load_vector_extension(connection: Any) -> str | None:
    """Load sqlite-vec into a DB-API connection; return its version, or None where this is not possible."""
    library = vector_library()
    if library is None or not hasattr(connection, "enable_load_extension"):
        return None
    connection.enable_load_extension(True)
    try:
        connection.load_extension(str(library))
        return str(connection.execute("SELECT vec_version()").fetchone()[0])
    except (sqlite3.Error, importlib.import_module("sqlite3").Error):
        return None
    finally:
        connection.enable_load_extension(False)


def vector_library() -> Path | None:
    """Return where the installed sqlite-vec keeps its library (without suffix), None when it is not installed.

    The package is found, not imported: importing it imports numpy, which every command would wait for.
    """
    spec = importlib.util.find_spec("sqlite_vec")
    return Path(spec.origin).with_name("vec0") if spec is not None and spec.origin else None


def on_connection_created(*, connection: BaseDatabaseWrapper, **_: object) -> None:
    """Django's `connection_created`: give every SQLite connection the vector extension."""
    if connection.vendor == "sqlite":
        load_vector_extension(connection.connection)
