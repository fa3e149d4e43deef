"""A process beside a server under test, on the same data: runs the Python it is sent, one JSON line each way."""

from __future__ import annotations

import contextlib
import io
import json
import sys
import traceback

import memroute  # noqa: F401  (chooses the SQLite driver before Django is imported)


def main() -> None:
    """Execute until the input ends."""
    import django

    django.setup()
    for line in sys.stdin:
        printed = io.StringIO()
        error = ""
        try:
            with contextlib.redirect_stdout(printed):
                exec(json.loads(line), {})  # noqa: S102  (that is its purpose)
        except Exception:  # noqa: BLE001  (reported to the test)
            error = traceback.format_exc()
        sys.stdout.write(json.dumps({"out": printed.getvalue(), "error": error}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
