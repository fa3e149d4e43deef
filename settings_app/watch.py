"""The settings for the event loop: a snapshot that is never older than the last committed change, without waiting.

`PRAGMA data_version` of a connection of its own tells in a few microseconds whether anybody committed anything since the
last look; only then is the audit version read, and only when that has grown are the settings loaded anew, in a thread.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from settings_app import selectors
from settings_app.values import Snapshot

logger = logging.getLogger(__name__)

# Somebody who changes settings without pause must not keep a request waiting.
MAX_RELOADS = 3


class SettingsWatch:
    """Belongs to one event loop. `current` gives the settings in force."""

    def __init__(self, path: str, executor: Executor) -> None:
        self._path = path
        self._executor = executor
        self._reader: Any = None
        self._data_version = -1
        self._loading: asyncio.Future[Snapshot] | None = None

    async def current(self) -> Snapshot:
        """Return the snapshot of the newest committed settings. One reload serves all who wait for it.

        A reload that was under way when the caller came may have read before the last change, so its result is looked at
        once more.
        """
        held = selectors.latest()
        for _ in range(MAX_RELOADS):
            if held is not None and not self._changed(held):
                return held
            held = await self._load()
        return held or await self._load()

    async def _load(self) -> Snapshot:
        if self._loading is None:
            loop = asyncio.get_running_loop()
            self._loading = asyncio.ensure_future(loop.run_in_executor(self._executor, selectors.reload))
            self._loading.add_done_callback(self._loaded)
        return await asyncio.shield(self._loading)

    def _loaded(self, loading: asyncio.Future[Snapshot]) -> None:
        self._loading = None
        if not loading.cancelled():
            loading.exception()  # whoever waited has it; when all of them left, nobody needs to be told

    def _changed(self, held: Snapshot) -> bool:
        """Tell whether the audit log has grown; a file that cannot be read now keeps what is held."""
        try:
            reader = self._reader or self._open()
            data_version = reader.execute("PRAGMA data_version").fetchone()[0]
            if data_version == self._data_version:
                return False
            version = reader.execute("SELECT max(id) FROM settings_app_settingsaudit").fetchone()[0] or 0
        except sqlite3.Error as error:
            logger.warning("settings.watch.failed", extra={"reason": type(error).__name__})
            self.close()
            return False
        if version == held.version:
            self._data_version = data_version
            return False
        return True

    def _open(self) -> Any:
        address = f"{Path(self._path).absolute().as_uri()}?mode=ro"  # a path may hold ?, # and %
        self._reader = sqlite3.connect(address, uri=True, isolation_level=None, timeout=0)
        self._data_version = -1
        return self._reader

    def close(self) -> None:
        """Close the reader; it is opened again when needed."""
        if self._reader is not None:
            self._reader.close()
            self._reader = None
