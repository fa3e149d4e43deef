"""Clean-up: what is past its time leaves, in bounded batches, safe beside a running server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import models, transaction
from django.db.models import Max, Q, QuerySet

from memories.models import Memory, MemoryChange, Receipt
from memories.services.edit import Actor, memories_set_status
from settings_app.values import MemoryValues

BATCH = 500
# The pools of running processes read the change log at every request; one that slept longer starts anew.
CHANGES_KEPT = 10_000


@dataclass(frozen=True, slots=True)
class CleanupReport:
    """How many rows each step moved or removed (with `dry_run`: would)."""

    expired: int
    past_retention: int
    purged: int
    receipts: int
    changes: int


def memories_cleanup(*, settings: MemoryValues, now: datetime, dry_run: bool = False) -> CleanupReport:
    """Move expired and outlived memories to `deleted`, purge what was deleted long ago, and prune receipts and the change log."""
    actor = Actor("system", reason="clean-up")
    move: Callable[[QuerySet[Memory]], int] = (
        (lambda rows: rows.count()) if dry_run else (lambda rows: _move(rows, actor))
    )
    remove = _count if dry_run else _remove
    return CleanupReport(
        expired=move(_expired(now)),
        past_retention=move(_past_retention(settings, now)),
        purged=remove(_deleted_long_ago(settings, now)),
        receipts=remove(Receipt.objects.filter(at__lt=now - timedelta(days=settings.receipt_retention_days))),
        changes=remove(_old_changes()),
    )


def _expired(now: datetime) -> QuerySet[Memory]:
    return Memory.objects.filter(status=Memory.Status.ACTIVE, pinned=False, expires_at__lte=now)


def _past_retention(settings: MemoryValues, now: datetime) -> QuerySet[Memory]:
    """Exempt are pinned, operator-written, identity and procedural memories (7-settings); expired ones are counted before."""
    exempt = Q(pinned=True) | Q(trust="operator") | Q(type="procedural")
    # A key that is missing compares to NULL, so "not identity" alone would exempt what has no category.
    other = Q(metadata__category__isnull=True) | ~Q(metadata__category="identity")
    alive = Q(expires_at__isnull=True) | Q(expires_at__gt=now)
    since = now - timedelta(days=settings.retention_days)
    return Memory.objects.filter(other, alive, status=Memory.Status.ACTIVE, last_seen_at__lt=since).exclude(exempt)


def _deleted_long_ago(settings: MemoryValues, now: datetime) -> QuerySet[Memory]:
    since = now - timedelta(days=settings.deleted_retention_days)
    return Memory.objects.filter(status=Memory.Status.DELETED, updated_at__lt=since)


def _old_changes() -> QuerySet[MemoryChange]:
    top = MemoryChange.objects.aggregate(top=Max("seq"))["top"] or 0
    return MemoryChange.objects.filter(seq__lte=top - CHANGES_KEPT)


def _move(rows: QuerySet[Memory], actor: Actor) -> int:
    """Move in batches. Each is chosen under the write lock: what a chat has just restated is not past its time any more."""
    moved, more = 0, True
    while more:
        with transaction.atomic():
            ids = list(rows.values_list("id", flat=True)[:BATCH])
            moved += memories_set_status(ids=ids, status=Memory.Status.DELETED, actor=actor)
        more = len(ids) == BATCH
    return moved


def _count(rows: QuerySet[models.Model]) -> int:
    return rows.count()


def _remove(rows: QuerySet[models.Model]) -> int:
    """Remove in batches. Each is chosen under the write lock: what was restored meanwhile stays."""
    removed, more = 0, True
    while more:
        with transaction.atomic():
            ids = list(rows.values_list("pk", flat=True)[:BATCH])
            rows.model._default_manager.filter(pk__in=ids).delete()
        removed += len(ids)
        more = len(ids) == BATCH
    return removed
