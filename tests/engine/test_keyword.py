"""The keyword index against a slow and obvious reference, and what it promises beside the scores."""

import math
import random
from dataclasses import dataclass, field

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from engine import keyword
from engine.keyword import FIELD_WEIGHTS, K1, MAX_TERMS, B, KeywordIndex, SearchDoc, score_documents
from engine.text import query_terms, tokenise

WORDS = [*"tabs spaces editor python coffee tea dog cat run walk".split(), "重跑", "gpt-5.5"]
SLOTS = 40


def everything(size: int = SLOTS) -> np.ndarray:
    return np.ones(size, dtype=np.bool_)


def stems(query: str) -> list[str]:
    return [term.stem for term in query_terms(query)]


def index_of(*docs: SearchDoc | str) -> KeywordIndex:
    index = KeywordIndex()
    for slot, doc in enumerate(docs):
        index.add(slot, doc if isinstance(doc, SearchDoc) else SearchDoc(doc))
    return index


def ranking(index: KeywordIndex, query: str, eligible: np.ndarray | None = None) -> list[int]:
    hits = index.search(stems(query), everything() if eligible is None else eligible)
    return [int(slot) for slot in hits.slots]


def scores(index: KeywordIndex, terms: list[str], eligible: np.ndarray | None = None) -> dict[int, tuple[float, float]]:
    hits = index.search(terms, everything() if eligible is None else eligible)
    return dict(zip(hits.slots.tolist(), zip(hits.scores.tolist(), hits.coverage.tolist(), strict=True), strict=True))


def length(doc: SearchDoc) -> float:
    return len(doc.content) + 0.3 * len(doc.context)


@dataclass
class Reference:
    """BM25 word for word from the documentation of FTS5, over a dictionary."""

    docs: dict[int, SearchDoc] = field(default_factory=dict)

    def scores(self, terms: list[str], eligible: np.ndarray) -> dict[int, tuple[float, float]]:
        docs = {slot: doc for slot, doc in self.docs.items() if slot < len(eligible) and eligible[slot]}
        if not docs:
            return {}
        mean = sum(map(length, docs.values())) / len(docs)
        terms = list(dict.fromkeys(terms))
        frequency = {slot: {term: self.frequency(doc, term) for term in terms} for slot, doc in docs.items()}
        df = {term: sum(1 for row in frequency.values() if row[term]) for term in terms}
        used = sorted((term for term in terms if df[term]), key=df.__getitem__)[:MAX_TERMS]
        idf = {term: math.log(1 + (len(docs) - df[term] + 0.5) / (df[term] + 0.5)) for term in terms}
        whole = max(len(docs), 100)
        told = {term: math.log(1 + (whole - df[term] + 0.5) / (df[term] + 0.5)) for term in terms}
        most = 8 * math.log(1 + (whole + 0.5) / 0.5)
        mass = min(sum(told[term] for term in terms if term in used or not df[term]), most)
        result = {}
        for slot, row in frequency.items():
            held = [term for term in used if row[term]]
            if held:
                norm = K1 * (1 - B + B * (length(docs[slot]) / mean if mean else 0))
                score = sum(idf[term] * row[term] * (K1 + 1) / (row[term] + norm) for term in held)
                result[slot] = (score, min(1.0, sum(told[term] for term in held) / mass))
        return result

    @staticmethod
    def frequency(doc: SearchDoc, term: str) -> float:
        return sum(weight * tokenise(getattr(doc, name)).count(term) for name, weight in FIELD_WEIGHTS.items())


def approximately(values: dict[int, tuple[float, float]]) -> dict[int, object]:
    return {slot: pytest.approx(pair, rel=1e-9) for slot, pair in values.items()}


TEXTS = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
DOCS = st.builds(SearchDoc, TEXTS, TEXTS, TEXTS, st.sampled_from(["", "Monday 8 May 2023"]))
QUERIES = st.lists(
    st.sampled_from([token for word in WORDS for token in tokenise(word)] + ["absent", "mai"]), max_size=6
)
MASKS = st.lists(st.booleans(), min_size=0, max_size=SLOTS).map(lambda bits: np.array(bits, dtype=np.bool_))


