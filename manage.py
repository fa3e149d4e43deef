#!/usr/bin/env python
"""Django's command line for this project."""

import os
import sys


def main() -> None:
    """Run a management command; a nonsense environment ends in one sentence, not in a traceback."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "memroute.settings")
    from django.core.exceptions import ImproperlyConfigured
    from django.core.management import execute_from_command_line

    import memroute  # noqa: F401  (chooses the SQLite driver before Django is imported)

    try:
        execute_from_command_line(sys.argv)
    except ImproperlyConfigured as error:
        sys.exit(f"memroute: {error}")


if __name__ == "__main__":
    main()
