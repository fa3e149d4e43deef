"""The tests themselves: they never touch the data of the person who runs them."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection


def test_the_data_folder_is_a_temporary_one() -> None:
    assert Path(tempfile.gettempdir()).resolve() in settings.MEMROUTE_DATA_DIR.resolve().parents


@pytest.mark.django_db
def test_the_test_database_is_a_file_in_it_with_a_write_ahead_log() -> None:
    assert Path(connection.settings_dict["NAME"]).parent == settings.MEMROUTE_DATA_DIR
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA journal_mode")
        assert cursor.fetchone() == ("wal",)