class AnySequence(RuleBasedStateMachine):
    """Additions, replacements, removals and searches in any order, with segments and compactions forced to happen."""

    @initialize(limit=st.sampled_from([0, 5, 40, 2048]))
    def start(self, limit: int) -> None:
        self.before, keyword._LOG_LIMIT = keyword._LOG_LIMIT, limit
        self.index, self.reference = KeywordIndex(), Reference()

    @rule(slot=st.integers(0, SLOTS - 1), doc=DOCS)
    def add(self, slot: int, doc: SearchDoc) -> None:
        self.index.add(slot, doc)
        self.reference.docs[slot] = doc

    @rule(start=st.integers(0, SLOTS - 10), doc=DOCS)
    def add_ten(self, start: int, doc: SearchDoc) -> None:
        for slot in range(start, start + 10):
            self.add(slot, doc)

    @rule(slot=st.integers(-3, SLOTS + 3))
    def remove(self, slot: int) -> None:
        self.index.remove(slot)
        self.reference.docs.pop(slot, None)

    @rule(terms=QUERIES, eligible=MASKS)
    def search_some(self, terms: list[str], eligible: np.ndarray) -> None:
        assert scores(self.index, terms, eligible) == approximately(self.reference.scores(terms, eligible))

    @rule(terms=QUERIES)
    def search_all(self, terms: list[str]) -> None:
        self.search_some(terms, everything())

    @rule()
    def settle(self) -> None:
        self.index.settle()

    @invariant()
    def it_counts(self) -> None:
        if hasattr(self, "index"):
            assert len(self.index) == len(self.reference.docs)

    def teardown(self) -> None:
        if hasattr(self, "before"):
            keyword._LOG_LIMIT = self.before


AnySequence.TestCase.settings = settings(max_examples=150, stateful_step_count=30, deadline=None)
TestAnySequence = AnySequence.TestCase


@settings(deadline=None)
@given(st.dictionaries(st.integers(0, SLOTS - 1), DOCS, min_size=1, max_size=20), QUERIES)
def test_the_direct_path_gives_the_very_scores_of_the_index(docs: dict[int, SearchDoc], terms: list[str]) -> None:
    index = KeywordIndex()
    for slot, doc in docs.items():
        index.add(slot, doc)
    mean = sum(10 * len(doc.content) + 3 * len(doc.context) for doc in docs.values()) / 10 / len(docs)
    candidates = {slot: doc for slot, doc in docs.items() if slot % 2 or not Reference.frequency(doc, "absent")}
    assert score_documents(terms, candidates, total=len(docs), mean_length=mean) == scores(index, terms)


def test_documents_that_hold_no_term_are_left_out_of_the_direct_path() -> None:
    docs = {1: SearchDoc("vitamin C"), 2: SearchDoc("C++")}
    assert list(score_documents(["c++"], docs, total=2, mean_length=6.0)) == [2]


def test_the_direct_path_without_documents_or_terms_is_empty() -> None:
    assert score_documents(["tab"], {}, total=0, mean_length=0.0) == {}
    assert score_documents([], {1: SearchDoc("tabs")}, total=1, mean_length=4.0) == {}


def test_another_owners_index_changes_nothing() -> None:
    alice = index_of("I prefer tabs", "tabs and spaces", "coffee")
    before = scores(alice, ["tab", "space"])
    index_of(*["tabs tabs tabs"] * 300)
    assert scores(alice, ["tab", "space"]) == before


def test_what_is_not_eligible_changes_nothing() -> None:
    alice, crowded = index_of("I prefer tabs", "coffee"), index_of("I prefer tabs", "coffee", *["tabs"] * 30)
    assert scores(crowded, ["tab"], np.array([True, True])) == scores(alice, ["tab"])


def test_the_rarer_word_counts_more() -> None:
    index = index_of("tabs and coffee", "tabs and tea", "tabs and walks", "tea")
    assert ranking(index, "coffee tabs")[0] == 0


def test_a_word_in_every_document_still_counts_a_little() -> None:
    assert scores(index_of("tabs", "tabs"), ["tab"])[0][0] > 0


def test_the_text_itself_counts_more_than_its_key_and_its_context() -> None:
    index = index_of(SearchDoc("tea,", context="tabs"), SearchDoc("tabs"), SearchDoc("tea,", key="tabs"))
    assert ranking(index, "tabs") == [1, 2, 0]


def test_the_day_is_found() -> None:
    index = index_of(SearchDoc("we met", day="Monday 8 May 2023"), SearchDoc("we met", day="Tuesday 9 May 2023"))
    assert ranking(index, "What did I do on May 9th?")[0] == 1


def test_a_replaced_document_is_no_longer_found() -> None:
    index = index_of("tabs")
    index.add(0, SearchDoc("spaces"))
    assert (ranking(index, "tabs"), ranking(index, "spaces")) == ([], [0])


def test_a_slot_taken_again_does_not_inherit() -> None:
    index = index_of("tabs", "spaces")
    index.remove(0)
    index.add(0, SearchDoc("coffee"))
    assert ranking(index, "tabs") == []


def test_a_slot_beyond_the_mask_is_not_eligible() -> None:
    assert ranking(index_of("tabs", "tabs"), "tabs", np.array([True])) == [0]


