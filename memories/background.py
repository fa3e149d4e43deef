"""Work after the reply: a bounded queue and one thread that captures facts and writes receipts, drained at shutdown."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, connection

from memories.services.receipts import ReceiptDraft, receipts_write
from memories.services.remember import Found, Turn, find_facts, store_facts
from settings_app import selectors, services

logger = logging.getLogger(__name__)

MAX_WAITING = 10_000
BATCH = 100


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished request: its receipt, and the turn to learn from (None when nothing may be learned)."""

    draft: ReceiptDraft
    turn: Turn | None


class Background:
    """The queue of one process. `submit` never blocks: when full, the oldest entry is dropped and counted."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self._queue: queue.SimpleQueue[Finished | Callable[[], None] | None] = queue.SimpleQueue()
        self._max_waiting = max_waiting
        self._thread: threading.Thread | None = None
        self._touched: dict[int, datetime] = {}
        self._unsettled: Counter[int] = Counter()
        self._lock = threading.Lock()
        self.dropped = 0

    def start(self) -> None:
        """Start the thread; starting twice is harmless."""
        if self._thread is None or not self._thread.is_alive():
            self._thread = threading.Thread(target=self._run, name="memroute-background", daemon=True)
            self._thread.start()

    def submit(self, finished: Finished) -> None:
        """Hand over a finished request."""
        if self._queue.qsize() >= self._max_waiting:
            self._drop_oldest()
        if finished.turn is not None:
            with self._lock:
                self._unsettled[finished.turn.owner_id] += 1
        self._queue.put(finished)

    def unsettled(self, owner_id: int) -> bool:
        """Tell whether something this owner said may still be on its way into the memories."""
        return owner_id in self._unsettled

    def touch(self, key_id: int, at: datetime) -> None:
        """Note that a key was used; written together with the next batch."""
        self._touched[key_id] = at
        self._queue.put(_nothing)

    def _drop_oldest(self) -> None:
        try:
            oldest = self._queue.get_nowait()
        except queue.Empty:
            return
        if not isinstance(oldest, Finished):
            self._queue.put(oldest)
            return
        if oldest.turn is not None:
            self._settled(oldest.turn.owner_id)
        self.dropped += 1
        logger.warning("memory.background.dropped", extra={"dropped": self.dropped})

    def flush(self, timeout: float) -> bool:
        """Wait until everything submitted so far is written; return False when that took longer than `timeout` seconds."""
        if self._thread is None or not self._thread.is_alive():
            return True
        reached = threading.Event()
        self._queue.put(reached.set)
        return reached.wait(timeout)

    def stop(self, timeout: float = 30.0) -> bool:
        """Work off what waits and end the thread; return False when `timeout` seconds were not enough."""
        thread = self._thread
        if thread is None:
            return True
        self._queue.put(None)
        thread.join(timeout)
        self._thread = None
        return not thread.is_alive()

    def _run(self) -> None:
        running = True
        while running:
            batch, signals, running = self._take()
            self._work(batch)
            for signal in signals:
                signal()
        connection.close()

    def _take(self) -> tuple[list[Finished], list[Callable[[], None]], bool]:
        """Wait for one entry and take what else is there, up to a batch; a None ends the thread."""
        batch: list[Finished] = []
        signals: list[Callable[[], None]] = []
        entry = self._queue.get()
        while True:
            if entry is None:
                return batch, signals, False
            if isinstance(entry, Finished):
                batch.append(entry)
            else:
                signals.append(entry)
            if len(batch) >= BATCH:
                return batch, signals, True
            try:
                entry = self._queue.get_nowait()
            except queue.Empty:
                return batch, signals, True

    def _work(self, batch: list[Finished]) -> None:
        try:
            for finished, found in [(finished, self._find(finished)) for finished in batch]:
                self._store(finished, found)
            if batch:
                self._write(batch)
            self._write_touched()
        except Exception:  # the task boundary: the thread must outlive whatever one batch meets
            logger.exception("memory.background.failed", extra={"count": len(batch)})

    def _find(self, finished: Finished) -> Found | None:
        """Extract first, for the whole batch: most turns say nothing to remember, and nobody need wait for those."""
        turn = finished.turn
        if turn is None:
            return None
        found = None
        try:
            found = find_facts(turn, selectors.snapshot().memory)
        except Exception:  # the task boundary: one turn that cannot be mined must not cost the others their receipts
            logger.exception("memory.extraction.background.failed", extra={"request": finished.draft.request_id})
            finished.draft.error = finished.draft.error or "extraction failed"
        if found is None or not found.facts:
            self._settled(turn.owner_id)
        return found

    def _store(self, finished: Finished, found: Found | None) -> None:
        turn = finished.turn
        if turn is None or found is None:
            return
        try:
            finished.draft.captured = store_facts(turn, selectors.snapshot().memory, found)
        except Exception:  # the task boundary, as above
            logger.exception("memory.extraction.background.failed", extra={"request": finished.draft.request_id})
            finished.draft.error = finished.draft.error or "capture failed"
        finally:
            if found.facts:
                self._settled(turn.owner_id)

    def _settled(self, owner_id: int) -> None:
        with self._lock:
            self._unsettled[owner_id] -= 1
            if self._unsettled[owner_id] <= 0:
                del self._unsettled[owner_id]

    def _write(self, batch: list[Finished]) -> None:
        """Write the receipts; a locked database is tried again, because nothing else would."""
        drafts = [finished.draft for finished in batch]
        for attempt in range(3):
            try:
                receipts_write(drafts=drafts, keep_text=selectors.snapshot().memory.receipt_text)
            except DatabaseError:
                if attempt == 2:
                    raise
                time.sleep(0.2 * (attempt + 1))
            else:
                return

    def _write_touched(self) -> None:
        if self._touched:
            touched, self._touched = self._touched, {}
            services.keys_touch(seen=touched)


def _nothing() -> None:
    """A queue entry that only wakes the thread."""


background = Background()
