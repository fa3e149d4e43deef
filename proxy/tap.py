"""Listening at the side of a relayed answer: what was said, how it ended, what it cost. The answer itself is not touched."""

from __future__ import annotations

import io
import json
from typing import Any

from proxy.messages import text_of, well_formed

# A longer event, such as an image in base64, is passed over; the tap never holds more than this and the text.
EVENT_BYTES = 1024 * 1024


class StreamTap:
    """Reads the server-sent events of a streamed chat completion, fed chunk by chunk, split anywhere.

    - `text`: what choice 0 said, its first `limit` characters; `truncated` says that something was left out.
    - `finish_reason` of choice 0 and `usage`: the last ones seen, or None.
    - `done`: `[DONE]` came; `error`: an error event came; `garbage`: how many events could not be read.

    An event counts when its blank line has come, as for every client. Feeding costs time linear in the bytes, however they
    are cut, and memory is bounded.
    """

    def __init__(self, limit: int = 262144) -> None:
        self.truncated = False
        self.finish_reason: str | None = None
        self.usage: dict[str, Any] | None = None
        self.done = False
        self.error = False
        self.garbage = 0
        self._room = limit
        self._text = io.StringIO()
        self._at_start = True
        self._after_cr = False
        self._line = bytearray()
        self._data = bytearray()
        self._name = b""
        self._too_long = False

    @property
    def text(self) -> str:
        """What choice 0 said so far."""
        return well_formed(self._text.getvalue())

    @property
    def complete(self) -> bool:
        """Whether the answer came to its end: choice 0 finished or `[DONE]` came, and no error did."""
        return (self.done or self.finish_reason is not None) and not self.error

    def feed(self, chunk: bytes) -> None:
        """Read the next bytes of the stream."""
        if self._after_cr and chunk.startswith(b"\n"):
            chunk = chunk[1:]
            self._after_cr = False
        if not chunk:
            return
        self._after_cr = chunk.endswith(b"\r")
        # Of bytes, splitlines knows exactly the three line ends of the event stream format.
        lines = chunk.splitlines()
        rest = b"" if chunk.endswith((b"\r", b"\n")) else lines.pop()
        for line in lines:
            if self._line:
                self._hold(line)
                line = bytes(self._line)  # noqa: PLW2901  # the rest of a line that began in an earlier chunk
                self._line.clear()
            self._end_line(line)
        self._hold(rest)

    def _hold(self, piece: bytes) -> None:
        """Keep the beginning of a line."""
        if self._fits(piece):
            self._line += piece
        else:
            # A comment: the overlong line must not look like the blank one that ends an event.
            self._line[:] = b":"

    def _fits(self, piece: bytes) -> bool:
        """Say whether the event has room for more; an event that had not is passed over."""
        if len(self._line) + len(self._data) + len(piece) > EVENT_BYTES:
            self._too_long = True
            self._data.clear()
            return False
        return True

    def _end_line(self, line: bytes) -> None:
        if self._at_start:
            line = line.removeprefix(b"\xef\xbb\xbf")
            self._at_start = False
        if not line:
            self._end_event()
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data" and self._fits(value):
            self._data += value + b"\n"
        elif field == b"event":
            self._name = value

    def _end_event(self) -> None:
        data, name, too_long = bytes(self._data).removesuffix(b"\n"), self._name, self._too_long
        self._data.clear()
        self._name, self._too_long = b"", False
        self.error = self.error or name == b"error"
        if too_long:
            self.truncated = True
        elif data.strip() == b"[DONE]":
            self.done = True
        elif data:
            self._read(_json_object(data))

    def _read(self, event: dict[str, Any] | None) -> None:
        if event is None:
            self.garbage += 1
            return
        self.error = self.error or bool(event.get("error"))
        usage, choices = event.get("usage"), event.get("choices")
        if isinstance(usage, dict):
            self.usage = usage
        for choice in choices if isinstance(choices, list) else []:
            if isinstance(choice, dict) and choice.get("index", 0) == 0:
                self._read_choice(choice)

    def _read_choice(self, choice: dict[str, Any]) -> None:
        delta, reason = choice.get("delta"), choice.get("finish_reason")
        if isinstance(reason, str) and reason:
            self.finish_reason = reason
        said = text_of(delta.get("content")) if isinstance(delta, dict) else ""
        if said:
            self.truncated = self.truncated or len(said) > self._room
            self._room -= self._text.write(said[: self._room])


class BodyTap:
    """Collects a JSON answer that is no stream, up to `limit` bytes."""

    def __init__(self, limit: int = 1024 * 1024) -> None:
        self.truncated = False
        self._limit = limit
        self._body = bytearray()

    def feed(self, chunk: bytes) -> None:
        """Keep the next bytes; beyond the limit nothing is kept, because half an answer cannot be read."""
        if self.truncated or len(self._body) + len(chunk) > self._limit:
            self.truncated = True
            self._body.clear()
        else:
            self._body += chunk

    def parsed(self) -> dict[str, Any] | None:
        """Return the answer, or None when it is no JSON object or was too long."""
        return _json_object(bytes(self._body))


def _json_object(data: bytes) -> dict[str, Any] | None:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
