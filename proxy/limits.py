"""How many requests a key may send: a bucket a key that refills evenly (`keyRateLimit` a minute)."""

from __future__ import annotations

import math

from proxy.errors import RateLimited


class RateLimits:
    """The buckets of one event loop. A key that was quiet for a minute may send a minute's worth at once."""

    def __init__(self) -> None:
        self._left: dict[int, tuple[float, float]] = {}

    def take(self, key_id: int, per_minute: int, now: float) -> None:
        """Count one request at `now` (seconds of any steady clock); raise RateLimited when the bucket is empty."""
        if per_minute <= 0:
            return
        left, since = self._left.get(key_id, (float(per_minute), now))
        left = min(float(per_minute), left + (now - since) * per_minute / 60)
        if left < 1:
            self._left[key_id] = (left, now)
            raise RateLimited(math.ceil((1 - left) * 60 / per_minute))
        self._left[key_id] = (left - 1, now)
