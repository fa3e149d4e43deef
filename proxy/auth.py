"""Who is calling: the key of a request, from `Authorization: Bearer` or `x-api-key`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from proxy.errors import MissingKey, MissingScope, UnknownKey
from settings_app.values import KeyValues, Snapshot


def authenticate(headers: Mapping[str, str], snapshot: Snapshot, now: datetime) -> KeyValues:
    """Return the key of a request; raise MissingKey, UnknownKey (also disabled, expired) or MissingScope."""
    secret = _secret(headers)
    if not secret:
        raise MissingKey
    key = snapshot.keys.get(hashlib.sha256(secret.encode("latin-1", "replace")).hexdigest())
    if key is None or (key.expires_at is not None and key.expires_at <= now):
        raise UnknownKey
    if "proxy" not in key.scopes:
        raise MissingScope
    return key


def _secret(headers: Mapping[str, str]) -> str:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and secret.strip():
        return secret.strip()
    return headers.get("x-api-key", "").strip()
