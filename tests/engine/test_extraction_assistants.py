"""An assistant's words: lasting decisions by default, all of them or none on request."""

import pytest

from engine.extraction import extract


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("I'll use PostgreSQL for the backend.", "PostgreSQL for the backend"),
        ("We went with Redis for the queue.", "Redis for the queue"),
        ("I'll go with Postgres.", "Postgres"),
        ("I chose Postgres as your main database.", "Postgres as your main database"),
        ("I'm going to use SQLite in your app.", "SQLite in your app"),
        ("We decided against Kubernetes for the MVP.", "Kubernetes for the MVP"),
    ],
)
def test_decisions_with_a_lasting_object_are_kept(text: str, object_: str) -> None:
    assert [fact.object for fact in extract(text, "assistant").facts] == [object_]


@pytest.mark.parametrize(
    "text",
    [
        "I'll use grep to find it.",
        "I'll use the search tool.",
        "I'm going to use the calculator for this.",
        "First, I'll use `ls` to list the files.",
        "I'll use web_search for the latest prices.",
        "I'll go with a simple example for clarity.",
        "I'll use a loop for this.",
        "I'll use Python to compute the sum.",
        "Let's go with React.",
        "I'd go with React, I prefer it to Vue.",
    ],
)
def test_next_steps_and_proposals_are_not(text: str) -> None:
    assert extract(text, "assistant").facts == []


@pytest.mark.parametrize(
    "text",
    [
        "I always recommend talking to a doctor first.",
        "I'd be happy to help! I like to keep things simple.",
        "Sure — since you prefer tabs, I formatted it with tabs.",
        "As you said, I prefer tabs.",
        "My name is Claude.",
        "Remember that you live in Oslo.",
        "Vim is my favourite editor.",
        "Answer in Polish from now on.",
    ],
)
def test_an_assistants_preferences_are_nobodys(text: str) -> None:
    assert extract(text, "assistant").facts == []


def test_all_restores_the_reference() -> None:
    text = "I prefer concise answers. I usually answer in bullet points."
    assert [fact.object for fact in extract(text, "assistant", assistant="all").facts] == [
        "concise answers",
        "answer in bullet points",
    ]


def test_off_stops_it() -> None:
    assert extract("I'll use Postgres for the backend.", "assistant", assistant="off").facts == []


def test_the_setting_does_not_touch_users() -> None:
    assert extract("I prefer tabs", "user", assistant="off").facts != []
