"""The README's own commands, run as they stand against a real server."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server import ROOT, Server

README = (ROOT / "README.md").read_text()


def block(language: str, number: int = 0) -> str:
    """A code block of the README."""
    return str(re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)[number])


@pytest.fixture
def newcomer(server: Server) -> Server:
    _, server.key = server.create_key("newcomer", "proxy,management")
    server.settings(enabled=False)
    return server


def test_the_first_conversation_in_curl(newcomer: Server) -> None:
    script = (
        block("sh").replace("localhost:8000", f"127.0.0.1:{newcomer.port}").replace(".venv/bin/python", sys.executable)
    )
    done = subprocess.run(
        ["bash", "-euc", script],
        env={**newcomer.env, "KEY": newcomer.key},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert "x-memroute-memories: 2" in done.stdout
    assert '"tabs' in done.stdout
    assert "Ada" in done.stdout


def test_the_first_conversation_in_python(newcomer: Server, tmp_path: Path) -> None:
    newcomer.settings(enabled=True)
    script = block("python").replace("localhost:8000", f"127.0.0.1:{newcomer.port}")
    path = tmp_path / "first.py"
    path.write_text(f"KEY = {newcomer.key!r}\n{script}")
    done = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=60, check=True)
    assert "Ada" in done.stdout.splitlines()[-1]


def test_it_says_how_to_begin_before_line_40() -> None:
    beginning = "\n".join(README.splitlines()[:40])
    assert all(word in beginning for word in ("make run", "curl", "from openai import OpenAI"))
