"""Cached reads of the settings: one immutable snapshot a process, refreshed when the audit log has grown.

Every change of a key, a provider or a setting writes an audit row in the same transaction, so the highest audit id is a
version that all processes on the file share.
"""

from __future__ import annotations

import logging
import threading
from dataclasses import fields as dataclass_fields
from types import MappingProxyType
from typing import Any

from django.db import connection
from django.db.models import Max

from settings_app import crypto, values
from settings_app.fields import MEMORY_FIELDS, QDRANT_FIELDS, Field, default_of
from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings, SettingsAudit

logger = logging.getLogger(__name__)

_lock = threading.Lock()
_latest: values.Snapshot | None = None


def audit_version() -> int:
    """Return the version of the settings in the database: the highest audit id, 0 without any."""
    return SettingsAudit.objects.aggregate(top=Max("id"))["top"] or 0


def latest() -> values.Snapshot | None:
    """Return the snapshot this process holds, however old; None before the first load. Never touches the database."""
    return _latest


def snapshot() -> values.Snapshot:
    """Return the settings in force now: one small query when nothing changed. Not for the event loop."""
    held = _latest
    if held is not None and held.version == audit_version():
        return held
    return reload()


def reload() -> values.Snapshot:
    """Read everything anew and keep it. Not for the event loop.

    Inside a transaction it is not kept: a rollback would take back what it holds, and its version could be given again.
    """
    global _latest  # noqa: PLW0603  (the one cell that holds the snapshot)
    with _lock:
        # The version is read first: a change in between makes the next look reload once more, never miss it.
        version = audit_version()
        fresh = values.Snapshot(
            version=version,
            memory=memory_values(),
            qdrant=qdrant_values(),
            keys=MappingProxyType(_keys()),
            providers=MappingProxyType(_providers()),
        )
        if not connection.in_atomic_block:
            _latest = fresh
        return fresh


def forget() -> None:
    """Drop the snapshot, so that the next read loads it anew."""
    global _latest  # noqa: PLW0603
    _latest = None


def memory_values() -> values.MemoryValues:
    """Return the memory settings, clamped, from the database."""
    row = MemorySettings.objects.filter(pk=1).first()
    return values.MemoryValues(**_clamped(MEMORY_FIELDS, values.MemoryValues, row))


def qdrant_values() -> values.QdrantValues:
    """Return the Qdrant settings, clamped, with the credential decrypted."""
    row = QdrantSettings.objects.filter(pk=1).first()
    credential = _decrypted(row.credential, "Qdrant") if row else ""
    return values.QdrantValues(**_clamped(QDRANT_FIELDS, values.QdrantValues, row), api_key=credential)


def _clamped(
    known: tuple[Field, ...], kind: type[values.MemoryValues] | type[values.QdrantValues], row: object | None
) -> dict[str, Any]:
    if row is None:
        return {}
    return {field.attr: field.clamp(getattr(row, field.attr), default_of(kind, field.attr)) for field in known}


def _decrypted(stored: str, owner: str) -> str:
    """Return a credential, or empty when it cannot be read: the upstream's 401 then tells what to do."""
    try:
        return crypto.decrypt(stored)
    except crypto.CannotDecrypt as error:
        logger.error("settings.credential.unreadable", extra={"owner": owner, "reason": str(error)})
        return ""


def key_values(row: ApiKey) -> values.KeyValues:
    """Return the value object of one key."""
    return values.KeyValues(
        id=row.pk,
        uuid=str(row.uuid),
        name=row.name,
        scopes=row.scopes,
        memory_mode=row.memory_mode if row.memory_mode in values.MEMORY_MODES else "off",
        expires_at=row.expires_at,
        strategy=row.strategy,
        max_tokens=row.max_tokens,
    )


def _keys() -> dict[str, values.KeyValues]:
    usable = ApiKey.objects.filter(enabled=True, hidden=False, state=ApiKey.State.ACTIVE)
    return {row.secret_hash: key_values(row) for row in usable}


def provider_values(row: Provider) -> values.ProviderValues:
    """Return the value object of one provider, credential decrypted."""
    return values.ProviderValues(
        slug=row.slug,
        base_url=row.base_url.rstrip("/"),
        models=tuple(str(name) for name in row.model_names) if isinstance(row.model_names, list) else (),
        is_default=row.is_default,
        role_policy=row.role_policy if row.role_policy in values.ROLE_POLICIES else "auto",
        first_byte_timeout=_seconds(row.first_byte_timeout, 600.0),
        idle_timeout=_seconds(row.idle_timeout, 120.0),
        credential=_decrypted(row.credential, row.slug),
    )


def _seconds(stored: object, usual: float) -> float:
    """A time-out as it may be used: 0.1…3600 seconds, the usual one for what is no number."""
    return min(max(float(stored), 0.1), 3600.0) if isinstance(stored, int | float) else usual


def _providers() -> dict[str, values.ProviderValues]:
    return {row.slug: provider_values(row) for row in Provider.objects.filter(enabled=True)}


def memory_settings_dict(current: values.MemoryValues) -> dict[str, Any]:
    """Return the memory settings under their API names."""
    return {field.name: getattr(current, field.attr) for field in MEMORY_FIELDS}


def qdrant_settings_dict(current: values.QdrantValues) -> dict[str, Any]:
    """Return the Qdrant settings under their API names; never the credential."""
    shown = {field.name: getattr(current, field.attr) for field in QDRANT_FIELDS}
    return shown | {"hasApiKey": bool(current.api_key), "apiKeyMasked": crypto.mask(current.api_key)}


def memory_attrs() -> list[str]:
    """Return the attribute names of the memory settings."""
    return [field.name for field in dataclass_fields(values.MemoryValues)]
