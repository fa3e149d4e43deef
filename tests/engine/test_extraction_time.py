"""Time is linear: 64 KiB of the worst we could think of stay far below what backtracking would take."""

import time

import pytest

from engine.extraction import extract
from engine.extraction.speech import MAX_TEXT
from engine.redaction import find_secrets

WORST = [
    *(
        "I prefer tabs. ",
        "I like thing and I hate stuff ",
        "i ",
        "I I'm ",
        "my favorite ",
        "is my favorite ",
        "I always ",
    ),
    *(
        "I prefer " + "a, " * 200,
        "I prefer a, b, c, ",
        "I'll use https://a:b ",
        "I switched from a ",
        "- I prefer tabs\n",
    ),
    *(
        "I live in Paris and work as a nurse and speak French and hate tea and ",
        "remember that ",
        "from now on ",
        "never always ",
    ),
    *("\n", "a\n", "    \n", "\t", "a. ", "…", "?!", "1.", "a.b", "x = 1\n", "> q\n", "from: a\nto: b\n"),
    *('" ', '"a ', "'a ", "“", "‘", "I like “a” and ‘b’ ", "`", "```\n", "~~~\n", "<a>", "<a ", "</a>", "{", "{}", "("),
    *(
        "translate: ",
        "write a story about ",
        "pretend ",
        "said: ",
        "if ",
        "please ",
        "Memory context:\n- x\n",
        "深色",
        "I love 深色。",
    ),
    *(
        "sk-",
        "sk-a1 ",
        "password ",
        "password is ",
        "password: ",
        "password-",
        "token_",
        "the password for the ",
        "aA1",
        "eyJ",
    ),
    *("a://b:", "-----BEGIN PRIVATE KEY-----", "a_", "1:", "--", "--password "),
]
FAR_TOO_LONG = 0.5


def filled(piece: str) -> str:
    """64 KiB of a piece."""
    return (piece * (MAX_TEXT // len(piece) + 1))[:MAX_TEXT]


@pytest.mark.parametrize("piece", WORST)
def test_the_worst_64_kib_take_linear_time(piece: str) -> None:
    text = filled(piece)
    started = time.process_time()
    extract(text)
    find_secrets(text)
    assert time.process_time() - started < FAR_TOO_LONG


@pytest.mark.parametrize(
    "text", ["I" + " " * 65_000 + "prefer x", "I prefer " + "a" * 65_000, "I prefer " + "word " * 13_000]
)
def test_one_long_word_sentence_or_gap_takes_linear_time(text: str) -> None:
    started = time.process_time()
    extract(text)
    assert time.process_time() - started < FAR_TOO_LONG


def test_a_megabyte_costs_little_more_than_its_tail() -> None:
    started = time.process_time()
    extract("```\n" + "word word\n" * 100_000 + "```\nI prefer tabs")
    assert time.process_time() - started < FAR_TOO_LONG
