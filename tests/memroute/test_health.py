"""Health: up or down, nothing more, whoever asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import connection
from django.test import Client


@pytest.mark.django_db
@pytest.mark.parametrize("name", ["live", "ready"])
def test_a_stranger_learns_that_it_is_up_and_nothing_more(client: Client, name: str) -> None:
    response = client.get(f"/api/health/{name}")
    assert (response.status_code, response.json()) == (200, {"status": "up"})


@pytest.mark.parametrize("damage", ["unmigrated", "no database"])
def test_a_database_that_cannot_be_used_is_down_and_no_detail_is_given(
    client: Client, empty_database: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    if damage == "no database":
        empty_database.write_bytes(b"a letter to my aunt " * 100)
    response = client.get("/api/health/ready")
    assert (response.status_code, response.json()) == (503, {"status": "down"})
    assert "health.not_ready" in caplog.text
    connection.close()


def test_live_asks_no_database(client: Client) -> None:
    assert client.get("/api/health/live").status_code == 200


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_health_is_only_read(client: Client, method: str) -> None:
    assert getattr(client, method)("/api/health/live").status_code == 405
