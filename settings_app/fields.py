"""The memory and Qdrant settings, described once: API name, kind, range. Reading clamps by it, writing is checked by it."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zoneinfo import ZoneInfo

from settings_app import values


class InvalidSetting(Exception):
    """A value outside its range; `errors` holds `{field, message}` entries."""

    def __init__(self, errors: list[dict[str, str]]) -> None:
        super().__init__("; ".join(f"{e['field']}: {e['message']}" for e in errors))
        self.errors = errors


@dataclass(frozen=True, slots=True)
class Field:
    """One setting: `name` in the API, `attr` in the model and the value object."""

    name: str
    attr: str
    kind: str  # bool, int, float, choice, name (text that must not be empty), text (or null), zone, list, object
    low: float = -math.inf
    high: float = math.inf  # of texts: how long
    choices: tuple[str, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()  # other spellings of choices

    def check(self, value: Any) -> str | None:
        """Return why a value is refused, or None."""
        return CHECKS[self.kind](self, self.tidy(value))

    def tidy(self, value: Any) -> Any:
        """Return the value as it is stored: texts without space around them, blank as None, choices by their first name."""
        if not isinstance(value, str) or self.kind not in ("text", "name", "choice"):
            return value
        if self.kind == "choice":
            return dict(self.aliases).get(value, value)
        return value.strip() or None

    def clamp(self, value: Any, default: Any) -> Any:
        """Return a stored value made fit: numbers into their range, anything unknown to the default."""
        if self.check(value) is None:
            return self.tidy(value)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if self.kind in ("int", "float") and is_number and value == value:  # noqa: PLR0124  (NaN is not)
            clamped = min(max(value, self.low), self.high)
            return int(clamped) if self.kind == "int" else float(clamped)
        return default


def _check_bool(_: Field, value: Any) -> str | None:
    return None if isinstance(value, bool) else "takes true or false"


def _check_number(field: Field, value: Any) -> str | None:
    whole = field.kind == "int"
    right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    # Comparing is safe for integers too large to be a float, and false for NaN.
    if right and field.low <= value <= field.high:
        return None
    return f"takes a {'whole ' if whole else ''}number from {field.low:g} to {field.high:g}"


def _check_choice(field: Field, value: Any) -> str | None:
    return None if isinstance(value, str) and value in field.choices else f"takes one of: {', '.join(field.choices)}"


def _check_name(field: Field, value: Any) -> str | None:
    ok = isinstance(value, str) and len(value) <= field.high and value.isprintable()
    return None if ok else f"takes 1 to {field.high:g} printable characters"


def _check_text(field: Field, value: Any) -> str | None:
    if value is None or _check_name(field, value) is None:
        return None
    return f"takes up to {field.high:g} printable characters, or null"


def _check_zone(_: Field, value: Any) -> str | None:
    reason = "takes the name of a time zone, such as Europe/Warsaw"
    if not isinstance(value, str) or len(value) > 64:
        return reason
    try:
        ZoneInfo(value)
    except (ValueError, OSError, LookupError):  # not a name, a folder of zones, unknown
        return reason
    return None


def _check_list(_: Field, value: Any) -> str | None:
    ok = isinstance(value, list) and all(isinstance(item, str) for item in value)
    return None if ok else "takes a list of names"


def _check_object(_: Field, value: Any) -> str | None:
    ok = isinstance(value, dict) and all(isinstance(item, dict) for item in value.values())
    return None if ok else "takes an object of objects"


CHECKS = {
    "bool": _check_bool,
    "int": _check_number,
    "float": _check_number,
    "choice": _check_choice,
    "name": _check_name,
    "text": _check_text,
    "zone": _check_zone,
    "list": _check_list,
    "object": _check_object,
}

MEMORY_FIELDS = (
    Field("enabled", "enabled", "bool"),
    Field("maxTokens", "max_tokens", "int", 0, 16000),
    Field("retentionDays", "retention_days", "int", 1, 365),
    Field("strategy", "strategy", "choice", choices=values.STRATEGIES, aliases=(("exact", "recent"),)),
    Field("scope", "scope", "choice", choices=values.SCOPES),
    Field("fusion", "fusion", "choice", choices=values.FUSIONS),
    Field("skillsEnabled", "skills_enabled", "bool"),
    Field("autoSummarize", "auto_summarize", "bool"),
    Field("embeddingSource", "embedding_source", "choice", choices=values.EMBEDDING_SOURCES),
    Field("embeddingProviderModel", "embedding_provider_model", "text", high=500),
    Field("customBaseUrl", "custom_base_url", "text", high=500),
    Field("customModelId", "custom_model_id", "text", high=500),
    Field("relevanceFloor", "relevance_floor", "float", -1, 1),
    Field("staticEnabled", "static_enabled", "bool"),
    Field("transformersEnabled", "transformers_enabled", "bool"),
    Field("rerankEnabled", "rerank_enabled", "bool"),
    Field("rerankProviderModel", "rerank_provider_model", "text", high=500),
    Field("vectorStore", "vector_store", "choice", choices=values.VECTOR_STORES),
    Field("injectionPlacement", "injection_placement", "choice", choices=values.PLACEMENTS),
    Field("extractUser", "extract_user", "bool"),
    Field("extractAssistant", "extract_assistant", "choice", choices=values.ASSISTANT_CAPTURE),
    Field("captureTurns", "capture_turns", "bool"),
    Field("reviewMode", "review_mode", "bool"),
    Field("maxFactsPerTurn", "max_facts_per_turn", "int", 0, 100),
    Field("receiptRetentionDays", "receipt_retention_days", "int", 0, 365),
    Field("deletedRetentionDays", "deleted_retention_days", "int", 0, 365),
    Field("receiptText", "receipt_text", "bool"),
    Field("timeZone", "time_zone", "zone"),
    Field("keyRateLimit", "key_rate_limit", "int", 0, 1_000_000),
    Field("primaryBackend", "primary_backend", "name", high=100),
    Field("fallbackBackends", "fallback_backends", "list"),
    Field("backendConfigs", "backend_configs", "object"),
)

QDRANT_FIELDS = (
    Field("enabled", "enabled", "bool"),
    Field("host", "host", "name", high=255),
    Field("port", "port", "int", 1, 65535),
    Field("collection", "collection", "name", high=255),
    Field("embeddingModel", "embedding_model", "text", high=255),
    Field("quantization", "quantization", "choice", choices=values.QUANTIZATIONS),
)


def default_of(kind: type[values.MemoryValues] | type[values.QdrantValues], attr: str) -> Any:
    """Return the default of one attribute of a value class."""
    return getattr(kind(), attr)


def check_changes(known: tuple[Field, ...], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Turn API names into attributes, or raise `InvalidSetting` naming everything that is wrong."""
    by_name = {field.name: field for field in known}
    errors, checked = [], {}
    for name, value in changes.items():
        field = by_name.get(name)
        reason = field.check(value) if field else "is not a setting"
        if field is None or reason:
            errors.append({"field": name, "message": reason or ""})
        else:
            checked[field.attr] = field.tidy(value)
    if errors:
        raise InvalidSetting(errors)
    return checked
