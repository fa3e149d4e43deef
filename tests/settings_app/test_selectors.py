"""The snapshot: cached, clamped, never older than the last committed change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.db import connection, transaction
from pytest_django import DjangoAssertNumQueries, Settings

from settings_app import selectors, services
from settings_app.models import ApiKey, MemorySettings, Provider
from tests.factories import make_key, make_provider
from tests.processes import manage
from tests.threads import elsewhere


def raw(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def test_it_is_read_once_and_then_costs_one_query(
    own_database: Path, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    selectors.snapshot()
    with django_assert_num_queries(1):
        selectors.snapshot()


def test_a_change_is_seen_at_once(own_database: Path) -> None:
    assert not selectors.snapshot().memory.enabled
    services.memory_settings_update(changes={"enabled": True}, actor="test")
    assert selectors.snapshot().memory.enabled


def test_a_change_by_another_process_is_seen_at_once(own_database: Path) -> None:
    assert selectors.snapshot().memory.max_tokens == 2000
    done = manage("memory_settings", "--set", "maxTokens=777", data_dir=own_database.parent)
    assert done.returncode == 0, done.stderr
    assert selectors.snapshot().memory.max_tokens == 777


def test_a_change_by_another_thread_is_seen_at_once(own_database: Path) -> None:
    selectors.snapshot()
    elsewhere(lambda: make_key("Carol"))
    assert [key.name for key in selectors.snapshot().keys.values()] == ["Carol"]


def test_what_is_rolled_back_was_never_kept(own_database: Path) -> None:
    selectors.snapshot()
    with transaction.atomic():
        services.memory_settings_update(changes={"enabled": True}, actor="test")
        assert selectors.snapshot().memory.enabled
        transaction.set_rollback(True)
    # The version of the change that was taken back is given again, to another change.
    services.memory_settings_update(changes={"maxTokens": 5}, actor="test")
    assert not selectors.snapshot().memory.enabled


@pytest.mark.django_db
def test_stored_nonsense_is_clamped() -> None:
    MemorySettings.objects.create(pk=1, max_tokens=10**6, retention_days=-3, strategy="x", time_zone="Mars/Olympus")
    raw("UPDATE settings_app_memorysettings SET enabled = 'maybe', relevance_floor = 'high'")
    current = selectors.memory_values()
    assert (current.max_tokens, current.retention_days, current.strategy) == (16_000, 1, "hybrid")
    assert (current.time_zone, current.enabled, current.relevance_floor) == ("UTC", False, 0.0)


@pytest.mark.django_db
@pytest.mark.parametrize("change", [{"enabled": False}, {"hidden": True}, {"state": "erasing"}])
def test_a_key_that_must_not_be_used_is_not_in_it(alice: ApiKey, change: dict[str, Any]) -> None:
    ApiKey.objects.filter(pk=alice.pk).update(**change)
    assert not selectors.snapshot().keys


@pytest.mark.django_db
def test_a_disabled_provider_is_not_in_it() -> None:
    make_provider("on", is_default=True)
    make_provider("off", enabled=False)
    snapshot = selectors.snapshot()
    assert list(snapshot.providers) == ["on"]
    assert snapshot.default_provider is snapshot.providers["on"]


@pytest.mark.django_db
def test_an_unreadable_credential_is_empty_and_logged(settings: Settings, caplog: pytest.LogCaptureFixture) -> None:
    make_provider(credential="sk-upstream")
    settings.SECRET_KEY = "n" * 40
    assert selectors.snapshot().providers["openai"].credential == ""
    assert "settings.credential.unreadable" in caplog.text
    assert "sk-upstream" not in caplog.text


@pytest.mark.django_db
def test_stored_nonsense_in_a_provider_is_made_fit() -> None:
    make_provider()
    Provider.objects.update(model_names="gpt-*", role_policy="shout")
    provider = selectors.snapshot().providers["openai"]
    assert (provider.models, provider.role_policy) == ((), "auto")
