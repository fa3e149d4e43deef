"""What the upstream sees of the memories: place, role, and the retry after a refusal."""

from __future__ import annotations

import json
from typing import Any

import httpx
import pytest

from tests.server import Server
from tests.upstream import ScriptedUpstream, answered, completion

QUESTION = {"role": "user", "content": "Do I prefer marmalade?"}
HISTORY = [
    {"role": "system", "content": "Be kind."},
    {"role": "user", "content": "Hi"},
    {"role": "assistant", "content": "Hello."},
]


@pytest.fixture
def told(server: Server, upstream: ScriptedUpstream) -> Server:
    """A server that knows one thing."""
    _, server.key = server.create_key("told", "proxy,management")
    server.chat("I prefer marmalade")
    server.receipt("none")
    return server


def sent(server: Server, upstream: ScriptedUpstream, messages: list[dict[str, Any]], model: str = "m") -> list[Any]:
    reply = httpx.post(
        f"{server.url}/v1/chat/completions",
        json={"model": model, "messages": messages},
        headers={"authorization": f"Bearer {server.key}"},
        timeout=20,
    )
    assert reply.status_code == 200, reply.text
    found: list[Any] = upstream.last.json["messages"]
    return found


def test_the_block_stands_before_the_last_user_message(told: Server, upstream: ScriptedUpstream) -> None:
    messages = sent(told, upstream, [*HISTORY, QUESTION])
    assert messages[:3] == HISTORY
    assert messages[3]["role"] == "system"
    assert "I prefer marmalade" in messages[3]["content"]
    assert messages[4] == QUESTION


def test_system_first_places_it_ahead_of_everything(told: Server, upstream: ScriptedUpstream) -> None:
    told.settings(injectionPlacement="system-first")
    messages = sent(told, upstream, [*HISTORY, QUESTION])
    assert messages[0]["content"].startswith("Memory context:")
    assert messages[1:] == [*HISTORY, QUESTION]


@pytest.mark.parametrize("model", ["o1-mini", "glm-4.7"])
def test_models_without_a_system_role_get_a_user_message(told: Server, upstream: ScriptedUpstream, model: str) -> None:
    messages = sent(told, upstream, [QUESTION], model)
    assert {message["role"] for message in messages} == {"user"}
    assert "I prefer marmalade" in json.dumps(messages)


def test_the_block_never_splits_a_tool_call_from_its_result(told: Server, upstream: ScriptedUpstream) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    tail: list[dict[str, Any]] = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "ok"},
    ]
    messages = sent(told, upstream, [*HISTORY, QUESTION, *tail])
    assert messages[-2:] == tail
    assert messages[-3] == QUESTION


def test_a_content_array_with_an_image_stays_as_it_is(told: Server, upstream: ScriptedUpstream) -> None:
    parts: list[dict[str, Any]] = [
        {"type": "text", "text": "Do I prefer marmalade?", "cache_control": {"type": "ephemeral"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]
    messages = sent(told, upstream, [{"role": "user", "content": parts}])
    assert messages[-1]["content"] == parts
    assert "I prefer marmalade" in messages[0]["content"]


def test_a_refused_role_is_tried_again_in_a_safer_shape_and_remembered(
    told: Server, upstream: ScriptedUpstream
) -> None:
    refusal = {"error": {"message": "Unexpected role 'system' after role 'user': system message must be first"}}
    upstream.script(answered(refusal, 400))
    first = sent(told, upstream, [*HISTORY, QUESTION], "picky")
    assert len(upstream.requests) == 2
    assert "I prefer marmalade" in first[0]["content"]
    assert "Be kind." in first[0]["content"]
    sent(told, upstream, [*HISTORY, QUESTION], "picky")
    assert len(upstream.requests) == 3


def test_another_refusal_is_not_tried_again(told: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(answered({"error": {"message": "max_tokens is too large"}}, 400))
    reply = told.chat("Do I prefer marmalade?", model="m")
    assert (reply.status_code, len(upstream.requests)) == (400, 1)
    assert reply.json()["error"]["message"] == "max_tokens is too large"


def test_the_prefix_stays_the_same_from_turn_to_turn(told: Server, upstream: ScriptedUpstream) -> None:
    sent(told, upstream, [*HISTORY, QUESTION])
    first = upstream.last.body
    sent(told, upstream, [*HISTORY, QUESTION, {"role": "assistant", "content": "Yes."}, QUESTION])
    second = upstream.last.body
    prefix = first[: first.index(b"Memory context:") - 40]
    assert second.startswith(prefix)


def test_a_reply_is_mined_for_decisions(told: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(answered(completion("I'll use PostgreSQL for the backend.")))
    reply = told.chat("Which database?", model="m")
    captured = told.receipt(reply.headers["x-memroute-request-id"]).json()["captured"]
    assert [item["key"] for item in captured] == ["decision:postgresql_for_the_backend"]
