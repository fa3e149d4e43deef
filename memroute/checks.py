"""System checks of the wiring: the SQLite driver and the vector extension."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from django.core.checks import CheckMessage, Info, Tags, Warning, register

from memroute.sqlite import current_driver, load_vector_extension


@register(Tags.database)
def check_driver(**_: Any) -> list[CheckMessage]:
    """memroute.W001/W002: say when only the keyword tier is possible; memroute.I001 names the driver in use."""
    import sqlite3

    driver = current_driver()
    if not driver.extensions:
        return [
            Warning(
                f"SQLite driver {driver.name} {driver.sqlite_version} cannot load extensions: only the keyword tier works.",
                hint="Install sqlean.py (pip install sqlean.py), or use a Python built with loadable extensions.",
                id="memroute.W001",
            )
        ]
    with closing(sqlite3.connect(":memory:")) as probe:
        version = load_vector_extension(probe)
    if version is None:
        return [
            Warning(
                "sqlite-vec cannot be loaded: only the keyword tier works.",
                hint="Install it for this platform: pip install sqlite-vec",
                id="memroute.W002",
            )
        ]
    return [Info(f"SQLite driver {driver.name} {driver.sqlite_version}, sqlite-vec {version}.", id="memroute.I001")]
