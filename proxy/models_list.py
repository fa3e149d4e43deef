"""The models of all providers: asked in parallel, cached, and one dead provider does not break the list."""

from __future__ import annotations

import json
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
from cachetools import TTLCache

from proxy.routing import DEMO_MODEL
from settings_app.values import RESERVED_SLUG, ProviderValues, Snapshot

logger = logging.getLogger(__name__)

CACHE_SECONDS = 300
ASK_SECONDS = 5.0
MAX_MODELS = 2000
MAX_BYTES = 4 * 1024 * 1024
# Whatever a provider may answer instead of a list.
UNUSABLE = (
    httpx.HTTPError,
    httpx.InvalidURL,
    OSError,
    ValueError,
    KeyError,
    TypeError,
    AttributeError,
    OverflowError,
    RecursionError,
)

Listed = list[dict[str, Any]]
_lock = threading.Lock()
_cache: TTLCache[tuple[int, str], Listed] = TTLCache(maxsize=256, ttl=CACHE_SECONDS)


def list_models(snapshot: Snapshot) -> Listed:
    """Return the models as OpenAI lists them; a provider's names are prefixed with its slug."""
    listed: Listed = [_entry(RESERVED_SLUG, DEMO_MODEL, 0)]
    providers = list(snapshot.providers.values())
    if providers:
        with ThreadPoolExecutor(min(8, len(providers))) as threads:
            for entries in threads.map(lambda p: _of_provider(p, snapshot.version), providers):
                listed += entries
    return listed


def _of_provider(provider: ProviderValues, version: int) -> Listed:
    """Ask a provider, or answer from the cache; what it does not tell is taken from its configured names."""
    with _lock:
        known = _cache.get((version, provider.slug))
    if known is not None:
        return known
    asked = _ask(provider)
    if asked is None:
        return [_entry(provider.slug, name, 0) for name in provider.models if not name.endswith("*")]
    with _lock:
        _cache[version, provider.slug] = asked
    return asked


def _ask(provider: ProviderValues) -> Listed | None:
    headers = {"authorization": f"Bearer {provider.credential}"} if provider.credential else {}
    try:
        rows = json.loads(_fetch(f"{provider.base_url}/models", headers))["data"][:MAX_MODELS]
        return [_entry(provider.slug, str(row["id"]), int(row.get("created") or 0)) for row in rows]
    except UNUSABLE as error:
        logger.warning("proxy.models.failed", extra={"provider": provider.slug, "reason": type(error).__name__})
        return None


def _fetch(url: str, headers: dict[str, str]) -> bytes:
    """Read an answer of at most MAX_BYTES within ASK_SECONDS in all."""
    until = time.monotonic() + ASK_SECONDS
    body = b""
    with httpx.stream("GET", url, headers=headers, timeout=ASK_SECONDS, trust_env=False) as answer:
        answer.raise_for_status()
        for chunk in answer.iter_bytes():
            body += chunk
            if len(body) > MAX_BYTES or time.monotonic() > until:
                raise ValueError("the list is too long or too slow")
    return body


def _entry(slug: str, name: str, created: int) -> dict[str, Any]:
    return {"id": f"{slug}/{name}", "object": "model", "created": created, "owned_by": slug}
