"""The one error shape of /api: `{"error": {"code", "message", "details"?}}`."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response

from settings_app.fields import InvalidSetting

CODES = {
    400: "invalid_request",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    409: "conflict",
    500: "internal_error",
    415: "unsupported_media_type",
    429: "rate_limited",
}


def body(status: int, message: str, details: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """Return the error body of a status."""
    error: dict[str, Any] = {"code": CODES.get(status, "error"), "message": message}
    if details:
        error["details"] = details
    return {"error": error}


def _details(detail: Any, prefix: str = "") -> list[dict[str, str]]:
    if isinstance(detail, dict):
        found = []
        for name, inner in detail.items():
            found += _details(inner, f"{prefix}.{name}" if prefix else str(name))
        return found
    if isinstance(detail, list):
        return [entry for inner in detail for entry in _details(inner, prefix)]
    return [{"field": prefix, "message": str(detail)}]


def exception_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's hook: turn what was raised into the one shape; None lets Django answer 500."""
    if isinstance(exc, InvalidSetting):
        return Response(body(400, "Some values are not valid.", exc.errors), status=400)
    if isinstance(exc, Http404):
        exc = exceptions.NotFound()
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    if not isinstance(exc, exceptions.APIException):
        return None
    headers = {}
    if wait := getattr(exc, "wait", None):
        headers["Retry-After"] = str(int(wait))
    if challenge := getattr(exc, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if isinstance(exc, exceptions.ValidationError):
        return Response(body(400, "Some values are not valid.", _details(exc.detail)), status=400, headers=headers)
    return Response(body(exc.status_code, str(exc.detail)), status=exc.status_code, headers=headers)
