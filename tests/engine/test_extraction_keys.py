"""Keys name what a fact is about: opposites share them, different facts never do."""

import unicodedata

import pytest

from engine.extraction import extract, fact_key, fingerprint


def keys(text: str) -> list[str]:
    """The keys of the facts in a text."""
    return [fact.key for fact in extract(text).facts]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love Chinese food", "I hate Chinese food"),
        ("I like Python", "I don't like Python"),
        ("I'm vegan", "I'm no longer vegan"),
        ("I'm a fan of jazz", "I'm not a fan of jazz"),
        ("I'll use Kubernetes", "I decided against Kubernetes"),
        ("I'll use Kubernetes", "I decided not to use Kubernetes"),
        ("I decided to use Redis", "I stopped using Redis"),
        ("I always eat meat", "I never eat meat"),
        ("I usually drink tea", "I don't usually drink tea"),
        ("Always use emojis", "Never use emojis"),
        ("I'm allergic to nuts", "I'm not allergic to nuts"),
        ("I live in Paris", "I moved to Berlin"),
        ("I'm based in Paris", "I moved from Paris to Berlin"),
        ("My name is Ada", "Call me Countess"),
        ("I work at Bosch", "I work for Siemens"),
        ("I work as a nurse", "I'm a doctor"),
        ("My timezone is CET", "My time zone is UTC+2"),
        ("My favorite color is blue", "My favourite colour is red"),
        ("My favourite colours are blue and red", "Green is my favorite color"),
        ("My preferred editor is Vim", "My favorite editor is Helix"),
        ("I prefer TypeScript", "i prefer typescript!"),
    ],
)
def test_a_fact_and_what_replaces_it_share_a_key(one: str, other: str) -> None:
    assert keys(one) == keys(other) != []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I love 深色主题模式", "I love 高铁旅行计划"),
        ("I like C++", "I like C#"),
        ("I prefer -5 degrees", "I prefer 5 degrees"),
        ("Remember that server A listens on 8080", "Remember that server B listens on 8081"),
        ("I'm allergic to nuts", "I'm allergic to eggs"),
        ("I speak French", "I speak Dutch"),
        ("My sister's name is Mia", "My brother's name is Max"),
        ("My favorite color is blue", "My favorite food is sushi"),
        ("I love résumés", "I love resumes"),
        ("I prefer " + "long " * 30 + "names", "I prefer " + "long " * 30 + "words"),
        ("I love 🍕", "I love 🍔"),
    ],
)
def test_different_facts_never_collide(one: str, other: str) -> None:
    assert keys(one) != keys(other)


@pytest.mark.parametrize(
    ("text", "key"),
    [
        ("My name is Ada", "identity:name"),
        ("I live in Paris", "identity:home"),
        ("I'm from Chile", "identity:origin"),
        ("I work at Bosch", "identity:employer"),
        ("I work as a nurse", "identity:occupation"),
        ("My timezone is CET", "identity:timezone"),
        ("My birthday is 3 May", "identity:birthday"),
        ("I'm allergic to peanuts", "identity:allergy_peanuts"),
        ("I speak fluent French", "identity:language_french"),
        ("My older sister's name is Mia", "identity:older_sister_name"),
        ("My favorite color is blue", "preference:favourite_colour"),
        ("Vim is my favourite", "preference:vim"),
        ("I have decided to move to Berlin.", "decision:move_to_berlin"),
    ],
)
def test_single_valued_facts_are_keyed_by_their_attribute(text: str, key: str) -> None:
    assert keys(text) == [key]


def test_a_slug_is_readable_where_nothing_is_lost() -> None:
    assert fact_key("preference", "Node.js over Deno!") == "preference:node_js_over_deno"


@pytest.mark.parametrize("obj", ["深色", "C++", "x" * 81, "", "…", "café"])
def test_a_hash_stands_in_where_the_slug_would_be_empty_or_lossy(obj: str) -> None:
    key = fact_key("preference", obj)
    assert len(key) < 100
    assert key.removeprefix("preference:")[-12:].isalnum()


def test_both_normal_forms_have_one_key() -> None:
    composed = "I love café crème"
    assert keys(composed) == keys(unicodedata.normalize("NFD", composed)) != []


def test_a_fingerprint_is_the_same_for_two_spellings() -> None:
    assert fingerprint("I  PREFER\tTabs.") == fingerprint("i prefer tabs")
    assert fingerprint("cafe\u0301") == fingerprint("CAFÉ!")
    assert fingerprint("I prefer tabs") != fingerprint("I prefer tab")


def test_a_fingerprint_takes_any_text() -> None:
    assert len(fingerprint("\ud83d")) == 64
