"""The tap hears what a stream says however it is cut, and nothing in a stream can make it fail or grow."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxy.tap import EVENT_BYTES, BodyTap, StreamTap

USAGE = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}


def chunk(content: Any = None, *, finish: str | None = None, index: int = 0, **more: Any) -> bytes:
    delta = {} if content is None else {"content": content}
    return event({"choices": [{"index": index, "delta": delta, "finish_reason": finish}], **more})


def event(data: Any, end: bytes = b"\n") -> bytes:
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + end + end


DONE = b"data: [DONE]\n\n"
# Everything that row 40 of the known faults names: role chunk, empty content, a tool call in three parts, usage on every chunk, a
# chunk without choices, characters of several bytes, comments, unknown fields, an event of several lines, garbage.
SCRIPT = b"".join(
    [
        b": keep-alive\n\n",
        event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]}),
        chunk("Grüß ", usage=USAGE, x_unknown={"deep": [1]}),
        b"event: message\nid: 7\nretry: 10\nnonsense\n" + chunk("dich 😀"),
        chunk("not this one", index=1),
        *(
            event({"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "function": {"arguments": part}}]}}]})
            for part in ('{"a"', ":", "1}")
        ),
        b'data: {"choices": [{"index": 0,\ndata:  "delta": {"content": "!"}}]}\n\n',
        b"data: {garbage\n\n",
        b"data: 3\n\n",
        chunk(finish="stop"),
        event({"choices": [], "usage": {**USAGE, "total_tokens": 6}}),
        DONE,
    ]
)


def heard(chunks: Sequence[bytes], limit: int = 262144) -> StreamTap:
    tap = StreamTap(limit)
    for piece in chunks:
        tap.feed(piece)
    return tap


def state(tap: StreamTap) -> tuple[Any, ...]:
    return tap.text, tap.finish_reason, tap.usage, tap.done, tap.error, tap.complete, tap.garbage, tap.truncated


EXPECTED = ("Grüß dich 😀!", "stop", {**USAGE, "total_tokens": 6}, True, False, True, 2, False)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
def test_it_hears_the_whole_script_in_one_piece_and_in_single_bytes(end: bytes) -> None:
    script = SCRIPT.replace(b"\n", end)
    assert state(heard([script])) == EXPECTED
    assert state(heard([script[i : i + 1] for i in range(len(script))])) == EXPECTED


@given(st.lists(st.integers(0, len(SCRIPT)), max_size=40), st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_where_the_stream_is_cut_makes_no_difference(cuts: list[int], end: bytes) -> None:
    script = SCRIPT.replace(b"\n", end)
    edges = [0, *sorted(cuts), len(script)]
    assert state(heard([script[a:b] for a, b in pairwise(edges)])) == EXPECTED


@given(
    st.lists(
        st.binary(max_size=30) | st.sampled_from([SCRIPT, b"data: ", b"\n", b"\r", b"{", b'"choices":', b"[DONE]"])
    )
)
def test_no_bytes_make_it_fail(pieces: list[bytes]) -> None:
    assert isinstance(heard(pieces).text, str)


@given(
    st.recursive(st.none() | st.integers() | st.text(max_size=3), lambda i: st.lists(i) | st.dictionaries(st.text(), i))
)
def test_no_shape_of_an_event_makes_it_fail(value: Any) -> None:
    shapes = [value, {"choices": value}, {"choices": [value]}, {"choices": [{"delta": value, "index": value}]}]
    shapes += [{"choices": [{"index": 0, "delta": {"content": value}, "finish_reason": value}]}, {"usage": value}]
    assert isinstance(heard([event(shape) for shape in shapes]).complete, bool)


def test_a_byte_order_mark_at_the_start_is_no_part_of_a_field() -> None:
    assert heard([b"\xef\xbb", b"\xbf" + chunk("hi")]).text == "hi"


def test_content_in_parts_is_heard() -> None:
    parts = [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "hi"}]
    assert heard([chunk(parts)]).text == "hi"


def test_a_character_cut_in_halves_by_two_events_is_whole_again() -> None:
    halves = [
        b'data: {"choices":[{"delta":{"content":"\\ud83d"}}]}\n\n',
        b'data: {"choices":[{"delta":{"content":"\\ude00"}}]}\n\n',
    ]
    assert heard(halves).text == "😀"
    assert heard(halves[:1]).text == "\ufffd"


@pytest.mark.parametrize(
    ("stream", "complete"),
    [
        (chunk("hi") + DONE, True),
        (chunk("hi", finish="stop"), True),
        (chunk("hi", finish="length"), True),
        (chunk("hi"), False),
        (chunk("hi", finish="stop", index=1), False),
        (b"", False),
        (chunk("hi") + b"data: [DONE]", False),
    ],
)
def test_an_answer_is_complete_when_it_said_so(stream: bytes, complete: bool) -> None:
    assert heard([stream]).complete is complete


@pytest.mark.parametrize(
    "error", [event({"error": {"message": "overloaded"}}), b"event: error\ndata: {}\n\n", b"event:error\n\n"]
)
def test_an_error_event_makes_it_incomplete_even_when_done_follows(error: bytes) -> None:
    tap = heard([chunk("hi", finish="stop"), error, DONE])
    assert (tap.error, tap.done, tap.complete, tap.text) == (True, True, False, "hi")


def test_a_null_error_field_is_no_error() -> None:
    assert not heard([chunk("hi", error=None)]).error


def test_text_beyond_the_limit_is_dropped() -> None:
    tap = heard([chunk("abc"), chunk("def"), chunk("ghi", finish="stop")], limit=5)
    assert (tap.text, tap.truncated, tap.complete) == ("abcde", True, True)


def test_text_that_just_fits_is_whole() -> None:
    tap = heard([chunk("abc"), chunk("de"), chunk("")], limit=5)
    assert (tap.text, tap.truncated) == ("abcde", False)


@pytest.mark.parametrize("cut", [7000, 10**9])
def test_an_overlong_event_is_passed_over_and_the_next_is_heard(cut: int) -> None:
    stream = chunk("x" * (EVENT_BYTES + 1)) + chunk("next", finish="stop")
    tap = heard([stream[i : i + cut] for i in range(0, len(stream), cut)])
    assert (tap.text, tap.truncated, tap.complete) == ("next", True, True)


@pytest.mark.parametrize(
    "filler", [b"x" * 65536, b"data: " + b"y" * 65530, b"data:y\n" * 9000, b"data:\r" * 9000, b": c\n" * 9000]
)
def test_what_it_holds_is_bounded(filler: bytes) -> None:
    tap = StreamTap()
    for _ in range(100):
        tap.feed(filler)
        assert len(tap._line) + len(tap._data) <= EVENT_BYTES + 16
    tap.feed(b"\n\n" + chunk("next"))
    assert tap.text == "next"


def test_single_bytes_cost_linear_time() -> None:
    stream = chunk("x" * 400_000) + chunk("é" * 100_000)
    before = time.perf_counter()
    tap = heard([stream[i : i + 1] for i in range(len(stream))])
    assert len(tap.text) == 262144
    assert time.perf_counter() - before < 10


def test_nesting_deeper_than_python_reads_is_garbage() -> None:
    tap = heard([b"data: " + b"[" * 200_000 + b"\n\n", chunk("hi")])
    assert (tap.garbage, tap.text) == (1, "hi")


def test_a_body_is_collected_and_parsed() -> None:
    tap = BodyTap(100)
    for piece in (b'{"a":', b'"\xc3', b'\xa9"}'):
        tap.feed(piece)
    assert tap.parsed() == {"a": "é"}


@pytest.mark.parametrize("body", [b"", b"[]", b'"text"', b"{", b"\xff\xfe", b"[" * 50_000, b"<html>"])
def test_a_body_that_is_no_object_is_none(body: bytes) -> None:
    tap = BodyTap(100_000)
    tap.feed(body)
    assert tap.parsed() is None


def test_a_body_over_the_limit_is_dropped_whole() -> None:
    tap = BodyTap(10)
    for piece in (b'{"a":1}', b"    ", b"{}"):
        tap.feed(piece)
    assert (tap.parsed(), tap.truncated, len(tap._body)) == (None, True, 0)


def test_a_body_that_just_fits_is_read() -> None:
    tap = BodyTap(7)
    tap.feed(b'{"a":1}')
    assert (tap.parsed(), tap.truncated) == ({"a": 1}, False)
