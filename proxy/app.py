"""The ASGI application in front of Django: it answers the relay endpoints itself and passes everything else on."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.conf import settings

from memories.background import background
from memories.services.recall import RecallRequest, RecallResult, recall
from proxy.auth import authenticate
from proxy.errors import BodyTooLarge, InternalError, MethodNotAllowed, ProxyError, UnsupportedEncoding
from proxy.pipeline import Chat, Pipeline
from proxy.streaming import BrokenOff, Relay
from proxy.upstream import Headers, Upstream
from settings_app.watch import SettingsWatch

logger = logging.getLogger(__name__)

Scope = dict[str, Any]
Receive = Callable[[], Awaitable[dict[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

CHAT_PATH = "/v1/chat/completions"
RECALL_THREADS = 2
DRAIN_SECONDS = 30.0
BODY_SECONDS = 300.0


class ClientGone(Exception):
    """The client left before its request was read."""


class RelayApp:
    """Serves `POST /v1/chat/completions`; `django` gets the rest. One instance an event loop."""

    def __init__(self, django: App) -> None:
        self._django = django
        self._executor = ThreadPoolExecutor(RECALL_THREADS, thread_name_prefix="memroute-recall")
        # Of its own: a slow recall must not keep anybody from the settings.
        self._settings_executor = ThreadPoolExecutor(1, thread_name_prefix="memroute-settings")
        self._watch = SettingsWatch(str(settings.DATABASES["default"]["NAME"]), self._settings_executor)
        self._upstream: Upstream | None = None
        self._pipeline: Pipeline | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Dispatch one ASGI connection."""
        if scope["type"] == "http" and scope["path"] == CHAT_PATH:
            await self._chat(scope, receive, send)
        elif scope["type"] == "lifespan":
            await self._lifespan(receive, send)
        else:
            await self._django(scope, receive, send)

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                await self._start()
                await send({"type": "lifespan.startup.complete"})
            elif message["type"] == "lifespan.shutdown":
                await self._stop()
                await send({"type": "lifespan.shutdown.complete"})
                return

    async def _start(self) -> None:
        self._ready()
        await self._watch.current()

    def _ready(self) -> Pipeline:
        """Make what needs a running loop, once."""
        if self._pipeline is None:
            background.start()
            self._upstream = Upstream()
            self._pipeline = Pipeline(self._upstream, background, self._run_recall)
        return self._pipeline

    async def _stop(self) -> None:
        """Drain: the running streams have ended by now; the capture queue empties, then the connections close."""
        done = await asyncio.get_running_loop().run_in_executor(None, background.stop, DRAIN_SECONDS)
        if not done:
            logger.error("memory.background.undrained", extra={"seconds": DRAIN_SECONDS})
        if self._upstream is not None:
            await self._upstream.aclose()
        self._watch.close()
        self._executor.shutdown(wait=False, cancel_futures=True)
        self._settings_executor.shutdown(wait=False, cancel_futures=True)

    async def _run_recall(self, request: RecallRequest) -> RecallResult:
        return await asyncio.get_running_loop().run_in_executor(self._executor, recall, request)

    async def _chat(self, scope: Scope, receive: Receive, send: Send) -> None:
        raw_headers: Headers = scope["headers"]
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw_headers}
        chat = Chat(b"", headers, raw_headers)
        relay = Relay(send, chat.started)
        try:
            if scope["method"] != "POST":
                raise MethodNotAllowed
            snapshot = await self._watch.current()
            key = authenticate(headers, snapshot, chat.at)
            async with asyncio.timeout(BODY_SECONDS):
                chat.raw = await read_body(receive, headers, settings.MEMROUTE_MAX_BODY_BYTES)
            await _while_connected(receive, self._ready().chat(chat, key, snapshot, relay))
        except (ClientGone, TimeoutError):
            return
        except BrokenOff:
            raise
        except ProxyError as error:
            await relay.send_error(error, [(b"x-memroute-request-id", chat.request_id.encode()), *error.headers])
        except Exception:  # the last boundary: a client gets an error it can read, whatever happened
            logger.exception("proxy.chat.failed", extra={"request": chat.request_id})
            if relay.begun:
                raise
            await relay.send_error(InternalError(), [(b"x-memroute-request-id", chat.request_id.encode())])


async def read_body(receive: Receive, headers: dict[str, str], limit: int) -> bytes:
    """Read a request body of at most `limit` bytes; raise BodyTooLarge, UnsupportedEncoding or ClientGone."""
    if headers.get("content-encoding", "identity").lower() not in ("identity", ""):
        raise UnsupportedEncoding
    declared = headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise BodyTooLarge(limit)
    message = await receive()
    if message["type"] == "http.request" and not message.get("more_body"):
        body: bytes = message.get("body", b"")
        if len(body) > limit:
            raise BodyTooLarge(limit)
        return body
    return await _read_rest(message, receive, limit)


async def _read_rest(message: dict[str, Any], receive: Receive, limit: int) -> bytes:
    chunks, size = [], 0
    while True:
        if message["type"] != "http.request":
            raise ClientGone
        chunks.append(message.get("body", b""))
        size += len(chunks[-1])
        if size > limit:
            raise BodyTooLarge(limit)
        if not message.get("more_body"):
            return b"".join(chunks)
        message = await receive()


async def _while_connected(receive: Receive, work: Awaitable[None]) -> None:
    """Do the work unless the client leaves; then it is cancelled at once, and with it the upstream request."""
    task = asyncio.current_task()
    gone = False

    def left(watch: asyncio.Future[Any]) -> None:
        nonlocal gone
        if not watch.cancelled() and task is not None:
            gone = True
            task.cancel()

    watch = asyncio.ensure_future(_disconnected(receive))
    watch.add_done_callback(left)
    try:
        await work
    except asyncio.CancelledError:
        if not gone:
            raise
        if task is not None:
            task.uncancel()
        raise ClientGone from None
    finally:
        watch.remove_done_callback(left)
        watch.cancel()


async def _disconnected(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
