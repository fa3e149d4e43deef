"""`make bench`: added latency and requests/s of memroute beside a bare relay, memory off and on, in one run.

All processes share this machine, so absolute times drift; ratios within one run hold. Rounds are interleaved and the
median is taken.
"""

from __future__ import annotations

import asyncio
import json
import os
import platform
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.load import Measured, run

ROOT = Path(__file__).resolve().parent.parent
ROUNDS = 3
MEMORIES = 1000
SEED = ROOT / "benchmarks" / "seed.py"


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def process(command: list[str], port: int, env: dict[str, str]) -> Iterator[None]:
    """Run a server until the block ends."""
    with tempfile.TemporaryFile() as log:
        running = subprocess.Popen(command, cwd=ROOT, env=env, stdout=log, stderr=log)
        try:
            _wait(port, running)
            yield
        finally:
            running.send_signal(signal.SIGTERM)
            running.wait(60)


def _wait(port: int, running: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and running.poll() is None:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise RuntimeError(f"nothing listens on port {port}")


def manage(env: dict[str, str], *arguments: str) -> str:
    """Run a management command on the benchmark's data."""
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    return done.stdout


def request(port: int, secret: str, *, model: str, stream: bool, memory: str = "on") -> bytes:
    """One chat completion of a usual shape, as bytes."""
    body = json.dumps(
        {
            "model": model,
            "stream": stream,
            "temperature": 0.2,
            "messages": [
                {"role": "system", "content": "You are a helpful assistant. " * 20},
                {"role": "user", "content": "Which editor theme and which kind of coffee do I like?"},
            ],
        }
    ).encode()
    head = (
        f"POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\nauthorization: Bearer {secret}\r\n"
        f"x-memroute-memory: {memory}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


Case = tuple[str, int, bytes]


async def measure(cases: list[Case], *, connections: int, requests: int) -> dict[str, Measured]:
    """Run all cases in turn, several rounds, and return the medians by case."""
    rounds: dict[str, list[Measured]] = {name: [] for name, _, _ in cases}
    for _, port, payload in cases:
        await run(port, payload, connections=connections, requests=max(50, requests // 10))  # warm-up
    for _ in range(ROUNDS):
        for name, port, payload in cases:
            rounds[name].append(await run(port, payload, connections=connections, requests=requests))
    return {name: _median(results) for name, results in rounds.items()}


def _median(results: list[Measured]) -> Measured:
    return Measured(
        p50=statistics.median(r.p50 for r in results),
        p95=statistics.median(r.p95 for r in results),
        per_second=statistics.median(r.per_second for r in results),
        errors=sum(r.errors for r in results),
        first_byte_p50=statistics.median(r.first_byte_p50 for r in results),
    )


def main() -> None:
    """Start everything, measure, print the table."""
    upstream, floor, memroute = free_port(), free_port(), free_port()
    with tempfile.TemporaryDirectory() as data, ExitStack() as stack:
        env = {
            **os.environ,
            "MEMROUTE_DATA_DIR": data,
            "MEMROUTE_PORT": str(memroute),
            "FLOOR_UPSTREAM": f"http://127.0.0.1:{upstream}",
        }
        seeded = json.loads(manage(env, "create_api_key", "bench", "--json"))
        manage(env, "shell", "-v0", "-c", f"import runpy; runpy.run_path({str(SEED)!r}, {{'PORT': {upstream}}})")
        python = sys.executable
        stack.enter_context(process([python, "-m", "benchmarks.upstream", str(upstream)], upstream, env))
        bare = ["-m", "uvicorn", "benchmarks.floor:application", "--port", str(floor), "--no-access-log"]
        stack.enter_context(process([python, *bare, "--http", "httptools"], floor, env))
        stack.enter_context(process([python, "-m", "memroute.cli", "serve"], memroute, env))
        secret = seeded["secret"]

        def cases(stream: bool) -> list[Case]:
            plain = request(upstream, secret, model="m", stream=stream)
            return [
                ("direct", upstream, plain),
                ("bare relay (floor)", floor, plain),
                ("memroute, memory off", memroute, request(memroute, secret, model="m", stream=stream, memory="off")),
                ("memroute, memory on", memroute, request(memroute, secret, model="m", stream=stream)),
            ]

        print(f"{platform.platform()}, {os.cpu_count()} cores, Python {platform.python_version()}")
        print(
            f"upstream on loopback; memory on: {MEMORIES} memories in the key; medians of {ROUNDS} interleaved rounds\n"
        )
        single = asyncio.run(measure(cases(stream=False), connections=1, requests=400))
        many = asyncio.run(measure(cases(stream=False), connections=32, requests=1500))
        streams = asyncio.run(measure(cases(stream=True), connections=1, requests=40))
        report(single, many, streams)


def report(single: dict[str, Measured], many: dict[str, Measured], streams: dict[str, Measured]) -> None:
    """Print one row a case."""
    print(
        f"{'':24}{'p50 ms':>9}{'added ms':>10}{'req/s':>9}{'of floor':>10}{'p95 ms':>9}{'1st byte +ms':>14}{'errors':>8}"
    )
    print(f"{'':24}{'1 conn':>9}{'':>10}{'32 conn':>9}{'':>10}{'32 conn':>9}{'stream':>14}")
    direct, floor = single["direct"], many["bare relay (floor)"]
    for name, one in single.items():
        load, stream = many[name], streams[name]
        errors = one.errors + load.errors + stream.errors
        first = stream.first_byte_p50 - streams["direct"].first_byte_p50
        ratio = load.per_second / floor.per_second
        print(
            f"{name:24}{one.p50:9.2f}{one.p50 - direct.p50:10.2f}{load.per_second:9.0f}{ratio:10.2f}"
            f"{load.p95:9.1f}{first:14.2f}{errors:8}"
        )


if __name__ == "__main__":
    main()