def test_a_mask_may_reach_beyond_the_slots() -> None:
    assert ranking(index_of("tabs"), "tabs", everything(1_000)) == [0]


def test_coverage_is_the_share_of_the_query_that_matched() -> None:
    index = index_of("tabs", "spaces", "tabs spaces", "coffee")
    found = scores(index, ["tab", "space"])
    assert [found[slot][1] for slot in range(3)] == pytest.approx([0.5, 0.5, 1.0])


def test_a_term_that_nothing_holds_lowers_the_coverage() -> None:
    index = index_of("tabs", "spaces", "coffee", "tea")
    assert scores(index, ["tab", "absent"])[0][1] < scores(index, ["tab"])[0][1] == 1.0


def test_of_a_long_query_the_32_rarest_terms_are_used() -> None:
    rare = [f"rare{number}" for number in range(MAX_TERMS)]
    index = index_of("often", "often", "often " + " ".join(rare))
    assert ranking(index, " ".join(["often", *rare])) == [2]


def test_nothing_is_found_in_nothing() -> None:
    assert KeywordIndex().search(["tab"], everything()).slots.tolist() == []
    assert index_of("tabs").search([], everything()).slots.tolist() == []
    assert index_of("", " ", "👍").search(["tab"], everything()).slots.tolist() == []


def test_a_word_said_very_often_does_not_overflow() -> None:
    index = index_of("tab " * 30_000, "tab")
    assert np.isfinite(index.search(["tab"], everything()).scores).all()


def test_the_order_is_by_score_and_the_same_every_time() -> None:
    rng = random.Random(5)
    docs = [" ".join(rng.choices(WORDS, k=6)) for _ in range(300)]
    first, second = index_of(*docs), index_of(*docs)
    hits = first.search(stems("tabs coffee dog"), everything(300))
    assert (np.diff(hits.scores) <= 0).all()
    assert hits.slots.tolist() == second.search(stems("tabs coffee dog"), everything(300)).slots.tolist()


def test_a_limit_keeps_the_best_and_all_that_tie_with_the_last() -> None:
    index = index_of("tabs coffee", "tabs", "tabs", "tabs", "tea tea tea")
    assert ranking(index, "tabs coffee") == [0, 1, 2, 3]
    hits = index.search(stems("tabs coffee"), everything(), limit=2)
    assert sorted(hits.slots.tolist()) == [0, 1, 2, 3]
    assert index.search(stems("tabs coffee"), everything(), limit=1).slots.tolist() == [0]


def test_few_hits_among_many_documents_are_the_same() -> None:
    index = index_of(*["coffee"] * 9_000, "tabs spaces", "tabs")
    found = scores(index, ["tab", "space"], everything(9_002))
    small = score_documents(
        ["tab", "space"],
        {9_000: SearchDoc("tabs spaces"), 9_001: SearchDoc("tabs")},
        total=9_002,
        mean_length=6.0 * 9_000 / 9_002 + 15 / 9_002,
    )
    assert found == approximately(small)


def test_the_index_is_compact_and_says_so() -> None:
    rng = random.Random(1)
    index = KeywordIndex()
    for slot in range(2_000):
        index.add(slot, SearchDoc(" ".join(rng.choices(WORDS, k=10))))
    grown = index.nbytes
    assert 2_000 * 40 < grown < 2_000 * 400
    for slot in range(1_900):
        index.remove(slot)
    assert index.nbytes < grown / 4


def test_replacing_for_ever_does_not_grow_the_index() -> None:
    index = KeywordIndex()
    sizes = []
    for turn in range(6):
        for slot in range(200):
            index.add(slot, SearchDoc(f"turn {turn} tabs {slot}"))
        index.search(["tab"], everything(200))
        sizes.append(index.nbytes)
    assert sizes[-1] < 3 * sizes[0]


def test_the_cache_of_codes_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyword._Codes, "_MOST", 10)
    codes = keyword._Codes()
    assert [codes[f"word{number}"] for number in range(50)]
    assert len(codes) <= 10


def test_weak_terms_rank_but_cover_nothing() -> None:
    index = index_of("I like boats", "I like tea", "tea is hot")
    hits = index.search(stems("like tea"), everything(), weak=frozenset({"like"}))
    found = dict(zip(hits.slots.tolist(), hits.coverage.tolist(), strict=True))
    assert found == {0: 0.0, 1: 1.0, 2: 1.0}
    assert hits.slots.tolist()[0] == 1


def test_one_statement_answers_a_question_of_three_words() -> None:
    index = index_of("I prefer marmalade")
    assert index.search(["marmalad", "peanut", "butter"], everything()).coverage[0] > 0.2
