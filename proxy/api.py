"""The rest of /v1, by ninja: the list of models."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from ninja import NinjaAPI, Schema

from proxy.auth import authenticate
from proxy.errors import ProxyError, error_body
from proxy.models_list import list_models
from settings_app import selectors

api = NinjaAPI(title="memroute", version="1", urls_namespace="v1", docs_url=None)


class Model(Schema):
    """One model, as OpenAI lists it."""

    id: str
    object: str = "model"
    created: int
    owned_by: str


class ModelList(Schema):
    """The answer of `GET /v1/models`."""

    object: str = "list"
    data: list[Model]


@api.get("/models", response=ModelList)
def models(request: HttpRequest) -> dict[str, Any]:
    """Return the models of all enabled providers and `memroute/demo`."""
    snapshot = selectors.snapshot()
    headers = {name.lower(): value for name, value in request.headers.items()}
    authenticate(headers, snapshot, timezone.now())
    return {"object": "list", "data": list_models(snapshot)}


@api.exception_handler(ProxyError)
def on_proxy_error(request: HttpRequest, error: Any) -> HttpResponse:
    """Answer in OpenAI's error shape."""
    response = HttpResponse(error_body(error), status=error.status, content_type="application/json")
    for name, value in error.headers:
        response[name.decode()] = value.decode()
    return response
