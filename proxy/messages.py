"""Reading chat requests and replies, whatever JSON a client or a provider sends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

CONTEXT_CHARS = 1000
SESSION_CHARS = 255

MODES: Mapping[str, frozenset[str]] = {
    "on": frozenset({"read", "write"}),
    "read": frozenset({"read"}),
    "write": frozenset({"write"}),
    "off": frozenset(),
}
_MODE_OF = {allowed: mode for mode, allowed in MODES.items()}
_TRUE = frozenset({"true", "1", "yes", "on"})
_NO_MEMORY = ("x-memroute-no-memory", "x-omniroute-no-memory")
_SESSION = ("x-memroute-session-id", "x-omniroute-session-id")
# Tuples, because what is looked up in them may be any JSON, a list as well.
_TEXT_PARTS = ("text", "input_text", "output_text")
_TOOL_ROLES = ("tool", "function")
_TOOL_RESULTS = ("tool_result", "function_call_output")


def request_items(body: Mapping[str, Any]) -> list[Any]:
    """Return the conversation of a request: `messages`, or the `input` of the Responses API (a string is a user's)."""
    messages = body.get("messages")
    if isinstance(messages, list):
        return messages
    items = body.get("input")
    if isinstance(items, str):
        return [{"role": "user", "content": items}]
    return items if isinstance(items, list) else []


def last_user_text(messages: object, limit: int = 2000) -> str:
    """Return the text of the last user message, of a long one its last `limit` characters; "" when there is none."""
    for message in reversed(_dicts(messages)):
        if is_user(message):
            text = text_of(message.get("content"))
            return well_formed(text[max(0, len(text) - limit) :])
    return ""


def new_user_texts(messages: object) -> list[str]:
    """Return the texts of the new turn: what the user said after the last assistant message, blank ones left out."""
    texts: list[str] = []
    for message in reversed(_dicts(messages)):
        if message.get("role") == "assistant":
            break
        if is_user(message):
            texts.append(text_of(message.get("content")))
    return [well_formed(text) for text in reversed(texts) if text.strip()]


def context_before(messages: object, turns: int = 2, limit: int = CONTEXT_CHARS) -> str:
    """Return what user and assistant said in the `turns` turns before the new one, its last `limit` characters.

    A turn begins with a user message that follows something else than a user message.
    """
    texts: list[str] = []
    later_is_user, room = False, limit
    for message in _before_new_turn(messages):
        user = is_user(message)
        turns -= later_is_user and not user
        if turns <= 0 or room <= 0:
            break
        later_is_user = user
        text = text_of(message.get("content")) if user or message.get("role") == "assistant" else ""
        if text.strip():
            texts.append(text[-limit:])
            room -= len(text)
    return well_formed("\n".join(reversed(texts))[-limit:])


def reply_text(body: Mapping[str, Any]) -> str:
    """Return the text of a completed reply: of a chat completion, else `output_text`; "" when there is none."""
    choices = body.get("choices") if isinstance(body, Mapping) else None
    for choice in _dicts(choices)[:1]:
        message = choice.get("message")
        text = text_of(message.get("content")) if isinstance(message, dict) else ""
        if text:
            return well_formed(text)
    output = body.get("output_text") if isinstance(body, Mapping) else None
    return well_formed(output) if isinstance(output, str) else ""


def text_of(content: object) -> str:
    """Return the text of a message's content: the string, or its text parts on lines of their own."""
    if isinstance(content, str):
        return content
    texts = (part.get("text") for part in _dicts(content) if part.get("type") in _TEXT_PARTS)
    return "\n".join(text for text in texts if isinstance(text, str))


def well_formed(text: str) -> str:
    """Return the text as Unicode that can be stored: JSON may spell half a character, which becomes U+FFFD."""
    try:
        text.encode()
    except UnicodeEncodeError:
        # Two halves that stand side by side, as when a stream was cut between them, become the character they are.
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def is_user(message: Mapping[str, Any]) -> bool:
    """Say whether a person speaks: role `user`, and not only tool results (which Anthropic's clients send as `user`)."""
    if message.get("role") != "user":
        return False
    parts = _dicts(message.get("content"))
    return not parts or any(part.get("type") not in _TOOL_RESULTS for part in parts)


def holds_tool_result(message: Mapping[str, Any]) -> bool:
    """Say whether a message answers a tool call, in the manner of OpenAI, of its Responses API, or of Anthropic."""
    if message.get("role") in _TOOL_ROLES or message.get("type") in _TOOL_RESULTS:
        return True
    return any(part.get("type") in _TOOL_RESULTS for part in _dicts(message.get("content")))


def wants_no_memory(headers: Mapping[str, str]) -> bool:
    """Say whether a no-memory header is `true`, `1` or `yes`; header names are in lower case here and below."""
    return any(headers.get(name, "").strip().lower() in _TRUE for name in _NO_MEMORY)


def memory_mode(headers: Mapping[str, str]) -> str | None:
    """Return the memory mode that a request asks for, None when it does not; raise ValueError for an unknown one."""
    value = headers.get("x-memroute-memory", "").strip().lower()
    if value and value not in MODES:
        raise ValueError("`x-memroute-memory` must be on, off, read or write.")
    return value or None


def session_id(headers: Mapping[str, str]) -> str | None:
    """Return the session that a request names, None when none; raise ValueError for one that cannot be an id."""
    for name in _SESSION:
        value = _decoded(headers.get(name, "")).strip(" \t")
        if not value.strip():
            continue
        if len(value) > SESSION_CHARS:
            raise ValueError(f"`{name}` is longer than {SESSION_CHARS} characters.")
        if not value.isprintable():
            raise ValueError(f"`{name}` contains a control or invisible character; use visible ones only.")
        return value
    return None


def narrow(key_mode: str, requested: str | None) -> str:
    """Return what both the key and the request allow: a request can take away, never add. Unknown modes allow nothing."""
    allowed = MODES.get(key_mode, frozenset())
    if requested is not None:
        allowed &= MODES.get(requested, frozenset())
    return _MODE_OF[allowed]


def _dicts(items: object) -> list[dict[str, Any]]:
    """Return the objects of what should be a list of objects."""
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _before_new_turn(messages: object) -> Iterator[dict[str, Any]]:
    """Yield the last assistant message and what came before it, newest first."""
    items: Iterable[dict[str, Any]] = reversed(_dicts(messages))
    begun = False
    for message in items:
        begun = begun or message.get("role") == "assistant"
        if begun:
            yield message


def _decoded(value: str) -> str:
    """Header bytes arrive as Latin-1; an id in UTF-8 counts by its own characters."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value
