"""Where recall finds its candidates: the owner's pool in memory, or the database itself while there is none.

Both ways use the same filters and the same formula, and give the same ids, order and scores.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import NamedTuple

from django.db.models import Count, Q, Sum
from django.db.models.functions import Length

from engine.keyword import score_documents
from engine.text import Term, fts_match, weak_stems
from memories import fts
from memories.pool import SHARED, Filters, Pool, Row, pools, read_rows, recallable

__all__ = ["Candidates", "Filters", "Found", "find"]

# How many ids the search table may give at once on the direct way; a single owner seldom has more that match.
DIRECT_LIMIT = 200_000
# How many of the best are looked at; an answer of more would be no answer.
MOST_RANKED = 120
BATCH = 500


class Found(NamedTuple):
    """One ranked candidate: BM25 `score`, and the share of the query's idf mass that matched, 0…1."""

    id: int
    score: float
    coverage: float
    created: float


@dataclass(slots=True)
class Candidates:
    """What may be injected: ids of pinned rows and instructions, newest first, and the ranked rest, best first.

    `matched` counts all that the query found; `ranked` holds the best of them, at most MOST_RANKED.
    """

    pinned: list[int] = field(default_factory=list)
    instructions: list[int] = field(default_factory=list)
    ranked: list[Found] = field(default_factory=list)
    by_query: bool = True
    matched: int = 0

    @property
    def scores(self) -> dict[int, float]:
        """Keyword scores by id; empty when the ranking was by age."""
        return {f.id: f.score for f in self.ranked} if self.by_query else {}


def find(owner_id: int, filters: Filters, terms: Sequence[Term], *, newest: int, shared: bool) -> Candidates:
    """Find the candidates of one owner, and of the shared pool when `shared`.

    `newest` > 0 asks for that many of the newest rows instead of a keyword search.
    """
    found = _find_one(owner_id, filters, terms, newest)
    if shared:
        others = _find_one(SHARED, filters, terms, newest)
        found.pinned = _merged(found.pinned, others.pinned)
        found.instructions = _merged(found.instructions, others.instructions)
        known = {f.id for f in found.ranked}
        found.ranked = _best([*found.ranked, *(f for f in others.ranked if f.id not in known)])
        found.matched += others.matched
    return found


def _merged(first: list[int], second: list[int]) -> list[int]:
    return list(dict.fromkeys([*first, *second]))


def _best(found: list[Found]) -> list[Found]:
    """Best first; ties newest, then highest id."""
    return sorted(found, key=lambda f: (-f.score, -f.created, -f.id))[:MOST_RANKED]


def _find_one(owner_id: int, filters: Filters, terms: Sequence[Term], newest: int) -> Candidates:
    pool = pools.get(owner_id)
    if pool is None:
        return _find_directly(owner_id, filters, terms, newest)
    with pool.lock:
        return _find_in_pool(pool, filters, terms, newest)


def _find_in_pool(pool: Pool, filters: Filters, terms: Sequence[Term], newest: int) -> Candidates:
    mask = pool.eligible(filters)
    result = Candidates(
        pinned=pool.newest(mask & pool.flagged("pinned")),
        instructions=pool.newest(mask & pool.flagged("instruction")),
        by_query=not newest,
    )
    if newest:
        result.ranked = _in_order(pool.newest(mask, newest))
    elif terms:
        hits = pool.search([term.stem for term in terms], mask, weak_stems(terms))
        result.matched = len(hits.slots)
        result.ranked = [Found(*row) for row in pool.best(hits, MOST_RANKED)]
    return result


def _find_directly(owner_id: int, filters: Filters, terms: Sequence[Term], newest: int) -> Candidates:
    """The same, read from the database: FTS5 finds the rows, the formula is ours."""
    fixed = [row for row in read_rows(owner_id, _fixed_ids(owner_id)) if row.passes(filters)]
    fixed.sort(key=lambda row: (-row.created, -row.id))
    result = Candidates(
        pinned=[row.id for row in fixed if row.pinned],
        instructions=[row.id for row in fixed if row.instruction],
        by_query=not newest,
    )
    if newest:
        result.ranked = _newest_directly(owner_id, filters, newest)
    elif terms:
        found = _keyword_directly(owner_id, filters, terms)
        result.matched, result.ranked = len(found), _best(found)
    return result


def _fixed_ids(owner_id: int) -> list[int]:
    rows = recallable(owner_id)
    ids = set(rows.filter(pinned=True).values_list("id", flat=True))
    return [*ids, *rows.filter(type="procedural", pinned=False).values_list("id", flat=True)]


def _newest_directly(owner_id: int, filters: Filters, limit: int) -> list[Found]:
    found: list[int] = []
    ids = recallable(owner_id).order_by("-created_at", "-id").values_list("id", flat=True)
    for start in range(0, DIRECT_LIMIT, BATCH):
        batch = list(ids[start : start + BATCH])
        rows = {row.id: row for row in read_rows(owner_id, batch)}
        found += [i for i in batch if i in rows and rows[i].passes(filters)]
        if len(found) >= limit or len(batch) < BATCH:
            break
    return _in_order(found[:limit])


def _in_order(ids: Sequence[int]) -> list[Found]:
    """Candidates whose order is given; it stands for their age."""
    return [Found(memory_id, 0.0, 1.0, -place) for place, memory_id in enumerate(ids)]


def _keyword_directly(owner_id: int, filters: Filters, terms: Sequence[Term]) -> list[Found]:
    token = "kall" if owner_id == SHARED else f"k{owner_id}"
    ids = fts.matching_ids(fts_match(terms, token, limit=len(terms)), DIRECT_LIMIT)
    rows: dict[int, Row] = {row.id: row for row in read_rows(owner_id, ids) if row.passes(filters)}
    total, mean = _pool_size(owner_id, filters)
    scored = score_documents(
        [term.stem for term in terms],
        {i: row.doc for i, row in rows.items()},
        total=total,
        mean_length=mean,
        weak=weak_stems(terms),
    )
    return [Found(i, score, coverage, rows[i].created) for i, (score, coverage) in scored.items()]


def _pool_size(owner_id: int, filters: Filters) -> tuple[int, float]:
    """Return how many rows are eligible and their mean length, as `KeywordIndex` counts it; the rule of `Row.passes` in SQL."""
    at, since = (datetime.fromtimestamp(instant, UTC) for instant in (filters.at, filters.seen_since))
    exempt = Q(pinned=True) | Q(type="procedural") | Q(trust="operator") | Q(metadata__category="identity")
    rows = recallable(owner_id).filter(
        Q(expires_at__isnull=True) | Q(expires_at__gt=at) | Q(pinned=True), exempt | Q(last_seen_at__gte=since)
    )
    if filters.session is not None:
        rows = rows.filter(Q(session_id__isnull=True) | Q(session_id=filters.session))
    if filters.types is not None:
        rows = rows.filter(type__in=filters.types)
    sums = rows.aggregate(total=Count("id"), content=Sum(Length("content")), context=Sum(Length("context")))
    total = sums["total"]
    # In tenths, as the index counts, so that both ways divide the same numbers.
    return total, ((10 * sums["content"] + 3 * sums["context"]) / 10.0 / total if total else 0.0)
