"""Editing JSON in place changes what was asked for, and no other byte."""

from __future__ import annotations

import base64
import copy
import json
import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proxy.splice import JsonEdit, Path, dumped, value_end

CHAT = b"""\xef\xbb\xbf  {
  "model" : "memroute/demo",
  "seed": 12345678901234567890123, "temperature":1.10, "top_p": 1e5, "caf\\u00e9" : "\\u00e9\\/\\ud83d\\ude00",
  "messages": [ {"role":"system","content":"Be brief."} ,
                {"content": [ {"type":"text","text":"a \\"quoted\\" \\\\"} ], "role":"user"} ]
}
"""

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text()
)
keys = st.one_of(st.text(max_size=4), st.sampled_from(["a", "b", "model", "é", '"', "\\", "{", "]"]))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5), max_leaves=25
)
layouts = st.sampled_from([(",", ":"), (", ", ": "), (" ,\n\t", " :\r\n")])


def edited(raw: bytes, edit: str, *arguments: Any) -> bytes:
    document = JsonEdit(raw)
    getattr(document, edit)(*arguments)
    return document.apply()


def paths(value: Any, so_far: Path = ()) -> list[Path]:
    children: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    return [so_far, *(path for key, child in children for path in paths(child, (*so_far, key)))]


def at(value: Any, path: Path) -> Any:
    for step in path:
        value = value[step]
    return value


@st.composite
def documents(draw: st.DrawFn) -> tuple[bytes, Any]:
    """A JSON object in some spelling, and what it says."""
    value = draw(st.dictionaries(keys, values, max_size=6))
    text = json.dumps(
        value, ensure_ascii=draw(st.booleans()), separators=draw(layouts), indent=draw(st.sampled_from([None, 2]))
    )
    return draw(st.sampled_from([b"", b" \n", b"\xef\xbb\xbf"])) + text.encode("utf-8", "surrogatepass"), value


def test_it_replaces_the_model_and_nothing_else() -> None:
    assert edited(CHAT, "replace", ("model",), "démo") == CHAT.replace(b"memroute/demo", "démo".encode())


def test_it_inserts_before_an_element_and_leaves_its_spelling() -> None:
    new = edited(CHAT, "insert", ("messages",), 1, {"role": "system", "content": "x"})
    assert new == CHAT.replace(b'{"content": [', b'{"role":"system","content":"x"},{"content": [')


def test_it_appends_behind_the_last_element() -> None:
    assert edited(b'{"a":[1 , 2 ]}', "insert", ("a",), 2, 3) == b'{"a":[1 , 2,3 ]}'


def test_it_fills_an_empty_array_in_the_order_of_the_calls() -> None:
    document = JsonEdit(b'{"a": [ ]}')
    document.insert(("a",), 0, 1)
    document.insert(("a",), 0, 2)
    assert document.apply() == b'{"a": [1,2 ]}'


def test_several_insertions_at_one_place_keep_their_order() -> None:
    document = JsonEdit(b'{"a":[9]}')
    for value in (1, 2):
        document.insert(("a",), 0, value)
    for value in (3, 4):
        document.insert(("a",), 1, value)
    assert document.apply() == b'{"a":[1,2,9,3,4]}'


def test_it_prepends_inside_a_string_and_leaves_the_rest_as_it_was_spelled() -> None:
    raw = b'{"a":"\\u00e9\\ud800\\/"}'
    assert edited(raw, "prepend", ("a",), 'say "hi"\n') == b'{"a":"say \\"hi\\"\\n\\u00e9\\ud800\\/"}'


def test_it_puts_a_missing_key_at_the_end_and_replaces_a_present_one() -> None:
    document = JsonEdit(b'{"a":1 , "o":{} }')
    document.put(("a",), 2)
    document.put(("tools",), [])
    document.put(("o", "k"), None)
    document.put(("o", "l"), None)
    assert document.apply() == b'{"a":2 , "o":{"k":null,"l":null},"tools":[] }'


def test_the_last_of_duplicate_keys_counts_as_in_json_loads() -> None:
    raw = b'{"m":[1],"model":"a","m":[2],"mod\\u0065l":"b","m":{"x":[]}}'
    document = JsonEdit(raw)
    document.insert(("m", "x"), 0, 3)
    document.replace(("model",), "c")
    assert document.apply() == b'{"m":[1],"model":"a","m":[2],"mod\\u0065l":"c","m":{"x":[3]}}'


def test_an_array_that_a_later_duplicate_hides_cannot_be_edited() -> None:
    with pytest.raises(LookupError):
        JsonEdit(b'{"m":[1],"m":"text"}').insert(("m",), 0, 1)


def test_a_key_put_beside_duplicates_comes_behind_the_last_member() -> None:
    assert edited(b'{"a":1,"b":2,"a":3}', "put", ("c",), 4) == b'{"a":1,"b":2,"a":3,"c":4}'


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32", "utf-32-be"])
def test_other_unicode_encodings_become_utf8(encoding: str) -> None:
    assert edited('{"model":"é","x":1.10}'.encode(encoding), "replace", ("model",), "m") == b'{"model":"m","x":1.10}'


def test_without_edits_the_same_object_comes_back() -> None:
    assert JsonEdit(CHAT).apply() is CHAT


def test_lone_surrogates_stay_escaped() -> None:
    assert dumped({"é": "\ud800x😀"}) == '{"é":"\\ud800x😀"}'.encode()


