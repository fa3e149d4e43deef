"""Folding, splitting, stemming; queries; and that FTS5 and we see the same words."""

import inspect
import pydoc_data.topics
import re
import sqlite3
import subprocess
import sys
import textwrap
import unicodedata
from datetime import UTC, datetime
from types import ModuleType

import hypothesis.strategies as st
import pytest
import sqlean
from hypothesis import example, given, settings

from engine import text as text_module
from engine.text import (
    Term,
    day_terms,
    day_words,
    fold,
    fts_form,
    fts_match,
    query_terms,
    search_extra,
    stem,
    tokenise,
    weak_stems,
    words,
)
from tests.engine.fts import SearchTable
from tests.engine.statements import SMALL_TALK

DRIVERS = pytest.mark.parametrize("driver", [sqlite3, sqlean], ids=["sqlite3", "sqlean"])
ANY_TEXT = st.text(st.characters(), max_size=60)  # every code point, surrogates and NUL among them
STORABLE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
SCRIPTS = st.text(
    st.sampled_from("ab Cé ßñ'’._-+#9 ๆกาแที่ 重跑喜かカーー 한국어 म हिन्दी קָ مُ ёй łΆς 👍🏽\u0301\u200d12th"), max_size=40
)


def terms(text: str) -> list[str]:
    return [term.word for term in query_terms(text)]


def found(content: str, query: str) -> bool:
    """By our own tokens; and FTS5 must agree."""
    asked = query_terms(query)
    table = SearchTable()
    table.add(1, content)
    ours = not {term.stem for term in asked}.isdisjoint(tokenise(content))
    assert (table.find(asked) == {1}) >= ours
    return ours


# ---- folding


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("Café", "cafe"),
        ("Cafe\u0301", "cafe"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("İstanbul", "istanbul"),
        ("Łódź", "lodz"),
        ("Ærø", "aero"),
        ("Άνθρωπος", "ανθρωποσ"),
        ("Ёлка", "елка"),
        ("за\u0301мок", "замок"),
        ("don’t", "don't"),
        ("Ｐｙｔｈｏｎ", "python"),
        ("ﾊﾟｽﾀ", "パスタ"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
    ],
)
def test_case_accents_and_points_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@pytest.mark.parametrize("text", ["ที่", "हिन्दी", "मॉडल", "が", "й", "ї", "ไม้"])
def test_marks_that_carry_meaning_stay(text: str) -> None:
    assert fold(text) == text


@given(ANY_TEXT)
def test_composed_and_decomposed_text_fold_alike(text: str) -> None:
    assert fold(unicodedata.normalize("NFC", text)) == fold(unicodedata.normalize("NFD", text))


# ---- words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What's up", ["what", "s", "up"]),
        ("preference:tabs", ["preference", "tabs"]),
        ("snake_case and well-known", ["snake", "case", "and", "well", "known"]),
        ("C++ and C#, F#.", ["c++", "and", "c#", "f#"]),
        ("C++17", ["c++", "17"]),
        ("issue#12 notepad++", ["issue", "12", "notepad"]),
        ("gpt-5.5", ["gpt-5.5", "gpt", "5", "5"]),
        ("Node.js.", ["node.js", "node", "js"]),
        ("May 2nd", ["may", "2"]),
        ("重跑gen-itgc后修复", ["重", "跑", "重跑", "gen", "itgc", "后", "修", "复", "后修", "修复"]),
        ("用C++写", ["用", "c++", "写"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("tabs\0spaces", ["tabs", "spaces"]),
        ("nice 👍🏽", ["nice", "👍"]),
        ("---", []),
    ],
)
def test_a_text_splits_into_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@given(st.text(st.characters(codec="ascii"), max_size=80))
def test_the_short_way_for_plain_text_gives_what_the_long_way_gives(text: str) -> None:
    folded = fold(text)
    longer = [word for match in text_module._TOKEN.finditer(folded) for word in text_module._parts(match[0])]
    assert words(text) == longer


