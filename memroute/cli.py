"""The `memroute` command: `serve` and `doctor`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memroute.settings")
    arguments = make_parser().parse_args(argv)
    if not _set_up():
        return 2
    if arguments.command == "serve":
        from memroute.serve import serve as run

        return run(host=arguments.host, port=arguments.port)
    from memroute.doctor import doctor

    return doctor(sys.stdout)


def make_parser() -> argparse.ArgumentParser:
    """Describe the commands and their options."""
    parser = argparse.ArgumentParser(prog="memroute", description="A memory for any OpenAI-compatible client.")
    commands = parser.add_subparsers(dest="command", required=True)
    serve = commands.add_parser("serve", help="start the server; the first start sets everything up")
    serve.add_argument("--host", help="address to listen on (MEMROUTE_HOST, default 127.0.0.1)")
    serve.add_argument("--port", type=_port, help="port to listen on (MEMROUTE_PORT, default 8000; 0 takes a free one)")
    commands.add_parser("doctor", help="look at everything, mend what can be mended, say what to do about the rest")
    return parser


def _port(given: str) -> int:
    """Read a port; argparse turns the error into one sentence."""
    if not given.isdecimal() or int(given) > 65535:
        raise argparse.ArgumentTypeError(f"{given!r} is no port; it takes a whole number from 0 to 65535")
    return int(given)


def _set_up() -> bool:
    """Start Django; a nonsense environment ends in one sentence, not in a traceback."""
    import django
    from django.core.exceptions import ImproperlyConfigured

    try:
        django.setup()
    except ImproperlyConfigured as error:
        sys.stderr.write(f"memroute: {error}\n")
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
