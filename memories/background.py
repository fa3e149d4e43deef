"""Work after the reply: a bounded queue, one thread that captures facts, one that writes receipts; drained at shutdown.

Capture comes first and by itself, because the owner's next question waits for it; a receipt waits for nobody.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.db import DatabaseError, OperationalError, connection

from memories import fts
from memories.services.receipts import ReceiptDraft, receipts_write
from memories.services.remember import Found, Turn, find_facts, store_facts
from settings_app import selectors, services
from settings_app.values import MemoryValues

logger = logging.getLogger(__name__)

MAX_WAITING = 10_000
BATCH = 100
ATTEMPTS = 3
# Receipts of this many seconds share one transaction; whoever asks for one of them makes it be written at once.
LINGER = 0.1


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished request: its receipt, and the turn to learn from (None when nothing may be learned)."""

    draft: ReceiptDraft
    turn: Turn | None


Entry = Finished | Callable[[], None] | None
Queue = queue.SimpleQueue[Entry]


class Background:
    """The queue of one process. `submit` never blocks: when full, the oldest entry is dropped and counted."""

    def __init__(self, max_waiting: int = MAX_WAITING) -> None:
        self._queue: Queue = queue.SimpleQueue()
        self._captured: Queue = queue.SimpleQueue()
        self._max_waiting = max_waiting
        self._threads: list[threading.Thread] = []
        self._touched: dict[int, datetime] = {}
        self._unsettled: Counter[int] = Counter()
        self._lock = threading.Lock()
        self.dropped = 0

    def start(self) -> None:
        """Start the threads; starting twice is harmless."""
        if self._running():
            return
        self._threads = [
            threading.Thread(target=self._run, args=args, name=f"memroute-{name}", daemon=True)
            for name, args in (
                ("capture", (self._queue, self._capture, self._captured.put, 0.0)),
                ("receipts", (self._captured, self._write, _call, LINGER)),
            )
        ]
        for thread in self._threads:
            thread.start()

    def _running(self) -> bool:
        return any(thread.is_alive() for thread in self._threads)

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
        """Note that a key was used; written together with the receipts that wait."""
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
        if not self._running():
            return True
        reached = threading.Event()
        self._queue.put(reached.set)
        return reached.wait(timeout)

    def stop(self, timeout: float = 30.0) -> bool:
        """Work off what waits and end the threads; return False when `timeout` seconds were not enough."""
        self._queue.put(None)
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not self._running()

    def _run(
        self, source: Queue, work: Callable[[list[Finished]], None], then: Callable[[Entry], None], linger: float
    ) -> None:
        """Work off a queue in batches; signals, and the None that ends a thread, go on when the batch before them is done."""
        running = True
        while running:
            batch, signals = _take(source, linger)
            try:
                work(batch)
            except Exception:  # the task boundary: the thread must outlive whatever one batch meets
                logger.exception("memory.background.failed", extra={"count": len(batch)})
            for signal in signals:
                then(signal)
            running = None not in signals
        connection.close()

    def _capture(self, batch: list[Finished]) -> None:
        """Extract, for the whole batch first: most turns say nothing to remember, and nobody need wait for those."""
        try:
            if batch and fts.known_problem() is not None:
                logger.warning("memory.search_table.rebuilt", extra={"reason": fts.known_problem()})
                fts.install()
            if any(finished.turn for finished in batch):
                settings = selectors.snapshot().memory
                for finished, found in [(finished, self._find(finished, settings)) for finished in batch]:
                    self._store(finished, found, settings)
        finally:
            for finished in batch:
                self._captured.put(finished)

    def _find(self, finished: Finished, settings: MemoryValues) -> Found | None:
        turn = finished.turn
        if turn is None:
            return None
        found = None
        try:
            found = find_facts(turn, settings)
        except Exception:  # the task boundary: one turn that cannot be mined must not cost the others their receipts
            logger.exception("memory.extraction.background.failed", extra={"request": finished.draft.request_id})
            finished.draft.error = finished.draft.error or "extraction failed"
        if found is None or not found.facts:
            self._settled(turn.owner_id)
        return found

    def _store(self, finished: Finished, found: Found | None, settings: MemoryValues) -> None:
        turn = finished.turn
        if turn is None or found is None:
            return
        try:
            try:
                finished.draft.captured = store_facts(turn, settings, found)
            except DatabaseError as error:
                if "locked" in str(error) or "full" in str(error):
                    raise
                # A damaged search table makes every write fail: it holds nothing that cannot be made anew.
                logger.warning("memory.search_table.rebuilt", extra={"reason": type(error).__name__})
                fts.install(rebuild=True)
                finished.draft.captured = store_facts(turn, settings, found)
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
        """Write the receipts; when a batch cannot be written, one by one: a broken one must not cost the others theirs."""
        drafts = [finished.draft for finished in batch]
        try:
            self._write_drafts(drafts)
        except (DatabaseError, ValueError, TypeError):
            logger.exception("memory.receipts.batch_failed", extra={"count": len(drafts)})
            for draft in drafts:
                try:
                    self._write_drafts([draft])
                except (DatabaseError, ValueError, TypeError):
                    self.dropped += 1
                    logger.exception("memory.receipts.dropped", extra={"request": draft.request_id})
        self._write_touched()

    def _write_drafts(self, drafts: list[ReceiptDraft]) -> None:
        """Write receipts; a locked database is tried again, because nothing else would."""
        for attempt in range(ATTEMPTS):
            try:
                if drafts:
                    receipts_write(drafts=drafts, keep_text=selectors.snapshot().memory.receipt_text)
            except OperationalError:
                if attempt == ATTEMPTS - 1:
                    raise
                time.sleep(0.2 * (attempt + 1))
            else:
                return

    def _write_touched(self) -> None:
        if self._touched:
            touched, self._touched = self._touched, {}
            services.keys_touch(seen=touched)


def _take(source: Queue, linger: float) -> tuple[list[Finished], list[Entry]]:
    """Wait for one entry, and take what comes within `linger` seconds, up to a batch: finished requests, and signals.

    A signal ends the waiting: somebody waits for it.
    """
    batch: list[Finished] = []
    signals: list[Entry] = []
    entry = source.get()
    until = time.monotonic() + linger
    while True:
        if isinstance(entry, Finished):
            batch.append(entry)
        else:
            signals.append(entry)
        if entry is None or len(batch) >= BATCH:
            return batch, signals
        try:
            left = 0.0 if signals else until - time.monotonic()
            entry = source.get(timeout=left) if left > 0 else source.get_nowait()
        except queue.Empty:
            return batch, signals


def _call(signal: Entry) -> None:
    if callable(signal):
        signal()


def _nothing() -> None:
    """A signal that only wakes the threads."""


background = Background()