@given(ANY_TEXT)
@example("\ud800")
def test_any_text_splits(text: str) -> None:
    assert all(isinstance(token, str) for token in tokenise(text))


# ---- queries


def test_function_words_and_politeness_are_dropped() -> None:
    assert terms("Hello, could you please tell me what my favourite editor is? Thanks!") == [
        "tell",
        "favourite",
        "editor",
    ]


def test_a_query_of_nothing_but_function_words_keeps_them() -> None:
    assert terms("Who am I?") == ["who", "am", "i"]


def test_terms_are_distinct_and_in_order() -> None:
    assert query_terms("spaces, tabs, Spaces") == [Term("spaces", "space"), Term("tabs", "tab")]


@pytest.mark.parametrize(
    ("text", "literal"),
    [("hello", ["hello"]), ("Thanks! 👍", ["thanks", "👍"]), ("thank you so much", ["thank"]), ("good", ["good"])],
)
def test_small_talk_matches_only_literally(text: str, literal: list[str]) -> None:
    assert terms(text) == literal


@pytest.mark.parametrize(
    "text", ["good morning", "How are you?", "What’s up?", "こんにちは", "have a nice day", "no", ""]
)
def test_small_talk_without_a_literal_word_asks_for_nothing(text: str) -> None:
    assert query_terms(text) == []


@pytest.mark.parametrize(
    "text", ["What am I doing today?", "good restaurants", "Is my morning free?", "你好吗咖啡", "no tabs"]
)
def test_a_question_is_no_small_talk(text: str) -> None:
    assert terms(text)


def test_greetings_without_end_take_no_time() -> None:
    assert query_terms("bye " * 500) == [Term("bye", "bye")]
    assert query_terms("ok thanks good morning " * 5 + "x")


def test_a_query_gives_pairs_of_a_spaceless_run_and_a_single_character_only_alone() -> None:
    assert terms("深色主题") == ["深色", "色主", "主题"]
    assert terms("猫") == ["猫"]


def test_at_most_512_terms_are_looked_at() -> None:
    assert len(query_terms(" ".join(f"w{n}" for n in range(2_000)))) == 512


@given(ANY_TEXT)
@example("\0")
@example("\udfff tabs")
@example("x" * 2_000)
def test_any_text_is_a_query(text: str) -> None:
    assert isinstance(fts_match(query_terms(text), "k1").encode(), bytes)


# ---- what finds what

TABS = "I prefer tabs over spaces"


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("My favourite editor is Vim", "What's my favourite editor?"),
        ("We moved to gpt-5.5 last week", "gpt-5.5"),
        ("We moved to gpt-5.5 last week", "gpt"),
        ("I write C++ at work", "C++"),
        ("I write C# at work", "c#"),
        ("Built on Node.js and Deno", "Node.js"),
        ("Built on Node.js and Deno", "node"),
        (TABS, "preference:tabs"),
        ("I like Python", "content:Python"),
        (TABS, "tabs -spaces"),
        ("DO NOT USE FIND here", "DO NOT USE FIND /"),
        ("I live near Leeds", "NEAR"),
        ("I like Python", "(python"),
        (TABS, "tabs\0"),
        (TABS, "What do you know about my tabs preference and spaces"),
        ("我喜欢用深色主题", "深色主题"),
        ("我喜欢用深色主题", "喜欢"),
        ("我喜欢用深色主题", "题"),
        ("重跑gen-itgc后修复", "itgc"),
        ("重跑gen-itgc后修复", "gen-itgc"),
        ("ผมชอบกาแฟ", "กาแฟ"),
        ("커피를 좋아해요", "커피"),
        ("コーヒーが好き", "コーヒー"),
        ("Meet me at the café", "cafe"),
        ("Meet me at the cafe\u0301", "CAFÉ"),
        ("Meet me at the cafe", "cafe\u0301"),
        ("Ich wohne in der Hauptstraße", "hauptstrasse"),
        ("Łódź is my home town", "lodz"),
        ("मुझे हिन्दी पसंद है", "हिन्दी"),
        ("on May 2nd", "2 May"),
        ("ship it 🚀", "🚀"),
    ],
)
def test_a_query_finds_what_it_names(content: str, query: str) -> None:
    assert found(content, query)


