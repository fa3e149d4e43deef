"""System checks of the search table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.database)
def check_search_table(*, databases: Sequence[str] | None = None, **_: Any) -> list[CheckMessage]:
    """memories.W001: the FTS table or one of its triggers is missing from a migrated database."""
    if not databases or "default" not in databases:
        return []
    from memories import fts

    problem = fts.problem()
    if problem is None or problem == fts.UNMIGRATED:
        return []
    return [Warning(f"Keyword search is impaired: {problem}.", hint="Run: memroute doctor", id="memories.W001")]
