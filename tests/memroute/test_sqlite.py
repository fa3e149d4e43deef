"""SQLite: which driver, what a connection gets, and what is said when the vector tier is impossible."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest
from django.core.checks import run_checks
from django.db import connection, transaction

from memroute.sqlite import can_load_extensions, current_driver, load_vector_extension, vector_library
from tests.processes import manage, python

# A standard library whose connections cannot load extensions, as pyenv and macOS build it.
CRIPPLED = """
import sqlite3
class Bare:
    pass
sqlite3.Connection = Bare
"""
DESCRIBE = "import memroute, memroute.sqlite as s; d = s.current_driver(); print(d.name, d.extensions)"
WITHOUT_SQLEAN = "import sys; sys.modules['sqlean'] = None\n"


def test_a_driver_is_judged_by_what_its_connections_can_do() -> None:
    able = SimpleNamespace(Connection=SimpleNamespace(enable_load_extension=None))
    assert can_load_extensions(able)
    assert not can_load_extensions(SimpleNamespace(Connection=SimpleNamespace()))


def test_a_crippled_standard_library_is_replaced(tmp_path: Path) -> None:
    assert python(CRIPPLED + DESCRIBE, data_dir=tmp_path) == "sqlean True\n"


def test_an_able_standard_library_is_kept(tmp_path: Path) -> None:
    able = "import sqlite3; sqlite3.Connection = type('C', (sqlite3.Connection,), {'enable_load_extension': None})\n"
    assert python(able + DESCRIBE, data_dir=tmp_path) == "sqlite3 True\n"


def test_without_either_the_keyword_tier_is_left_and_a_check_says_so(tmp_path: Path) -> None:
    check = "from django.core.management import execute_from_command_line as run; run(['manage.py', 'check'])"
    setting = "import os; os.environ['DJANGO_SETTINGS_MODULE'] = 'memroute.settings'\n"
    shown = python(WITHOUT_SQLEAN + CRIPPLED + DESCRIBE + "\n" + setting, data_dir=tmp_path)
    assert shown == "sqlite3 False\n"
    code = f"{WITHOUT_SQLEAN}{CRIPPLED}{setting}import memroute, sys\nsys.stderr = sys.stdout\n{check}"
    assert "memroute.W001" in python(code, data_dir=tmp_path)


def test_the_server_works_without_either(tmp_path: Path) -> None:
    code = WITHOUT_SQLEAN + "import sys; sys.argv = ['manage.py', 'create_api_key', 'x']; import manage; manage.main()"
    assert python(code, data_dir=tmp_path).startswith("mr-")


def test_this_process_can_use_the_vector_tier() -> None:
    """Never skipped: where this fails, all tests of the vector tier are worth nothing."""
    assert current_driver().extensions
    assert vector_library() is not None


def test_a_connection_that_cannot_load_extensions_gives_none() -> None:
    assert load_vector_extension(SimpleNamespace()) is None


def test_loading_is_switched_off_again() -> None:
    fresh = sqlite3.connect(":memory:")
    assert load_vector_extension(fresh)
    with pytest.raises(sqlite3.OperationalError, match="not authorized"):
        fresh.load_extension("anything")
    fresh.close()


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("pragma", "value"),
    [
        ("journal_mode", "wal"),
        ("synchronous", 1),
        ("foreign_keys", 1),
        ("secure_delete", 1),
        ("busy_timeout", 20_000),
    ],
)
def test_each_connection_is_prepared(pragma: str, value: object) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA {pragma}")
        assert cursor.fetchone() == (value,)


@pytest.mark.django_db
def test_each_connection_has_the_vector_extension() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT vec_version()")
        assert cursor.fetchone()[0].startswith("v0.1")


def test_a_transaction_takes_the_write_lock_at_once(own_database: Path) -> None:
    other = sqlite3.connect(own_database, timeout=0)
    with transaction.atomic(), pytest.raises(sqlite3.OperationalError, match="locked"):
        other.execute("BEGIN IMMEDIATE")
    other.close()


@pytest.mark.django_db
def test_a_check_names_the_driver_and_the_extension() -> None:
    found = {message.id: message.msg for message in run_checks(databases=["default"])}
    assert current_driver().name in found["memroute.I001"]
    assert "sqlite-vec" in found["memroute.I001"]


def test_starting_django_imports_nothing_heavy(tmp_path: Path) -> None:
    heavy = {"numpy", "sqlite_vec", "torch", "onnxruntime", "qdrant_client", "transformers", "tokenizers"}
    code = (
        "import os, sys; os.environ['DJANGO_SETTINGS_MODULE'] = 'memroute.settings'\n"
        "import memroute, django; django.setup()\n"
        "from django.db import connection; connection.ensure_connection()\n"
        f"print(sorted({heavy} & set(sys.modules)))"
    )
    assert python(code, data_dir=tmp_path) == "[]\n"


def test_the_checks_pass_on_a_new_installation(tmp_path: Path) -> None:
    assert manage("check", "--database", "default", "--fail-level", "WARNING", data_dir=tmp_path).returncode == 0
