"""The relevance floor, near-copies, and the walk through the budget."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from engine.keyword import KeywordIndex, SearchDoc
from engine.ranking import (
    BELOW_FLOOR,
    KEYWORD_FLOOR,
    MAX_TOKENS,
    OVER_BUDGET,
    Ranked,
    Rejected,
    Selection,
    clamp_tokens,
    drop_near_duplicates,
    in_rank_order,
    keyword_floor,
    walk_budget,
)
from engine.text import query_terms
from tests.engine.statements import SMALL_TALK, STATEMENTS, UNRELATED


def item(number: int, content: str = "", *, tokens: int = 10, score: float = 0.0, created: float = 0.0) -> Ranked:
    return Ranked(number, content or f"memory {number}", tokens, score, created)


def ids(items: list[Ranked]) -> list[int]:
    return [each.id for each in items]


# ---- the floor


@pytest.fixture(scope="module")
def fifty() -> KeywordIndex:
    index = KeywordIndex()
    for slot, statement in enumerate(STATEMENTS):
        index.add(slot, SearchDoc(statement, day="Monday 8 May 2023"))
    return index


def passing(index: KeywordIndex, message: str) -> list[str]:
    hits = index.search([term.stem for term in query_terms(message)], np.ones(len(STATEMENTS), dtype=np.bool_))
    pairs = zip(hits.slots.tolist(), hits.coverage.tolist(), strict=True)
    return [STATEMENTS[slot] for slot, coverage in pairs if keyword_floor(coverage)]


@pytest.mark.parametrize("message", SMALL_TALK)
def test_small_talk_passes_nothing(fifty: KeywordIndex, message: str) -> None:
    assert passing(fifty, message) == []


def test_unrelated_questions_pass_next_to_nothing(fifty: KeywordIndex) -> None:
    found = {message: passing(fifty, message) for message in UNRELATED}
    assert sum(map(len, found.values())) <= 2
    assert all(len(statements) <= 1 for statements in found.values())


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What's my favourite colour again?", "My favourite colour is green"),
        ("Which editor do I use?", "I use Neovim as my editor"),
        ("Can you remind me what my dog is called, please?", "My dog is called Rex"),
        ("Plan a dinner for us. Is there anybody allergic, say to peanuts?", "I am allergic to peanuts"),
        ("What did I decide about renting?", "I decided to rent rather than buy"),
    ],
)
def test_what_answers_a_question_passes(fifty: KeywordIndex, question: str, answer: str) -> None:
    assert answer in passing(fifty, question)


def test_an_answer_passes_though_the_message_is_long(fifty: KeywordIndex) -> None:
    pasted = " ".join(UNRELATED) + " Lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor." * 3
    assert "My password manager is Bitwarden" in passing(fifty, f"{pasted} Which password manager do I have?")


def test_the_floor_moves() -> None:
    assert keyword_floor(KEYWORD_FLOOR)
    assert not keyword_floor(KEYWORD_FLOOR, 0.05)
    assert keyword_floor(0.01, -0.5)


def test_no_match_never_passes() -> None:
    assert not keyword_floor(0.0, -1.0)


# ---- near-copies


def distinct(*contents: str) -> list[str]:
    kept, _ = drop_near_duplicates([item(number, content) for number, content in enumerate(contents)])
    return [each.content for each in kept]


def test_five_near_copies_leave_room_for_the_one_useful_fact() -> None:
    copies = [
        "I prefer tabs over spaces",
        "I prefer tabs over spaces!",
        "i PREFER the tabs over spaces",
        "I prefer tabs",
    ]
    assert distinct(*copies, "I really prefer tabs over spaces", "My dog is called Rex") == [
        copies[0],
        "My dog is called Rex",
    ]


def test_a_near_copy_names_what_it_repeats() -> None:
    first, second = item(7, "I prefer tabs"), item(3, "I prefer tabs!")
    assert drop_near_duplicates([first, second]) == ([first], [Rejected(second, "near-duplicate of 7")])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("I like tea", "I don't like tea"),
        ("I like tea", "I don’t like tea"),
        ("I have 2 cats", "I have 3 cats"),
        ("We deploy on the first floor with two engineers", "We deploy on the first floor with three engineers"),
        ("The server runs version 5.4 in production", "The server runs version 5.5 in production"),
        ("I met Anna at the conference in Berlin last summer", "I met Emma at the conference in Berlin last summer"),
        ("My sister lives in Paris", "My sister Anna lives in Paris"),
        ("I like tea", "I like green tea"),
        ("I have a dog", "I have a dog who is allergic to chicken"),
        ("I love long winter walks by the sea in the evening", "I hate long winter walks by the sea in the evening"),
    ],
)
def test_another_number_name_or_negation_is_another_fact(one: str, other: str) -> None:
    assert distinct(one, other) == [one, other]


@pytest.mark.parametrize(
    ("first", "copy"),
    [
        ("I have a dog named Rex", "I have a dog"),
        ("I prefer tabs", "I really prefer tabs"),
        ("café au lait", "Cafe\u0301 au lait"),
        ("我喜欢用深色主题", "我喜欢用深色的主题"),
    ],
)
def test_what_adds_nothing_is_a_near_copy(first: str, copy: str) -> None:
    assert distinct(first, copy) == [first]


def test_texts_without_words_are_kept() -> None:
    assert distinct("-", "...", "!") == ["-", "...", "!"]


def test_only_the_first_200_are_compared() -> None:
    items = [item(number, f"fact{number} alone") for number in range(200)] + [item(200, "fact0 alone")]
    kept, rejected = drop_near_duplicates(items)
    assert (ids(kept), rejected) == (list(range(201)), [])


@given(st.lists(st.text(st.sampled_from("ab I not 2 ."), max_size=12), max_size=12))
def test_every_item_is_either_kept_or_rejected(contents: list[str]) -> None:
    items = [item(number, content) for number, content in enumerate(contents)]
    kept, rejected = drop_near_duplicates(items)
    assert sorted(ids(kept) + [each.item.id for each in rejected]) == ids(items)


# ---- the budget


def test_a_budget_is_clamped() -> None:
    assert [clamp_tokens(n) for n in (-5, 0, 1, 500, 8_000, 16_000)] == [1, 1, 1, 500, 8_000, 8_000]


@pytest.mark.parametrize("nothing", [0, -1])
def test_no_budget_is_nothing(nothing: int) -> None:
    assert walk_budget([item(1)], [item(2)], [item(3)], max_tokens=nothing) == Selection()


def test_everything_that_fits_goes_in() -> None:
    selection = walk_budget([item(1)], [item(2)], [item(3), item(4)], max_tokens=100)
    assert (ids(selection.pinned), ids(selection.instructions), ids(selection.ranked)) == ([1], [2], [4, 3])
    assert (selection.tokens, selection.rejected) == (40, [])


def test_what_does_not_fit_is_skipped_and_the_walk_goes_on() -> None:
    ranked = [item(1, score=3, tokens=60), item(2, score=2, tokens=60), item(3, score=1, tokens=40)]
    selection = walk_budget([], [], ranked, max_tokens=100)
    assert ids(selection.ranked) == [1, 3]
    assert selection.rejected == [Rejected(ranked[1], OVER_BUDGET)]


def test_pinned_memories_take_at_most_half() -> None:
    selection = walk_budget([item(n, created=n) for n in range(10)], [], [item(50)], max_tokens=100)
    assert (ids(selection.pinned), ids(selection.ranked)) == ([9, 8, 7, 6, 5], [50])


def test_instructions_take_at_most_a_quarter_the_newest_first() -> None:
    selection = walk_budget([], [item(n, created=n, score=-n) for n in range(5)], [item(50)], max_tokens=100)
    assert (ids(selection.instructions), ids(selection.ranked)) == ([4, 3], [50])


def test_ties_go_to_the_newest_then_the_highest_id() -> None:
    ranked = [item(1, created=5), item(2, created=9), item(3, created=5), item(4, score=1)]
    assert ids(in_rank_order(ranked)) == [4, 2, 3, 1]
    assert ids(walk_budget([], [], ranked, max_tokens=1_000).ranked) == [4, 2, 3, 1]


def test_the_block_around_the_entries_counts() -> None:
    assert ids(walk_budget([], [], [item(1), item(2)], max_tokens=25, overhead=10).ranked) == [2]
    assert walk_budget([], [], [item(1)], max_tokens=25, overhead=10).tokens == 20
    assert walk_budget([], [], [], max_tokens=25, overhead=10).tokens == 0


def test_the_best_goes_in_though_it_is_over_budget() -> None:
    ranked = [item(1, score=2, tokens=500), item(2, score=1, tokens=400)]
    selection = walk_budget([], [], ranked, max_tokens=10)
    assert (ids(selection.ranked), selection.tokens) == ([1], 500)
    assert [each.item.id for each in selection.rejected] == [2]


def test_nothing_goes_over_the_hard_clamp() -> None:
    ranked = [item(1, score=2, tokens=MAX_TOKENS + 1), item(2, score=1, tokens=MAX_TOKENS)]
    assert ids(walk_budget([], [], ranked, max_tokens=10).ranked) == [2]
    assert ids(walk_budget([], [], ranked[:1], max_tokens=16_000).ranked) == []


def test_the_one_over_budget_can_be_refused() -> None:
    assert walk_budget([], [], [item(1, tokens=50)], max_tokens=10, floor_passed_min_one=False).ranked == []


def test_an_item_in_two_lists_goes_in_once() -> None:
    selection = walk_budget([item(1)], [item(1)], [item(1), item(2)], max_tokens=100)
    assert (ids(selection.pinned), ids(selection.instructions), ids(selection.ranked)) == ([1], [], [2])


def test_a_pinned_item_that_found_no_room_may_still_rank() -> None:
    selection = walk_budget([item(1, tokens=60)], [], [item(1, tokens=60)], max_tokens=100)
    assert (ids(selection.ranked), selection.rejected) == ([1], [])


COSTS = st.lists(st.integers(0, 60), max_size=8)


@given(COSTS, COSTS, COSTS, st.integers(1, 200), st.integers(0, 20))
def test_the_budget_holds_and_nothing_is_lost(
    pinned: list[int], instructions: list[int], ranked: list[int], budget: int, overhead: int
) -> None:
    numbers = iter(range(100))
    lists = [[item(next(numbers), tokens=cost) for cost in costs] for costs in (pinned, instructions, ranked)]
    selection = walk_budget(*lists, max_tokens=budget, overhead=overhead, floor_passed_min_one=False)
    chosen = selection.pinned + selection.instructions + selection.ranked
    assert selection.tokens == (sum(each.tokens for each in chosen) + overhead if chosen else 0)
    assert selection.tokens <= budget or not chosen
    left = [each.item.id for each in selection.rejected]
    assert sorted(ids(chosen) + left) == ids(lists[0] + lists[1] + lists[2])


def test_the_reasons_are_those_of_the_contract() -> None:
    assert (BELOW_FLOOR, OVER_BUDGET) == ("below floor", "over budget")
