"""An upstream that answers a chat completion in well under 0.1 ms: a protocol on the event loop, no framework."""

from __future__ import annotations

import asyncio
import json
import sys

BODY = json.dumps(
    {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Fine, thank you."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13},
    }
).encode()
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(BODY) + BODY
EVENTS = [
    b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m",'
    b'"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}]}\n\n'
    for _ in range(20)
]
END = (
    b'data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},'
    b'"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
)
STREAM_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n" % len(data) + data + b"\r\n"


class Upstream(asyncio.Protocol):
    """Answers each request on a connection; one with `"stream":true` gets 21 events, one every millisecond."""

    def __init__(self) -> None:
        self.buffer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Answer when a request is complete."""
        self.buffer += data
        while (end := self.buffer.find(b"\r\n\r\n")) >= 0:
            head = self.buffer[:end].lower()
            at = head.find(b"content-length:")
            length = int(head[at + 15 :].split(b"\r\n", 1)[0]) if at >= 0 else 0
            if len(self.buffer) < end + 4 + length:
                return
            body, self.buffer = self.buffer[end + 4 : end + 4 + length], self.buffer[end + 4 + length :]
            self.answer(body)

    def answer(self, body: bytes) -> None:
        """Send the answer at once, or start the stream."""
        if b'"stream":true' in body or b'"stream": true' in body:
            self.transport.write(STREAM_HEAD)  # type: ignore[attr-defined]
            self.step(0)
        else:
            self.transport.write(ANSWER)  # type: ignore[attr-defined]

    def step(self, number: int) -> None:
        """Send one event and plan the next."""
        if self.transport.is_closing():
            return
        if number < len(EVENTS):
            self.transport.write(_chunk(EVENTS[number]))  # type: ignore[attr-defined]
            asyncio.get_running_loop().call_later(0.001, self.step, number + 1)
        else:
            self.transport.write(_chunk(END) + b"0\r\n\r\n")  # type: ignore[attr-defined]


async def main(port: int) -> None:
    """Serve until ended."""
    server = await asyncio.get_running_loop().create_server(Upstream, "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    try:
        import uvloop

        uvloop.run(main(int(sys.argv[1])))
    except KeyboardInterrupt:
        pass
