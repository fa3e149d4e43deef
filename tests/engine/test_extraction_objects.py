"""Where the object of a statement ends: with its clause, not at any dot or comma."""

import pytest

from engine.extraction import extract


@pytest.mark.parametrize(
    ("text", "objects"),
    [
        # dots inside
        ("I prefer Node.js over Deno", ["Node.js over Deno"]),
        ("I'm going to adopt Next.js 14.2 for the storefront.", ["Next.js 14.2 for the storefront"]),
        ("I'll use version 3.11.7 of Python.", ["version 3.11.7 of Python"]),
        ("I like 3.5 mm pencils", ["3.5 mm pencils"]),
        ("My favourite author is J. R. R. Tolkien.", ["J. R. R. Tolkien"]),
        ("I live in St. Louis. It is hot.", ["St. Louis"]),
        ("I prefer tabs.I hate spaces.", ["tabs", "spaces"]),
        # lists stay one object
        ("I like cats, dogs and birds.", ["cats, dogs and birds"]),
        ("I prefer FastAPI and Django", ["FastAPI and Django"]),
        ("I'm allergic to nuts, eggs, and milk", ["nuts, eggs, and milk"]),
        ("I live in Nairobi, Kenya.", ["Nairobi, Kenya"]),
        # what does not belong
        ("I will use Postgres, not MySQL", ["Postgres"]),
        ("I chose Hetzner because it is cheap", ["Hetzner"]),
        ("I prefer tea but my wife likes coffee", ["tea"]),
        ("I prefer dark mode, can you set it up?", ["dark mode"]),
        ("I prefer dark mode can you set it up?", ["dark mode"]),
        ("I hate Mondays, thanks", ["Mondays"]),
        ("I hate Mondays, Claude", ["Mondays"]),
        ("I prefer tea - it calms me", ["tea"]),
        ("I prefer tea; coffee is bitter", ["tea"]),
        ("I'm allergic to nuts – any snack ideas?", ["nuts"]),
        ("I usually start with tests first, then code.", ["start with tests first"]),
        # trailing adverbs, courtesy, emoji
        ("I won't use MongoDB again", ["MongoDB"]),
        ("I switched from Vim to Helix last month", ["Helix"]),
        ("I moved from Evernote to Joplin two years ago", ["Joplin"]),
        ("I chose Ghost in 2021", ["Ghost"]),
        ("I don't like coffee anymore", ["coffee"]),
        ("I love pizza very much, thanks!", ["pizza"]),
        ("I love pizza 🍕🍕", ["pizza"]),
        ("I love 🍕", ["🍕"]),
        # clauses
        ("I like pizza and I hate olives", ["pizza", "olives"]),
        ("I prefer tabs and my name is Ada", ["tabs", "Ada"]),
        ("I love pizza and hate olives", ["pizza", "olives"]),
        ("I like Python and I prefer Go for tools", ["Python", "Go for tools"]),
        # instructions keep their conditions and commas
        ("Remember that production runs on port 8443, not 8080", ["production runs on port 8443, not 8080"]),
        ("Always ask me if you are unsure, please", ["ask me if you are unsure"]),
        ("Please always write tests, and never skip the docs.", ["write tests", "skip the docs"]),
        ("Don't forget that the launch is next week", ["the launch is next week"]),
        # soft line breaks, hard ones
        ("I prefer the\nnew line", ["the new line"]),
        ("i prefer tabs\ncan you reformat it", ["tabs"]),
        ("- I prefer tabs\n- I live in Bonn", ["tabs", "Bonn"]),
        # brackets
        ("I prefer tabs (four wide)", ["tabs (four wide)"]),
        ("I prefer tabs (I know that many people do not)", ["tabs"]),
        # articles of an occupation
        ("I work as a data engineer at a bakery chain", ["data engineer at a bakery chain"]),
    ],
)
def test_the_object_ends_with_its_clause(text: str, objects: list[str]) -> None:
    assert [fact.object for fact in extract(text).facts] == objects


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("I love 深色主题模式", "深色主题模式"),
        ("I love 茶。我喜欢你", "茶"),
        ("I prefer 深色模式，谢谢", "深色模式"),
        ("I love Ελλάδα", "Ελλάδα"),
        ("I love приклад", "приклад"),
        ("I love café au lait", "café au lait"),
        ("I love cafe\u0301 au lait", "caf\u00e9 au lait"),
        ("I LOVE SPICY FOOD", "SPICY FOOD"),
        ("My name is 李雷.", "李雷"),
        ("I like Go", "Go"),
    ],
)
def test_objects_may_be_of_any_script(text: str, object_: str) -> None:
    assert [fact.object for fact in extract(text).facts] == [object_]


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("I always run `make check` first", "run make check first"),
        ("I prefer `tabs`", "tabs"),
        ("I like “The Wire”.", "The Wire"),
        ('I prefer "dark mode"', "dark mode"),
        ("I prefer 'single quotes' in code", "'single quotes' in code"),
        ("**I prefer dark themes**", "dark themes"),
    ],
)
def test_code_and_terms_in_quotes_are_words_of_their_clause(text: str, object_: str) -> None:
    assert [fact.object for fact in extract(text).facts] == [object_]


def test_500_characters_are_an_object_and_501_are_refused() -> None:
    longest = "very " * 99 + "longs"

    assert [fact.object for fact in extract(f"I prefer {longest}").facts] == [longest]
    assert extract(f"I prefer {longest}x").facts == []
