"""Changes of memories by people and programs: each leaves a revision, so that it can be taken back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from engine.extraction import fact_key, fingerprint
from engine.redaction import find_secrets
from engine.text import day_words, search_extra
from memories.models import MAX_CONTENT, MAX_KEY, MAX_SESSION, Memory, MemoryRevision
from settings_app import selectors
from settings_app.models import ApiKey

EDITABLE = ("type", "key", "content", "metadata", "expires_at", "pinned", "shared", "session_id")
LIMITS = {"content": MAX_CONTENT, "key": MAX_KEY, "session_id": MAX_SESSION}
BATCH = 500


class InvalidMemory(Exception):
    """A memory that cannot be stored; `field` names what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True)
class Actor:
    """Who changes something: the door it came through, and a name."""

    door: str
    who: str = ""
    reason: str = ""


def check_text(field: str, text: str, limit: int) -> None:
    """Raise InvalidMemory for text that must not be stored: empty, too long, NUL, lone surrogates, a credential."""
    if not text.strip():
        raise InvalidMemory(field, "is empty")
    if len(text) > limit:
        raise InvalidMemory(field, f"is longer than {limit:,} characters")
    if "\0" in text:
        raise InvalidMemory(field, "contains a NUL character")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidMemory(field, "contains half of a character (a lone surrogate)") from error
    if find_secrets(text):
        raise InvalidMemory(field, "contains what looks like a credential; those are never stored")


def derived_key(content: str) -> str:
    """The upsert key of a memory that came without one: readable where possible, never colliding."""
    key = fact_key("memory", content)
    return key if len(key) <= MAX_KEY else f"memory:{hashlib.sha256(content.encode()).hexdigest()[:32]}"


def memory_create(  # noqa: PLR0913  (the fields of a memory)
    *,
    owner: ApiKey,
    content: str,
    actor: Actor,
    key: str = "",
    type: str = Memory.Type.FACTUAL,  # noqa: A002  (the field's name)
    session_id: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    expires_at: datetime | None = None,
    pinned: bool = False,
    trust: str = Memory.Trust.OPERATOR,
) -> tuple[Memory, bool]:
    """Store a statement; an active one under the same key is edited in place. Return it and whether it is new.

    An edit in place replaces content and type, merges metadata shallowly, counts a repetition, and sets session, expiry and
    pin only where they are given. Raises InvalidMemory.
    """
    check_text("content", content, MAX_CONTENT)
    given: dict[str, Any] = {
        "content": content,
        "type": type,
        "metadata": dict(metadata or {}),
        "session_id": (session_id or "").strip() or None,
        "expires_at": expires_at,
        "pinned": pinned,
    }
    key = key.strip()
    check_changes({**given, "key": key} if key else given)
    key = key or derived_key(content)
    with transaction.atomic():
        if not ApiKey.objects.filter(pk=owner.pk, state=ApiKey.State.ACTIVE).exists():
            raise InvalidMemory("api_key", "is being erased")
        current = Memory.objects.filter(api_key=owner, key=key, status=Memory.Status.ACTIVE).first()
        if current is not None:
            changes = {name: value for name, value in given.items() if value or name == "type"}
            changes["metadata"] = {**current.metadata, **given["metadata"]}
            return memory_edit(memory=current, changes=changes, actor=actor, repeated=True), False
        memory = Memory(api_key=owner, key=key, trust=trust, fingerprint=fingerprint(content), **given)
        memory.metadata = {"source": actor.door, **given["metadata"]}
        _refresh_search(memory)
        memory.save(force_insert=True)
        return memory, True


def check_changes(changes: Mapping[str, Any]) -> None:
    """Raise InvalidMemory for a value of EDITABLE that cannot be stored; whether a key is free is not looked at."""
    for name, value in changes.items():
        if name not in EDITABLE:
            raise InvalidMemory(name, "cannot be changed")
        if name in LIMITS and not (name == "session_id" and value is None):
            check_text(name, value, LIMITS[name])
    if changes.get("type", Memory.Type.FACTUAL) not in Memory.Type.values:
        raise InvalidMemory("type", f"takes one of: {', '.join(Memory.Type.values)}")
    if "metadata" in changes:
        _check_metadata(changes["metadata"])


