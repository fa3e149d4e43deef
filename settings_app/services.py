"""Changes of keys, providers and settings: each is checked, saved and audited in one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.db import models, transaction

from settings_app import crypto, values
from settings_app.fields import MEMORY_FIELDS, QDRANT_FIELDS, InvalidSetting, check_changes
from settings_app.models import ApiKey, MemorySettings, Provider, QdrantSettings, SettingsAudit

HIDDEN_FIELDS = {"credential", "secret_hash"}


def audit(*, actor: str, target: str, changes: Mapping[str, Any]) -> None:
    """Write one audit row; its id becomes the new version of every cache."""
    SettingsAudit.objects.create(actor=actor[:150], target=target[:150], changes=dict(changes))


def _difference(before: models.Model | None, after: models.Model, names: Iterable[str]) -> dict[str, list[Any]]:
    changes = {}
    for name in names:
        old, new = getattr(before, name) if before else None, getattr(after, name)
        if old != new:
            changes[name] = ["***" if old else None, "***" if new else None] if name in HIDDEN_FIELDS else [old, new]
    return {name: [_plain(value) for value in pair] for name, pair in changes.items()}


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def _save_audited(row: models.Model, *, actor: str, target: str, names: Iterable[str]) -> None:
    """Save a row and audit how it differs from what is stored; a save that changes nothing is not audited."""
    with transaction.atomic():
        model = type(row)
        before = model._default_manager.filter(pk=row.pk).first() if row.pk else None
        row.full_clean(validate_constraints=False)
        row.save()
        changes = _difference(before, row, names)
        if changes or before is None:
            audit(actor=actor, target=target, changes=changes)


KEY_FIELDS = (
    "name",
    "enabled",
    "proxy_scope",
    "management_scope",
    "memory_mode",
    "strategy",
    "max_tokens",
    "expires_at",
    "secret_hash",
)
PROVIDER_FIELDS = (
    "slug",
    "base_url",
    "credential",
    "enabled",
    "is_default",
    "model_names",
    "role_policy",
    "embedding_models",
    "rerank_models",
    "first_byte_timeout",
    "idle_timeout",
)


def key_create(
    *,
    name: str,
    scopes: Iterable[str] = ("proxy",),
    actor: str,
    memory_mode: str = "on",
    expires_at: datetime | None = None,
) -> tuple[ApiKey, str]:
    """Create a key; return it and its secret, which is shown this once and not stored."""
    wanted = set(scopes)
    unknown = wanted - set(values.KEY_SCOPES)
    if unknown or not wanted:
        raise InvalidSetting([{"field": "scopes", "message": f"takes some of: {', '.join(values.KEY_SCOPES)}"}])
    if not name.isprintable():
        raise InvalidSetting([{"field": "name", "message": "takes printable characters only"}])
    key = ApiKey(
        name=name.strip(),
        proxy_scope="proxy" in wanted,
        management_scope="management" in wanted,
        memory_mode=memory_mode,
        expires_at=expires_at,
    )
    return key, key_insert(key=key, actor=actor)


def key_insert(*, key: ApiKey, actor: str) -> str:
    """Save a key that was not saved before and return its secret."""
    secret = crypto.new_secret()
    _set_secret(key, secret)
    key_save(key=key, actor=actor)
    return secret


def _set_secret(key: ApiKey, secret: str) -> None:
    key.secret_hash = crypto.hash_secret(secret)
    key.prefix = secret[: crypto.VISIBLE_CHARS]


def key_save(*, key: ApiKey, actor: str) -> None:
    """Save a new or edited key."""
    _save_audited(key, actor=actor, target=f"key {key.name}", names=KEY_FIELDS)


def key_rotate(*, key: ApiKey, actor: str) -> str:
    """Give a key a new secret and return it; the owner and the memories stay, the old secret stops working at once."""
    secret = crypto.new_secret()
    _set_secret(key, secret)
    key_save(key=key, actor=actor)
    return secret


def keys_touch(*, seen: Mapping[int, datetime]) -> None:
    """Record when keys were last used; the caller sees to it that this happens at most once a minute a key."""
    for key_id, at in seen.items():
        ApiKey.objects.filter(pk=key_id).update(last_used_at=at)


def provider_save(*, provider: Provider, actor: str, credential: str | None = None) -> None:
    """Save a new or edited provider; `credential` None keeps the stored one, empty removes it.

    At most one provider is the default: making one the default takes the mark from the other.
    """
    provider.base_url = provider.base_url.strip().rstrip("/")
    if problems := provider_problems(provider, credential):
        raise ValidationError(problems)
    if credential is not None:
        provider.credential = crypto.encrypt(credential.strip())
    with transaction.atomic():
        if provider.is_default:
            _take_default_mark(provider, actor)
        _save_audited(provider, actor=actor, target=f"provider {provider.slug}", names=PROVIDER_FIELDS)


def _take_default_mark(provider: Provider, actor: str) -> None:
    for other in Provider.objects.filter(is_default=True).exclude(pk=provider.pk):
        Provider.objects.filter(pk=other.pk).update(is_default=False)
        audit(actor=actor, target=f"provider {other.slug}", changes={"is_default": [True, False]})


def provider_problems(provider: Provider, credential: str | None) -> dict[str, str]:
    """Return what is wrong with a provider by field; forms ask before they save, `provider_save` refuses."""
    problems = {}
    if credential and not _fits_a_header(credential.strip()):
        problems["api_key"] = "This takes printable ASCII characters."
    if provider.slug == values.RESERVED_SLUG:
        problems["slug"] = "The name memroute is taken by the built-in providers."
    if reason := _url_problem(provider.base_url):
        problems["base_url"] = reason
    for name in ("model_names", "embedding_models", "rerank_models"):
        given = getattr(provider, name)
        if not isinstance(given, list) or not all(isinstance(item, str) and item.strip() for item in given):
            problems[name] = "This takes a list of names."
    return problems


def _fits_a_header(credential: str) -> bool:
    return credential.isascii() and credential.isprintable()


def _url_problem(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        return "This is no URL."
    if parts.scheme not in ("http", "https") or not host or not url.isprintable() or " " in url:
        return "This takes a URL such as https://api.openai.com/v1."
    if parts.username is not None or parts.query or parts.fragment:
        return "This takes a URL without a user, a password, a query or a fragment; the credential has its own field."
    return None


def provider_delete(*, provider: Provider, actor: str) -> None:
    """Remove a provider and its credential."""
    with transaction.atomic():
        audit(actor=actor, target=f"provider {provider.slug}", changes={"deleted": [False, True]})
        provider.delete()


def memory_settings_update(*, changes: Mapping[str, Any], actor: str) -> None:
    """Change memory settings by their API names; raise `InvalidSetting` and change nothing if one is wrong."""
    checked = check_changes(MEMORY_FIELDS, changes)
    with transaction.atomic():
        row, _ = MemorySettings.objects.get_or_create(pk=1)
        for attr, value in checked.items():
            setattr(row, attr, value)
        memory_settings_save(row=row, actor=actor)


def memory_settings_save(*, row: MemorySettings, actor: str) -> None:
    """Save the edited settings row."""
    names = [field.attr for field in MEMORY_FIELDS]
    _save_audited(row, actor=actor, target="memory settings", names=names)


def qdrant_settings_update(*, changes: Mapping[str, Any], actor: str) -> None:
    """Change Qdrant settings by their API names; `apiKey` empty removes the stored credential."""
    given = dict(changes)
    credential = given.pop("apiKey", None)
    if credential is not None and not (isinstance(credential, str) and _fits_a_header(credential.strip())):
        raise InvalidSetting([{"field": "apiKey", "message": "takes printable ASCII characters"}])
    checked = check_changes(QDRANT_FIELDS, given)
    with transaction.atomic():
        row, _ = QdrantSettings.objects.get_or_create(pk=1)
        for attr, value in checked.items():
            setattr(row, attr, value)
        if credential is not None:
            row.credential = crypto.encrypt(credential.strip())
        qdrant_settings_save(row=row, actor=actor)


def qdrant_settings_save(*, row: QdrantSettings, actor: str) -> None:
    """Save the edited Qdrant row."""
    names = [*(field.attr for field in QDRANT_FIELDS), "credential"]
    _save_audited(row, actor=actor, target="Qdrant settings", names=names)
