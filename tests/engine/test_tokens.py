"""The token estimate."""

import pytest

from engine.tokens import estimate_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (None, 0),
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("Hello World", 3),
        ("日本語", 3),
        ("かな", 2),
        ("カタカナ", 4),
        ("한국어", 3),
        ("日本語 test", 3 + 2),
        ("naïve café", 3),
        ("Привет", 2),
        ("你好。", 3),
        ("𠮷", 1),
    ],
)
def test_it_counts_four_latin_letters_or_one_wide_character_as_a_token(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize("text", ["\ud800", "\0", "👍" * 9, " " * 7])
def test_it_takes_any_text(text: str) -> None:
    assert estimate_tokens(text) >= 1


def test_a_mixed_text_costs_the_sum_of_its_parts() -> None:
    assert estimate_tokens("深色主题" + "x" * 8) == estimate_tokens("深色主题") + estimate_tokens("x" * 8)
