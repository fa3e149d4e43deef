"""Recall: the memories relevant to a query within a token budget, with a reason for each that was left out.

The chat path, the preview and the tools call the same function. Three sources are asked in turn: pinned memories, standing
instructions, and what the query finds; the budget walk (engine.ranking) chooses among them.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from time import perf_counter
from typing import NamedTuple

from django.db import DatabaseError

from engine.override import is_override
from engine.ranking import (
    BELOW_FLOOR,
    Ranked,
    Rejected,
    Selection,
    drop_near_duplicates,
    keyword_floor,
    walk_budget,
)
from engine.text import Term, query_terms
from engine.tokens import estimate_tokens
from memories import fts
from memories.services.candidates import Candidates, Filters, find

logger = logging.getLogger(__name__)

RECENT_LIMIT = 100
# Without a limit of the caller's: beyond this many, what still matches matches by accident, and only costs tokens.
USUAL_LIMIT = 30
REJECTED_SHOWN = 20
MAX_QUERY = 2000


@dataclass(frozen=True, slots=True)
class RecallRequest:
    """What is asked for. `owner_id` is the only owner looked at (and rows marked shared when `scope` is `global`)."""

    owner_id: int
    query: str
    session: str | None = None
    strategy: str = "hybrid"
    max_tokens: int = 2000
    limit: int | None = None
    types: frozenset[str] | None = None
    scope: str = "apiKey"
    retention_days: int = 30
    floor_shift: float = 0.0
    overhead: int = 0
    at: datetime | None = None


class Hit(NamedTuple):
    """One memory in the answer. `score` orders the ranked ones; `part` is pinned, instruction or ranked."""

    id: int
    uuid: str
    revision: int
    type: str
    key: str
    content: str
    trust: str
    part: str
    score: float
    tier: str
    tokens: int
    fts_score: float | None = None
    vec_score: float | None = None
    rerank_score: float | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class RecallResult:
    """The answer: hits in the order of injection, rejected candidates with reasons, and how it was found.

    `matched` counts all that the query found, `rejected` holds the best of those left out. `tier` is `recent` or `keyword`;
    `degraded` says in words what did not work, empty when everything did.
    """

    hits: list[Hit] = field(default_factory=list)
    rejected: list[Hit] = field(default_factory=list)
    matched: int = 0
    tokens: int = 0
    tier: str = ""
    strategy: str = ""
    degraded: str = ""
    took_ms: float = 0.0


def recall(request: RecallRequest) -> RecallResult:
    """Answer a recall. Never raises for what is wrong with the search table: it says so in `degraded`.

    Other database errors are raised; the chat path turns them into a degraded reply of its own.
    """
    started = perf_counter()
    strategy = "recent" if request.strategy == "exact" else request.strategy
    if request.max_tokens <= 0:
        return RecallResult(strategy=strategy)
    filters = _filters(request)
    terms = [] if strategy == "recent" else query_terms(request.query[-MAX_QUERY:])
    found, degraded = _candidates(request, filters, terms, strategy)
    if strategy == "semantic" and not degraded:
        degraded = "no embedding source, answered by keyword"
    tier = "recent" if strategy == "recent" else "keyword"
    texts = _Texts(request)
    selection = _select(request, found, texts)
    answer = _Answer(found, texts, tier)
    return RecallResult(
        hits=answer.hits(selection),
        rejected=answer.rejected(selection),
        matched=found.matched,
        tokens=selection.tokens,
        tier=tier,
        strategy=strategy,
        degraded=degraded,
        took_ms=(perf_counter() - started) * 1000,
    )


def _filters(request: RecallRequest) -> Filters:
    at = request.at or datetime.now(UTC)
    return Filters(
        at=at.timestamp(),
        seen_since=(at - timedelta(days=request.retention_days)).timestamp(),
        session=request.session if request.scope == "session" else None,
        types=request.types,
    )


def _candidates(
    request: RecallRequest, filters: Filters, terms: Sequence[Term], strategy: str
) -> tuple[Candidates, str]:
    """Find the candidates; a broken search table gives none by keyword, and the reason."""
    degraded = ""
    newest = RECENT_LIMIT if strategy == "recent" else 0
    trouble = fts.known_problem() if terms else None
    if trouble:
        terms, degraded = [], f"keyword search unavailable: {trouble}"
        logger.warning("memory.recall.degraded", extra={"reason": trouble})
    try:
        return find(request.owner_id, filters, terms, newest=newest, shared=request.scope == "global"), degraded
    except DatabaseError as error:
        if not terms:
            raise
        logger.warning("memory.recall.degraded", extra={"reason": type(error).__name__})
        found = find(request.owner_id, filters, [], newest=newest, shared=request.scope == "global")
        return found, f"keyword search failed ({type(error).__name__})"


class _Text(NamedTuple):
    id: int
    uuid: str
    revision: int
    type: str
    key: str
    content: str
    trust: str


class _Texts:
    """The rows of candidates, read when they are looked at; owner and status are checked once more in the reading."""

    def __init__(self, request: RecallRequest) -> None:
        self._request = request
        self._rows: dict[int, _Text] = {}
        # Those that would act against their reader: looked at, never injected.
        self.held: list[int] = []

    def __getitem__(self, memory_id: int) -> _Text:
        return self._rows[memory_id]

    def read(self, ids: Sequence[int]) -> list[int]:
        """Read some rows and return the ids that are there, in the order given."""
        shared = self._request.scope == "global"
        for start in range(0, len(ids), 500):
            rows = fts.recall_rows(ids[start : start + 500], self._request.owner_id, shared=shared)
            self._rows.update((row[0], _Text(*row)) for row in rows)
        there = [memory_id for memory_id in ids if memory_id in self._rows]
        self.held += [memory_id for memory_id in there if is_override(self._rows[memory_id].content)]
        return [memory_id for memory_id in there if memory_id not in self.held]

    def ranked(self, memory_id: int, score: float, created: float) -> Ranked:
        """The candidate as the budget walk takes it."""
        content = self._rows[memory_id].content
        return Ranked(memory_id, content, estimate_tokens(f"- {content}\n"), score, created)


def _select(request: RecallRequest, found: Candidates, texts: _Texts) -> Selection:
    """Choose among the candidates: floor, near-copies, limit, budget; in that order."""
    # Of these two the order is given; it stands for their age.
    pinned = [texts.ranked(i, 0.0, -n) for n, i in enumerate(texts.read(found.pinned))]
    fixed = set(found.pinned)
    standing = texts.read([i for i in found.instructions if i not in fixed])
    instructions = [texts.ranked(i, 0.0, -n) for n, i in enumerate(standing)]
    fixed.update(standing)
    kept, left_out = _near_the_top(request, found, texts, fixed)
    chosen = walk_budget(pinned, instructions, kept, max_tokens=request.max_tokens, overhead=request.overhead)
    held = [Rejected(texts.ranked(i, 0.0, 0.0), "held for review") for i in dict.fromkeys(texts.held)]
    chosen.rejected.extend([*held, *left_out])
    return chosen


def _near_the_top(
    request: RecallRequest, found: Candidates, texts: _Texts, fixed: set[int]
) -> tuple[list[Ranked], list[Rejected]]:
    """Return the candidates worth injecting, at most the limit, and some of those left out, with the reason."""
    limit = request.limit or (USUAL_LIMIT if found.by_query else RECENT_LIMIT)
    ranked = [f for f in found.ranked if f.id not in fixed]
    passed = [f for f in ranked if not found.by_query or keyword_floor(f.coverage, request.floor_shift)]
    below = [f for f in ranked if found.by_query and not keyword_floor(f.coverage, request.floor_shift)]
    items: list[Ranked] = []
    kept: list[Ranked] = []
    left_out: list[Rejected] = []
    page = limit + REJECTED_SHOWN
    for start in range(0, len(passed), page):
        there = set(texts.read([f.id for f in passed[start : start + page]]))
        items += [texts.ranked(f.id, f.score, f.created) for f in passed[start : start + page] if f.id in there]
        kept, left_out = drop_near_duplicates(items, limit=limit)
        if len(kept) >= limit:
            break
    shown = below[: REJECTED_SHOWN - len(left_out)] if len(left_out) < REJECTED_SHOWN else []
    there = set(texts.read([f.id for f in shown]))
    left_out += [Rejected(texts.ranked(f.id, f.score, f.created), BELOW_FLOOR) for f in shown if f.id in there]
    return kept, left_out


class _Answer:
    """Turns what was selected into hits."""

    def __init__(self, found: Candidates, texts: _Texts, tier: str) -> None:
        self._scores = found.scores
        self._texts = texts
        self._tier = tier

    def hits(self, selection: Selection) -> list[Hit]:
        """The chosen ones, in the order of injection."""
        parts = (("pinned", selection.pinned), ("instruction", selection.instructions), ("ranked", selection.ranked))
        return [self._hit(item, "", part) for part, items in parts for item in items]

    def rejected(self, selection: Selection) -> list[Hit]:
        """The first of those left out, with their reasons."""
        return [self._hit(r.item, r.reason, "ranked") for r in selection.rejected[:REJECTED_SHOWN]]

    def _hit(self, item: Ranked, reason: str, part: str) -> Hit:
        text = self._texts[item.id]
        return Hit(
            id=item.id,
            uuid=text.uuid,
            revision=text.revision,
            type=text.type,
            key=text.key,
            content=text.content,
            trust=text.trust,
            part=part,
            score=item.score,
            tier=self._tier,
            tokens=item.tokens,
            fts_score=self._scores.get(item.id),
            reason=reason,
        )
