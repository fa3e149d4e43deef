"""Every phrase family finds its own examples, and says of them what its row of the specification says."""

import pytest

from engine.extraction import extract
from engine.extraction.families import ALL
from engine.extraction.family import TYPE_OF, Family

EXAMPLES = [(family, example) for family in ALL.values() for example in family.examples]


@pytest.mark.parametrize(("family", "example"), EXAMPLES, ids=[example for _, example in EXAMPLES])
def test_a_family_finds_its_examples(family: Family, example: str) -> None:
    extraction = extract(example)

    if family.refused:
        assert extraction.facts == []
        assert [refusal.rule for refusal in extraction.refused] == [family.refused]
    else:
        [fact] = extraction.facts
        polarity = "-" if example.lower().removeprefix("please ").startswith("never") else family.polarity
        assert (fact.category, fact.polarity, fact.type) == (family.category, polarity, TYPE_OF[family.category])


@pytest.mark.parametrize("family", ALL.values(), ids=list(ALL))
def test_every_family_has_an_example(family: Family) -> None:
    assert family.examples


def test_the_reference_example_holds() -> None:
    facts = extract(
        "I prefer TypeScript. I'll use Postgres for this project. I always commit before pushing. I don't like Python."
    ).facts

    assert [(fact.key, fact.object, fact.polarity) for fact in facts] == [
        ("preference:typescript", "TypeScript", "+"),
        ("decision:postgres_for_this_project", "Postgres for this project", "+"),
        ("pattern:commit_before_pushing", "commit before pushing", "+"),
        ("preference:python", "Python", "-"),
    ]


@pytest.mark.parametrize(
    ("said", "content"),
    [
        ("I don't like Python.", "I don't like Python"),
        ("Well, my name is Ada, you know.", "my name is Ada"),
        ("From now on, answer in Polish.", "From now on, answer in Polish"),
        ("Please never use emojis!", "Please never use emojis"),
        ("I love pizza and hate olives.", "I hate olives"),
        ("I won't use MongoDB again", "I won't use MongoDB"),
        ("Vim is my favourite editor, by far", "Vim is my favourite editor"),
        ("I always run `make check` first", "I always run make check first"),
        ("I prefer   multiple\tspaces", "I prefer multiple spaces"),
    ],
)
def test_the_content_is_a_full_statement_in_the_speakers_words(said: str, content: str) -> None:
    assert extract(said).facts[-1].content == content


@pytest.mark.parametrize(
    "said", ["I don’t like tea", "I dont like tea", "I do not like tea", "i don't like tea", "I DON'T LIKE TEA"]
)
def test_apostrophes_and_loudness_do_not_matter(said: str) -> None:
    [fact] = extract(said).facts
    assert (fact.key, fact.polarity) == ("preference:tea", "-")


def test_the_last_statement_about_one_thing_wins() -> None:
    [fact] = extract("I like Python. Actually, I don't like Python.").facts
    assert (fact.polarity, fact.content) == ("-", "I don't like Python")


def test_clauses_give_one_fact_each() -> None:
    facts = extract("My name is Eve, I live in Turin and work as a chef, and I'm allergic to latex.").facts
    assert [fact.object for fact in facts] == ["Eve", "Turin", "chef", "latex"]


def test_an_order_may_come_before_from_now_on() -> None:
    [fact] = extract("Don't use bullet points from now on, please.").facts
    assert (fact.category, fact.polarity, fact.object) == ("instruction", "-", "use bullet points")


def test_a_we_may_decide_but_not_prefer() -> None:
    assert [
        fact.category for fact in extract("We chose Svelte. We prefer tabs. We always deploy on Fridays.").facts
    ] == ["decision"]


def test_of_what_is_said_of_a_home_the_move_counts() -> None:
    [fact] = extract("I live in Rome. I moved from Rome to Milan.").facts
    assert (fact.key, fact.object) == ("identity:home", "Milan")
