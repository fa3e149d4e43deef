"""Answers to paths that nobody serves and to what nobody foresaw, in the shape that the caller expects there."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views import defaults

from proxy.errors import InternalError, NotFound, ProxyError, error_body
from settings_app.api.errors import body


def _as_openai(error: ProxyError) -> HttpResponse:
    return HttpResponse(error_body(error), status=error.status, content_type="application/json")


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """404: OpenAI's shape under /v1, ours under /api, a page elsewhere."""
    if request.path.startswith("/v1/"):
        return _as_openai(NotFound())
    if request.path.startswith("/api/"):
        return JsonResponse(body(404, "There is nothing at this path."), status=404)
    return defaults.page_not_found(request, exception)


def server_error(request: HttpRequest) -> HttpResponse:
    """500: the same; the traceback is in the log, never in the answer."""
    if request.path.startswith("/v1/"):
        return _as_openai(InternalError())
    if request.path.startswith("/api/"):
        return JsonResponse(body(500, "Something went wrong here; the log says more."), status=500)
    return defaults.server_error(request)
