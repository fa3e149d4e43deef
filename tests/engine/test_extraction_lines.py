"""JSON lines in and out, and how labelled messages are scored."""

import io
import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from engine.extraction import Fact
from engine.extraction.lines import BadLine, extract_lines, report, score_lines
from engine.extraction.scoring import Score, is_right


def fact(object_: str, category: str = "preference", polarity: str = "+") -> Fact:
    """A fact of which only category, polarity and object matter."""
    return Fact(category, "factual", polarity, object_, "", "", (0, 0))


def label(object_: str, category: str = "preference", polarity: str = "+") -> dict[str, str]:
    """A label as the files hold it."""
    return {"category": category, "polarity": polarity, "object": object_}


def test_a_message_becomes_its_facts_and_refusals() -> None:
    [answer] = extract_lines(['{"id": "a", "role": "user", "text": "I prefer tabs. I like it."}'])

    assert answer == {
        "id": "a",
        "facts": [
            {
                "category": "preference",
                "type": "factual",
                "polarity": "+",
                "object": "tabs",
                "content": "I prefer tabs",
                "key": "preference:tabs",
                "span": [0, 13],
            }
        ],
        "refused": [{"span": [15, 24], "rule": "pointer"}],
    }


@pytest.mark.parametrize(
    "line", ["x", "[]", '{"id": 1}', '{"text": 3}', '{"text": "", "role": null}', r'{"text": "\ud83d"}']
)
def test_a_bad_line_is_named_and_the_others_still_count(line: str) -> None:
    answers = list(extract_lines(["", line, '{"id": 2, "text": "I prefer tabs"}']))

    assert answers[0]["line"] == 2
    assert answers[0]["error"]
    assert answers[1]["id"] == 2


def test_the_command_answers_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO('{"id": 1, "role": "system", "text": "I prefer tabs"}\n'))

    call_command("extract_facts", stdout=out)

    assert json.loads(out.getvalue()) == {"id": 1, "facts": [], "refused": []}


def test_the_command_fails_at_the_end_when_a_line_was_bad(monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b'\xff\n{"id": 1, "text": "I prefer tabs"}\n')))

    with pytest.raises(SystemExit) as failed:
        call_command("extract_facts", stdout=out)

    assert failed.value.code == 1
    assert [json.loads(line).get("id") for line in out.getvalue().splitlines()] == [None, 1]


def test_the_command_scores_a_file(tmp_path: Path) -> None:
    out = io.StringIO()
    file = tmp_path / "labels.jsonl"
    file.write_text(
        json.dumps({"id": "a", "text": "I prefer tabs", "facts": [label("tabs"), label("rain")]}) + "\n",
        encoding="utf-8",
    )

    call_command("extract_facts", score=file, stdout=out)

    assert out.getvalue().splitlines() == [
        "precision 1.000, recall 0.500",
        "1 right, 1 missed, 0 false",
        "missed  a: preference + rain",
    ]


def test_a_file_that_cannot_be_scored_is_a_command_error(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="cannot score"):
        call_command("extract_facts", score=tmp_path / "missing.jsonl")


def test_unlabelled_lines_cannot_be_scored() -> None:
    with pytest.raises(BadLine, match="line 1"):
        score_lines(['{"text": "I prefer tabs"}'])


@pytest.mark.parametrize(
    ("found", "wanted", "right"),
    [
        (fact("a window seat"), label("window seat"), True),
        (fact("TABS!"), label("tabs"), True),
        (fact("cafe\u0301"), label("café"), True),
        (fact("one two three four tabs"), label("tabs"), True),
        (fact("one two three four five tabs"), label("tabs"), False),
        (fact("tab"), label("tabs"), False),
        (fact("seat window"), label("window seat"), False),
        (fact("tabs", polarity="-"), label("tabs"), False),
        (fact("tabs", category="pattern"), label("tabs"), False),
    ],
)
def test_a_fact_is_right_when_it_holds_the_words_and_at_most_four_more(
    found: Fact, wanted: dict[str, str], right: bool
) -> None:
    assert is_right(found, wanted) is right


def test_a_fact_counts_once() -> None:
    score = Score()
    score.add("a", [label("tabs"), label("tabs")], [fact("tabs")])
    assert (score.right, len(score.missed), len(score.false)) == (1, 1, 0)


def test_what_was_invented_is_listed() -> None:
    score = Score()
    score.add("a", [], [fact("tabs")])
    assert list(report(score))[-1] == "false   a: preference + tabs"


def test_nothing_wanted_and_nothing_found_is_perfect() -> None:
    assert (Score().precision, Score().recall) == (1.0, 1.0)
