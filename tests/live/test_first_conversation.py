"""What a newcomer does in the first minute, through a real server process."""

from __future__ import annotations

import httpx
import pytest
from openai import OpenAI

from tests.server import Server

QUESTION = "Do I prefer tabs or spaces, and what is my name?"


@pytest.fixture
def told(server: Server) -> Server:
    """A server that was told something in a first conversation."""
    _key_id, server.key = server.create_key("newcomer", "proxy,management")
    server.chat("I prefer tabs and my name is Ada", x_memroute_session_id="first")
    return server


def ask(server: Server, **headers: str) -> httpx.Response:
    return server.chat(QUESTION, x_memroute_session_id="second", **headers)


def said(reply: httpx.Response) -> str:
    return str(reply.json()["choices"][0]["message"]["content"])


def test_a_new_conversation_remembers_the_first(told: Server) -> None:
    reply = ask(told)
    assert "tabs" in said(reply)
    assert "Ada" in said(reply)


def test_the_headers_say_how_many_memories_went_in(told: Server) -> None:
    headers = ask(told).headers
    assert headers["x-memroute-memories"] == "2"
    assert int(headers["x-memroute-memory-tokens"]) > 0
    assert headers["x-memroute-tier"] == "keyword"
    assert "x-memroute-degraded" not in headers


def test_the_receipt_says_which_memories_and_why(told: Server) -> None:
    receipt = told.receipt(ask(told).headers["x-memroute-request-id"]).json()
    assert {item["key"] for item in receipt["injected"]} == {"preference:tabs", "identity:name"}
    assert all(item["score"] > 0 and item["part"] == "ranked" for item in receipt["injected"])
    assert receipt["query"] == QUESTION
    assert receipt["outcome"] == "completed"


def test_the_receipt_says_what_was_captured_from_which_words(server: Server) -> None:
    _, server.key = server.create_key("capture", "proxy,management")
    reply = server.chat("I prefer tabs and my name is Ada")
    captured = server.receipt(reply.headers["x-memroute-request-id"]).json()["captured"]
    assert {item["content"].lower() for item in captured} == {"i prefer tabs", "my name is ada"}
    assert {item["words"] for item in captured} == {"I prefer tabs", "my name is Ada"}


def test_the_demo_streams_what_it_remembers(told: Server) -> None:
    client = OpenAI(base_url=f"{told.url}/v1", api_key=told.key)
    with client.chat.completions.create(
        model="memroute/demo", messages=[{"role": "user", "content": QUESTION}], stream=True
    ) as stream:
        text = "".join(chunk.choices[0].delta.content or "" for chunk in stream if chunk.choices)
    assert text.startswith("I remember")
    assert "Ada" in text


def test_a_question_leaves_nothing_behind(told: Server) -> None:
    receipt = told.receipt(ask(told).headers["x-memroute-request-id"]).json()
    assert receipt["captured"] == []


def test_hello_injects_nothing(told: Server) -> None:
    assert told.chat("hello").headers["x-memroute-memories"] == "0"


def test_models_list_the_demo(server: Server) -> None:
    client = OpenAI(base_url=f"{server.url}/v1", api_key=server.key)
    assert "memroute/demo" in [model.id for model in client.models.list()]
