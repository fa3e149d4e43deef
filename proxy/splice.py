"""Editing JSON in place: what is not edited keeps its bytes, down to key order, number spellings and white space."""

from __future__ import annotations

import json
import re

Path = tuple[str | int, ...]
Span = tuple[int, int]

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_BOM = b"\xef\xbb\xbf"
# A closing quote without a backslash before it ends the string for certain, and one loop over "not a quote" finds it four
# times faster than a character class; only a string with an escaped quote takes the second way. Everything is possessive:
# no backtracking, so the time is linear.
_PLAIN = rb'"[^"]*+(?<!\\)"'
_ANY = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_STRING = rb"(?:" + _PLAIN + rb"|" + _ANY + rb")"


def _inside(levels: int) -> bytes:
    """Return the pattern of anything inside a container that nests at most `levels` deeper; no bracket stays open."""
    nested = rb"|[\[{]" + _inside(levels - 1) + rb"[\]}]" if levels else b""
    return rb'(?:[^"\[\]{}]++|' + _STRING + nested + rb")*+"


# Three levels are passed without coming back to Python: a chat message holds no more (content, part, image, address).
_VALUE = rb"(?:" + _STRING + rb"|[\[{]" + _inside(3) + rb"[\]}]|[^\s,:\"\[\]{}]++)"
_FLAT = re.compile(_VALUE, re.DOTALL)
_INSIDE = re.compile(_inside(2), re.DOTALL)
_ELEMENT = re.compile(rb"[\s,]*+(" + _VALUE + rb")", re.DOTALL)
_KEY = re.compile(rb"[\s,]*+(" + _STRING + rb")\s*+:\s*+", re.DOTALL)
_GAP = re.compile(rb"[\s,]*+")
_OPENING = frozenset(b"[{")
_ARRAY = ord("[")


class JsonEdit:
    """Edits of one JSON document, gathered and applied at once.

    `raw` must be valid JSON, as `json.loads` reads it: UTF-8 with or without a byte order mark (UTF-16 and UTF-32 are turned
    into UTF-8). All paths name places in the original document, and of duplicate keys the last one, as in `json.loads`.
    A path that leads nowhere raises LookupError; edits that overlap make `apply` raise ValueError.
    """

    def __init__(self, raw: bytes) -> None:
        encoding = json.detect_encoding(raw)
        if not encoding.startswith("utf-8"):
            raw = raw.decode(encoding, "surrogatepass").encode("utf-8", "surrogatepass")
        self._raw = raw
        self._edits: list[tuple[int, int, bytes]] = []
        self._objects: dict[Path, dict[bytes, Span]] = {}
        self._arrays: dict[int, list[Span]] = {}
        self._filled: set[Path] = set()

    def replace(self, path: Path, value: object) -> None:
        """Put `value` in the place of the value at `path`."""
        start, end = self._span(path)
        self._edits.append((start, end, dumped(value)))

    def insert(self, path: Path, index: int, value: object) -> None:
        """Put `value` before element `index` of the array at `path`; its length as the index appends."""
        elements = self._elements(path)
        if not 0 <= index <= len(elements):
            raise IndexError(f"{path} has {len(elements)} elements, no place {index}")
        if index < len(elements):
            at = elements[index][0]
            self._edits.append((at, at, dumped(value) + b","))
        else:
            self._append(path, elements, dumped(value))

    def put(self, path: Path, value: object) -> None:
        """Replace the value at `path`, or add it to the end of its object when the key is missing."""
        parent, key = path[:-1], str(path[-1])
        members = self._members(parent)
        if _utf8(key) in members:
            self.replace(path, value)
        else:
            self._append(parent, list(members.values()), dumped(key) + b":" + dumped(value))

    def prepend(self, path: Path, text: str) -> None:
        """Put `text` in front of the string at `path`; the rest of the string keeps its spelling."""
        start, _ = self._span(path)
        if self._raw[start] != ord('"'):
            raise LookupError(f"{path} is no string")
        self._edits.append((start + 1, start + 1, dumped(text)[1:-1]))

    def apply(self) -> bytes:
        """Return the edited document; without edits, `raw` itself (or its UTF-8 form)."""
        if not self._edits:
            return self._raw
        pieces: list[bytes] = []
        done = 0
        # Stable, and an insertion (an empty span) comes before a replacement at the same place.
        for start, end, new in sorted(self._edits, key=lambda edit: edit[:2]):
            if start < done:
                raise ValueError("two edits overlap")
            pieces += self._raw[done:start], new
            done = end
        pieces.append(self._raw[done:])
        return b"".join(pieces)

    def _append(self, path: Path, spans: list[Span], new: bytes) -> None:
        """Add an element or a member at the end of the container at `path`."""
        # The last member by place: a duplicate key moves only the value, not its rank among the keys.
        at = max(spans)[1] if spans else self._span(path)[0] + 1
        comma = b"," if spans or path in self._filled else b""
        self._filled.add(path)
        self._edits.append((at, at, comma + new))

    def _span(self, path: Path) -> Span:
        if not path:
            start = _start(self._raw)
            return start, value_end(self._raw, start)
        last = path[-1]
        if isinstance(last, str):
            return self._members(path[:-1])[_utf8(last)]
        if last < 0:
            raise IndexError(f"{path} counts from the end")
        return self._elements(path[:-1])[last]

    def _members(self, path: Path, split: object = None) -> dict[bytes, Span]:
        """Return the spans of the values of the object at `path`; an array under the key `split` is read in the same pass."""
        if path not in self._objects:
            self._objects[path] = self._scanned(path, _utf8(split))
        return self._objects[path]

    def _scanned(self, path: Path, split: bytes) -> dict[bytes, Span]:
        raw, at = self._raw, self._opened(path, b"{")
        members: dict[bytes, Span] = {}
        while found := _KEY.match(raw, at):
            start = found.end()
            key = _key(found[1])
            if key == split and raw[start] == _ARRAY:
                self._arrays[start], at = _elements(raw, start + 1)
            else:
                at = value_end(raw, start)
            members[key] = start, at
        return members

    def _elements(self, path: Path) -> list[Span]:
        """Return the spans of the elements of the array at `path`."""
        if path and isinstance(path[-1], str):
            self._members(path[:-1], split=path[-1])
        inside = self._opened(path, b"[")
        if inside - 1 not in self._arrays:
            self._arrays[inside - 1], _ = _elements(self._raw, inside)
        return self._arrays[inside - 1]

    def _opened(self, path: Path, bracket: bytes) -> int:
        """Return where the inside of the container at `path` begins."""
        # The end of the root is of no interest, and finding it would cost a pass over the document.
        start = self._span(path)[0] if path else _start(self._raw)
        if self._raw[start : start + 1] != bracket:
            raise LookupError(f"{path} does not begin with {bracket.decode()}")
        return start + 1


