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

from django.db import DatabaseError

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
USUAL_LIMIT = 50
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


@dataclass(frozen=True, slots=True)
class Hit:
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

    `tier` is `recent` or `keyword`; `degraded` says in words what did not work, empty when everything did.
    """

    hits: list[Hit] = field(default_factory=list)
    rejected: list[Hit] = field(default_factory=list)
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
    texts = _hydrate(request, found)
    selection = _select(request, found, texts)
    answer = _Answer(found, texts, tier)
    return RecallResult(
        hits=answer.hits(selection),
        rejected=answer.rejected(selection),
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


@dataclass(frozen=True, slots=True)
class _Text:
    uuid: str
    revision: int
    type: str
    key: str
    content: str
    trust: str
    created: float


def _hydrate(request: RecallRequest, found: Candidates) -> dict[int, _Text]:
    """Read the rows of the candidates, checking owner and status once more: an index is never trusted with that."""
    shown = found.ranked[: 2 * _limit(request) + REJECTED_SHOWN]
    ids = [*found.pinned, *found.instructions, *(f.id for f in shown)]
    texts: dict[int, _Text] = {}
    for start in range(0, len(ids), 500):
        rows = fts.recall_rows(ids[start : start + 500], request.owner_id, shared=request.scope == "global")
        for memory_id, uuid, revision, type_, key, content, trust, created in rows:
            texts[memory_id] = _Text(uuid, revision, type_, key, content, trust, _epoch(created))
    return texts


def _epoch(stored: datetime | str) -> float:
    """SQLite gives an instant back as Django wrote it: text, in UTC, without a zone."""
    at = datetime.fromisoformat(stored) if isinstance(stored, str) else stored
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()


def _limit(request: RecallRequest) -> int:
    return request.limit or USUAL_LIMIT


def _ranked(memory_id: int, text: _Text, score: float) -> Ranked:
    return Ranked(
        id=memory_id,
        content=text.content,
        tokens=estimate_tokens(f"- {text.content}\n"),
        score=score,
        created=text.created,
    )


def _select(request: RecallRequest, found: Candidates, texts: dict[int, _Text]) -> Selection:
    """Choose among the candidates: floor, near-copies, limit, budget; in that order."""
    pinned = [_ranked(i, texts[i], 0.0) for i in found.pinned if i in texts]
    fixed = set(found.pinned)
    instructions = [_ranked(i, texts[i], 0.0) for i in found.instructions if i in texts and i not in fixed]
    fixed.update(found.instructions)
    passed, below = [], []
    for candidate in found.ranked:
        if candidate.id not in texts or candidate.id in fixed:
            continue
        item = _ranked(candidate.id, texts[candidate.id], candidate.score)
        if found.by_query and not keyword_floor(candidate.coverage, request.floor_shift):
            below.append(Rejected(item, BELOW_FLOOR))
        else:
            passed.append(item)
    kept, left_out = drop_near_duplicates(passed, limit=RECENT_LIMIT if not found.by_query else _limit(request))
    chosen = walk_budget(pinned, instructions, kept, max_tokens=request.max_tokens, overhead=request.overhead)
    chosen.rejected.extend([*left_out, *below])
    return chosen


class _Answer:
    """Turns what was selected into hits."""

    def __init__(self, found: Candidates, texts: dict[int, _Text], tier: str) -> None:
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
