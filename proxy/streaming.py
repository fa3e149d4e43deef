"""Relaying an answer byte for byte, with a tap at its side that can never touch it."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from memories.models import Receipt
from proxy import demo
from proxy.errors import ProxyError, error_body, sse_error
from proxy.messages import reply_text
from proxy.tap import BodyTap, StreamTap
from proxy.upstream import Headers, Reply

logger = logging.getLogger(__name__)

# An answer that is no stream is held back until complete, so that an upstream dying midway can still become a clean 502.
HELD_BACK = 4 * 1024 * 1024
TAP_LIMIT = 1024 * 1024
MAX_USAGE = 4096

Send = Callable[[dict[str, Any]], Awaitable[None]]


class BrokenOff(Exception):
    """The provider died midway in an answer that has no way to say so: the client's connection has to break too."""


@dataclass(slots=True)
class Relayed:
    """What was relayed: the status the client got, how it ended, and what the tap read."""

    status: int = 0
    outcome: str = Receipt.Outcome.FAILED
    error: str = ""
    text: str = ""
    usage: dict[str, Any] | None = None
    learnable: bool = False
    first_byte_ms: float | None = None


@dataclass(slots=True)
class DemoReply:
    """The built-in provider's answer, in the shape of a provider's."""

    request: Mapping[str, Any]
    request_id: str
    created: int
    status: int = 200
    headers: Headers = field(init=False)

    def __post_init__(self) -> None:
        streamed = self.request.get("stream") is True
        self.headers = [(b"content-type", b"text/event-stream" if streamed else b"application/json")]

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield the answer, word by word when it is streamed."""
        if self.request.get("stream") is not True:
            yield demo.completion_bytes(self.request, request_id=self.request_id, created=self.created)
            return
        for chunk in demo.stream(self.request, request_id=self.request_id, created=self.created):
            yield chunk
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Nothing is held."""


@dataclass(slots=True)
class Buffered:
    """A refusal whose beginning was read, to be passed on as if it had not been."""

    reply: Reply
    start: bytes
    rest: AsyncIterator[bytes]
    status: int
    headers: Headers

    @classmethod
    async def read(cls, reply: Reply, limit: int) -> Buffered:
        """Read the beginning of an answer, up to about `limit` bytes."""
        rest = reply.chunks()
        start = b""
        async for chunk in rest:
            start += chunk
            if len(start) >= limit:
                break
        return cls(reply, start, rest, reply.status, reply.headers)

    async def chunks(self) -> AsyncIterator[bytes]:
        """Yield what was read already, then the rest."""
        yield self.start
        async for chunk in self.rest:
            yield chunk

    async def aclose(self) -> None:
        """Close the answer behind it."""
        await self.reply.aclose()


class Relay:
    """The way back to one client; `relayed` tells at any time what has been sent."""

    def __init__(self, send: Send, started: float) -> None:
        self._send = send
        self._started = started
        self.begun = False
        self.relayed = Relayed()

    async def send(self, reply: Reply, headers: Headers, streamed: bool) -> None:
        """Relay an answer to its end; ProxyError is raised only while nothing was sent."""
        content_type = dict(reply.headers).get(b"content-type", b"")
        is_stream = content_type.lower().startswith(b"text/event-stream")
        through = is_stream or (streamed and reply.status == 200)
        tap: StreamTap | BodyTap = StreamTap(TAP_LIMIT) if is_stream else BodyTap(TAP_LIMIT)
        self.relayed.first_byte_ms = (time.perf_counter() - self._started) * 1000
        try:
            if through:
                await self._begin(reply.status, [*_unmeasured(reply), *headers])
                await self._pass_on(reply.chunks(), tap)
            else:
                await self._send_held_back(reply, headers, tap)
        except ProxyError as error:
            if not self.begun:
                raise
            await self._end_broken(error, is_stream)
        finally:
            await reply.aclose()
        if self.relayed.outcome == Receipt.Outcome.FAILED:
            self._finish(reply.status, tap)

    async def _begin(self, status: int, headers: Headers) -> None:
        self.begun = True
        self.relayed.status = status
        await self._send({"type": "http.response.start", "status": status, "headers": headers})

    async def _pass_on(self, chunks: AsyncIterator[bytes], tap: StreamTap | BodyTap) -> None:
        async for chunk in chunks:
            await self._send({"type": "http.response.body", "body": chunk, "more_body": True})
            self._listen(tap, chunk)
        await self._send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _send_held_back(self, reply: Reply, headers: Headers, tap: StreamTap | BodyTap) -> None:
        chunks = reply.chunks()
        held: list[bytes] = []
        size = 0
        async for chunk in chunks:
            held.append(chunk)
            size += len(chunk)
            if size > HELD_BACK:
                break
        start = b"".join(held)
        await self._begin(
            reply.status, [*(_unmeasured(reply) if reply.status in (204, 304) else reply.headers), *headers]
        )
        self._listen(tap, start)
        if size > HELD_BACK:
            await self._send({"type": "http.response.body", "body": start, "more_body": True})
            await self._pass_on(chunks, tap)
        else:
            await self._send({"type": "http.response.body", "body": start, "more_body": False})

    @staticmethod
    def _listen(tap: StreamTap | BodyTap, chunk: bytes) -> None:
        try:
            tap.feed(chunk)
        except Exception:  # the tap may fail without touching the stream
            logger.exception("memory.tap.failed")

    async def _end_broken(self, error: ProxyError, is_stream: bool) -> None:
        """End an answer whose provider died midway: an error event in a stream, a broken connection otherwise."""
        self.relayed.outcome = Receipt.Outcome.UPSTREAM_DIED
        self.relayed.error = str(error)
        if not is_stream:
            raise BrokenOff from error
        # The event may have been cut in the middle: a blank line ends it before ours begins.
        await self._send({"type": "http.response.body", "body": b"\n\n" + sse_error(error), "more_body": False})

    def _finish(self, status: int, tap: StreamTap | BodyTap) -> None:
        relayed = self.relayed
        if status != 200:
            relayed.outcome = Receipt.Outcome.UPSTREAM_ERROR
            relayed.error = f"the provider answered {status}"
            return
        relayed.outcome = Receipt.Outcome.COMPLETED
        try:
            self._read_tap(tap)
        except Exception:  # the tap may fail without touching the stream
            logger.exception("memory.tap.failed")

    def _read_tap(self, tap: StreamTap | BodyTap) -> None:
        if isinstance(tap, StreamTap):
            self.relayed.text, self.relayed.usage = tap.text, _storable(tap.usage)
            self.relayed.learnable = tap.complete
            return
        body = tap.parsed()
        if body is not None:
            self.relayed.text = reply_text(body)
            self.relayed.usage = _storable(body.get("usage"))
            self.relayed.learnable = "error" not in body

    async def send_error(self, error: ProxyError, headers: Headers) -> None:
        """Send an error in OpenAI's shape; only while nothing was sent."""
        body = error_body(error)
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode()), *headers]
        await self._begin(error.status, head)
        await self._send({"type": "http.response.body", "body": body, "more_body": False})


def _unmeasured(reply: Reply) -> Headers:
    """The headers without a length: a stream may end with an event of ours, and some answers have no body."""
    return [(name, value) for name, value in reply.headers if name != b"content-length"]


def _storable(usage: object) -> dict[str, Any] | None:
    """Return what a provider reports of its usage if a receipt can hold it."""
    try:
        size = len(json.dumps(usage, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, RecursionError):
        return None
    return usage if isinstance(usage, dict) and size <= MAX_USAGE else None
