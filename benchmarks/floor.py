"""The floor: a bare ASGI relay that does nothing but forward, with the HTTP client that memroute uses."""

from __future__ import annotations

import os
from typing import Any

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

UPSTREAM = os.environ.get("FLOOR_UPSTREAM", "http://127.0.0.1:9")


def _session() -> aiohttp.ClientSession:
    return aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))


client = httpx.AsyncClient(transport=AiohttpTransport(client=_session), timeout=None)  # noqa: S113  (a floor has none)


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Forward one request and stream the answer back."""
    if scope["type"] != "http":
        await _lifespan(receive, send)
        return
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body"):
            break
    request = client.build_request(
        "POST", UPSTREAM + scope["path"], content=body, headers={"content-type": "application/json"}
    )
    response = await client.send(request, stream=True)
    head = [(k, v) for k, v in response.headers.raw if k.lower() in (b"content-type", b"content-length")]
    await send({"type": "http.response.start", "status": response.status_code, "headers": head})
    async for chunk in response.aiter_raw():
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
    await response.aclose()


async def _lifespan(receive: Any, send: Any) -> None:
    while True:
        message = await receive()
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return
