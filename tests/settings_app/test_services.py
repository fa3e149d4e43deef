"""Changes of keys, providers and settings: saved, audited, and seen."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from settings_app import crypto, selectors, services
from settings_app.fields import InvalidSetting
from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings, SettingsAudit
from tests.factories import make_key, make_provider

pytestmark = pytest.mark.django_db


def last_change() -> dict[str, Any]:
    changes: dict[str, Any] = SettingsAudit.objects.latest("id").changes
    return changes


def test_a_key_is_stored_as_a_hash_and_a_prefix() -> None:
    key, secret = services.key_create(name=" Laptop ", actor="ada")
    key.refresh_from_db()
    assert (key.name, key.secret_hash, key.prefix) == ("Laptop", crypto.hash_secret(secret), secret[:8])
    columns = ApiKey.objects.values().get(pk=key.pk)
    assert secret not in str(columns)


def test_creating_a_key_is_audited_without_its_secret_or_hash() -> None:
    key, secret = services.key_create(name="Laptop", scopes=("proxy", "management"), actor="ada")
    entry = SettingsAudit.objects.get()
    assert (entry.actor, entry.target) == ("ada", "key Laptop")
    assert entry.changes["management_scope"] == [None, True]
    assert secret not in str(entry.changes)
    assert key.secret_hash not in str(entry.changes)


@pytest.mark.parametrize("scopes", [(), ("admin",), ("proxy", "everything")])
def test_unknown_scopes_are_refused(scopes: tuple[str, ...]) -> None:
    with pytest.raises(InvalidSetting, match="proxy, management"):
        services.key_create(name="Laptop", scopes=scopes, actor="ada")


@pytest.mark.parametrize("name", ["", "   ", "x" * 101, "two\nlines", "\udcff"])
def test_a_key_needs_a_name_that_can_be_shown(name: str) -> None:
    with pytest.raises((InvalidSetting, ValidationError)):
        services.key_create(name=name, actor="ada")
    assert not SettingsAudit.objects.exists()


def test_rotating_keeps_the_owner_and_replaces_the_secret(alice: ApiKey) -> None:
    before = alice.secret_hash
    secret = services.key_rotate(key=alice, actor="ada")
    found = selectors.snapshot().keys
    assert found[crypto.hash_secret(secret)].id == alice.pk
    assert before not in found
    assert last_change() == {"secret_hash": ["***", "***"]}


def test_a_save_that_changes_nothing_is_not_audited(alice: ApiKey) -> None:
    before = selectors.audit_version()
    services.key_save(key=alice, actor="ada")
    assert selectors.audit_version() == before


def test_a_changed_instant_is_audited_as_text(alice: ApiKey) -> None:
    alice.expires_at = datetime(2026, 8, 13, tzinfo=UTC)
    services.key_save(key=alice, actor="ada")
    assert last_change() == {"expires_at": [None, "2026-08-13T00:00:00+00:00"]}


def test_a_use_is_recorded_without_an_audit(alice: ApiKey) -> None:
    before, at = selectors.audit_version(), datetime(2026, 8, 13, tzinfo=UTC)
    services.keys_touch(seen={alice.pk: at})
    alice.refresh_from_db()
    assert (alice.last_used_at, selectors.audit_version()) == (at, before)


def test_a_credential_is_encrypted_at_rest_and_starred_in_the_audit() -> None:
    provider = make_provider(credential=" sk-upstream ")
    assert "sk-upstream" not in provider.credential
    assert crypto.decrypt(provider.credential) == "sk-upstream"
    assert last_change()["credential"] == [None, "***"]


def test_a_credential_stays_unless_one_is_given() -> None:
    provider = make_provider(credential="sk-upstream")
    provider.idle_timeout = 5
    services.provider_save(provider=provider, actor="ada")
    assert crypto.decrypt(Provider.objects.get().credential) == "sk-upstream"
    services.provider_save(provider=provider, actor="ada", credential="")
    assert Provider.objects.get().credential == ""
    assert last_change() == {"credential": ["***", None]}


def test_one_provider_at_most_is_the_default_and_both_changes_are_audited() -> None:
    make_provider("first", is_default=True)
    make_provider("second", is_default=True)
    assert list(Provider.objects.filter(is_default=True).values_list("slug", flat=True)) == ["second"]
    taken = SettingsAudit.objects.filter(target="provider first").latest("id")
    assert taken.changes == {"is_default": [True, False]}


def test_a_base_url_loses_its_last_slash() -> None:
    assert make_provider(base_url=" https://api.example.com/v1/ ").base_url == "https://api.example.com/v1"


@pytest.mark.parametrize(
    "fields",
    [
        {"slug": "memroute"},
        {"slug": "Open AI"},
        {"base_url": "ftp://example.com"},
        {"base_url": "example.com/v1"},
        {"base_url": "https://"},
        {"base_url": "https://user:pass@example.com/v1"},
        {"base_url": "https://example.com/v1?key=1"},
        {"base_url": "https://example.com/v1#x"},
        {"base_url": "https://exa mple.com"},
        {"base_url": "https://[::1"},
        {"base_url": "https://example.com:99999/v1"},
        {"base_url": "https://example.com/\r\nx"},
        {"model_names": "gpt-*"},
        {"model_names": {"gpt": 1}},
        {"embedding_models": [""]},
        {"rerank_models": [1]},
        {"credential": "two\nlines"},
        {"credential": "sk-żółw"},
        {"first_byte_timeout": 0},
    ],
    ids=str,
)
def test_a_provider_that_could_not_be_used_is_refused(fields: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make_provider(**fields)
    assert not Provider.objects.exists()
    assert not SettingsAudit.objects.exists()


def test_deleting_a_provider_is_audited() -> None:
    services.provider_delete(provider=make_provider(), actor="ada")
    assert not Provider.objects.exists()
    assert last_change() == {"deleted": [False, True]}


def test_one_wrong_setting_changes_nothing() -> None:
    with pytest.raises(InvalidSetting):
        services.memory_settings_update(changes={"enabled": True, "maxTokens": -1}, actor="ada")
    assert not selectors.snapshot().memory.enabled
    assert not SettingsAudit.objects.exists()


def test_changed_settings_are_audited_before_and_after() -> None:
    services.memory_settings_update(changes={"enabled": True, "maxTokens": 500}, actor="ada")
    assert last_change() == {"enabled": [False, True], "max_tokens": [2000, 500]}
    assert selectors.snapshot().memory.max_tokens == 500


def test_there_is_one_row_of_settings() -> None:
    services.memory_settings_update(changes={"enabled": True}, actor="ada")
    services.memory_settings_update(changes={"enabled": False}, actor="ada")
    assert MemorySettings.objects.values_list("pk", flat=True).get() == 1


def test_the_qdrant_credential_is_written_and_never_shown() -> None:
    services.qdrant_settings_update(changes={"apiKey": "qd-0123456789", "enabled": True}, actor="ada")
    current = selectors.snapshot().qdrant
    shown = selectors.qdrant_settings_dict(current)
    assert current.api_key == "qd-0123456789"
    assert (shown["hasApiKey"], shown["apiKeyMasked"]) == (True, "***6789")
    assert "qd-0123456789" not in f"{shown} {current!r} {last_change()} {QdrantSettings.objects.values().get()}"


@pytest.mark.parametrize("given", [{"a": 1}, 5, "two\nlines"])
def test_a_qdrant_credential_that_is_no_text_is_refused(given: Any) -> None:
    with pytest.raises(InvalidSetting, match="apiKey"):
        services.qdrant_settings_update(changes={"apiKey": given}, actor="ada")


def test_an_empty_qdrant_credential_removes_it() -> None:
    services.qdrant_settings_update(changes={"apiKey": "qd-0123456789"}, actor="ada")
    services.qdrant_settings_update(changes={"apiKey": ""}, actor="ada")
    assert selectors.snapshot().qdrant.api_key == ""


def test_values_never_show_a_credential_in_their_repr() -> None:
    make_provider(credential="sk-upstream")
    assert not re.search("sk-upstream", repr(selectors.snapshot()))


def test_two_keys_are_two_owners() -> None:
    assert make_key("Alice").pk != make_key("Bob").pk
