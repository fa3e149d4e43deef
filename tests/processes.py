"""Other processes for tests: a Python of the same environment with a data folder of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def environment(data_dir: Path, **variables: str) -> dict[str, str]:
    """Return the environment of a process: this one's without memroute's variables, then the given ones."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("MEMROUTE_", "MEMORY_", "DJANGO_", "COV"))}
    return {**inherited, "MEMROUTE_DATA_DIR": str(data_dir), **variables}


def run(*command: str, data_dir: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `python …` and wait for it."""
    return subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment(data_dir, **variables),
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def manage(*arguments: str, data_dir: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run `python manage.py …` and wait for it."""
    return run("manage.py", *arguments, data_dir=data_dir, **variables)


def python(code: str, *, data_dir: Path, **variables: str) -> str:
    """Run a script; return what it printed, fail with its traceback."""
    done = run("-c", code, data_dir=data_dir, **variables)
    assert done.returncode == 0, done.stderr
    return done.stdout
