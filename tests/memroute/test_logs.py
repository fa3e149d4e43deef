"""Log lines: one line each, none can be forged, and nothing in them that a person said or a key."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

import pytest
from django.test import Client, RequestFactory

from memroute.logs import JsonFormatter, TextFormatter

FORGED = "tabs\r\n2026-08-13T00:00:00.000Z ERROR memroute forged\x1b[31m\u2028\x00\x85\ud800"


def record(message: str = "event", *, error: Exception | None = None, **extra: Any) -> logging.LogRecord:
    made = logging.getLogger("memroute.test").makeRecord("memroute.test", 20, "f", 1, message, (), None, extra=extra)
    if error is not None:
        try:
            raise error
        except type(error):
            made.exc_info = sys.exc_info()
    return made


@pytest.mark.parametrize("formatter", [TextFormatter(), JsonFormatter()], ids=["text", "json"])
@pytest.mark.parametrize("where", ["message", "extra", "error"])
def test_nobody_can_forge_a_second_line(formatter: logging.Formatter, where: str) -> None:
    made = {
        "message": lambda: record(FORGED),
        "extra": lambda: record(session=FORGED),
        "error": lambda: record(error=ValueError(FORGED)),
    }[where]()
    line = formatter.format(made)
    assert "forged" in line
    assert len(line.splitlines()) == 1
    assert line.isprintable()


def test_a_text_line_has_time_level_logger_event_and_values() -> None:
    made = record("memory.injection.injected", count=3)
    made.created = 0
    line = TextFormatter().format(made)
    assert line == "1970-01-01T00:00:00.000Z INFO memroute.test memory.injection.injected count=3"


def test_a_json_line_is_one_object_with_the_event_and_its_values() -> None:
    entry = json.loads(JsonFormatter().format(record("memory.injection.injected", count=3, key={1})))
    assert (entry["event"], entry["level"], entry["count"], entry["key"]) == (
        "memory.injection.injected",
        "INFO",
        3,
        "{1}",
    )


def test_an_events_values_cannot_pass_for_another_event() -> None:
    made = record()
    vars(made).update(level="ERROR", time="never", logger="other", event="forged")
    entry = json.loads(JsonFormatter().format(made))
    assert (entry["level"], entry["logger"], entry["event"]) == ("INFO", "memroute.test", "event")


def test_a_traceback_is_in_the_line() -> None:
    assert "ValueError: no" in TextFormatter().format(record(error=ValueError("no")))
    assert "ValueError: no" in json.loads(JsonFormatter().format(record(error=ValueError("no"))))["error"]


def test_what_somebody_searched_for_is_not_in_the_line_of_a_failed_request() -> None:
    request = RequestFactory().get("/nowhere", {"query": "quincejelly"})
    for formatter in (TextFormatter(), JsonFormatter()):
        assert "quincejelly" not in formatter.format(record("Not Found: /nowhere", request=request, status_code=404))


@pytest.mark.django_db
def test_a_failed_sign_in_leaves_no_password_in_the_log(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.post("/admin/login/?next=/admin/", {"username": "ada", "password": "hunter2"})
    client.get("/nowhere?query=quincejelly")
    lines = [TextFormatter().format(made) for made in caplog.records]
    assert lines
    assert not [line for line in lines if "hunter2" in line or "quincejelly" in line]
