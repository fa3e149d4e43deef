"""Capture: what was said in a finished turn becomes memories of its owner."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from django.db import IntegrityError, transaction
from django.db.models import F

from engine.extraction import Extraction, Fact, extract, fingerprint, is_background_prompt
from engine.override import is_override
from engine.redaction import redact
from engine.text import day_words, search_extra
from memories.models import Memory
from settings_app.models import ApiKey
from settings_app.values import MemoryValues

logger = logging.getLogger(__name__)

MAX_CONTEXT = 1000


@dataclass(frozen=True, slots=True)
class Turn:
    """A finished turn: the new user texts, the completed reply, and the words before it for search context."""

    owner_id: int
    session: str | None
    user_texts: Sequence[str]
    reply: str
    context: str = ""
    said_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    injected: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Captured:
    """One fact as stored: `words` are what it was captured from; `created` tells it from a repetition."""

    uuid: str
    revision: int
    words: str
    created: bool


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """What a turn left behind: stored facts, and refused candidates as `{rule, role}`."""

    captured: list[Captured] = field(default_factory=list)
    refused: list[dict[str, str]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Found:
    """What a turn says, before anything is stored: `(fact, role, words)` by key, and what was refused."""

    facts: list[tuple[Fact, str, str]]
    refused: list[dict[str, str]]


def capture_turn(turn: Turn, settings: MemoryValues) -> CaptureResult:
    """Extract the facts of a turn and store them."""
    return store_facts(turn, settings, find_facts(turn, settings))


def find_facts(turn: Turn, settings: MemoryValues) -> Found:
    """Extract the facts of a turn: one a key, the last wins, at most `max_facts_per_turn`. Touches no database."""
    found: dict[str, tuple[Fact, str, str]] = {}
    refused: list[dict[str, str]] = []
    for role, text in _texts(turn, settings):
        extraction = extract(text, role, assistant=settings.extract_assistant)
        refused += [{"rule": r.rule, "role": role} for r in extraction.refused]
        found.update(_new_facts(extraction, role, text, turn))
    facts = list(found.values())
    refused += [{"rule": "too-many", "role": role} for _, role, _ in facts[settings.max_facts_per_turn :]]
    return Found(facts[: settings.max_facts_per_turn], refused)


def store_facts(turn: Turn, settings: MemoryValues, found: Found) -> CaptureResult:
    """Store what was found in a turn."""
    stored = [_remember(turn, settings, fact, role, words) for fact, role, words in found.facts]
    return CaptureResult([c for c in stored if c is not None], found.refused)


def _texts(turn: Turn, settings: MemoryValues) -> list[tuple[str, str]]:
    """Return the texts to mine with their roles; a background prompt of a chat client silences the whole turn."""
    if any(is_background_prompt(text) for text in turn.user_texts):
        return []
    texts = [("user", text) for text in turn.user_texts] if settings.extract_user else []
    if turn.reply and settings.extract_assistant != "off":
        texts.append(("assistant", turn.reply))
    return texts


def _new_facts(extraction: Extraction, role: str, text: str, turn: Turn) -> dict[str, tuple[Fact, str, str]]:
    """Return the facts by key; an assistant's echo of what was injected is not news."""
    facts = extraction.facts
    if role == "assistant" and facts:
        echoed = {fingerprint(content) for content in turn.injected}
        facts = [fact for fact in facts if fingerprint(fact.content) not in echoed]
    return {fact.key: (fact, role, text[fact.span[0] : fact.span[1]]) for fact in facts}


def _remember(turn: Turn, settings: MemoryValues, fact: Fact, role: str, words: str) -> Captured | None:
    """Store one fact; a second writer that was quicker makes the first try fail, and the second sees its row."""
    try:
        return _store(turn, settings, fact, role, words)
    except IntegrityError:
        return _store(turn, settings, fact, role, words)


def _store(turn: Turn, settings: MemoryValues, fact: Fact, role: str, words: str) -> Captured | None:
    marks = {fact_fingerprint(fact), fingerprint(fact.content)}
    with transaction.atomic():
        if not ApiKey.objects.filter(pk=turn.owner_id, state=ApiKey.State.ACTIVE).exists():
            return None
        current = Memory.objects.filter(api_key_id=turn.owner_id, key=fact.key, status=Memory.Status.ACTIVE).first()
        if current is not None and current.fingerprint in marks:
            return _repeat(current, turn, words)
        new = _new_memory(turn, settings, fact, role)
        replaces = current is not None and new.status == Memory.Status.ACTIVE
        if current is not None and replaces:
            current.status = Memory.Status.SUPERSEDED
            current.revision += 1
            current.updated_at = turn.said_at
            current.save(update_fields=["status", "revision", "updated_at"])
        if new.status == Memory.Status.CANDIDATE and _candidate_exists(new):
            return None
        new.save(force_insert=True)
        if current is not None and replaces:
            Memory.objects.filter(pk=current.pk).update(superseded_by=new)
        return Captured(new.uuid.hex, new.revision, words, created=True)


def _candidate_exists(new: Memory) -> bool:
    return Memory.objects.filter(
        api_key_id=new.api_key_id, key=new.key, fingerprint=new.fingerprint, status=Memory.Status.CANDIDATE
    ).exists()


def _repeat(current: Memory, turn: Turn, words: str) -> Captured:
    """Count a repetition: neither content nor trust changes; said in another session, it belongs to none."""
    changes: dict[str, object] = {"repetitions": F("repetitions") + 1, "last_seen_at": turn.said_at}
    if current.session_id != turn.session:
        changes["session_id"] = None
    Memory.objects.filter(pk=current.pk).update(**changes)
    return Captured(current.uuid.hex, current.revision, words, created=False)


def fact_fingerprint(fact: Fact) -> str:
    """The identity of what a captured fact says: polarity and object, however it was worded."""
    return fingerprint(f"{fact.polarity} {fact.object}")


def _new_memory(turn: Turn, settings: MemoryValues, fact: Fact, role: str) -> Memory:
    context = redact(turn.context)[-MAX_CONTEXT:]
    # What would act against its reader waits for a person, as everything does in review mode.
    held = settings.review_mode or is_override(fact.content)
    return Memory(
        api_key_id=turn.owner_id,
        session_id=turn.session,
        type=fact.type,
        key=fact.key,
        content=fact.content,
        metadata={
            "category": fact.category,
            "polarity": fact.polarity,
            "object": fact.object,
            "source": f"{role}_message",
            "extractedAt": turn.said_at.isoformat().replace("+00:00", "Z"),
        },
        status=Memory.Status.CANDIDATE if held else Memory.Status.ACTIVE,
        trust=Memory.Trust.ASSISTANT if role == "assistant" else Memory.Trust.USER,
        context=context,
        said_at=turn.said_at,
        last_seen_at=turn.said_at,
        created_at=turn.said_at,
        updated_at=turn.said_at,
        fingerprint=fact_fingerprint(fact),
        search_extra=search_extra(
            fact.content, context, day_words(turn.said_at.astimezone(ZoneInfo(settings.time_zone))), fact.key
        ),
    )
