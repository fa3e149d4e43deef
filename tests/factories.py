"""The people and things that tests talk about: `make_key` for owners, `make_memory` for what they said."""

from __future__ import annotations

from typing import Any

from memories.models import Memory, MemoryRevision, Receipt, ReceiptItem
from settings_app.models import ApiKey, Provider
from settings_app.services import key_create, provider_save


def make_key(name: str, **options: Any) -> ApiKey:
    """Create a key through its service."""
    key, _ = key_create(name=name, actor="test", **options)
    return key


def make_memory(owner: ApiKey, content: str = "I prefer tabs", **fields: Any) -> Memory:
    """Insert a memory as it is given; the key is derived from the content when none is given."""
    fields.setdefault("key", f"memory:{content}"[:255])
    return Memory.objects.create(api_key=owner, content=content, **fields)


def make_revision(memory: Memory, **fields: Any) -> MemoryRevision:
    """Insert a revision of a memory."""
    return MemoryRevision.objects.create(
        **{"memory": memory, "number": 1, "before": {"content": "before"}, "actor": "user", "who": "ada", **fields}
    )


def make_receipt(owner: ApiKey, request_id: str, at: Any, **fields: Any) -> Receipt:
    """Insert a receipt with one item."""
    defaults = {"mode": "on", "model": "memroute/demo", "outcome": "completed"}
    receipt = Receipt.objects.create(api_key=owner, request_id=request_id, at=at, **{**defaults, **fields})
    ReceiptItem.objects.create(receipt=receipt, kind="captured", words="I prefer tabs")
    return receipt


def make_provider(slug: str = "openai", credential: str = "upstream-secret", **fields: Any) -> Provider:
    """Create a provider through its service."""
    provider = Provider(slug=slug, **{"base_url": "https://api.example.com/v1", **fields})
    provider_save(provider=provider, actor="test", credential=credential)
    return provider
