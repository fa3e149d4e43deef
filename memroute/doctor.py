"""`memroute doctor`: look at everything, mend what can be mended, say what to do about the rest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.models import Value

from memories import fts
from memroute.sqlite import current_driver, load_vector_extension
from settings_app import crypto, selectors
from settings_app.database import database_migrate, pending_migrations
from settings_app.models import Provider, QdrantSettings

Finding = tuple[bool, str]


def doctor(out: TextIO) -> int:
    """Print one line a probe; return 0 when everything is well or was mended, 1 otherwise. May be run beside a server."""
    well = True
    for name, probe in PROBES:
        try:
            good, words = probe()
        except DatabaseError as error:
            good, words = (
                False,
                f"the database cannot be used ({error}): restore a backup, or move the file away to start anew",
            )
        out.write(f"{'ok  ' if good else 'FAIL'}  {name}: {words}\n")
        well = well and good
    return 0 if well else 1


def _data() -> Finding:
    return True, f"{settings.DATABASES['default']['NAME']}"


def _driver() -> Finding:
    driver = current_driver()
    words = f"{driver.name} {driver.sqlite_version}"
    return driver.extensions, words if driver.extensions else f"{words} cannot load extensions: pip install sqlean.py"


def _vectors() -> Finding:
    connection.ensure_connection()
    version = load_vector_extension(connection.connection)
    return version is not None, f"sqlite-vec {version}" if version else "cannot be loaded: pip install sqlite-vec"


def _migrations() -> Finding:
    if pending_migrations():
        return True, f"{database_migrate()} applied now"
    return True, "up to date"


def _search() -> Finding:
    trouble = fts.problem() or fts.inconsistency()
    if trouble is None:
        return True, "the table and its triggers are there and agree with the memories"
    if trouble == fts.UNMIGRATED:
        return False, "the table of memories or of their changes is gone; restore a backup"
    fts.install(rebuild=True)
    left = fts.problem() or fts.inconsistency()
    return left is None, f"mended: {trouble}" if left is None else left


def _integrity() -> Finding:
    """Run SQLite's own check. Newer versions include the search table, so this comes after the search table was mended."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA quick_check(3)")
        answer = "; ".join(str(row[0]) for row in cursor.fetchall())
    return answer == "ok", answer if answer == "ok" else f"{answer}; restore a backup"


def _credentials() -> Finding:
    stored = dict(Provider.objects.exclude(credential="").values_list("slug", "credential"))
    stored.update(QdrantSettings.objects.exclude(credential="").values_list(Value("Qdrant"), "credential"))
    unreadable = []
    for owner, credential in stored.items():
        try:
            crypto.decrypt(credential)
        except crypto.CannotDecrypt as error:
            unreadable.append(f"{owner}: {error}")
    return not unreadable, "; ".join(unreadable) or f"{len(stored)} stored, all can be read"


def _settings() -> Finding:
    snapshot = selectors.reload()
    providers = ", ".join(snapshot.providers) or "none, only memroute/demo"
    state = "on" if snapshot.memory.enabled else "off"
    return True, f"memory is {state}; {len(snapshot.keys)} usable keys; providers: {providers}"


PROBES: tuple[tuple[str, Callable[[], Finding]], ...] = (
    ("database file", _data),
    ("SQLite driver", _driver),
    ("vector extension", _vectors),
    ("migrations", _migrations),
    ("keyword search", _search),
    ("file integrity", _integrity),
    ("credentials", _credentials),
    ("settings", _settings),
)
