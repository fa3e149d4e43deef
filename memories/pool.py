"""The in-memory pools: an owner's recallable rows, held ready for a search, exact and in step with the database.

The database is the store of record; a pool only saves the work of reading it for each request. Triggers log every change
of a memory (`memory_changes`), whoever makes it, in whichever process; before a pool answers, it applies what was logged
since. Least recently used pools are dropped when all together grow beyond `MAX_BYTES`.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import Min, QuerySet, Sum
from django.db.models.functions import Length
from numpy.typing import NDArray

from engine.keyword import KeywordHits, KeywordIndex, SearchDoc
from memories import fts
from memories.models import Memory, MemoryChange

MAX_BYTES = 256 * 1024 * 1024
# A pool up to this many characters is built while the request waits (some 50 ms); a larger one in the background.
BUILD_AT_ONCE = 200_000
CHANGES_AT_ONCE = 20_000
SHARED = 0  # the pool of rows marked shared, whoever owns them; no owner has the id 0

TYPE_CODES = {"factual": 1, "episodic": 2, "procedural": 3, "semantic": 4}
ROW = np.dtype(
    [
        ("id", np.int64),
        ("alive", np.bool_),
        ("pinned", np.bool_),
        ("instruction", np.bool_),
        ("exempt", np.bool_),
        ("type", np.int8),
        ("session", np.int32),
        ("expires", np.float64),
        ("seen", np.float64),
        ("created", np.float64),
    ]
)
COLUMNS = (
    "id",
    "content",
    "key",
    "context",
    "search_extra",
    "status",
    "pinned",
    "type",
    "trust",
    "session_id",
    "expires_at",
    "last_seen_at",
    "created_at",
    "metadata",
    "api_key_id",
    "shared",
)


@dataclass(frozen=True, slots=True)
class Filters:
    """Which rows may be recalled: instants are seconds since 1970; `session` None means all sessions."""

    at: float
    seen_since: float
    session: str | None = None
    types: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Row:
    """What a pool keeps of a memory."""

    id: int
    doc: SearchDoc
    pinned: bool
    instruction: bool
    exempt: bool
    type: str
    session: str | None
    expires: float
    seen: float
    created: float

    def passes(self, filters: Filters) -> bool:
        """Tell whether the row may be recalled; the same rule as `Pool.eligible`, for one row."""
        return (
            self.expires > filters.at
            and (self.exempt or self.seen >= filters.seen_since)
            and (filters.session is None or self.session in (None, filters.session))
            and (filters.types is None or self.type in filters.types)
        )


def row_of(values: dict[str, Any]) -> Row:
    """Make a pool row of a database row given as a dict of `COLUMNS`."""
    metadata = values["metadata"] if isinstance(values["metadata"], dict) else {}
    trusted = values["trust"] in ("operator", "user")
    procedural = values["type"] == "procedural"
    expires: datetime | None = None if values["pinned"] else values["expires_at"]
    return Row(
        id=values["id"],
        doc=SearchDoc(values["content"], values["key"], values["context"], values["search_extra"].partition("\n")[0]),
        pinned=values["pinned"],
        instruction=procedural and trusted,
        exempt=bool(
            values["pinned"] or procedural or values["trust"] == "operator" or metadata.get("category") == "identity"
        ),
        type=values["type"],
        session=values["session_id"],
        expires=expires.timestamp() if expires else np.inf,
        seen=values["last_seen_at"].timestamp(),
        created=values["created_at"].timestamp(),
    )


def recallable(owner_id: int) -> QuerySet[Memory]:
    """The rows of a pool; dates and sessions are not looked at. The owner predicate of every recall is here."""
    active = Memory.objects.filter(status=Memory.Status.ACTIVE)
    return active.filter(shared=True) if owner_id == SHARED else active.filter(api_key_id=owner_id)


def characters(owner_id: int) -> int:
    """How much text a pool would hold."""
    sums = recallable(owner_id).aggregate(content=Sum(Length("content")), context=Sum(Length("context")))
    return (sums["content"] or 0) + (sums["context"] or 0)


def read_rows(owner_id: int, ids: Iterable[int] | None = None) -> Iterable[Row]:
    """Read the pool rows of an owner, all or some, in bounded batches."""
    query = recallable(owner_id)
    if ids is None:
        yield from (row_of(values) for values in query.values(*COLUMNS).iterator(chunk_size=2000))
        return
    wanted = sorted(ids)
    for start in range(0, len(wanted), 500):
        batch = query.filter(id__in=wanted[start : start + 500]).values(*COLUMNS)
        yield from (row_of(values) for values in batch)


class Pool:
    """The rows of one owner in arrays, one slot a row, and the keyword index over the same slots."""

    def __init__(self, owner_id: int) -> None:
        self.owner_id = owner_id
        self.lock = threading.Lock()
        self.pending: set[int] = set()
        self.ready = False
        self.building = False
        self._rows = np.zeros(64, ROW)
        self._slots: dict[int, int] = {}
        self._free: list[int] = []
        self._used = 0
        self._sessions: dict[str | None, int] = {None: 0}
        self._index = KeywordIndex()

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def nbytes(self) -> int:
        """An estimate of the memory this pool takes, in bytes."""
        return int(self._rows.nbytes) + 120 * len(self._slots) + self._index.nbytes

    def apply(self, ids: set[int], rows: Iterable[Row]) -> None:
        """Replace the given ids by what the database now has of them; ids without a row are removed."""
        gone = set(ids)
        for row in rows:
            self._put(row)
            gone.discard(row.id)
        for memory_id in gone:
            self._drop(memory_id)

    def fill(self, rows: Iterable[Row]) -> None:
        """Add rows to an empty pool."""
        for row in rows:
            self._put(row)
        self._index.settle()

    def _put(self, row: Row) -> None:
        slot = self._slots.get(row.id)
        if slot is None:
            slot = self._slots[row.id] = self._take_slot()
        session = self._sessions.setdefault(row.session, len(self._sessions))
        self._rows[slot] = (
            row.id,
            True,
            row.pinned,
            row.instruction,
            row.exempt,
            TYPE_CODES.get(row.type, 0),
            session,
            row.expires,
            row.seen,
            row.created,
        )
        self._index.add(slot, row.doc)

    def _take_slot(self) -> int:
        if self._free:
            return self._free.pop()
        if self._used == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros(len(self._rows), ROW)])
        self._used += 1
        return self._used - 1

    def _drop(self, memory_id: int) -> None:
        slot = self._slots.pop(memory_id, None)
        if slot is not None:
            self._rows[slot]["alive"] = False
            self._index.remove(slot)
            self._free.append(slot)

    def eligible(self, filters: Filters) -> NDArray[np.bool_]:
        """Return the mask over slots of the rows that may be recalled."""
        rows = self._rows[: self._used]
        mask = rows["alive"] & (rows["expires"] > filters.at) & (rows["exempt"] | (rows["seen"] >= filters.seen_since))
        if filters.session is not None:
            code = self._sessions.get(filters.session, -1)
            mask &= (rows["session"] == 0) | (rows["session"] == code)
        if filters.types is not None:
            mask &= np.isin(rows["type"], [TYPE_CODES.get(name, -1) for name in filters.types])
        return mask

    def search(self, stems: Sequence[str], mask: NDArray[np.bool_], weak: frozenset[str]) -> KeywordHits:
        """Score the eligible rows that contain any of the stems; slots, not ids. `weak` stems make nothing relevant."""
        return self._index.search(stems, mask, weak=weak)

    def best(self, hits: KeywordHits, most: int) -> list[tuple[int, float, float, float]]:
        """Return `(id, score, coverage, created)` of the best hits; ties newest, then highest id."""
        rows = self._rows[hits.slots]
        order = np.lexsort((-rows["id"], -rows["created"], -hits.scores))[:most]
        columns = (rows["id"][order], hits.scores[order], hits.coverage[order], rows["created"][order])
        return list(zip(*(column.tolist() for column in columns), strict=True))

    def newest(self, mask: NDArray[np.bool_], limit: int | None = None) -> list[int]:
        """Return the ids in a mask, newest first (ties: highest id)."""
        slots = np.flatnonzero(mask)
        rows = self._rows[slots]
        order = np.lexsort((-rows["id"], -rows["created"]))
        return [int(i) for i in rows["id"][order[:limit]]]

    def flagged(self, name: str) -> NDArray[np.bool_]:
        """Return the mask of a flag: `pinned` or `instruction`."""
        flags: NDArray[np.bool_] = self._rows[name][: self._used]
        return flags


class Pools:
    """All pools of this process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: OrderedDict[int, Pool] = OrderedDict()
        self._seq: int | None = None
        self._building = threading.Lock()

    def clear(self) -> None:
        """Drop everything; the next use reads the database anew."""
        with self._lock:
            self._pools.clear()
            self._seq = None

    def get(self, owner_id: int) -> Pool | None:
        """Return the owner's pool in step with the database, or None while a large one is still being built.

        Inside a transaction it is always None: what a rollback would take back must not stay in a pool. The lock of all
        pools is held for moments only: nobody waits for another owner's pool.
        """
        if connection.in_atomic_block:
            return None
        with self._lock:
            self._follow()
            pool = self._pools.get(owner_id)
            if pool is None:
                pool = self._pools[owner_id] = Pool(owner_id)
            self._pools.move_to_end(owner_id)
        if pool.building:
            return None
        with pool.lock:
            if not pool.ready and not self._begin(pool):
                return None
            self._catch_up(pool)
        return pool

    def _begin(self, pool: Pool) -> bool:
        """Build a small pool now, a large one in the background; return whether it is ready."""
        if pool.building:
            return False
        try:
            if characters(pool.owner_id) > BUILD_AT_ONCE:
                pool.building = True
                threading.Thread(target=self._build, args=(pool,), name=f"pool-{pool.owner_id}", daemon=True).start()
                return False
            pool.fill(read_rows(pool.owner_id))
            pool.ready = True
        except BaseException:
            self._forget(pool)
            raise
        with self._lock:
            self._evict(keep=pool.owner_id)
        return True

    def _build(self, pool: Pool) -> None:
        """Fill a large pool from the database, one at a time; what changes meanwhile waits in `pending`."""
        try:
            with self._building:
                pool.fill(read_rows(pool.owner_id))
            pool.ready = True
        finally:
            pool.building = False
            connection.close()
            if not pool.ready:
                self._forget(pool)
            with self._lock:
                self._evict(keep=pool.owner_id)

    def _forget(self, pool: Pool) -> None:
        with self._lock:
            if self._pools.get(pool.owner_id) is pool:
                del self._pools[pool.owner_id]

    def _evict(self, keep: int) -> None:
        total = sum(pool.nbytes for pool in self._pools.values() if pool.ready)
        for owner_id, pool in list(self._pools.items()):
            if total <= MAX_BYTES:
                return
            if owner_id != keep and pool.ready:
                total -= pool.nbytes
                del self._pools[owner_id]

    def _follow(self) -> None:
        """Read the change log since the last look and mark the rows that pools must read again."""
        top = fts.change_seq()
        if top == self._seq:
            return
        if self._seq is None or top < self._seq or top - self._seq > CHANGES_AT_ONCE or self._pruned_past(self._seq):
            self._pools.clear()
            self._seq = top
            return
        changes = MemoryChange.objects.filter(seq__gt=self._seq, seq__lte=top).values_list("owner_id", "memory_id")
        shared = self._pools.get(SHARED)
        for owner_id, memory_id in changes:
            pool = self._pools.get(owner_id)
            if pool is not None:
                pool.pending.add(memory_id)
            if shared is not None:
                shared.pending.add(memory_id)
        self._seq = top

    @staticmethod
    def _pruned_past(seq: int) -> bool:
        lowest = MemoryChange.objects.aggregate(low=Min("seq"))["low"]
        return lowest is not None and lowest > seq + 1

    def _catch_up(self, pool: Pool) -> None:
        """Apply what was logged for a pool; ids that could not be read wait for the next time."""
        with self._lock:
            ids, pool.pending = pool.pending, set()
        if not ids:
            return
        try:
            pool.apply(ids, read_rows(pool.owner_id, ids))
        except BaseException:
            with self._lock:
                pool.pending |= ids
            raise


pools = Pools()