@pytest.mark.parametrize(
    ("content", "query"),
    [
        ("I take vitamin C", "C++"),
        (TABS, "gpt-5.5"),
        (TABS, 'say "hi'),
        (TABS, ""),
        (TABS, "   "),
        (TABS, "hello"),
        ("ผมชอบชา", "กาแฟ"),
        ("k12", "owner_token:k13"),
    ],
)
def test_a_query_misses_what_it_does_not_name(content: str, query: str) -> None:
    assert not found(content, query)


@settings(max_examples=300, deadline=None)
@given(st.one_of(STORABLE, SCRIPTS), st.one_of(STORABLE, SCRIPTS), st.data())
def test_fts5_finds_every_text_that_holds_a_term(content: str, other: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content)))
    query = data.draw(st.sampled_from([content, content[start:], content[:start], other]))
    found(content, query)


@settings(max_examples=200, deadline=None)
@given(st.text(st.sampled_from("深色主题喜欢กาแฟผมชอบカナかな"), min_size=1, max_size=12), st.data())
def test_a_spaceless_text_is_found_by_any_part_of_it(content: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(content) - 1))
    end = data.draw(st.integers(start + 1, len(content)))
    assert found(content, content[start:end])


# ---- the FTS5 expression


@pytest.mark.parametrize(
    "query", ['"', '""" OR "x', "tabs) OR (owner_token:k13", "* NEAR(", "{content} : x", "AND OR NOT"]
)
def test_no_text_is_an_operator(query: str) -> None:
    table = SearchTable()
    table.add(1, "another owner's tabs", owner="k13")
    table.add(2, "tabs x near operators and or not", owner="k12")
    assert table.find(query_terms(query)) <= {2}


def test_the_owner_holds_inside_the_match() -> None:
    table = SearchTable()
    table.add(1, TABS, owner="k12")
    table.add(2, TABS, owner="k1")
    table.add(3, TABS, owner="k5 kall")
    assert table.find(query_terms("tabs"), "k12") == {1}
    assert table.find(query_terms("tabs"), "k12 kall") == {1, 3}


def test_the_owner_is_no_word_of_the_text() -> None:
    table = SearchTable()
    table.add(1, TABS)
    assert table.find([Term("k12", "k12")]) == set()


@pytest.mark.parametrize("owner", ["", 'k1" OR "k2', "k1  k2", "K1", "k1 OR "])
def test_a_strange_owner_is_refused(owner: str) -> None:
    with pytest.raises(ValueError, match="owner token"):
        fts_match([], owner)


def test_no_terms_find_nothing() -> None:
    table = SearchTable()
    table.add(1, TABS)
    assert table.find([]) == set()


def test_at_most_as_many_terms_are_asked_for_as_the_limit_says() -> None:
    assert fts_match([Term("a", "a"), Term("b", "b")], "k1", limit=1).endswith(': ("a")')


# ---- what is stored for FTS5


def test_plain_text_needs_nothing_beside_the_day() -> None:
    assert search_extra("I prefer tabs; café, naïve", "résumé – “quoted”", "Monday 8 May 2023") == "Monday 8 May 2023"


def test_the_first_line_is_the_day_even_when_there_is_none() -> None:
    assert search_extra("喜欢", "", "").split("\n") == ["", "喜 欢 喜欢"]


def test_only_the_words_fts5_would_miss_are_spelt_out() -> None:
    extra = search_extra("I said 重跑gen in Łódź 👍", "", "Monday 8 May 2023")
    assert extra == "Monday 8 May 2023\n重 跑 重跑 gen lodz x1f44d"


def test_the_key_is_spelt_out_too() -> None:
    assert "主题" in search_extra("", "", "", key="preference:主题")


