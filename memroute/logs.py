"""Log lines: one line each, as text or JSON, whatever the message contains."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime

# What every LogRecord has; anything else was passed as `extra=` and belongs to the event.
STANDARD = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
# Django adds the request, whose repr holds the query string: words somebody searched for, or a key in a mistyped address.
NOT_LOGGED = {"request", "server_time"}


def _extras(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in STANDARD | NOT_LOGGED}


def _when(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class TextFormatter(logging.Formatter):
    """`time level logger event name=value …`; line breaks and control characters are escaped, so none can be forged."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the one line of a record, with its traceback escaped at the end."""
        parts = [_when(record), record.levelname, record.name, record.getMessage()]
        parts += [f"{name}={value}" for name, value in _extras(record).items()]
        if record.exc_info:
            parts.append(self.formatException(record.exc_info))
        line = " ".join(parts)
        return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


class JsonFormatter(logging.Formatter):
    """One JSON object a line: `time`, `level`, `logger`, `event`, and what the event carries."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the JSON line of a record; `error` holds its traceback."""
        # What the event carries comes first, so that it cannot pass for another time, level, logger or event.
        entry: dict[str, object] = {
            **_extras(record),
            "time": _when(record),
            "level": record.levelname,
            "logger": record.name,
            "event": record.getMessage(),
        }
        if record.exc_info:
            entry["error"] = self.formatException(record.exc_info)
        return json.dumps(entry, default=str)
