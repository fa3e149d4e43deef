"""`/api/health/live` and `/api/health/ready`: up or down, nothing more; anybody may ask."""

from __future__ import annotations

import logging

from django.db import DatabaseError, connection
from django.http import HttpRequest, JsonResponse
from django.urls import path
from django.views.decorators.http import require_safe

logger = logging.getLogger(__name__)


@require_safe
def live(request: HttpRequest) -> JsonResponse:
    """The process answers."""
    return JsonResponse({"status": "up"})


@require_safe
def ready(request: HttpRequest) -> JsonResponse:
    """The database answers and is migrated."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM memories LIMIT 1")
    except DatabaseError:
        logger.exception("health.not_ready")
        return JsonResponse({"status": "down"}, status=503)
    return JsonResponse({"status": "up"})


urlpatterns = [path("live", live, name="live"), path("ready", ready, name="ready")]