def dumped(value: object) -> bytes:
    """Return `value` as compact JSON in UTF-8; lone surrogates stay escaped, NaN and infinities raise ValueError."""
    # For a surrogate, Python's backslash escape and JSON's are the same six characters.
    return _encode(value).encode("utf-8", "backslashreplace")


def value_end(raw: bytes, start: int) -> int:
    """Return where the JSON value that begins at `start` ends."""
    flat = _FLAT.match(raw, start)
    return flat.end() if flat else _container_end(raw, start)


def _container_end(raw: bytes, start: int) -> int:
    depth, at = 1, start + 1
    skip = _INSIDE.match
    while depth:
        found = skip(raw, at)
        at = found.end() if found else at
        depth += 1 if raw[at] in _OPENING else -1
        at += 1
    return at


def _elements(raw: bytes, at: int) -> tuple[list[Span], int]:
    """Return the spans of an array's elements and where the array ends; `at` is behind the opening bracket."""
    elements: list[Span] = []
    while True:
        while flat := _ELEMENT.match(raw, at):
            elements.append(flat.span(1))
            at = flat.end()
        start = _matched(_GAP, raw, at).end()
        if raw[start] not in _OPENING:
            return elements, start + 1
        at = _container_end(raw, start)
        elements.append((start, at))


def _key(quoted: bytes) -> bytes:
    """Return the key that a JSON string spells, in UTF-8."""
    if b"\\" in quoted:
        return _utf8(json.loads(quoted, strict=False))
    return quoted[1:-1]


def _utf8(key: object) -> bytes:
    return str(key).encode("utf-8", "surrogatepass")


def _start(raw: bytes) -> int:
    return _matched(_GAP, raw, len(_BOM) if raw.startswith(_BOM) else 0).end()


def _matched(pattern: re.Pattern[bytes], raw: bytes, at: int) -> re.Match[bytes]:
    found = pattern.match(raw, at)
    if found is None:
        raise ValueError("not valid JSON")
    return found
