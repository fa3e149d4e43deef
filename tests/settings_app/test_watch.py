"""The settings on the event loop: fresh without waiting."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from settings_app import selectors, services
from settings_app.watch import SettingsWatch
from tests.processes import manage
from tests.threads import elsewhere


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as executor:
        yield executor
        executor.submit(lambda: connection.close()).result()  # noqa: PLW0108  (this thread's connection)


@pytest.fixture
def watch(own_database: Path, pool: ThreadPoolExecutor) -> Iterator[SettingsWatch]:
    watch = SettingsWatch(str(own_database), pool)
    yield watch
    watch.close()


def change(**changes: Any) -> None:
    """Change settings in a thread of its own, with a connection of its own."""

    def work() -> bool:
        services.memory_settings_update(changes=changes, actor="test")
        return True

    assert elsewhere(work)


async def test_it_loads_at_first_use_and_then_gives_the_same(watch: SettingsWatch) -> None:
    first = await watch.current()
    assert await watch.current() is first


async def test_a_change_in_this_process_is_seen_by_the_next_request(watch: SettingsWatch) -> None:
    assert not (await watch.current()).memory.enabled
    change(enabled=True)
    assert (await watch.current()).memory.enabled


async def test_a_change_by_another_process_is_seen_by_the_next_request(
    watch: SettingsWatch, own_database: Path
) -> None:
    assert not (await watch.current()).memory.enabled
    done = manage("memory_settings", "--set", "enabled=true", data_dir=own_database.parent)
    assert done.returncode == 0, done.stderr
    assert (await watch.current()).memory.enabled


async def test_a_write_that_is_no_setting_loads_nothing(watch: SettingsWatch, own_database: Path) -> None:
    first = await watch.current()
    with sqlite3.connect(own_database) as other:
        other.execute("CREATE TABLE something_else (id INTEGER)")
    other.close()
    assert await watch.current() is first


class Gated(Executor):
    """Runs what is submitted in a thread, and holds back the result of the first until told."""

    def __init__(self, inner: Executor) -> None:
        self.inner, self.calls, self.read, self.go = inner, 0, threading.Event(), threading.Event()

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        self.calls += 1
        return self.inner.submit(self._held_back if self.calls == 1 else fn, *(() if self.calls == 1 else args))

    def _held_back(self) -> Any:
        result = selectors.reload()
        self.read.set()
        self.go.wait(10)
        return result


async def test_one_load_serves_all_who_wait(own_database: Path, pool: ThreadPoolExecutor) -> None:
    gated = Gated(pool)
    watch = SettingsWatch(str(own_database), gated)
    waiting = [asyncio.ensure_future(watch.current()) for _ in range(20)]
    await asyncio.sleep(0)
    gated.go.set()
    assert len({id(snapshot) for snapshot in await asyncio.gather(*waiting)}) == 1
    assert gated.calls == 1
    watch.close()


async def test_who_comes_after_a_change_does_not_get_what_was_read_before_it(
    own_database: Path, pool: ThreadPoolExecutor
) -> None:
    gated = Gated(pool)
    watch = SettingsWatch(str(own_database), gated)
    early = asyncio.ensure_future(watch.current())
    await asyncio.to_thread(gated.read.wait, 10)
    selectors.forget()
    change(enabled=True)
    late = asyncio.ensure_future(watch.current())
    await asyncio.sleep(0)
    gated.go.set()
    assert (await late).memory.enabled
    await early
    watch.close()


async def test_a_file_that_cannot_be_read_now_keeps_what_is_held(
    watch: SettingsWatch, own_database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    first = await watch.current()
    watch.close()
    hidden = own_database.rename(own_database.with_name("hidden"))
    assert await watch.current() is first
    assert "settings.watch.failed" in caplog.text
    hidden.rename(own_database)
    assert await watch.current() is first


async def test_a_path_may_hold_characters_that_mean_something_in_a_uri(
    own_database: Path, pool: ThreadPoolExecutor, caplog: pytest.LogCaptureFixture
) -> None:
    odd = own_database.parent / "100%25 a#b?c d"
    odd.mkdir()
    (odd / "x.sqlite3").hardlink_to(own_database)
    watch = SettingsWatch(str(odd / "x.sqlite3"), pool)
    await watch.current()
    await watch.current()
    assert "settings.watch.failed" not in caplog.text
    watch.close()


async def test_a_caller_who_leaves_does_not_stop_the_load_for_the_others(watch: SettingsWatch) -> None:
    leaving, staying = asyncio.ensure_future(watch.current()), asyncio.ensure_future(watch.current())
    await asyncio.sleep(0)
    leaving.cancel()
    assert (await staying).version == 0
