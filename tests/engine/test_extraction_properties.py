"""What holds for every text: no error, spans that point at words, the same answer twice, silence where nobody speaks."""

import re
import unicodedata

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.extraction import Extraction, extract, fact_key, fingerprint, is_background_prompt

PIECES = st.sampled_from(
    [
        *"I i we my I'm I’ll I'd don't never always prefer like love hate use going to with is are name live in work as".split(),
        *"a an the favourite colour tabs Node.js 深色 café cafe\u0301 `code` \"quoted\" “curly” 'single' allergic speak".split(),
        *", . ; : ? ! … — - ( ) { } < > <a> </a> ``` ~~~ > | and but or because if maybe not it this you please".split(),
        *"remember that from now on call me translate: said: http://a:b@c sk-abc123def456ghi789 🍕 French".split(),
        *("Memory context:", " ", "\n", "\n\n", "\t", "\u200b", "\ud83d", "\0", "\ue000", "\ue001", "\u0130"),
    ]
)
TEXTS = st.one_of(
    st.text(max_size=300), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
)
WORDS = st.text(alphabet=st.characters(categories=("Lu", "Ll", "Lo")), min_size=2, max_size=12)


def letters(text: str) -> str:
    """What a reader would compare: NFC, without marks of code and emphasis, and without white space."""
    return re.sub(r"[\s`*_]", "", unicodedata.normalize("NFC", text))


def check(text: str, extraction: Extraction) -> None:
    """Spans lie inside the text, in order, and hold the object's words."""
    for refusal in extraction.refused:
        assert 0 <= refusal.span[0] <= refusal.span[1] <= len(text)
    for fact in extraction.facts:
        start, end = fact.span
        assert 0 <= start < end <= len(text)
        assert letters(fact.object) in letters(text[start:end])
        assert letters(fact.object) in letters(fact.content)
        assert fact.polarity in ("+", "-")
        assert fact.key.startswith(f"{fact.category}:")
    assert len({fact.key for fact in extraction.facts}) == len(extraction.facts)


@settings(max_examples=500, deadline=None)
@given(TEXTS)
@example("I prefer \u0130stanbul and I hate \u0130zmir")
@example("I love \ud83d and tabs")
@example("I love `")
def test_any_text_gives_facts_with_spans_inside_it(text: str) -> None:
    check(text, extract(text))
    check(text, extract(text, "assistant"))
    check(text, extract(text, "assistant", assistant="all"))


@settings(max_examples=200, deadline=None)
@given(TEXTS)
def test_the_same_text_gives_the_same_answer(text: str) -> None:
    assert extract(text) == extract(text)


@settings(max_examples=200, deadline=None)
@given(st.text())
def test_keys_fingerprints_and_background_checks_take_any_text(text: str) -> None:
    assert fact_key("memory", text).startswith("memory:")
    assert re.fullmatch(r"[0-9a-f]{64}", fingerprint(text))
    assert is_background_prompt(text) in (True, False)


@settings(max_examples=200, deadline=None)
@given(WORDS)
def test_both_normal_forms_of_a_text_give_the_same_keys(word: str) -> None:
    composed, decomposed = (unicodedata.normalize(form, f"I love {word} tea") for form in ("NFC", "NFD"))
    assert [fact.key for fact in extract(composed).facts] == [fact.key for fact in extract(decomposed).facts]


STATEMENTS = st.sampled_from(
    [
        "I prefer tabs.",
        "I'll use Postgres for this project.",
        "I always commit before pushing.",
        "My name is Ada.",
        "I live in Paris.",
        "I'm allergic to nuts.",
        "From now on, answer in Polish.",
        "Remember that the server is called hazel.",
        "Vim is my favourite editor.",
    ]
)


@given(st.lists(STATEMENTS, min_size=1, max_size=5))
def test_statements_are_heard(said: list[str]) -> None:
    assert len(extract(" ".join(said)).facts) == len(set(said))


@pytest.mark.parametrize(
    "frame",
    [
        "```\n{}\n```",
        "~~~text\n{}\n~~~",
        "> {}",
        "Look:\n\n    {}\n",
        'He said "{}" again.',
        "He said “{}” again.",
        "<doc>{}</doc>",
        '{{"text": "{}"}}',
        "2024-01-01 10:00:00 INFO {}",
        "Memory context:\nNotes about the user.\n- {}\n",
        "Translate to French: {}",
        "Bob said: {}",
        "Pretend this is true: {}",
    ],
)
@given(said=STATEMENTS)
def test_code_quotes_and_others_words_never_yield_facts(frame: str, said: str) -> None:
    assert extract(frame.format(said)).facts == []


@given(STATEMENTS, st.sampled_from(["system", "developer", "tool"]))
def test_system_text_never_yields_facts(said: str, role: str) -> None:
    assert extract(said, role).facts == []


@given(STATEMENTS)
def test_a_content_said_again_gives_the_same_fact(said: str) -> None:
    [fact] = extract(said).facts
    [again] = extract(fact.content).facts
    assert (again.key, again.polarity, again.object) == (fact.key, fact.polarity, fact.object)
