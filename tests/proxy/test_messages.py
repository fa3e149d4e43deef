"""Reading requests and replies: the right words are found, and no shape of JSON makes it fail."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.messages import (
    MODES,
    context_before,
    holds_tool_result,
    is_user,
    last_user_text,
    memory_mode,
    narrow,
    new_user_texts,
    reply_text,
    request_items,
    session_id,
    wants_no_memory,
)

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
some_messages = st.lists(
    st.fixed_dictionaries(
        {},
        optional={
            "role": st.sampled_from(["user", "assistant", "system", "tool", None, 3, [], {}]),
            "type": st.sampled_from(["text", "function_call_output", None, []]),
            "content": json_values
            | st.lists(
                st.fixed_dictionaries(
                    {"type": st.sampled_from(["text", "tool_result", "image_url", [], {}]), "text": json_values}
                )
            ),
        },
    )
    | json_values,
    max_size=8,
)


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def assistant(content: Any, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def text(words: Any) -> dict[str, Any]:
    return {"type": "text", "text": words}


IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}
CALL = assistant(None, tool_calls=[{"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}])
RESULT = {"role": "tool", "tool_call_id": "c1", "content": "I always use X"}
ANTHROPIC_RESULT = user([{"type": "tool_result", "tool_use_id": "c1", "content": "I always use X"}])


def test_the_last_user_message_is_found_behind_tools_and_reasoning() -> None:
    messages = [
        user("first"),
        assistant("no"),
        user("which editor?"),
        CALL,
        RESULT,
        {"type": "reasoning", "content": "hm"},
    ]
    assert last_user_text(messages) == "which editor?"


def test_text_parts_are_joined_and_other_parts_skipped() -> None:
    content = [
        text("look"),
        IMAGE,
        {"type": "input_text", "text": "at this"},
        {"type": "reasoning", "text": "hm"},
        text(None),
    ]
    assert last_user_text([user(content)]) == "look\nat this"


@pytest.mark.parametrize(("limit", "kept"), [(3, "def"), (6, "abcdef"), (99, "abcdef"), (0, "")])
def test_of_a_long_message_the_end_is_kept(limit: int, kept: str) -> None:
    assert last_user_text([user("abcdef")], limit) == kept


def test_tool_results_that_come_as_a_user_message_are_nobodys_words() -> None:
    assert last_user_text([user("run it"), CALL, ANTHROPIC_RESULT]) == "run it"


def test_a_user_message_beside_tool_results_is_still_a_users() -> None:
    mixed = user([*ANTHROPIC_RESULT["content"], text("and now?")])
    assert (is_user(mixed), holds_tool_result(mixed)) == (True, True)
    assert last_user_text([mixed]) == "and now?"


def test_the_new_turn_is_what_follows_the_last_assistant_message() -> None:
    assert new_user_texts([user("old"), assistant("answer"), user("one"), user([text("two")])]) == ["one", "two"]


def test_a_turn_that_goes_on_with_tool_results_is_not_new() -> None:
    assert new_user_texts([user("run it"), CALL, RESULT]) == []


def test_blank_messages_are_no_news() -> None:
    assert new_user_texts([user("  "), user([IMAGE]), user("yes"), {"role": "system", "content": "be brief"}]) == [
        "yes"
    ]


def test_the_context_is_the_two_turns_before() -> None:
    turns = [message for i in range(1, 4) for message in (user(f"u{i}"), assistant(f"a{i}"))]
    assert context_before([{"role": "system", "content": "s"}, *turns, user("new")]) == "u2\na2\nu3\na3"


def test_two_user_messages_in_a_row_are_one_turn_of_the_context() -> None:
    messages = [user("u1"), assistant("a1"), user("u2"), user("u3"), assistant("a3"), user("new")]
    assert context_before(messages, turns=1) == "u2\nu3\na3"


def test_tools_are_no_part_of_the_context() -> None:
    assert context_before([user("run it"), CALL, RESULT, assistant("done"), user("thanks")]) == "run it\ndone"


def test_there_is_no_context_before_the_first_answer() -> None:
    assert context_before([user("hello")]) == ""


def test_the_context_keeps_its_last_thousand_characters() -> None:
    context = context_before([user("x" * 5000), assistant("y" * 400), user("new")])
    assert context == "x" * 599 + "\n" + "y" * 400


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"choices": [{"message": {"content": "hi"}}]}, "hi"),
        ({"choices": [{"message": {"content": [text("a"), {"type": "thinking"}, text("b")]}}]}, "a\nb"),
        ({"choices": [{"message": {"content": None, "tool_calls": []}}]}, ""),
        ({"choices": [{"message": {"content": "one"}}, {"message": {"content": "two"}}]}, "one"),
        ({"choices": []}, ""),
        ({"choices": [None], "output_text": "responses"}, "responses"),
        ({"output_text": 3}, ""),
        ({}, ""),
        (None, ""),
    ],
)
def test_the_text_of_a_reply(body: Any, expected: str) -> None:
    assert reply_text(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"messages": [1]}, [1]),
        ({"messages": {}, "input": "hi"}, [user("hi")]),
        ({"input": [user("hi")]}, [user("hi")]),
        ({"input": 3}, []),
        ({}, []),
    ],
)
def test_the_items_of_a_request(body: dict[str, Any], expected: list[Any]) -> None:
    assert request_items(body) == expected


@given(some_messages | json_values)
def test_no_shape_of_messages_is_an_error(messages: Any) -> None:
    assert isinstance(last_user_text(messages), str)
    assert all(isinstance(said, str) for said in new_user_texts(messages))
    assert len(context_before(messages)) <= 1000


@given(
    json_values
    | st.fixed_dictionaries({"choices": json_values | st.lists(st.fixed_dictionaries({"message": json_values}))})
)
def test_no_shape_of_a_reply_is_an_error(body: Any) -> None:
    assert isinstance(reply_text(body), str)


@pytest.mark.parametrize("name", ["x-memroute-no-memory", "x-omniroute-no-memory"])
@pytest.mark.parametrize(
    ("value", "expected"), [("true", True), (" YES ", True), ("1", True), ("0", False), ("", False), ("on", True)]
)
def test_the_no_memory_headers(name: str, value: str, expected: bool) -> None:
    assert wants_no_memory({name: value}) is expected


@pytest.mark.parametrize(
    ("value", "expected"), [("on", "on"), (" OFF ", "off"), ("Read", "read"), ("write", "write"), (" ", None)]
)
def test_the_memory_header(value: str, expected: str | None) -> None:
    assert memory_mode({"x-memroute-memory": value}) == expected


def test_an_unknown_memory_mode_is_refused_with_the_known_ones() -> None:
    with pytest.raises(ValueError, match="on, off, read or write"):
        memory_mode({"x-memroute-memory": "maybe"})


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        ({}, None),
        ({"x-memroute-session-id": " chat 1 "}, "chat 1"),
        ({"x-omniroute-session-id": "a&b=c%"}, "a&b=c%"),
        ({"x-memroute-session-id": " ", "x-omniroute-session-id": "other"}, "other"),
        ({"x-memroute-session-id": "mine", "x-omniroute-session-id": "other"}, "mine"),
        ({"x-memroute-session-id": "\xa0\t"}, None),
        ({"x-memroute-session-id": "x" * 255}, "x" * 255),
        ({"x-memroute-session-id": ("é" * 255).encode().decode("latin-1")}, "é" * 255),
        ({"x-memroute-session-id": "caf\xe9"}, "café"),
    ],
)
def test_the_session_header(headers: dict[str, str], expected: str | None) -> None:
    assert session_id(headers) == expected


@pytest.mark.parametrize(
    "value", ["x" * 256, "a\x00b", "a\x7fb", "a\u200bb".encode().decode("latin-1"), "a\x85b", "\x1fa"]
)
def test_a_session_that_cannot_be_an_id_is_refused(value: str) -> None:
    with pytest.raises(ValueError, match="x-memroute-session-id"):
        session_id({"x-memroute-session-id": value})


@pytest.mark.parametrize("key_mode", MODES)
@pytest.mark.parametrize("requested", [None, *MODES])
def test_a_request_narrows_what_the_key_allows_and_never_widens(key_mode: str, requested: str | None) -> None:
    result = narrow(key_mode, requested)
    assert MODES[result] == MODES[key_mode] & MODES[requested or "on"]


def test_a_mode_nobody_knows_allows_nothing() -> None:
    assert narrow("always", "on") == narrow("on", "always") == "off"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"input": [{"role": "user", "type": "message", "content": [{"type": "input_text", "text": "hey"}]}]}, "hey"),
        ({"input": [{"type": "reasoning", "content": "thinking"}, user("alpha"), user("beta")]}, "beta"),
        ({}, ""),
    ],
    ids=["om-137", "om-139", "om-142"],
)
def test_the_query_of_a_request_is_the_references(body: dict[str, Any], expected: str) -> None:
    assert last_user_text(request_items(body)) == expected


def test_half_a_character_becomes_the_replacement_character() -> None:
    half = "a\ud83d"
    messages = [user(half), assistant(half), user(half)]
    assert last_user_text(messages) == new_user_texts(messages)[0] == "a\ufffd"
    assert context_before(messages) == "a\ufffd\na\ufffd"
    assert reply_text({"output_text": half}) == "a\ufffd"
