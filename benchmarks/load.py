"""A load generator for chat completions on loopback: bounded in requests and time, as light as Python can be."""

from __future__ import annotations

import asyncio
import statistics
import time
from dataclasses import dataclass

TIME_LIMIT = 60.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Latencies in milliseconds and throughput of one run."""

    p50: float
    p95: float
    per_second: float
    errors: int
    first_byte_p50: float


class Client(asyncio.Protocol):
    """One keep-alive connection that sends a request and waits for its complete answer."""

    def __init__(self) -> None:
        self.done: asyncio.Future[int] | None = None
        self.buffer = b""
        self.first = 0.0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Note the first byte; finish when the answer is complete."""
        if not self.buffer:
            self.first = time.perf_counter()
        self.buffer += data
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0 or self.done is None or self.done.done():
            return
        head = self.buffer[:end].lower()
        at = head.find(b"content-length:")
        if at >= 0:
            complete = len(self.buffer) >= end + 4 + int(head[at + 15 :].split(b"\r\n", 1)[0])
        else:
            complete = self.buffer.endswith(b"0\r\n\r\n")
        if complete:
            status = int(self.buffer[9:12])
            self.buffer = b""
            self.done.set_result(status)

    def connection_lost(self, exc: Exception | None) -> None:
        """A lost connection is an error of the request under way."""
        if self.done is not None and not self.done.done():
            self.done.set_result(0)

    async def ask(self, request: bytes) -> int:
        """Send one request and return the status of its answer."""
        self.done = asyncio.get_running_loop().create_future()
        self.transport.write(request)  # type: ignore[attr-defined]
        return await asyncio.wait_for(self.done, TIME_LIMIT)


async def run(port: int, request: bytes, *, connections: int, requests: int) -> Measured:
    """Send `requests` in all over `connections` and measure."""
    loop = asyncio.get_running_loop()
    clients = [(await loop.create_connection(Client, "127.0.0.1", port))[1] for _ in range(connections)]
    times: list[float] = []
    firsts: list[float] = []
    errors = 0
    left = requests
    stop = time.perf_counter() + TIME_LIMIT

    async def worker(client: Client) -> None:
        nonlocal errors, left
        while left > 0 and time.perf_counter() < stop:
            left -= 1
            before = time.perf_counter()
            status = await client.ask(request)
            times.append((time.perf_counter() - before) * 1000)
            firsts.append((client.first - before) * 1000)
            errors += status != 200

    started = time.perf_counter()
    await asyncio.gather(*(worker(client) for client in clients))
    took = time.perf_counter() - started
    for client in clients:
        client.transport.close()
    return Measured(
        p50=statistics.median(times),
        p95=sorted(times)[int(len(times) * 0.95)],
        per_second=len(times) / took,
        errors=errors,
        first_byte_p50=statistics.median(firsts),
    )
