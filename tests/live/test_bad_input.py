"""Malformed requests: a status, OpenAI's shape, and a sentence that helps."""

from __future__ import annotations

import http.client
import json

import httpx
import pytest

from tests.server import Server
from tests.upstream import ScriptedUpstream

GOOD = b'{"model": "m", "messages": [{"role": "user", "content": "hi"}]}'


def post(server: Server, body: bytes = GOOD, **headers: str) -> httpx.Response:
    names = {"authorization": f"Bearer {server.key}"} | {k.replace("_", "-"): v for k, v in headers.items()}
    raw = {name.encode(): value.encode("latin-1") for name, value in names.items() if value}
    return httpx.post(f"{server.url}/v1/chat/completions", content=body, headers=raw, timeout=20)


def error(reply: httpx.Response) -> dict[str, str]:
    found: dict[str, str] = reply.json()["error"]
    assert set(found) == {"message", "type", "param", "code"}
    assert reply.headers["x-memroute-request-id"].startswith("req-")
    return found


def test_no_key(server: Server) -> None:
    reply = post(server, authorization="")
    assert (reply.status_code, error(reply)["code"]) == (401, "missing_api_key")


@pytest.mark.parametrize("given", ["Bearer nonsense", "Bearer \xe9\xff", "Basic abc", "Bearer"])
def test_a_key_that_is_none(server: Server, given: str) -> None:
    assert post(server, authorization=given).status_code == 401


def test_a_disabled_key(server: Server) -> None:
    _, secret = server.create_key("to be disabled")
    server.shell(
        "from settings_app.models import ApiKey; from settings_app.services import key_save; from settings_app import crypto\n"
        f"k = ApiKey.objects.get(secret_hash=crypto.hash_secret({secret!r})); k.enabled = False\n"
        "key_save(key=k, actor='test')"
    )
    assert post(server, authorization=f"Bearer {secret}").status_code == 401


def test_a_key_without_the_scope(server: Server) -> None:
    _, secret = server.create_key("manager", "management")
    reply = post(server, authorization=f"Bearer {secret}")
    assert (reply.status_code, error(reply)["code"]) == (403, "missing_scope")


def test_an_x_api_key_is_a_key_too(server: Server, upstream: ScriptedUpstream) -> None:
    assert post(server, authorization="", x_api_key=server.key).status_code == 200


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b"3",
        b'"x"',
        b"null",
        b"NaN",
        b'{"a": NaN}',
        b"\xff\xfe",
        b"{" * 5000,
        b"[" * 100_000,
        b'{"model": 3}',
    ],
)
def test_a_body_that_is_none(server: Server, body: bytes) -> None:
    reply = post(server, body)
    assert reply.status_code == 400
    assert error(reply)["message"]


@pytest.mark.parametrize(
    "messages",
    [
        "3",
        '"hi"',
        "null",
        "[]",
        "[3, null]",
        '[{"role": "user"}]',
        '[{"content": {"a": 1}}]',
        '[{"role": 3, "content": [null, 1]}]',
    ],
)
def test_odd_messages_are_the_upstreams_business(server: Server, upstream: ScriptedUpstream, messages: str) -> None:
    raw = f'{{"model": "m", "messages": {messages}}}'.encode()
    assert post(server, raw).status_code == 200
    assert upstream.last.body == raw


def test_an_unknown_model_names_the_known(server: Server) -> None:
    reply = post(server, b'{"model": "memroute/gpt", "messages": []}')
    assert (reply.status_code, error(reply)["code"]) == (404, "model_not_found")
    assert "memroute/demo" in error(reply)["message"]


def test_a_body_that_is_too_large(server: Server) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=20)
    connection.putrequest("POST", "/v1/chat/completions")
    connection.putheader("content-length", str(21 * 1024 * 1024))
    connection.putheader("authorization", f"Bearer {server.key}")
    connection.endheaders()
    reply = connection.getresponse()
    assert reply.status == 413
    assert "20" in json.loads(reply.read())["error"]["message"]
    connection.close()


def test_a_chunked_body_that_is_too_large(server: Server) -> None:
    def pieces() -> object:
        for _ in range(22):
            yield b" " * 1024 * 1024

    try:
        reply = httpx.post(
            f"{server.url}/v1/chat/completions",
            content=pieces(),  # type: ignore[arg-type]
            headers={"authorization": f"Bearer {server.key}"},
            timeout=20,
        )
    except httpx.WriteError:
        return  # the server answered and closed while the client was still writing
    assert reply.status_code == 413


def test_a_compressed_body(server: Server) -> None:
    assert post(server, content_encoding="gzip").status_code == 415


def test_another_method(server: Server) -> None:
    reply = httpx.get(f"{server.url}/v1/chat/completions", timeout=20)
    assert (reply.status_code, error(reply)["code"]) == (405, "method_not_allowed")


@pytest.mark.parametrize("session", ["x" * 256, "a\tb"])
def test_a_session_id_that_is_none(server: Server, session: str) -> None:
    reply = post(server, x_memroute_session_id=session)
    assert reply.status_code == 400
    assert "session" in error(reply)["message"]


def test_numbers_that_python_refuses_to_read_pass(server: Server, upstream: ScriptedUpstream) -> None:
    raw = b'{"model": "m", "n": ' + b"9" * 6000 + b', "messages": []}'
    assert post(server, raw).status_code == 200
    assert upstream.last.body == raw


def test_lone_surrogates_pass(server: Server, upstream: ScriptedUpstream) -> None:
    raw = b'{"model": "m", "messages": [{"role": "user", "content": "I prefer \\ud83d tabs"}]}'
    assert post(server, raw).status_code == 200
    assert upstream.last.body == raw


def test_management_routes_need_the_scope(server: Server) -> None:
    url = f"{server.url}/api/memory/receipts"
    bob = {"authorization": f"Bearer {server.other}"}
    assert httpx.get(url, timeout=20).status_code == 401
    assert httpx.get(url, headers=bob, timeout=20).status_code == 403
    assert httpx.get(f"{url}/req-1", headers=bob, timeout=20).json()["error"]["code"] == "forbidden"


def test_an_unknown_receipt_is_a_404(server: Server) -> None:
    reply = server.receipt("req-nope")
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")


@pytest.mark.parametrize("path", ["/v1/nothing", "/v1/embeddings"])
def test_a_path_of_v1_that_nobody_serves(server: Server, path: str) -> None:
    reply = httpx.post(server.url + path, json={}, headers={"authorization": f"Bearer {server.key}"}, timeout=20)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")
    assert set(reply.json()["error"]) == {"message", "type", "param", "code"}


@pytest.mark.parametrize("path", ["/api/nothing", "/api/memory/nothing"])
def test_a_path_of_the_api_that_nobody_serves(server: Server, path: str) -> None:
    reply = httpx.get(server.url + path, timeout=20)
    assert (reply.status_code, reply.json()["error"]["code"]) == (404, "not_found")


def test_models_need_a_key(server: Server) -> None:
    reply = httpx.get(f"{server.url}/v1/models", timeout=20)
    assert (reply.status_code, reply.json()["error"]["code"]) == (401, "missing_api_key")