@DRIVERS
def test_every_character_called_native_is_what_fts5_makes_of_it(driver: ModuleType) -> None:
    native = re.compile(f"[{text_module._NATIVE}]")
    texts = [f"q{character}z {character}" for character in map(chr, range(1, 0x2100)) if native.match(character)]
    table = SearchTable(driver)
    for number, text in enumerate(texts):
        table.add(number, text)
    made = table.tokens()
    # a joint or a sign makes one token more of ours; FTS5 sees its parts in a row
    ours = [[token for token in tokenise(text) if not re.search(r"[._+#-]", token)] for text in texts]
    assert [made[number] for number in range(len(texts))] == ours


@DRIVERS
def test_every_character_spelt_as_it_is_stays_one_token(driver: ModuleType) -> None:
    plain = [chr(code) for code in range(0x3000, 0xD7FF) if text_module._SPELT_AS_IS.fullmatch(chr(code))]
    table = SearchTable(driver)
    for number, character in enumerate(plain):
        table.add(number, character + character)
    assert table.tokens() == {number: [character * 2] for number, character in enumerate(plain)}


@pytest.mark.parametrize(("word", "form"), [("tabs", "tabs"), ("深色", "深色"), ("👍", "x1f44d"), ("ที่", "xe17e35e48")])
def test_a_word_that_fts5_would_split_is_spelt_in_hexadecimal(word: str, form: str) -> None:
    assert fts_form(word) == form


# ---- stems


def english_words() -> list[str]:
    """A few thousand words, from the documentation of the standard library."""
    pages = [*pydoc_data.topics.topics.values(), *map(inspect.getdoc, (subprocess, textwrap, unicodedata, datetime))]
    return sorted({word for page in pages for word in re.findall("[a-z]+", (page or "").lower())})


@DRIVERS
def test_our_stems_are_those_of_fts5(driver: ModuleType) -> None:
    endings = "technology possibly trekking assemblies hopping filed conflated agreed sized happy sky relational be as".split()
    vocabulary = english_words() + endings
    table = SearchTable(driver)
    for number, word in enumerate(vocabulary):
        table.add(number, word)
    assert len(vocabulary) > 3_000
    assert table.tokens() == {number: [stem(word)] for number, word in enumerate(vocabulary)}


@settings(max_examples=200, deadline=None)
@given(st.lists(st.text(st.sampled_from("aeiouybcdlstwzngm1éя"), min_size=1, max_size=70), min_size=1, max_size=20))
def test_our_stems_are_those_of_fts5_for_words_nobody_says(vocabulary: list[str]) -> None:
    table = SearchTable()
    folded = list(map(fold, vocabulary))
    for number, word in enumerate(folded):
        table.add(number, word)
    assert table.tokens() == {number: [stem(word)] for number, word in enumerate(folded)}


# ---- the rest


def test_a_day_is_said_in_english_words() -> None:
    assert day_words(datetime(2023, 5, 8, tzinfo=UTC)) == "Monday 8 May 2023"


@pytest.mark.parametrize("message", SMALL_TALK)
def test_small_talk_has_at_most_literal_terms(message: str) -> None:
    assert len(query_terms(message)) <= 2


def test_the_words_need_no_numpy() -> None:
    code = "import sys, engine.text, engine.tokens, engine.ranking; print('numpy' in sys.modules or 'django' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


@pytest.mark.parametrize(("query", "found"), [("Give me 3 ideas", False), ("What did I say on 3 May?", True)])
def test_the_number_of_a_day_is_found_only_beside_a_month(query: str, found: bool) -> None:
    day = set(day_terms("Wednesday 3 May 2023"))
    assert any(term.stem in day and term.word == "3" for term in query_terms(query)) is found


@pytest.mark.parametrize(("query", "weak"), [("What do I like?", set()), ("Do I like tea?", {"like"})])
def test_the_verbs_of_questions_are_weak_beside_other_words(query: str, weak: set[str]) -> None:
    assert weak_stems(query_terms(query)) == weak
