"""Which shape of the memory block a provider accepted after it had refused the usual one."""

from __future__ import annotations

from cachetools import TTLCache

MOST = 1000
STEP_SECONDS = 300
ACCEPTED_SECONDS = 24 * 3600


class Shapes:
    """What was accepted holds for everybody; a step that was refused too, only for the key that took it, for a while.

    Otherwise one key's bad requests, refused whatever their shape, would change what all others send.
    """

    def __init__(self) -> None:
        self._accepted: TTLCache[tuple[str, str], str] = TTLCache(MOST, ACCEPTED_SECONDS)
        self._tried: TTLCache[tuple[int, str, str], str] = TTLCache(MOST, STEP_SECONDS)

    def of(self, key_id: int, slug: str, model: str) -> str | None:
        """Return the shape to begin with, None for the usual one."""
        return self._tried.get((key_id, slug, model)) or self._accepted.get((slug, model))

    def learn(self, key_id: int, slug: str, model: str, shape: str, *, accepted: bool) -> None:
        """Note how a second attempt in a shape went."""
        if accepted:
            self._accepted[slug, model] = shape
            self._tried.pop((key_id, slug, model), None)
        else:
            self._tried[key_id, slug, model] = shape
