"""The typed values that the rest of the code receives: frozen, free of the ORM, safe to read on the event loop."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

STRATEGIES = ("recent", "semantic", "hybrid")
SCOPES = ("session", "apiKey", "global")
FUSIONS = ("rrf", "relative")
EMBEDDING_SOURCES = ("auto", "remote", "static", "transformers")
VECTOR_STORES = ("auto", "sqlite-vec", "qdrant")
PLACEMENTS = ("auto", "system-first")
ASSISTANT_CAPTURE = ("off", "decisions", "all")
MEMORY_MODES = ("on", "read", "write", "off")
ROLE_POLICIES = ("auto", "system", "user", "merge-first")
QUANTIZATIONS = ("none", "int8", "binary")
KEY_SCOPES = ("proxy", "management")
# Providers that memroute itself is; no operator can take the name.
RESERVED_SLUG = "memroute"


@dataclass(frozen=True, slots=True)
class MemoryValues:
    """The memory settings in force (7-settings); every value is inside its range."""

    enabled: bool = False
    max_tokens: int = 2000
    retention_days: int = 30
    strategy: str = "hybrid"
    scope: str = "apiKey"
    fusion: str = "relative"
    skills_enabled: bool = False
    auto_summarize: bool = False
    embedding_source: str = "auto"
    embedding_provider_model: str | None = None
    custom_base_url: str | None = None
    custom_model_id: str | None = None
    relevance_floor: float = 0.0
    static_enabled: bool = True
    transformers_enabled: bool = False
    rerank_enabled: bool = False
    rerank_provider_model: str | None = None
    vector_store: str = "auto"
    injection_placement: str = "auto"
    extract_user: bool = True
    extract_assistant: str = "decisions"
    capture_turns: bool = False
    review_mode: bool = False
    max_facts_per_turn: int = 10
    receipt_retention_days: int = 7
    deleted_retention_days: int = 30
    receipt_text: bool = True
    time_zone: str = "UTC"
    key_rate_limit: int = 0
    primary_backend: str = "sqlite"
    fallback_backends: list[str] = field(default_factory=list)
    backend_configs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class QdrantValues:
    """The Qdrant settings in force; `api_key` is the decrypted credential, or empty."""

    enabled: bool = False
    host: str = "localhost"
    port: int = 6333
    collection: str = "memroute_memory"
    embedding_model: str | None = None
    quantization: str = "none"
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class KeyValues:
    """One API key as the proxy sees it; `id` is the owner of memories."""

    id: int
    uuid: str
    name: str
    scopes: frozenset[str]
    memory_mode: str
    expires_at: datetime | None
    strategy: str | None
    max_tokens: int | None


@dataclass(frozen=True, slots=True)
class ProviderValues:
    """One enabled provider; `credential` is decrypted and never shown in a repr."""

    slug: str
    base_url: str
    models: tuple[str, ...]
    is_default: bool
    role_policy: str
    first_byte_timeout: float
    idle_timeout: float
    credential: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything a chat request needs to know of the settings, as of one version of the audit log."""

    version: int
    memory: MemoryValues
    qdrant: QdrantValues
    keys: Mapping[str, KeyValues]
    providers: Mapping[str, ProviderValues]

    @property
    def default_provider(self) -> ProviderValues | None:
        """The provider that serves models nobody else names."""
        return next((p for p in self.providers.values() if p.is_default), None)
