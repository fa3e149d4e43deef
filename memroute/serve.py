"""`memroute serve`: the server process and what it says when it is ready."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import socket
import sys

import uvicorn
from django.conf import settings
from django.db import DatabaseError

from memroute import __version__
from memroute.bootstrap import FirstStart, bootstrap
from settings_app.selectors import memory_values

GRACEFUL_SECONDS = 30
BACKLOG = 2048
# The event loop and the recall threads share the interpreter lock; at Python's 5 ms each hand-over would show in every reply.
SWITCH_INTERVAL = 0.0005

GUIDE = """memroute {version} is ready: {url}
  data    {data}
  admin   {url}/admin/{admin}
  key     {key}

{state}

{prelude}{settings}
curl -sN {url}/v1/chat/completions -H "Authorization: Bearer {token}" -H "Content-Type: application/json" -H "x-memroute-session-id: first" \\
  -d '{{"model": "memroute/demo", "messages": [{{"role": "user", "content": "I prefer tabs and my name is Ada"}}]}}'

curl -isN {url}/v1/chat/completions -H "Authorization: Bearer {token}" -H "Content-Type: application/json" -H "x-memroute-session-id: second" \\
  -d '{{"model": "memroute/demo", "stream": true, "messages": [{{"role": "user", "content": "Do I prefer tabs or spaces, and what is my name?"}}]}}'

The reply's x-memroute-request-id leads to its receipt, which says what was remembered and why:

curl -s "{url}/api/memory/receipts?limit=1" -H "Authorization: Bearer {token}"

Stop with Ctrl-C.
"""


MEMORY_IS_OFF = """Memory is off until you switch it on: what is remembered is added to every request, and your provider bills those tokens.
Switch it on, say something, then ask in a new conversation (in a second terminal):"""
MEMORY_IS_ON = """Memory is on. Say something, then ask in a new conversation (in a second terminal):"""


class Server(uvicorn.Server):
    """Says what to do next once it listens."""

    guide = ""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start as uvicorn does, then print the guide."""
        await super().startup(sockets)
        if self.started:
            sys.stdout.write(self.guide)
            sys.stdout.flush()


def serve(*, host: str | None = None, port: int | None = None) -> int:
    """Migrate, bootstrap and serve until stopped; returns the exit code."""
    address, number = host or settings.MEMROUTE_HOST, settings.MEMROUTE_PORT if port is None else port
    try:
        listener = listen(address, number)
    except OSError as error:
        sys.stderr.write(f"memroute: cannot listen on {address} port {number}: {error.strerror}. {_port_hint(error)}\n")
        return 1
    try:
        first = bootstrap()
    except DatabaseError as error:
        listener.close()
        sys.stderr.write(
            f"memroute: the database in {settings.MEMROUTE_DATA_DIR} cannot be used: {error}. Run: memroute doctor\n"
        )
        return 1
    sys.setswitchinterval(SWITCH_INTERVAL)
    server = Server(_config())
    server.guide = guide(address, listener.getsockname()[1], first, memory_on=memory_values().enabled)
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[listener])
    return 0 if server.started else 3


def listen(host: str, port: int) -> socket.socket:
    """Listen before anything else is done, so that a taken port is told in one sentence; port 0 takes any free one.

    Two sockets may be bound to one port until one of them listens, so binding alone does not tell.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
        listener.set_inheritable(True)
    except OSError:
        listener.close()
        raise
    return listener


def _port_hint(error: OSError) -> str:
    if error.errno == errno.EADDRINUSE:
        return "Something else listens there: stop it, or choose another port with MEMROUTE_PORT=8001."
    return "Choose another address or port with MEMROUTE_HOST and MEMROUTE_PORT."


def _config() -> uvicorn.Config:
    return uvicorn.Config(
        "memroute.asgi:application",
        loop="auto",
        http="httptools",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACEFUL_SECONDS,
        backlog=BACKLOG,
    )


def guide(host: str, port: int, first: FirstStart, *, memory_on: bool = False) -> str:
    """Return what is printed when the server is ready: commands that work as they stand."""
    shown = "localhost" if host in ("0.0.0.0", "::", "127.0.0.1") else host  # noqa: S104  (compared, not bound)
    url = f"http://{'[' + shown + ']' if ':' in shown else shown}:{port}"
    manage = f"{shlex.quote(sys.executable)} {shlex.quote(str(settings.BASE_DIR / 'manage.py'))}"
    if "MEMROUTE_DATA_DIR" in os.environ:
        manage = f"MEMROUTE_DATA_DIR={shlex.quote(str(settings.MEMROUTE_DATA_DIR))} {manage}"
    new_key = f'export MEMROUTE_KEY="$({manage} create_api_key NAME --scopes proxy,management)"'
    lost = f"; lost? {manage} changepassword admin"
    return GUIDE.format(
        version=__version__,
        url=url,
        data=settings.MEMROUTE_DATA_DIR,
        admin=f"   user admin, password {first.admin_password} (shown once)" if first.admin_password else lost,
        key=f"{first.api_key} (shown once)" if first.api_key else "as created before; its secret is not stored",
        token=first.api_key or "$MEMROUTE_KEY",
        state=MEMORY_IS_ON if memory_on else MEMORY_IS_OFF,
        prelude="" if first.api_key else f"{new_key}\n",
        settings="" if memory_on else f"{manage} memory_settings --set enabled=true\n",
    )
