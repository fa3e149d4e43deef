"""Fixtures that every test may use."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.server import Server
from tests.upstream import ScriptedUpstream

if TYPE_CHECKING:
    from settings_app.models import ApiKey

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _fresh_caches() -> Iterator[None]:
    """What one test cached must not be seen by the next: a rolled-back database reuses its version numbers."""
    yield
    if "memories.pool" in sys.modules:
        sys.modules["memories.pool"].pools.clear()
    if "settings_app.selectors" in sys.modules:
        sys.modules["settings_app.selectors"].forget()


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> None:
    """The test database is a file, as in real life: other threads, connections and processes see it, and it has a WAL."""
    from django.conf import settings

    databases: Any = settings.DATABASES
    databases["default"]["TEST"]["NAME"] = str(settings.MEMROUTE_DATA_DIR / "tests.sqlite3")


@pytest.fixture(scope="session")
def migrated_file(django_db_setup: None, django_db_blocker: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fully migrated database file without rows, to copy from."""
    from django.core.management import call_command

    path = tmp_path_factory.mktemp("migrated") / "memroute.sqlite3"
    with django_db_blocker.unblock(), _database_at(path):
        call_command("migrate", verbosity=0, interactive=False)
    return path


@contextmanager
def _database_at(path: Path) -> Iterator[None]:
    """Point this process's default database at another file."""
    from django.db import connection

    held = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = str(path)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = held


@pytest.fixture
def empty_database(django_db_setup: None, django_db_blocker: Any, tmp_path: Path) -> Iterator[Path]:
    """For tests that migrate or damage: a database file of their own that does not exist yet."""
    path = tmp_path / "memroute.sqlite3"
    with django_db_blocker.unblock(), _database_at(path):
        yield path


@pytest.fixture
def own_database(migrated_file: Path, empty_database: Path) -> Path:
    """The same, fully migrated."""
    shutil.copy(migrated_file, empty_database)
    return empty_database


@pytest.fixture
def alice(request: pytest.FixtureRequest) -> ApiKey:
    """An owner. Tests in a database of their own ask for `own_database` before `alice`."""
    return _owner(request, "Alice")


@pytest.fixture
def bob(request: pytest.FixtureRequest) -> ApiKey:
    """Another owner."""
    return _owner(request, "Bob")


def _owner(request: pytest.FixtureRequest, name: str) -> ApiKey:
    from tests.factories import make_key

    # A parametrised or marked database must be set up before the first row goes in.
    if "own_database" in request.fixturenames:
        request.getfixturevalue("own_database")
    elif request.node.get_closest_marker("django_db"):
        request.getfixturevalue("_django_db_helper")
    return make_key(name)


@pytest.fixture(scope="session")
def upstream_server() -> Iterator[ScriptedUpstream]:
    """One scripted upstream for all tests."""
    server = ScriptedUpstream()
    yield server
    server.close()


@pytest.fixture
def upstream(upstream_server: ScriptedUpstream) -> ScriptedUpstream:
    """The scripted upstream, with nothing scripted."""
    upstream_server.reset()
    return upstream_server


@pytest.fixture(scope="module")
def server_process(upstream_server: ScriptedUpstream, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server process of its own, with its own data folder, for the tests of one module."""
    with Server(tmp_path_factory.mktemp("data"), upstream_server.base_url) as server:
        server.start()
        yield server


@pytest.fixture
def server(server_process: Server, upstream: ScriptedUpstream) -> Server:
    """The running server with memory on and the usual settings."""
    server_process.settings(**Server.USUAL)
    return server_process
