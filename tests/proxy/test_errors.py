"""Every error has a status and OpenAI's shape, and its sentence helps."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from proxy import errors
from proxy.errors import ProxyError, error_body, sse_error

EXAMPLES = [
    (errors.ProxyError(), 500, "internal_error"),
    (errors.InternalError(), 500, "internal_error"),
    (errors.InvalidBody(), 400, "invalid_body"),
    (errors.InvalidHeader("`x` must be y."), 400, "invalid_header"),
    (errors.MissingKey(), 401, "missing_api_key"),
    (errors.UnknownKey(), 401, "invalid_api_key"),
    (errors.MissingScope(), 403, "missing_scope"),
    (errors.ModelNotFound("gpt-9", ["memroute/demo"]), 404, "model_not_found"),
    (errors.NotFound(), 404, "not_found"),
    (errors.MethodNotAllowed(), 405, "method_not_allowed"),
    (errors.BodyTooLarge(20 * 1024 * 1024), 413, "body_too_large"),
    (errors.UnsupportedEncoding(), 415, "unsupported_encoding"),
    (errors.RateLimited(30), 429, "rate_limit_exceeded"),
    (errors.UpstreamError(), 502, "upstream_error"),
    (errors.UpstreamConnect(), 502, "upstream_unreachable"),
    (errors.UpstreamTimeout(), 504, "upstream_timeout"),
]


def subclasses(of: type[ProxyError]) -> Iterator[type[ProxyError]]:
    yield of
    for child in of.__subclasses__():
        yield from subclasses(child)


def test_every_class_of_the_tree_is_among_the_examples() -> None:
    assert set(subclasses(ProxyError)) == {type(error) for error, _, _ in EXAMPLES}


@pytest.mark.parametrize(("error", "status", "code"), EXAMPLES, ids=lambda value: type(value).__name__)
def test_every_error_has_a_status_and_openais_shape(error: ProxyError, status: int, code: str) -> None:
    body = json.loads(error_body(error))
    assert (error.status, body["error"]["code"]) == (status, code)
    assert set(body) == {"error"}
    assert set(body["error"]) == {"message", "type", "param", "code"}
    assert body["error"]["message"] == str(error)
    assert str(error).endswith(".")


@pytest.mark.parametrize(("error", "status", "code"), EXAMPLES, ids=lambda value: type(value).__name__)
def test_in_a_stream_an_error_is_one_event(error: ProxyError, status: int, code: str) -> None:
    event = sse_error(error)
    assert event == b"data: " + error_body(error) + b"\n\n"
    assert event.count(b"\n") == 2


def test_a_raised_class_needs_no_arguments() -> None:
    with pytest.raises(errors.MissingKey) as caught:
        raise errors.MissingKey
    assert caught.value.headers == [(b"www-authenticate", b"Bearer")]


def test_a_message_and_a_parameter_can_be_named() -> None:
    error = errors.InvalidBody("`model` is missing.", param="model")
    assert json.loads(error_body(error))["error"]["param"] == "model"
    assert errors.InvalidBody().param is None


def test_an_unknown_model_comes_with_the_known_ones() -> None:
    error = errors.ModelNotFound("gpt-9", ["memroute/demo", "openai/gpt-5"])
    assert str(error) == "No provider serves the model `gpt-9`. Known models: memroute/demo, openai/gpt-5."
    assert error.param == "model"


def test_a_long_list_of_models_and_a_long_name_are_cut() -> None:
    error = errors.ModelNotFound("x" * 10_000, [f"m{i}" for i in range(500)])
    assert "m19 and 480 more" in str(error)
    assert len(str(error)) < 500


def test_without_any_model_nothing_is_listed() -> None:
    assert str(errors.ModelNotFound("m")) == "No provider serves the model `m`."


def test_a_name_that_is_no_text_can_be_answered() -> None:
    assert json.loads(error_body(errors.ModelNotFound("\ud800\r\n")))["error"]["message"].startswith("No provider")


def test_who_is_turned_away_learns_when_to_come_back() -> None:
    error = errors.RateLimited(30)
    assert error.headers == [(b"retry-after", b"30")]
    assert "30 s" in str(error)


def test_the_limit_of_a_body_is_named() -> None:
    assert "1,024 bytes" in str(errors.BodyTooLarge(1024))


def test_headers_of_one_error_are_not_anothers() -> None:
    errors.InvalidBody().headers.append((b"x", b"y"))
    assert errors.InvalidBody().headers == []


def test_every_code_is_in_the_documentation() -> None:
    documented = (Path(__file__).parents[2] / "docs" / "api.md").read_text()
    missing = [case[2] for case in EXAMPLES if f"`{case[2]}`" not in documented]
    assert missing == []
