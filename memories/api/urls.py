"""The routes under /api/memory."""

from django.urls import path

from memories.api.receipts import ReceiptListView, ReceiptView

urlpatterns = [
    path("receipts", ReceiptListView.as_view(), name="receipts"),
    path("receipts/<str:request_id>", ReceiptView.as_view(), name="receipt"),
]
