"""The relay, byte for byte, against a scripted upstream."""

from __future__ import annotations

import json
import socket
import time
from typing import Any

import httpx
import pytest

from tests.server import Server
from tests.upstream import ScriptedUpstream, answered, chunk, completion, delta, events, head, streamed

UNICODE = events(delta("Zażółć 👩‍🚀 深色主题"), delta("", "stop"), "[DONE]")
TOOL_CALL = [
    delta(role="assistant", content=None),
    delta(tool_calls=[{"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": ""}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": '{"a"'}}]),
    delta(tool_calls=[{"index": 0, "function": {"arguments": ": 1}"}}]),
    delta(finish="tool_calls"),
]
USAGE = {"id": "c", "object": "chat.completion.chunk", "choices": [], "usage": {"total_tokens": 3}, "x_unknown": [1.10]}
STREAMS = {
    "one chunk": [UNICODE],
    "one-byte chunks": [bytes([b]) for b in UNICODE],
    "split UTF-8": [UNICODE[:50], UNICODE[50:51], UNICODE[51:]],
    "choices empty": [events(delta("a"), USAGE, delta(finish="stop"), "[DONE]")],
    "missing DONE": [events(delta("a"), delta(finish="stop"))],
    "comment lines": [b": keep-alive\n\n", events(delta("a")), b":\n\n", events(delta(finish="stop"), "[DONE]")],
    "tool calls": [events(*TOOL_CALL, "[DONE]")],
    "carriage returns": [events(delta("a"), "[DONE]").replace(b"\n", b"\r\n")],
    "event lines": [b"event: ping\ndata: {}\n\n" + events(delta("a"), "[DONE]")],
    "garbage": [b"data: {not json\n\n\xff\xfe" + events(delta("a"), "[DONE]")],
    "empty": [],
}


def post(server: Server, body: dict[str, Any] | bytes, **headers: str) -> httpx.Response:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    return httpx.post(
        f"{server.url}/v1/chat/completions",
        content=raw,
        headers={"authorization": f"Bearer {server.key}", "content-type": "application/json", **names},
        timeout=20,
    )


def question(text: str = "Hi", **fields: Any) -> dict[str, Any]:
    return {"model": "m", "messages": [{"role": "user", "content": text}], **fields}


@pytest.mark.parametrize("name", STREAMS)
def test_a_stream_arrives_byte_for_byte(server: Server, upstream: ScriptedUpstream, name: str) -> None:
    upstream.script(streamed(STREAMS[name]))
    reply = post(server, question(stream=True))
    assert reply.content == b"".join(STREAMS[name])
    assert reply.headers["content-type"] == "text/event-stream"


def test_chunks_arrive_when_the_upstream_sends_them(server: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(streamed([events(delta("a")), events(delta("b")), events("[DONE]")], pause=0.2))
    arrived = []
    with httpx.stream(
        "POST",
        f"{server.url}/v1/chat/completions",
        json=question(stream=True),
        headers={"authorization": f"Bearer {server.key}"},
        timeout=20,
    ) as reply:
        for _ in reply.iter_raw():
            arrived.append(time.monotonic())  # noqa: PERF401  (the moments matter)
    assert arrived[-1] - arrived[0] > 0.3


def test_a_plain_answer_arrives_byte_for_byte(server: Server, upstream: ScriptedUpstream) -> None:
    raw = b'{ "choices" :[], "big": 123456789012345678901234567890, "x":1.10}\n'
    upstream.script(answered(raw, openai_processing_ms="7"))
    reply = post(server, question())
    assert reply.content == raw
    assert reply.headers["openai-processing-ms"] == "7"


def test_the_upstream_gets_the_clients_bytes_when_nothing_changes(server: Server, upstream: ScriptedUpstream) -> None:
    raw = b'{"model" : "m",\n "messages":[{"role":"user","content":"h\\u0069"}], "seed": 12345678901234567890, "t": 1.0e0}'
    post(server, raw, x_memroute_memory="off")
    assert upstream.last.body == raw


def test_only_the_inserted_message_and_the_model_change(server: Server, upstream: ScriptedUpstream) -> None:
    _, server.key = server.create_key("bytes", "proxy,management")
    server.chat("I prefer marmalade")
    server.receipt("none")
    before = b'{"seed": 12345678901234567890123, "model": "'
    middle = b'", "top_p": 1.10, "messages": ['
    after = b'{"role": "user", "content": "Do I prefer marmalade?"}], "zz": {"b": 1, "a": 2e3}}'
    post(server, before + b"up/m" + middle + after)
    sent = upstream.last.body
    assert sent.startswith(before + b"m" + middle)
    assert sent.endswith(after)
    assert b"Memory context:" in sent


def test_the_clients_key_never_goes_upstream(server: Server, upstream: ScriptedUpstream) -> None:
    post(server, question(), x_memroute_session_id="s", cookie="a=b", x_custom="kept")
    sent = upstream.last
    assert sent.headers["authorization"] == "Bearer upstream-secret"
    assert server.key not in json.dumps(sent.headers)
    assert not [name for name in sent.headers if name.startswith("x-memroute") or name == "cookie"]
    assert sent.headers["x-custom"] == "kept"
    assert sent.headers["accept-encoding"] == "identity"


def test_a_refusal_passes_through(server: Server, upstream: ScriptedUpstream) -> None:
    body = b'{"error": {"message": "slow down", "type": "rate_limit"}}'
    upstream.script(answered(body, 429, retry_after="7", x_ratelimit_remaining_requests="0"))
    reply = post(server, question())
    assert (reply.status_code, reply.content) == (429, body)
    assert reply.headers["retry-after"] == "7"
    assert reply.headers["x-ratelimit-remaining-requests"] == "0"


def test_nothing_is_learned_from_a_refused_request(server: Server, upstream: ScriptedUpstream) -> None:
    upstream.script(answered(b"{}", 500))
    reply = post(server, question("I prefer marmalade"))
    receipt = server.receipt(reply.headers["x-memroute-request-id"]).json()
    assert (receipt["outcome"], receipt["captured"], receipt["status"]) == ("upstream_error", [], 500)


def test_a_refused_connection_is_a_502(server: Server) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        server.add_provider("dead", f"http://127.0.0.1:{unused.getsockname()[1]}/v1")
        reply = post(server, {**question(), "model": "dead/m"})
    assert reply.status_code == 502
    assert reply.json()["error"]["code"] == "upstream_unreachable"
    assert "dead" in reply.json()["error"]["message"]


def test_the_receipt_of_a_request_that_was_never_answered_says_why(server: Server, upstream: ScriptedUpstream) -> None:
    server.add_provider("slow", upstream.base_url, first_byte_timeout=0.3)
    upstream.script(["wait"])
    post(server, {**question("I prefer marmalade"), "model": "slow/m"}, x_memroute_session_id="never")
    headers = {"authorization": f"Bearer {server.key}"}
    listed = httpx.get(f"{server.url}/api/memory/receipts?sessionId=never", headers=headers, timeout=20).json()
    (receipt,) = listed["data"]
    assert (receipt["outcome"], receipt["status"], receipt["captured"]) == ("upstream_error", 504, [])
    assert "slow" in receipt["error"]


def test_a_slow_upstream_is_a_504(server: Server, upstream: ScriptedUpstream) -> None:
    server.add_provider("slow", upstream.base_url, first_byte_timeout=0.3)
    upstream.script(["wait"])
    reply = post(server, {**question(), "model": "slow/m"})
    assert reply.status_code == 504
    assert reply.json()["error"]["code"] == "upstream_timeout"


def test_a_stream_that_falls_silent_ends_with_an_error_event(server: Server, upstream: ScriptedUpstream) -> None:
    server.add_provider("silent", upstream.base_url, idle_timeout=0.3)
    first = events(delta("a"))
    upstream.script([head(200, "text/event-stream", transfer_encoding="chunked"), chunk(first), "wait"])
    reply = post(server, {**question(stream=True), "model": "silent/m"})
    assert reply.content.startswith(first)
    assert b'"error"' in reply.content[len(first) :]


@pytest.mark.parametrize("how", ["close", "reset"])
def test_an_upstream_dead_midway_ends_the_stream_with_an_error_event(
    server: Server, upstream: ScriptedUpstream, how: str
) -> None:
    first = events(delta("I'll use Postgres for the"))
    upstream.script([head(200, "text/event-stream", transfer_encoding="chunked"), chunk(first), 0.05, how])
    reply = post(server, question("I prefer marmalade", stream=True))
    assert reply.content.startswith(first)
    assert json.loads(reply.content.split(b"data: ")[-1])["error"]["code"] == "upstream_unreachable"
    receipt = server.receipt(reply.headers["x-memroute-request-id"]).json()
    assert (receipt["outcome"], receipt["captured"]) == ("upstream_died", [])


def test_a_plain_answer_cut_short_is_a_502(server: Server, upstream: ScriptedUpstream) -> None:
    upstream.script([head(200, content_length="1000") + b'{"choices": [', "close"])
    reply = post(server, question())
    assert reply.status_code == 502


def test_a_client_that_leaves_cancels_the_upstream(server: Server, upstream: ScriptedUpstream) -> None:
    first = events(delta("a"))
    upstream.script([head(200, "text/event-stream", transfer_encoding="chunked"), chunk(first), "wait"])
    with httpx.stream(
        "POST",
        f"{server.url}/v1/chat/completions",
        json=question("I prefer marmalade", stream=True),
        headers={"authorization": f"Bearer {server.key}"},
        timeout=20,
    ) as reply:
        next(reply.iter_raw())
    assert upstream.last.disconnected.wait(3)
    receipt = server.receipt(reply.headers["x-memroute-request-id"]).json()
    assert (receipt["outcome"], receipt["captured"]) == ("client_gone", [])


def test_a_client_that_leaves_before_the_first_byte_cancels_the_upstream(
    server: Server, upstream: ScriptedUpstream
) -> None:
    upstream.script(["wait"])
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(
            f"{server.url}/v1/chat/completions",
            json=question(),
            headers={"authorization": f"Bearer {server.key}"},
            timeout=0.4,
        )
    assert upstream.last.disconnected.wait(3)


def test_an_answer_larger_than_what_is_held_back_streams_through(server: Server, upstream: ScriptedUpstream) -> None:
    raw = json.dumps(completion("x" * (9 * 1024 * 1024))).encode()
    upstream.script(answered(raw))
    assert post(server, question()).content == raw


def test_a_connection_that_the_upstream_closed_while_idle_is_not_used_again(
    server: Server, upstream: ScriptedUpstream
) -> None:
    for _ in range(3):
        upstream.script([*answered(completion("Hello.")), "close"])
        assert post(server, question()).status_code == 200
        time.sleep(0.05)
