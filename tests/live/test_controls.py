"""Who may do what: keys, modes, headers, and what off leaves behind."""

from __future__ import annotations

import json

import pytest

from tests.server import Server

FACT = "I prefer {} over everything"


@pytest.fixture
def alice(server: Server) -> Server:
    """The server, seen by a fresh key of Alice's."""
    _, server.key = server.create_key("Alice again", "proxy,management")
    return server


def remembered(server: Server, key: str) -> list[str]:
    """The contents of the memories of a key, straight from the database; the queue is drained first."""
    server.receipt("none")
    code = (
        "import json; from settings_app import crypto; from memories.models import Memory\n"
        f"rows = Memory.objects.filter(api_key__secret_hash=crypto.hash_secret({key!r})).order_by('id')\n"
        "print(json.dumps([r.content for r in rows]))"
    )
    contents: list[str] = json.loads(server.shell(code))
    return contents


def count(server: Server, model: str) -> int:
    """How many rows there are once the queue is drained."""
    server.receipt("none")
    return int(server.shell(f"from memories.models import {model}; print({model}.objects.count())"))


def test_two_keys_never_see_each_other(alice: Server) -> None:
    _, bob = alice.create_key("Bob again")
    alice.chat("I prefer marmalade")
    alice.chat("I prefer peanut butter", key=bob)
    assert "x-memroute-memories" in (reply := alice.chat("Do I prefer marmalade or peanut butter?")).headers
    assert "marmalade" in reply.text
    assert "peanut" not in reply.text
    assert remembered(alice, bob) == ["I prefer peanut butter"]


def test_no_field_of_the_body_names_another_owner(alice: Server) -> None:
    _, bob = alice.create_key("Bob again")
    alice.chat("I prefer marmalade")
    reply = alice.chat("Do I prefer marmalade?", key=bob, x_memroute_api_key_id=alice.key_id, x_api_key=alice.key)
    assert reply.headers["x-memroute-memories"] == "0"


@pytest.mark.parametrize("name", ["x-memroute-no-memory", "x-omniroute-no-memory"])
@pytest.mark.parametrize("value", ["true", "1", "YES"])
def test_no_memory_leaves_no_trace(alice: Server, name: str, value: str) -> None:
    before = count(alice, "Receipt")
    reply = alice.chat("I prefer marmalade", **{name.replace("-", "_"): value})
    assert [h for h in reply.headers if h.startswith("x-memroute")] == ["x-memroute-request-id"]
    assert remembered(alice, alice.key) == []
    assert count(alice, "Receipt") == before


@pytest.mark.parametrize(
    ("mode", "reads", "writes"),
    [("on", True, True), ("read", True, False), ("write", False, True), ("off", False, False)],
)
def test_each_mode_does_what_it_says(alice: Server, mode: str, reads: bool, writes: bool) -> None:
    alice.chat("I prefer marmalade")
    assert remembered(alice, alice.key) == ["I prefer marmalade"]
    reply = alice.chat("I love toast. Do I prefer marmalade?", x_memroute_memory=mode)
    assert (reply.headers.get("x-memroute-memories", "0") != "0") is reads
    assert ("I love toast" in remembered(alice, alice.key)) is writes


def test_a_request_cannot_widen_what_the_key_allows(alice: Server) -> None:
    alice.chat("I prefer marmalade")
    alice.receipt("none")
    alice.shell(
        "from settings_app.models import ApiKey; from settings_app.services import key_save; from settings_app import crypto\n"
        f"k = ApiKey.objects.get(secret_hash=crypto.hash_secret({alice.key!r})); k.memory_mode = 'read'\n"
        "key_save(key=k, actor='test')"
    )
    reply = alice.chat("I love toast. Do I prefer marmalade?", x_memroute_memory="on")
    assert reply.headers["x-memroute-memories"] == "1"
    assert remembered(alice, alice.key) == ["I prefer marmalade"]


def test_off_is_the_default_and_leaves_no_trace(alice: Server) -> None:
    alice.settings(enabled=False)
    before = count(alice, "Receipt")
    reply = alice.chat("I prefer marmalade", x_memroute_memory="on")
    assert [h for h in reply.headers if h.startswith("x-memroute")] == ["x-memroute-request-id"]
    assert remembered(alice, alice.key) == []
    assert count(alice, "Receipt") == before


def test_a_mode_that_is_none_gets_a_sentence(alice: Server) -> None:
    reply = alice.chat("hi", x_memroute_memory="sometimes")
    assert reply.status_code == 400
    assert "x-memroute-memory" in reply.json()["error"]["message"]


def test_a_session_keeps_its_memories_to_itself_in_session_scope(alice: Server) -> None:
    alice.settings(scope="session")
    try:
        alice.chat("I prefer marmalade", x_memroute_session_id="one")
        alice.receipt("none")
        question = "Do I prefer marmalade?"
        assert alice.chat(question, x_memroute_session_id="two").headers["x-memroute-memories"] == "0"
        assert alice.chat(question, x_omniroute_session_id="one").headers["x-memroute-memories"] == "1"
    finally:
        alice.settings(scope="apiKey")


def test_a_changed_setting_holds_for_the_next_request(alice: Server) -> None:
    alice.chat("I prefer marmalade")
    alice.receipt("none")
    alice.settings(maxTokens=0)
    assert alice.chat("Do I prefer marmalade?").headers["x-memroute-memories"] == "0"
    alice.settings(maxTokens=2000)
    assert alice.chat("Do I prefer marmalade?").headers["x-memroute-memories"] == "1"


def test_a_key_that_has_used_up_its_requests_is_told_when_to_come_back(alice: Server) -> None:
    alice.settings(keyRateLimit=2)
    try:
        replies = [alice.chat("hi") for _ in range(3)]
    finally:
        alice.settings(keyRateLimit=0)
    assert [reply.status_code for reply in replies] == [200, 200, 429]
    assert int(replies[2].headers["retry-after"]) <= 30
    assert replies[2].json()["error"]["code"] == "rate_limit_exceeded"
