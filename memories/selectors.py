"""Reads of memories and receipts, in the shapes that the API gives out."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import QuerySet

from memories.models import Memory, Receipt, ReceiptItem


def iso(at: datetime | None) -> str | None:
    """An instant as ISO 8601 in UTC with `Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z") if at else None


def receipt_query() -> QuerySet[Receipt]:
    """Receipts with their key and items: two queries, however many."""
    return Receipt.objects.select_related("api_key").prefetch_related("items")


def receipt_by_request_id(request_id: str) -> Receipt | None:
    """Return the receipt of a request, or None."""
    return receipt_query().filter(request_id=request_id).first()


def receipt_dict(receipt: Receipt) -> dict[str, Any]:
    """Return a receipt as the API shows it; the texts of memories come from the rows as they are now."""
    items = list(receipt.items.all())
    texts = _memory_texts(items)
    by_kind: dict[str, list[dict[str, Any]]] = {kind: [] for kind in ReceiptItem.Kind.values}
    for item in items:
        by_kind[item.kind].append(_item_dict(item, texts))
    return {
        "requestId": receipt.request_id,
        "apiKeyId": str(receipt.api_key.uuid),
        "sessionId": receipt.session_id,
        "at": iso(receipt.at),
        "model": receipt.model,
        "provider": receipt.provider,
        "mode": receipt.mode,
        "strategy": receipt.strategy,
        "tier": receipt.tier,
        "degraded": receipt.degraded or None,
        "query": receipt.query,
        "streamed": receipt.streamed,
        "status": receipt.status,
        "outcome": receipt.outcome,
        "error": receipt.error or None,
        "usage": receipt.usage,
        "matched": receipt.matched_count,
        "tokensInjected": receipt.injected_tokens,
        "injected": by_kind["injected"],
        "rejected": by_kind["rejected"],
        "captured": by_kind["captured"],
        "refused": receipt.refused,
        "times": {
            "authMs": receipt.auth_ms,
            "recallMs": receipt.recall_ms,
            "firstByteMs": receipt.first_byte_ms,
            "totalMs": receipt.total_ms,
        },
    }


def _memory_texts(items: list[ReceiptItem]) -> dict[UUID, Memory]:
    wanted = [item.memory_uuid for item in items if item.memory_uuid]
    fields = ("uuid", "key", "content", "type", "status", "revision")
    return {row.uuid: row for row in Memory.objects.filter(uuid__in=wanted).only(*fields)}


def _item_dict(item: ReceiptItem, texts: dict[UUID, Memory]) -> dict[str, Any]:
    memory = texts.get(item.memory_uuid) if item.memory_uuid else None
    shown: dict[str, Any] = {
        "memoryId": str(item.memory_uuid) if item.memory_uuid else None,
        "revision": item.revision,
        "key": memory.key if memory else None,
        "content": memory.content if memory else None,
        "type": memory.type if memory else None,
        "memoryStatus": memory.status if memory else "gone",
        "reason": item.reason or None,
    }
    if item.kind == ReceiptItem.Kind.CAPTURED:
        return shown | {"words": item.words}
    return shown | {
        "part": item.part,
        "score": item.score,
        "ftsScore": item.fts_score,
        "vecScore": item.vec_score,
        "rerankScore": item.rerank_score,
        "tokens": item.tokens,
    }
