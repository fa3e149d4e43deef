"""The built-in provider `memroute/demo`: no network, no chance, and it says what it finds in the memory block."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from engine.tokens import estimate_tokens
from proxy.inject import contained_notes, strip_block
from proxy.messages import request_items, text_of

MODEL = "memroute/demo"
NOTHING = "I remember nothing about you yet. Tell me something about you, and ask me again in a new conversation."

_WORD = re.compile(r"\S+\s*")


def answer(messages: object) -> str:
    """Return what the demo says: `I remember: …` with the notes of the memory block, or that there are none.

    It never says anything of the conversation itself. A user message counts only when it is a memory block and nothing else.
    """
    notes: list[str] = []
    for message in messages if isinstance(messages, list) else []:
        if isinstance(message, dict) and message.get("role") in ("system", "developer", "user"):
            text = text_of(message.get("content"))
            if message["role"] != "user" or not strip_block(text).strip():
                notes += contained_notes(text)
    return f"I remember: {'; '.join(dict.fromkeys(notes))}" if notes else NOTHING


def completion(request: Mapping[str, Any], *, request_id: str, created: int) -> dict[str, Any]:
    """Return a `chat.completion` object; `created` is in seconds since 1970."""
    text = answer(request_items(request))
    message = {"role": "assistant", "content": text, "refusal": None}
    return {
        **_head(request_id, created, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(request, text),
    }


def completion_bytes(request: Mapping[str, Any], *, request_id: str, created: int) -> bytes:
    """Return the completion as JSON."""
    return json.dumps(completion(request, request_id=request_id, created=created)).encode("ascii")


def stream(request: Mapping[str, Any], *, request_id: str, created: int) -> Iterator[bytes]:
    """Yield the completion as events: the role, each word, the end, the usage if it was asked for, `[DONE]`."""
    text = answer(request_items(request))
    options = request.get("stream_options")
    with_usage = isinstance(options, dict) and options.get("include_usage") is True
    # As OpenAI does it: with usage, every chunk has the field, and it is null in all but the last.
    head = _head(request_id, created, "chat.completion.chunk") | ({"usage": None} if with_usage else {})
    yield _event(head | {"choices": _delta({"role": "assistant", "content": ""})})
    for word in _WORD.findall(text):
        yield _event(head | {"choices": _delta({"content": word})})
    yield _event(head | {"choices": _delta({}, "stop")})
    if with_usage:
        yield _event(head | {"choices": [], "usage": _usage(request, text)})
    yield b"data: [DONE]\n\n"


def _head(request_id: str, created: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{request_id}", "object": kind, "created": created, "model": MODEL}


def _delta(delta: dict[str, str], finish_reason: str | None = None) -> list[dict[str, Any]]:
    return [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]


def _usage(request: Mapping[str, Any], text: str) -> dict[str, int]:
    asked = (text_of(item.get("content")) for item in request_items(request) if isinstance(item, dict))
    prompt, reply = sum(map(estimate_tokens, asked)), estimate_tokens(text)
    return {"prompt_tokens": prompt, "completion_tokens": reply, "total_tokens": prompt + reply}


def _event(data: dict[str, Any]) -> bytes:
    return b"data: " + json.dumps(data).encode("ascii") + b"\n\n"