def _check_metadata(metadata: Any) -> None:
    if not isinstance(metadata, dict):
        raise InvalidMemory("metadata", "takes a JSON object")
    try:
        text = json.dumps(metadata, allow_nan=False, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidMemory("metadata", "takes what JSON can hold") from error
    check_text("metadata", text.replace("\\u0000", "\0"), MAX_CONTENT)


def key_taken(memory: Memory, key: str) -> bool:
    """Tell whether another active memory of the same owner has this key."""
    same = Memory.objects.filter(api_key_id=memory.api_key_id, key=key, status=Memory.Status.ACTIVE)
    return same.exclude(pk=memory.pk).exists()


def memory_edit(*, memory: Memory, changes: Mapping[str, Any], actor: Actor, repeated: bool = False) -> Memory:
    """Change some of EDITABLE and leave a revision; a change that changes nothing leaves none. Raises InvalidMemory."""
    check_changes(changes)
    with transaction.atomic():
        fresh = Memory.objects.get(pk=memory.pk)
        real = {name: value for name, value in changes.items() if getattr(fresh, name) != value}
        if "key" in real and fresh.status == Memory.Status.ACTIVE and key_taken(fresh, real["key"]):
            raise InvalidMemory("key", "is taken by another memory")
        if real:
            _apply(fresh, real, actor)
        if repeated:
            Memory.objects.filter(pk=fresh.pk).update(repetitions=F("repetitions") + 1, last_seen_at=timezone.now())
            fresh.refresh_from_db()
    return fresh


def _apply(memory: Memory, changes: Mapping[str, Any], actor: Actor) -> None:
    _leave_revision(memory, changes, actor)
    for name, value in changes.items():
        setattr(memory, name, value)
    memory.revision += 1
    memory.updated_at = timezone.now()
    if "content" in changes:
        memory.fingerprint = fingerprint(memory.content)
        memory.needs_reindex = True
        _refresh_search(memory)
    memory.save()


def _refresh_search(memory: Memory) -> None:
    zone = ZoneInfo(selectors.snapshot().memory.time_zone)
    said = (memory.said_at or memory.created_at).astimezone(zone)
    memory.search_extra = search_extra(memory.content, memory.context, day_words(said), memory.key)


def _leave_revision(memory: Memory, changes: Mapping[str, Any], actor: Actor) -> None:
    _revision(memory, changes, actor).save(force_insert=True)


def _revision(memory: Memory, changes: Iterable[str], actor: Actor) -> MemoryRevision:
    return MemoryRevision(
        memory=memory,
        number=memory.revision,
        before={name: _plain(getattr(memory, name)) for name in changes},
        actor=actor.door,
        who=actor.who[:150],
        reason=actor.reason[:200],
    )


def _plain(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value


def memories_set_status(*, ids: Sequence[int], status: str, actor: Actor) -> int:
    """Move memories to `deleted` (recoverable) or back to `active`, in bounded batches; return how many moved.

    A memory whose key another active one has taken meanwhile stays as it is; of several with one key the newest returns.
    """
    if status not in (Memory.Status.ACTIVE, Memory.Status.DELETED):
        raise ValueError(f"memories are not moved to {status}")
    batches = (ids[start : start + BATCH] for start in range(0, len(ids), BATCH))
    return sum(_move_batch(batch, status, actor) for batch in batches)


@transaction.atomic
def _move_batch(ids: Sequence[int], status: str, actor: Actor) -> int:
    rows = list(
        Memory.objects.filter(pk__in=ids).exclude(status=status).only("api_key_id", "key", "status", "revision")
    )
    changes: dict[str, Any] = {"status": status, "revision": F("revision") + 1, "updated_at": timezone.now()}
    if status == Memory.Status.ACTIVE:
        rows = _with_free_keys(rows)
        changes["superseded_by_id"] = None
    MemoryRevision.objects.bulk_create(_revision(memory, ["status"], actor) for memory in rows)
    return Memory.objects.filter(pk__in=[memory.pk for memory in rows]).update(**changes)


def _with_free_keys(rows: list[Memory]) -> list[Memory]:
    same = Memory.objects.filter(
        status=Memory.Status.ACTIVE,
        api_key_id__in={memory.api_key_id for memory in rows},
        key__in={memory.key for memory in rows},
    )
    taken = set(same.values_list("api_key_id", "key"))
    free = []
    for memory in rows:
        if (memory.api_key_id, memory.key) not in taken:
            taken.add((memory.api_key_id, memory.key))
            free.append(memory)
    return free
