"""The real OpenAI client against a real server: sync, async, streaming, tools, an image."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from openai import AsyncOpenAI, OpenAI

from tests.server import Server
from tests.upstream import ScriptedUpstream, answered, completion, delta, events, streamed

TOOL = {"type": "function", "function": {"name": "weather", "parameters": {"type": "object", "properties": {}}}}
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture
def client(server: Server) -> OpenAI:
    return OpenAI(base_url=f"{server.url}/v1", api_key=server.key, max_retries=0)


def ask(text: str = "Hi") -> list[Any]:
    return [{"role": "user", "content": text}]


def test_sync(client: OpenAI, upstream: ScriptedUpstream) -> None:
    reply = client.chat.completions.create(model="m", messages=ask())
    assert reply.choices[0].message.content == "Hello."


async def test_async(server: Server, upstream: ScriptedUpstream) -> None:
    async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key=server.key, max_retries=0) as client:
        reply = await client.chat.completions.create(model="up/m", messages=ask())
    assert reply.choices[0].message.content == "Hello."
    assert upstream.last.json["model"] == "m"


def test_streaming(client: OpenAI, upstream: ScriptedUpstream) -> None:
    upstream.script(streamed([events(delta("Hel"), delta("lo")), events(delta(finish="stop"), "[DONE]")]))
    with client.chat.completions.create(model="m", messages=ask(), stream=True) as stream:
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream)
    assert text == "Hello"


async def test_async_streaming(server: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(streamed([events(delta("Hel"), delta("lo"), delta(finish="stop"), "[DONE]")]))
    async with AsyncOpenAI(base_url=f"{server.url}/v1", api_key=server.key, max_retries=0) as client:
        stream = await client.chat.completions.create(model="m", messages=ask(), stream=True)
        text = "".join([chunk.choices[0].delta.content or "" async for chunk in stream])
    assert text == "Hello"


def test_a_streamed_tool_call(client: OpenAI, upstream: ScriptedUpstream) -> None:
    calls = [
        delta(
            tool_calls=[{"index": 0, "id": "1", "type": "function", "function": {"name": "weather", "arguments": ""}}]
        ),
        delta(tool_calls=[{"index": 0, "function": {"arguments": '{"city"'}}]),
        delta(tool_calls=[{"index": 0, "function": {"arguments": ': "Oslo"}'}}]),
        delta(finish="tool_calls"),
    ]
    upstream.script(streamed([events(*calls, "[DONE]")]))
    tools: Any = [TOOL]
    with client.chat.completions.create(model="m", messages=ask(), tools=tools, stream=True) as stream:
        functions = [call.function for chunk in stream for call in chunk.choices[0].delta.tool_calls or []]
    assert json.loads("".join(function.arguments or "" for function in functions if function)) == {"city": "Oslo"}
    assert upstream.last.json["tools"] == [TOOL]


def test_an_image_part_arrives(client: OpenAI, upstream: ScriptedUpstream) -> None:
    content = [{"type": "text", "text": "What is this?"}, {"type": "image_url", "image_url": {"url": PIXEL}}]
    messages: Any = [{"role": "user", "content": content}]
    client.chat.completions.create(model="m", messages=messages)
    assert upstream.last.json["messages"][-1]["content"] == content


def test_an_error_of_the_upstream_is_the_clients_own_exception(client: OpenAI, upstream: ScriptedUpstream) -> None:
    upstream.script(answered({"error": {"message": "no", "type": "x", "code": "y"}}, 429, retry_after="1"))
    with pytest.raises(openai.RateLimitError) as caught:
        client.chat.completions.create(model="m", messages=ask())
    assert caught.value.response.headers["retry-after"] == "1"


def test_a_dead_upstream_is_the_clients_own_exception(client: OpenAI, upstream: ScriptedUpstream) -> None:
    upstream.script([*streamed([events(delta("a"))])[:-1], 0.05, "close"])
    with (
        pytest.raises(openai.APIError, match="closed the connection"),
        client.chat.completions.create(model="m", messages=ask(), stream=True) as stream,
    ):
        list(stream)


def test_a_wrong_key_is_the_clients_own_exception(server: Server) -> None:
    client = OpenAI(base_url=f"{server.url}/v1", api_key="mr-wrong", max_retries=0)
    with pytest.raises(openai.AuthenticationError):
        client.chat.completions.create(model="m", messages=ask())


def test_memory_works_through_the_client(client: OpenAI, upstream: ScriptedUpstream) -> None:
    upstream.default = answered(completion("Noted."))
    client.chat.completions.create(model="m", messages=ask("My name is Grace and I love zeppelins"))
    raw = client.chat.completions.with_raw_response.create(model="m", messages=ask("Do I love zeppelins?"))
    assert int(raw.headers["x-memroute-memories"]) >= 1
    assert "zeppelins" in json.dumps(upstream.last.json["messages"][0])
