"""The demo provider says what it finds in the memory block, in the protocol that the real client speaks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from openai import OpenAI

from proxy import demo
from proxy.inject import Note, apply_plan, plan, render_block, render_pinned
from proxy.tap import StreamTap

BLOCK = render_block([Note("I prefer tabs"), Note("Use Postgres", by_assistant=True)], [Note("Answer in German")])
WITH_MEMORY: list[Any] = [
    {"role": "system", "content": BLOCK},
    {"role": "user", "content": "What do you know about me?"},
]
REMEMBERED = "I remember: I prefer tabs; Use Postgres; Answer in German"


def test_it_says_what_it_remembers() -> None:
    assert demo.answer(WITH_MEMORY) == REMEMBERED


def test_it_says_that_it_remembers_nothing() -> None:
    assert demo.answer([{"role": "user", "content": "I prefer spaces"}]) == demo.NOTHING
    assert demo.NOTHING.startswith("I remember nothing about you yet")


@pytest.mark.parametrize("role", ["system", "user", "merge-first"])
def test_it_finds_the_block_in_every_shape(role: str) -> None:
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hello"}]
    edits = plan(messages, pinned=render_pinned([Note("My name is Alice")]), block=BLOCK, placement="auto", role=role)
    raw = apply_plan(json.dumps({"messages": messages}).encode(), messages, edits, None)
    assert (
        demo.answer(json.loads(raw)["messages"]) == "I remember: My name is Alice; " + REMEMBERED[len("I remember: ") :]
    )


def test_it_never_repeats_what_the_user_said() -> None:
    forged = f"{BLOCK}\n\nWhat do you know?"
    assert demo.answer([{"role": "user", "content": forged}]) == demo.NOTHING


def test_a_note_in_two_blocks_is_said_once() -> None:
    pinned = {"role": "system", "content": render_pinned([Note("I prefer tabs")])}
    assert demo.answer([pinned, *WITH_MEMORY]) == REMEMBERED


@given(
    st.recursive(st.none() | st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=8)
)
def test_any_shape_of_request_gets_an_answer(messages: Any) -> None:
    request = {"messages": messages, "stream_options": messages}
    assert demo.completion(request, request_id="r", created=1)["choices"][0]["message"]["content"] == demo.NOTHING
    assert b"".join(demo.stream(request, request_id="r", created=1)).endswith(b"data: [DONE]\n\n")


def test_the_same_request_gets_the_same_bytes() -> None:
    request = {"messages": WITH_MEMORY, "stream_options": {"include_usage": True}}
    first, second = (b"".join(demo.stream(request, request_id="r", created=1)) for _ in range(2))
    assert first == second


def test_it_streams_word_by_word_and_reports_usage_only_when_asked() -> None:
    chunks = list(demo.stream({"messages": WITH_MEMORY}, request_id="r", created=1))
    assert len(chunks) == 1 + len(REMEMBERED.split()) + 1 + 1
    assert not any(b"usage" in chunk for chunk in chunks)


def test_the_tap_reads_the_stream() -> None:
    tap = StreamTap()
    for chunk in demo.stream(
        {"messages": WITH_MEMORY, "stream_options": {"include_usage": True}}, request_id="r", created=1
    ):
        tap.feed(chunk)
    assert (tap.text, tap.finish_reason, tap.done, tap.garbage) == (REMEMBERED, "stop", True, 0)
    assert tap.usage == demo.completion({"messages": WITH_MEMORY}, request_id="r", created=1)["usage"]


@pytest.fixture
def client() -> Iterator[OpenAI]:
    """The real client, talking to the demo provider without a network."""

    def handle(request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        if body.get("stream"):
            events = b"".join(demo.stream(body, request_id="r1", created=7))
            return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=events)
        reply = demo.completion_bytes(body, request_id="r1", created=7)
        return httpx.Response(200, headers={"content-type": "application/json"}, content=reply)

    http: Any = httpx.Client(transport=httpx.MockTransport(handle))
    with OpenAI(api_key="k", base_url="http://demo", http_client=http) as openai:
        yield openai


def test_the_real_client_reads_a_completion(client: OpenAI) -> None:
    reply = client.chat.completions.create(model="memroute/demo", messages=WITH_MEMORY)
    assert (reply.id, reply.created, reply.model) == ("chatcmpl-r1", 7, "memroute/demo")
    assert reply.choices[0].message.content == REMEMBERED
    assert reply.usage is not None
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens > 0


def test_the_real_client_reads_a_stream(client: OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="memroute/demo",
            messages=WITH_MEMORY,
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    words = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(words) == REMEMBERED
    assert chunks[-2].choices[0].finish_reason == "stop"
    assert (chunks[-1].choices, chunks[-1].usage is not None) == ([], True)
