"""A real `memroute serve` process for tests, with what tests do to it from outside."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parent.parent


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Server:
    """One process; `key` has both scopes, `other` is somebody else's proxy key."""

    USUAL = {
        "enabled": True,
        "strategy": "hybrid",
        "maxTokens": 2000,
        "injectionPlacement": "auto",
        "reviewMode": False,
    }

    def __init__(self, data_dir: Path, upstream_url: str) -> None:
        self.data_dir = data_dir
        self.upstream_url = upstream_url
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.env = {
            **{k: v for k, v in os.environ.items() if not k.startswith(("MEMROUTE_", "MEMORY_"))},
            "MEMROUTE_DATA_DIR": str(data_dir),
            "MEMROUTE_PORT": str(self.port),
        }
        self.process: subprocess.Popen[str] | None = None
        self.worker: subprocess.Popen[str] | None = None
        try:
            self.key_id, self.key = self.create_key("Alice", "proxy,management")
            self.other_id, self.other = self.create_key("Bob", "proxy")
            self.add_provider("up", upstream_url, is_default=True)
        except BaseException:
            self.close()
            raise

    def manage(self, *arguments: str) -> str:
        """Run a management command on the server's data; return what it printed."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "manage.py"), *arguments],
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def create_key(self, name: str, scopes: str = "proxy") -> tuple[str, str]:
        """Create a key; return its public id and its secret."""
        made = self.shell(
            "from settings_app.services import key_create\n"
            f"key, secret = key_create(name={name!r}, scopes={scopes.split(',')!r}, actor='test')\n"
            "print(key.uuid, secret)"
        )
        key_id, secret = made.split()
        return key_id, secret

    def shell(self, code: str) -> str:
        """Run Python inside the project, on the server's data, in a process of its own that stays; return what it printed."""
        if self.worker is None:
            self.manage("migrate", "-v0")
            self.worker = subprocess.Popen(
                [sys.executable, "-m", "tests.worker"],
                env=self.env,
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
        assert self.worker.stdin is not None
        assert self.worker.stdout is not None
        self.worker.stdin.write(json.dumps(code) + "\n")
        self.worker.stdin.flush()
        answer = json.loads(self.worker.stdout.readline())
        assert not answer["error"], answer["error"]
        return str(answer["out"])

    def add_provider(self, slug: str, base_url: str, **fields: Any) -> None:
        """Add or change a provider, with the credential `upstream-secret`."""
        self.shell(
            "from settings_app.models import Provider; from settings_app.services import provider_save\n"
            f"p = Provider.objects.filter(slug={slug!r}).first() or Provider(slug={slug!r})\n"
            f"p.base_url = {base_url!r}\n"
            f"for name, value in {fields!r}.items(): setattr(p, name, value)\n"
            "provider_save(provider=p, actor='test', credential='upstream-secret')"
        )

    def settings(self, **changes: Any) -> None:
        """Change memory settings by their API names."""
        self.shell(
            "from settings_app.services import memory_settings_update\n"
            f"memory_settings_update(changes={changes!r}, actor='test')"
        )

    def start(self) -> None:
        """Start the process and wait until it is ready."""
        with (self.data_dir / "out.txt").open("a") as out, (self.data_dir / "err.txt").open("a") as err:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "memroute.cli", "serve"],
                env=self.env,
                cwd=ROOT,
                stdout=out,
                stderr=err,
                text=True,
            )
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            try:
                if httpx.get(f"{self.url}/api/health/ready", timeout=1).status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.05)
            assert self.process.poll() is None, (self.data_dir / "err.txt").read_text()
        raise TimeoutError((self.data_dir / "err.txt").read_text())

    def stop(self) -> int:
        """Ask the process to end and wait for it; return its exit code."""
        if self.process is None or self.process.poll() is not None:
            return 0
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise

    def close(self) -> None:
        """Stop everything that was started for this server."""
        self.stop()
        if self.worker is not None:
            self.worker.communicate(timeout=20)
            self.worker = None

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def log(self) -> str:
        """Everything the process logged so far."""
        return (self.data_dir / "err.txt").read_text()

    def chat(self, text: str, *, key: str = "", model: str = "memroute/demo", **headers: str) -> httpx.Response:
        """Send one user message; extra headers with _ for -."""
        return httpx.post(
            f"{self.url}/v1/chat/completions",
            json={"model": model, "messages": [{"role": "user", "content": text}]},
            headers={
                "authorization": f"Bearer {key or self.key}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
            timeout=20,
        )

    def receipt(self, request_id: str) -> httpx.Response:
        """Fetch a receipt as the operator."""
        return httpx.get(
            f"{self.url}/api/memory/receipts/{request_id}",
            headers={"authorization": f"Bearer {self.key}"},
            timeout=20,
        )
