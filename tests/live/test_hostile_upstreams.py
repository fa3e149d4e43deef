"""Upstreams that answer with anything: the client gets a 502 it understands, and nobody else notices."""

from __future__ import annotations

import json
import time

import httpx
import pytest

from tests.server import Server
from tests.upstream import ScriptedUpstream, Step, answered, completion, head

GARBAGE: dict[str, list[Step]] = {
    "no HTTP": [b"\x00\xffgarbage\r\n\r\n", "close"],
    "status 999": [b"HTTP/1.1 999 X\r\ncontent-length: 0\r\n\r\n"],
    "two lengths": [b"HTTP/1.1 200 X\r\ncontent-length: 5\r\ncontent-length: 7\r\n\r\nhello"],
    "a header too long": [b"HTTP/1.1 200 X\r\nx: " + b"a" * 20_000 + b"\r\ncontent-length: 0\r\n\r\n"],
    "nothing": ["close"],
}


def chat(server: Server, **fields: object) -> httpx.Response:
    body = {"model": "m", "messages": [{"role": "user", "content": "Do I prefer marmalade?"}], **fields}
    headers = {"authorization": f"Bearer {server.key}"}
    return httpx.post(f"{server.url}/v1/chat/completions", json=body, headers=headers, timeout=20)


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_a_502(server: Server, upstream: ScriptedUpstream, name: str) -> None:
    upstream.script(GARBAGE[name])
    reply = chat(server)
    assert reply.status_code == 502
    assert reply.json()["error"]["type"] == "upstream_error"


def test_a_header_with_control_characters_is_left_out(server: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(answered(completion("Hello."), x_odd="a\x01b", x_fine="c"))
    reply = chat(server)
    assert (reply.status_code, reply.headers.get("x-odd"), reply.headers["x-fine"]) == (200, None, "c")


@pytest.mark.parametrize("usage", ['{"x": NaN}', '{"x": 1e999}', '{"x": "\\ud800"}', "[]", '"much"'])
def test_an_odd_usage_costs_nobody_a_receipt(server: Server, upstream: ScriptedUpstream, usage: str) -> None:
    raw = b'{"choices": [], "usage": ' + usage.encode() + b"}"
    upstream.script(answered(raw))
    reply = chat(server)
    assert reply.content == raw
    assert server.receipt(reply.headers["x-memroute-request-id"]).json()["usage"] is None


def test_a_stream_under_another_name_is_passed_on_at_once(server: Server, upstream: ScriptedUpstream) -> None:
    steps: list[Step] = [
        head(200, "application/x-ndjson", transfer_encoding="chunked"),
        b"2\r\na\n\r\n",
        1.0,
        b"2\r\nb\n\r\n0\r\n\r\n",
    ]
    upstream.script(steps)
    headers = {"authorization": f"Bearer {server.key}"}
    body = {"model": "m", "stream": True, "messages": []}
    started = time.monotonic()
    with httpx.stream("POST", f"{server.url}/v1/chat/completions", json=body, headers=headers, timeout=20) as reply:
        first = next(reply.iter_raw())
        assert (first, time.monotonic() - started < 0.8) == (b"a\n", True)


def test_a_client_that_leaves_while_a_refusal_is_read_cancels_the_upstream(
    server: Server, upstream: ScriptedUpstream
) -> None:
    _, server.key = server.create_key("leaves", "proxy,management")
    server.chat("I prefer marmalade")
    server.receipt("none")
    upstream.script([head(400, content_length="100") + b'{"error"', "wait"])
    body = {"model": "m", "messages": [{"role": "user", "content": "Do I prefer marmalade?"}]}
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{server.url}/v1/chat/completions",
            json=body,
            headers={"authorization": f"Bearer {server.key}"},
            timeout=0.5,
        )
    assert upstream.last.disconnected.wait(3)


def test_one_keys_bad_requests_do_not_change_what_others_send(server: Server, upstream: ScriptedUpstream) -> None:
    keys = []
    for name in ("bad", "good"):
        _, key = server.create_key(name, "proxy,management")
        server.chat("I prefer marmalade", key=key)
        keys.append(key)
    server.receipt("none")
    upstream.default = answered({"error": {"message": "Unsupported role 'foo'"}}, 400)
    for _ in range(3):
        server.key = keys[0]
        chat(server, model="shared")
    upstream.reset()
    server.key = keys[1]
    chat(server, model="shared")
    roles = [message["role"] for message in upstream.last.json["messages"]]
    assert roles == ["system", "user"]


@pytest.mark.parametrize("model", ["m\u0000", "m\r\nx: y", "\ud800"])
def test_a_model_name_that_is_none(server: Server, model: str) -> None:
    raw = json.dumps({"model": model, "messages": []}).encode()
    headers = {"authorization": f"Bearer {server.key}"}
    reply = httpx.post(f"{server.url}/v1/chat/completions", content=raw, headers=headers, timeout=20)
    assert (reply.status_code, reply.json()["error"]["param"]) == (400, "model")


def test_the_demo_takes_numbers_of_any_length(server: Server) -> None:
    raw = b'{"model": "memroute/demo", "n": ' + b"9" * 5000 + b', "messages": []}'
    headers = {"authorization": f"Bearer {server.key}"}
    assert httpx.post(f"{server.url}/v1/chat/completions", content=raw, headers=headers, timeout=20).status_code == 200


def test_a_page_far_beyond_all_receipts(server: Server) -> None:
    headers = {"authorization": f"Bearer {server.key}"}
    reply = httpx.get(f"{server.url}/api/memory/receipts?page=99999999999999999999", headers=headers, timeout=20)
    assert (reply.status_code, reply.json()["error"]["code"]) == (400, "invalid_request")


@pytest.mark.parametrize("listed", ['{"data": [{"id": "a", "created": 1e999}]}', "[" * 50_000, '{"data": 3}', "no"])
def test_a_provider_that_lists_nonsense_does_not_break_the_list(
    server: Server, upstream: ScriptedUpstream, listed: str
) -> None:
    server.settings(keyRateLimit=0)
    server.add_provider("odd", upstream.base_url, model_names=[f"known-{len(listed)}"])
    upstream.default = answered(listed.encode())
    headers = {"authorization": f"Bearer {server.key}"}
    reply = httpx.get(f"{server.url}/v1/models", headers=headers, timeout=20)
    assert reply.status_code == 200
    assert f"odd/known-{len(listed)}" in [model["id"] for model in reply.json()["data"]]
