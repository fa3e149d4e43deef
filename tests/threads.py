"""Other threads for tests, each with a database connection of its own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from django.db import connection

T = TypeVar("T")


def at_once(count: int, work: Callable[[], T]) -> list[T]:
    """Do the same in several threads that start together; return what they returned."""
    start = threading.Barrier(count)
    results: list[T] = []

    def run() -> None:
        start.wait()
        try:
            results.append(work())
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def elsewhere(work: Callable[[], T]) -> T:
    """Do something in another thread and wait for it; return what it returned."""
    return at_once(1, work)[0]
