"""Starting and stopping a server process."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import httpx

from tests.server import ROOT, Server
from tests.upstream import ScriptedUpstream, delta, events, streamed

# uvicorn ends gracefully and then by the signal itself, so that the parent sees why.
ENDED = (0, -signal.SIGTERM)


def test_what_was_said_last_is_remembered_after_a_stop(tmp_path: Path, upstream: ScriptedUpstream) -> None:
    with Server(tmp_path, upstream.base_url) as server:
        server.settings(enabled=True)
        server.start()
        for number in range(20):
            server.chat(f"I love fruit{number}")
        assert server.stop() in ENDED
        assert int(server.shell("from memories.models import Memory; print(Memory.objects.count())")) == 20


def test_a_running_stream_finishes_before_the_process_ends(tmp_path: Path, upstream: ScriptedUpstream) -> None:
    pieces = [*(events(delta(f"{n} ")) for n in range(10)), events(delta(finish="stop"), "[DONE]")]
    upstream.script(streamed(pieces, pause=0.1))
    replies: list[httpx.Response] = []
    with Server(tmp_path, upstream.base_url) as server:
        server.settings(enabled=True)
        server.start()
        asking = threading.Thread(target=lambda: replies.append(server.chat("I prefer tabs", model="m")))
        asking.start()
        time.sleep(0.4)
        assert server.stop() in ENDED
        asking.join(10)
        assert int(server.shell("from memories.models import Memory; print(Memory.objects.count())")) == 1
    assert replies[0].content == b"".join(pieces)


def test_a_taken_port_is_one_sentence(server: Server) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "memroute.cli", "serve"],
        env=server.env,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )
    assert done.returncode == 1
    assert f"port {server.port}" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_the_second_start_is_quick(tmp_path: Path, upstream: ScriptedUpstream) -> None:
    with Server(tmp_path, upstream.base_url) as server:
        before = time.monotonic()
        server.start()
        took = time.monotonic() - before
    assert took < 15  # the aim is 3 s; the margin is for busy machines


def test_create_api_key_migrates_a_new_file_first(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "manage.py", "create_api_key", "First", "--scopes", "proxy,management", "--json"],
        env={"MEMROUTE_DATA_DIR": str(tmp_path), "PATH": "/usr/bin:/bin"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    made = json.loads(done.stdout)
    assert set(made) == {"id", "secret"}
