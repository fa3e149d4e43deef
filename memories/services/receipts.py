"""Receipts: what happened to each chat request, written in batches after the reply."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from memories import fts
from memories.models import Receipt, ReceiptItem
from memories.services.recall import RecallResult
from memories.services.remember import CaptureResult
from settings_app.models import ApiKey


@dataclass(slots=True)
class ReceiptDraft:
    """A receipt while its request runs; milliseconds are floats, `status` is what the client got."""

    request_id: str
    owner_id: int
    at: datetime
    mode: str
    session: str | None = None
    model: str = ""
    provider: str = ""
    query: str = ""
    streamed: bool = False
    status: int = 0
    outcome: str = Receipt.Outcome.FAILED
    error: str = ""
    degraded: str = ""
    usage: dict[str, Any] | None = None
    auth_ms: float = 0.0
    recall_ms: float = 0.0
    first_byte_ms: float | None = None
    total_ms: float = 0.0
    recalled: RecallResult = field(default_factory=RecallResult)
    captured: CaptureResult = field(default_factory=CaptureResult)


def receipts_write(*, drafts: Sequence[ReceiptDraft], keep_text: bool) -> None:
    """Write a batch of receipts with their items in one transaction.

    A request id already written is left alone; the receipt of a key that is gone meanwhile is not written.
    """
    with transaction.atomic():
        owners = set(ApiKey.objects.filter(pk__in={d.owner_id for d in drafts}).values_list("pk", flat=True))
        drafts = [draft for draft in drafts if draft.owner_id in owners]
        rows = [_receipt(draft, keep_text) for draft in drafts]
        known = set(
            Receipt.objects.filter(request_id__in=[r.request_id for r in rows]).values_list("request_id", flat=True)
        )
        fresh = [(row, draft) for row, draft in zip(rows, drafts, strict=True) if row.request_id not in known]
        Receipt.objects.bulk_create([row for row, _ in fresh])
        fts.insert_receipt_items([item for row, draft in fresh for item in _items(row.pk, draft, keep_text)])


def _receipt(draft: ReceiptDraft, keep_text: bool) -> Receipt:
    recalled = draft.recalled
    return Receipt(
        request_id=draft.request_id,
        api_key_id=draft.owner_id,
        session_id=draft.session,
        at=draft.at,
        model=draft.model[:255],
        provider=draft.provider,
        mode=draft.mode,
        strategy=recalled.strategy,
        tier=recalled.tier,
        degraded=(draft.degraded or recalled.degraded)[:300],
        query=draft.query if keep_text else "",
        matched_count=recalled.matched,
        injected_count=len(recalled.hits),
        injected_tokens=recalled.tokens,
        captured_count=len(draft.captured.captured),
        streamed=draft.streamed,
        status=draft.status,
        outcome=draft.outcome,
        error=draft.error[:300],
        usage=draft.usage,
        auth_ms=round(draft.auth_ms, 3),
        recall_ms=round(draft.recall_ms, 3),
        first_byte_ms=None if draft.first_byte_ms is None else round(draft.first_byte_ms, 3),
        total_ms=round(draft.total_ms, 3),
        refused=draft.captured.refused,
    )


def _items(receipt_id: int, draft: ReceiptDraft, keep_text: bool) -> list[tuple[Any, ...]]:
    """The rows of a receipt's items, in the order of `fts.RECEIPT_ITEM`."""
    kinds = ReceiptItem.Kind
    hits = [(kinds.INJECTED, n, hit) for n, hit in enumerate(draft.recalled.hits)]
    hits += [(kinds.REJECTED, n, hit) for n, hit in enumerate(draft.recalled.rejected)]
    items: list[tuple[Any, ...]] = [
        (
            receipt_id,
            kind.value,
            n,
            hit.uuid,
            hit.revision,
            hit.part,
            hit.score,
            hit.vec_score,
            hit.fts_score,
            hit.rerank_score,
            hit.tokens,
            hit.reason[:200],
            "",
        )
        for kind, n, hit in hits
    ]
    for n, fact in enumerate(draft.captured.captured):
        reason, words = "new" if fact.created else "said again", fact.words if keep_text else ""
        nothing = ("", None, None, None, None, 0)
        items.append((receipt_id, kinds.CAPTURED.value, n, fact.uuid, fact.revision, *nothing, reason, words))
    return items
