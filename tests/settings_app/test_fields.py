"""The settings' description: stored values are clamped on reading, given ones are refused."""

from __future__ import annotations

from dataclasses import fields as dataclass_fields
from typing import Any

import pytest

from settings_app import values
from settings_app.fields import MEMORY_FIELDS, QDRANT_FIELDS, Field, InvalidSetting, check_changes, default_of
from settings_app.models import MemorySettings, QdrantSettings

BY_NAME = {field.name: field for field in MEMORY_FIELDS}


def clamped(name: str, stored: Any) -> Any:
    field = BY_NAME[name]
    return field.clamp(stored, default_of(values.MemoryValues, field.attr))


@pytest.mark.parametrize(
    ("name", "stored", "used"),
    [
        ("maxTokens", 99_999, 16_000),
        ("maxTokens", -5, 0),
        ("maxTokens", "many", 2000),
        ("maxTokens", None, 2000),
        ("maxTokens", True, 2000),
        ("maxTokens", 10**400, 16_000),
        ("maxTokens", float("nan"), 2000),
        ("maxTokens", float("inf"), 16_000),
        ("retentionDays", 0, 1),
        ("relevanceFloor", -7, -1.0),
        ("strategy", "psychic", "hybrid"),
        ("strategy", "exact", "recent"),
        ("strategy", ["recent"], "hybrid"),
        ("enabled", 7, False),
        ("timeZone", "Europe/Warsaw", "Europe/Warsaw"),
        ("timeZone", "Mars/Olympus", "UTC"),
        ("customModelId", "  ", None),
        ("customModelId", " bge ", "bge"),
        ("primaryBackend", "", "sqlite"),
        ("fallbackBackends", "obsidian", []),
        ("backendConfigs", {"obsidian": 1}, {}),
    ],
)
def test_a_stored_value_is_made_fit(name: str, stored: Any, used: Any) -> None:
    assert clamped(name, stored) == used


REFUSED: list[tuple[str, Any]] = [
    ("maxTokens", 16_001),
    ("maxTokens", -1),
    ("maxTokens", 1.5),
    ("maxTokens", True),
    ("maxTokens", "2000"),
    ("maxTokens", 10**400),
    ("relevanceFloor", float("nan")),
    ("relevanceFloor", float("inf")),
    ("enabled", 1),
    ("enabled", "true"),
    ("strategy", "psychic"),
    ("strategy", None),
    ("strategy", ["recent"]),
    ("timeZone", "Mars/Olympus"),
    ("timeZone", "Europe"),
    ("timeZone", "../../etc/passwd"),
    ("timeZone", "UTC\0"),
    ("timeZone", []),
    ("timeZone", ""),
    ("customModelId", "x" * 501),
    ("customModelId", "two\nlines"),
    ("customModelId", 4),
    ("primaryBackend", None),
    ("primaryBackend", " "),
    ("primaryBackend", "x" * 101),
    ("fallbackBackends", "obsidian"),
    ("fallbackBackends", [1]),
    ("backendConfigs", []),
    ("backendConfigs", {"obsidian": 1}),
    ("colour", "blue"),
]


@pytest.mark.parametrize(("name", "given"), REFUSED)
def test_a_given_value_out_of_range_is_refused(name: str, given: Any) -> None:
    with pytest.raises(InvalidSetting) as caught:
        check_changes(MEMORY_FIELDS, {name: given})
    assert [error["field"] for error in caught.value.errors] == [name]
    assert caught.value.errors[0]["message"]


def test_everything_that_is_wrong_is_named_at_once() -> None:
    with pytest.raises(InvalidSetting) as caught:
        check_changes(MEMORY_FIELDS, {"maxTokens": -1, "enabled": True, "colour": 1})
    assert [error["field"] for error in caught.value.errors] == ["maxTokens", "colour"]


def test_good_values_come_back_under_their_attributes() -> None:
    given = {"maxTokens": 0, "strategy": "exact", "customModelId": " bge ", "rerankProviderModel": ""}
    assert check_changes(MEMORY_FIELDS, given) == {
        "max_tokens": 0,
        "strategy": "recent",
        "custom_model_id": "bge",
        "rerank_provider_model": None,
    }


@pytest.mark.parametrize("port", [0, 65_536, None, "6333"])
def test_a_port_that_is_none_is_refused(port: Any) -> None:
    with pytest.raises(InvalidSetting):
        check_changes(QDRANT_FIELDS, {"port": port})


@pytest.mark.parametrize(
    ("known", "kind", "model"),
    [
        (MEMORY_FIELDS, values.MemoryValues, MemorySettings),
        (QDRANT_FIELDS, values.QdrantValues, QdrantSettings),
    ],
)
def test_fields_values_and_columns_name_the_same_settings_and_defaults(
    known: tuple[Field, ...], kind: Any, model: Any
) -> None:
    assert {f.attr for f in known} == {f.name for f in dataclass_fields(kind)} - {"api_key"}
    row = model()
    for field in known:
        assert getattr(row, field.attr) == default_of(kind, field.attr), field.attr


@pytest.mark.parametrize(("known", "model"), [(MEMORY_FIELDS, MemorySettings), (QDRANT_FIELDS, QdrantSettings)])
def test_a_column_holds_the_longest_text_its_field_allows(known: tuple[Field, ...], model: Any) -> None:
    for field in (f for f in known if f.kind in ("text", "name")):
        assert model._meta.get_field(field.attr).max_length == field.high