@pytest.mark.parametrize(
    ("edit", "arguments"),
    [
        ("replace", (("nothing",), 1)),
        ("replace", (("messages", 7), 1)),
        ("replace", (("messages", -1), 1)),
        ("replace", (("model", "deeper"), 1)),
        ("replace", (("messages", "role"), 1)),
        ("insert", (("model",), 0, 1)),
        ("insert", (("nothing",), 0, 1)),
        ("insert", (("messages",), 3, 1)),
        ("insert", (("messages",), -1, 1)),
        ("insert", ((), 0, 1)),
        ("put", (("messages", "x"), 1)),
        ("prepend", (("messages",), "x")),
    ],
)
def test_a_path_that_leads_nowhere_is_a_lookup_error(edit: str, arguments: tuple[Any, ...]) -> None:
    with pytest.raises(LookupError):
        edited(CHAT, edit, *arguments)


def test_edits_that_overlap_are_refused() -> None:
    document = JsonEdit(CHAT)
    document.replace(("messages", 0), 1)
    document.replace(("messages", 0, "role"), "user")
    with pytest.raises(ValueError, match="overlap"):
        document.apply()


def test_not_a_number_is_not_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        dumped(float("nan"))


@given(documents(), st.data(), values)
@example((b'{"":[[[[[{"a":[1,"]"]}]]]],"b"]}', {"": [[[[[{"a": [1, "]"]}]]]], "b"]}), None, "x")
def test_replacing_agrees_with_the_same_edit_on_the_parsed_value(
    document: tuple[bytes, Any], data: st.DataObject | None, new: Any
) -> None:
    raw, value = document
    path: Path = data.draw(st.sampled_from(paths(value))) if data else ("", 0, 0, 0, 0, 0, "a", 1)
    expected: Any = copy.deepcopy(value)
    if path:
        at(expected, path[:-1])[path[-1]] = new
    else:
        expected = new
    result = edited(raw, "replace", path, new)
    assert json.loads(result) == expected
    assert_only_inserted(raw, result, dumped(new), removed=json.loads(json.dumps(at(value, path))))


def assert_only_inserted(raw: bytes, result: bytes, new: bytes, removed: Any) -> None:
    """There is a cut where raw and result agree before and behind the new bytes, and raw had the removed value there."""
    for cut in range(len(result) - len(new) + 1):
        if (
            result[cut : cut + len(new)] == new
            and raw.startswith(result[:cut])
            and raw.endswith(result[cut + len(new) :])
        ):
            old = raw[cut : len(raw) - (len(result) - cut - len(new))]
            if old.strip() and json.loads(old) == removed:
                return
    pytest.fail("bytes outside of the edit have changed")


@given(documents(), st.data(), values)
def test_inserting_agrees_with_the_same_edit_on_the_parsed_value(
    document: tuple[bytes, Any], data: st.DataObject, new: Any
) -> None:
    raw, value = document
    lists = [path for path in paths(value) if isinstance(at(value, path), list)]
    if not lists:
        return
    path = data.draw(st.sampled_from(lists))
    index = data.draw(st.integers(0, len(at(value, path))))
    result = edited(raw, "insert", path, index, new)
    at(value, path).insert(index, new)
    assert json.loads(result) == value
    written = len(result) - len(raw)
    assert any(raw == result[:cut] + result[cut + written :] for cut in range(len(raw) + 1))


@given(documents(), st.data(), st.text())
def test_prepending_agrees_with_the_same_edit_on_the_parsed_value(
    document: tuple[bytes, Any], data: st.DataObject, text: str
) -> None:
    raw, value = document
    strings = [path for path in paths(value) if path and isinstance(at(value, path), str)]
    if not strings:
        return
    path = data.draw(st.sampled_from(strings))
    result = edited(raw, "prepend", path, text)
    at(value, path[:-1])[path[-1]] = text + at(value, path)
    assert json.loads(result) == value


@given(values, layouts)
def test_the_end_of_any_value_is_found(value: Any, layout: tuple[str, str]) -> None:
    raw = json.dumps(value, separators=layout).encode()
    assert value_end(b"[" + raw + b",1]", 1) == len(raw) + 1


@pytest.mark.parametrize(
    "inner",
    [
        base64.b64encode(bytes(9_000_000)).decode(),
        'a"' * 2_000_000,
        "\\" * 3_000_000,
        [[[[[{}]]]]] * 100_000,
        [1.5] * 1_000_000,
        [{"a": "b"}] * 200_000,
    ],
    ids=["image", "quotes", "backslashes", "brackets", "numbers", "objects"],
)
def test_large_bodies_are_edited_in_linear_time(inner: Any) -> None:
    raw = json.dumps({"messages": [{"role": "user", "content": [{"image": inner}]}], "model": "m"}).encode()
    before = time.perf_counter()
    document = JsonEdit(raw)
    document.insert(("messages",), 0, {})
    document.replace(("model",), "n")
    result = document.apply()
    assert time.perf_counter() - before < 5
    assert len(result) == len(raw) + 3
    assert result.startswith(b'{"messages": [{},{"role": ')
    assert result.endswith(b'"model": "n"}')


def test_nesting_as_deep_as_json_loads_allows_is_no_matter() -> None:
    raw = b'{"a":' + b"[" * 900 + b"]" * 900 + b',"model":"m"}'
    assert edited(raw, "replace", ("model",), "n") == raw.replace(b'"m"', b'"n"')
