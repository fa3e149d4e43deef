"""The named constraints of keys, providers and settings refuse what they should, whoever writes."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError
from django.db.models import ProtectedError

from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings
from tests.factories import make_memory, make_provider

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("fields", "constraint"),
    [
        ({"name": ""}, "apikey_name_not_empty"),
        ({"memory_mode": "maybe"}, "apikey_memory_mode_known"),
        ({"state": "lost"}, "apikey_state_known"),
        ({"strategy": "psychic"}, "apikey_strategy_known"),
        ({"max_tokens": 16_001}, "apikey_max_tokens_in_range"),
    ],
)
def test_a_key_out_of_range_is_refused(alice: ApiKey, fields: dict[str, Any], constraint: str) -> None:
    with pytest.raises(IntegrityError, match=constraint):
        ApiKey.objects.filter(pk=alice.pk).update(**fields)


def test_two_keys_cannot_have_one_secret(alice: ApiKey, bob: ApiKey) -> None:
    with pytest.raises(IntegrityError, match="secret_hash"):
        ApiKey.objects.filter(pk=bob.pk).update(secret_hash=alice.secret_hash)


def test_a_key_with_memories_cannot_be_deleted(alice: ApiKey) -> None:
    make_memory(alice)
    with pytest.raises(ProtectedError):
        alice.delete()


def test_the_reserved_slug_is_refused() -> None:
    with pytest.raises(IntegrityError, match="provider_slug_not_reserved"):
        Provider.objects.create(slug="memroute", base_url="https://example.com")


def test_a_second_default_provider_is_refused() -> None:
    make_provider("first", is_default=True)
    with pytest.raises(IntegrityError, match="is_default"):
        Provider.objects.create(slug="second", base_url="https://example.com", is_default=True)


@pytest.mark.parametrize("model", [MemorySettings, QdrantSettings])
def test_a_second_row_of_settings_is_refused(model: Any) -> None:
    with pytest.raises(IntegrityError, match="one_row"):
        model.objects.create(pk=2)


def test_the_scopes_of_a_key_are_named_as_the_api_names_them(alice: ApiKey) -> None:
    alice.management_scope = True
    assert alice.scopes == {"proxy", "management"}
