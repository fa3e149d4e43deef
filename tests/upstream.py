"""A scripted upstream on loopback: it answers with exactly the bytes a test wrote down, in exactly those pieces."""

from __future__ import annotations

import asyncio
import contextlib
import json
import threading
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

Step = bytes | float | str


@dataclass
class Seen:
    """A request as it arrived."""

    line: str
    headers: dict[str, str]
    body: bytes
    disconnected: threading.Event = field(default_factory=threading.Event)

    @property
    def json(self) -> dict[str, Any]:
        """The body, parsed."""
        parsed: dict[str, Any] = json.loads(self.body)
        return parsed


def head(status: int = 200, content_type: str = "application/json", **headers: str) -> bytes:
    """Return a response head; extra headers with _ for -."""
    lines = [f"HTTP/1.1 {status} X", f"content-type: {content_type}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def chunk(data: bytes) -> bytes:
    """Frame bytes as one HTTP chunk."""
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


LAST_CHUNK = b"0\r\n\r\n"


def streamed(pieces: Iterable[bytes], status: int = 200, pause: float = 0.0) -> list[Step]:
    """Steps of an event stream sent in the given pieces."""
    steps: list[Step] = [head(status, "text/event-stream", transfer_encoding="chunked")]
    for piece in pieces:
        steps.append(chunk(piece))
        if pause:
            steps.append(pause)
    return [*steps, LAST_CHUNK]


def answered(body: bytes | dict[str, Any], status: int = 200, **headers: str) -> list[Step]:
    """Steps of a plain answer."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return [head(status, content_length=str(len(data)), **headers) + data]


def completion(text: str) -> dict[str, Any]:
    """A chat completion that says something."""
    message = {"role": "assistant", "content": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
    }


def events(*payloads: dict[str, Any] | str) -> bytes:
    """Frame payloads as server-sent events."""
    texts = [p if isinstance(p, str) else json.dumps(p, ensure_ascii=False) for p in payloads]
    return "".join(f"data: {text}\n\n" for text in texts).encode()


def delta(text: str | None = None, finish: str | None = None, **extra: Any) -> dict[str, Any]:
    """A completion chunk."""
    content = {"content": text} if text is not None else {}
    choice = {"index": 0, "delta": {**content, **extra}, "finish_reason": finish}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}


class ScriptedUpstream:
    """Runs in a thread of its own. Steps: bytes are sent, a number is a pause, "close" and "reset" end the connection,
    "wait" waits for the client to leave."""

    def __init__(self) -> None:
        self.requests: list[Seen] = []
        self.scripts: list[list[Step]] = []
        self.default: list[Step] = answered(completion("Hello."))
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result(5)
        self.port = self._server.sockets[0].getsockname()[1]
        self.base_url = f"http://127.0.0.1:{self.port}/v1"

    def script(self, *scripts: list[Step]) -> None:
        """Answer the next requests with these, one each; then the default."""
        self.scripts.extend(scripts)

    def reset(self) -> None:
        """Forget requests and scripts."""
        self.requests.clear()
        self.scripts.clear()
        self.default = answered(completion("Hello."))

    @property
    def last(self) -> Seen:
        """The newest request."""
        return self.requests[-1]

    def close(self) -> None:
        """Stop the server and its thread."""

        async def stop() -> None:
            self._server.close()
            tasks = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(stop(), self._loop).result(5)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._one(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        raw = await reader.readuntil(b"\r\n\r\n")
        line, *rest = raw.decode("latin-1").split("\r\n")
        headers = {k.lower(): v for k, _, v in (row.partition(": ") for row in rest if row)}
        seen = Seen(line, headers, await reader.readexactly(int(headers.get("content-length", "0"))))
        self.requests.append(seen)
        steps = self.scripts.pop(0) if self.scripts else self.default
        for step in steps:
            if step == "wait":
                await self._until_gone(reader, seen)
                return False
            if step == "close":
                return False
            if step == "reset":
                writer.transport.abort()
                return False
            if isinstance(step, bytes):
                writer.write(step)
                try:
                    await writer.drain()
                except ConnectionError:
                    seen.disconnected.set()
                    raise
            elif isinstance(step, int | float):
                await asyncio.sleep(step)
        return True

    @staticmethod
    async def _until_gone(reader: asyncio.StreamReader, seen: Seen) -> None:
        with contextlib.suppress(ConnectionError):
            await reader.read(1)
        seen.disconnected.set()
