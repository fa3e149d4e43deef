"""`GET /api/memory/receipts` and `/{requestId}`."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from memories.background import background
from memories.selectors import receipt_by_request_id, receipt_dict, receipt_query

# How long a reader waits for a receipt that is still in the queue.
FLUSH_SECONDS = 2.0


class ReceiptFilters(serializers.Serializer):
    """The query of the receipts list."""

    apiKeyId = serializers.UUIDField(required=False)  # noqa: N815
    sessionId = serializers.CharField(required=False, max_length=255)  # noqa: N815
    limit = serializers.IntegerField(required=False, default=50, min_value=1, max_value=200)
    page = serializers.IntegerField(required=False, default=1, min_value=1, max_value=1_000_000)


class ReceiptListView(APIView):
    """Newest first."""

    def get(self, request: Request) -> Response:
        """Return one page of receipts."""
        filters = ReceiptFilters(data=request.query_params)
        filters.is_valid(raise_exception=True)
        given = filters.validated_data
        background.flush(FLUSH_SECONDS)
        receipts = receipt_query()
        if "apiKeyId" in given:
            receipts = receipts.filter(api_key__uuid=given["apiKeyId"])
        if "sessionId" in given:
            receipts = receipts.filter(session_id=given["sessionId"])
        total, limit, page = receipts.count(), given["limit"], given["page"]
        rows = receipts[(page - 1) * limit : page * limit]
        return Response(
            {
                "data": [receipt_dict(row) for row in rows],
                "total": total,
                "page": page,
                "limit": limit,
                "totalPages": -(-total // limit),
            }
        )


class ReceiptView(APIView):
    """What happened to one request."""

    def get(self, request: Request, request_id: str) -> Response:
        """Return the receipt; one that is still being written is waited for."""
        receipt = receipt_by_request_id(request_id)
        if receipt is None:
            background.flush(FLUSH_SECONDS)
            receipt = receipt_by_request_id(request_id)
        if receipt is None:
            raise NotFound("There is no receipt of this request. With memory off none is kept.")
        return Response(receipt_dict(receipt))
