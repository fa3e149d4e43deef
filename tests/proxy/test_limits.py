"""The rate limit of a key."""

from __future__ import annotations

import pytest

from proxy.errors import RateLimited
from proxy.limits import RateLimits


def test_a_minutes_worth_may_come_at_once_and_no_more() -> None:
    limits = RateLimits()
    for _ in range(5):
        limits.take(1, 5, 100.0)
    with pytest.raises(RateLimited, match="12 s"):
        limits.take(1, 5, 100.0)


def test_the_bucket_refills_evenly() -> None:
    limits = RateLimits()
    for second in range(0, 600, 12):
        limits.take(1, 5, float(second))


def test_one_keys_requests_are_not_anothers() -> None:
    limits = RateLimits()
    limits.take(1, 1, 0.0)
    limits.take(2, 1, 0.0)
    with pytest.raises(RateLimited):
        limits.take(1, 1, 0.0)


def test_zero_means_no_limit() -> None:
    limits = RateLimits()
    for _ in range(10_000):
        limits.take(1, 0, 0.0)
