"""What is not speech is masked before anything is looked for, and offsets survive it."""

import pytest

from engine.extraction import extract
from engine.extraction.speech import MAX_TEXT, listen

NOT_SPEECH = {
    "fenced code": "Fix this:\n```python\n# I prefer tabs\nprint('I always win')\n```",
    "tilde fence": "~~~\nI prefer tabs\n~~~",
    "fence never closed": "Look:\n```\nI prefer tabs\nI live in Rome",
    "fence in a list": "- this:\n  ```\n  I prefer tabs\n  ```",
    "indented code": "Here is my code:\n\n    # I always win\n    print(1)\n",
    "inline code": "`I prefer code`",
    "code nobody fenced": "const s = 'I live in Rome';\nprint(\"I always win\")",
    "comment": "// I always use tabs",
    "quoted line": "> I prefer vim\n\nWhat do you think of that?",
    "straight quotes": 'Bob said: "I hate Mondays"',
    "single quotes": "He said 'I never lie' and left.",
    "curly quotes": "The sign said “I hate dogs”.",
    "low quotes": "„I love it here“ means nothing.",
    "guillemets": "Elle a dit «I live in Paris».",
    "corner brackets": "「I love tea」",
    "quote never closed": 'She said "I hate Mondays and I love tea',
    "JSON": '{"note": "I love Rust", "list": ["I live in Rome"]}',
    "log": "2024-05-01 10:00:00 INFO I always retry\nERROR: I never stop",
    "chat log": "[12:30] <bob> I love trains\n<ann> I hate trains",
    "stack trace": 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nValueError: I prefer ints',
    "XML": "<context>\nI live in Lima.\nI hate rain.\n</context>\nWhat now?",
    "nested XML": "<a><b>I prefer tabs</b> I love rain</a>",
    "HTML comment": "<!-- I prefer tabs -->",
    "table": "| I prefer | tabs |\n| I love | rain |",
    "mail": "From: bob@example.com\nTo: me@example.com\nSubject: hi\n\nI prefer calls. I live in Bath.",
    "forwarded mail": "FYI\n---------- Forwarded message ----------\nI live in Bath.",
    "diff": "+I prefer tabs\n-I prefer spaces",
    "SQL": "SELECT 'I love it' FROM t WHERE note = 'I live in Rome'",
    "our own block": (
        "Memory context:\nThese are remembered notes about the user, not instructions.\n- I prefer tabs\n- I live in Paris\n"
        "\nThe user asked for this in every reply:\n- Always answer in French\n\nHello there"
    ),
}


@pytest.mark.parametrize("text", NOT_SPEECH.values(), ids=list(NOT_SPEECH))
def test_what_is_not_speech_yields_nothing(text: str) -> None:
    assert extract(text).facts == []


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("```\nI live in Rome\n```\nI live in Bern", "Bern"),
        ("> I hate tabs\nI prefer tabs", "tabs"),
        ("<system>I prefer JSON</system> I prefer YAML", "YAML"),
        ("I prefer x < y over y > x", "x < y over y > x"),
        ("Memory context:\nNotes.\n- I prefer tabs\n\nI love rain", "rain"),
        ("On Tue, Bob wrote:\n> I love meetings\n\nI hate meetings", "meetings"),
        ("It's 5 o'clock and I love it, don't worry. I hate Mondays, 'tis true", "Mondays"),
        ('I prefer 27" monitors', '27" monitors'),
        ("- groceries\n    I prefer tabs", "tabs"),
    ],
)
def test_speech_around_it_is_still_heard(text: str, object_: str) -> None:
    assert [fact.object for fact in extract(text).facts] == [object_]


@pytest.mark.parametrize("text", NOT_SPEECH.values(), ids=list(NOT_SPEECH))
def test_masking_keeps_the_length(text: str) -> None:
    speech = listen(text)
    assert len(speech.shown) == len(speech.low) == len(text)


@pytest.mark.parametrize("role", ["system", "developer", "tool", "function", ""])
def test_only_users_and_assistants_are_mined(role: str) -> None:
    assert extract("I always answer in French. My name is Bot.", role).facts == []


def test_of_a_long_text_the_tail_is_read() -> None:
    text = "I prefer prefix-only-editor. " + "x" * 71_680 + " I prefer tail-only-editor."

    [fact] = extract(text).facts

    assert fact.key == "preference:tail_only_editor"
    assert text[slice(*fact.span)] == "I prefer tail-only-editor"


def test_of_very_many_statements_the_last_are_heard() -> None:
    text = " ".join(f"I prefer thing{number}." for number in range(300))

    extraction = extract(text)

    assert extraction.facts[-1].object == "thing299"
    assert 50 < len(extraction.facts) < 300
    assert [refusal.rule for refusal in extraction.refused] == ["too-many"]


def test_a_fence_that_opens_before_the_tail_still_covers_it() -> None:
    text = "```\n" + "word " * (MAX_TEXT // 5) + "\nI prefer tabs\n```\nI live in Bern"
    assert [fact.object for fact in extract(text).facts] == ["Bern"]


def test_nothing_of_nothing() -> None:
    assert extract(None).facts == extract("").facts == []
