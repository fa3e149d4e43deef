"""BM25 over one owner's memories, in memory: a compact inverted index, and the same scores without one.

The formula is that of FTS5's `bm25()` (sqlite.org/fts5.html, k1 1.2, b 0.75): the frequencies of a term in the columns are
weighted, added, and enter the saturation once. Two things differ. N and df count the owner's eligible memories only, so no
other owner's rows change a score; and the IDF is ln(1 + (N - df + 0.5) / (df + 0.5)) (Lucene's BM25Similarity), which is
never negative, where FTS5 clamps to 1e-6 what more than half of the rows hold.
"""

import math
from array import array
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.text import day_terms, stem, words

K1, B = 1.2, 0.75
MAX_TERMS = 32
# Weights and lengths are kept in tenths: whole numbers are smaller, and add up to the same sum in every order.
FIELD_WEIGHTS = {"content": 1.0, "key": 0.5, "context": 0.3, "day": 0.5}
_TENTHS = {field: round(10 * weight) for field, weight in FIELD_WEIGHTS.items()}
_MOST_TENTHS = 0xFFFF
# Coverage of a long message is measured against this many terms as rare as can be: no statement holds a tenth of a pasted
# page. At 8, evidence asked for among 20 to 110 unrelated words stays above the floor (engine/ranking.py).
_MASS_TERMS = 8
_LOG_LIMIT = 2048  # postings a search scans one by one; more are sorted into a segment
_FAN_OUT = 4  # a segment is merged with its elder when it has grown to a quarter of it
_DEAD = -1
_LEAST_WHOLE = 100
_SPARSE = 8192  # documents, from which on few hits are counted by themselves rather than in an array of all


class _Codes(dict[str, int]):
    """The number of a folded word's term: Python's own 64-bit hash of its stem.

    There is no vocabulary to keep for ever, and no way to aim a collision, for the hash is keyed anew in every process.
    What is kept is a bounded cache.
    """

    _MOST = 65_536

    def __missing__(self, word: str) -> int:
        if len(self) >= self._MOST:
            self.clear()
        code = self[word] = hash(stem(word))
        return code


_code_of = _Codes().__getitem__


@dataclass(frozen=True, slots=True)
class SearchDoc:
    """What of a memory is searched; `day` is the day it was said, in words."""

    content: str
    key: str = ""
    context: str = ""
    day: str = ""


@dataclass(frozen=True, slots=True)
class KeywordHits:
    """The slots that hold a term, best first, with BM25 and the share (0..1) of the query's IDF mass each of them holds."""

    slots: NDArray[np.int64]
    scores: NDArray[np.float64]
    coverage: NDArray[np.float64]


class _Postings(NamedTuple):
    """Which query term (its number) is how heavy (in tenths) in which document; parallel arrays."""

    terms: NDArray[np.int64]
    docs: NDArray[np.int64]
    weights: NDArray[np.uint16]

    def where(self, mask: NDArray[np.bool_]) -> "_Postings":
        return _Postings(self.terms[mask], self.docs[mask], self.weights[mask])


class _Segment(NamedTuple):
    """Postings sorted by term: those of `terms[i]` stand from `starts[i]` to `starts[i + 1]`."""

    terms: NDArray[np.int64]
    starts: NDArray[np.int32]
    docs: NDArray[np.int32]
    weights: NDArray[np.uint16]

    @classmethod
    def of(cls, terms: NDArray[np.int64], docs: NDArray[np.int32], weights: NDArray[np.uint16]) -> "_Segment":
        # stable is timsort here, which merges two sorted runs in linear time
        order = np.argsort(terms, kind="stable")
        distinct, starts = np.unique(terms[order], return_index=True)
        return cls(distinct, np.append(starts, len(terms)).astype(np.int32), docs[order], weights[order])

    @property
    def nbytes(self) -> int:
        return self.terms.nbytes + self.starts.nbytes + self.docs.nbytes + self.weights.nbytes

    def expanded(self) -> NDArray[np.int64]:
        """The term of every posting."""
        return np.repeat(self.terms, np.diff(self.starts))

    def find(self, wanted: NDArray[np.int64]) -> list[tuple[int, int, int]]:
        """Of each wanted term that is here its number, and from where to where its postings stand."""
        places = self.terms.searchsorted(wanted)
        places[places == len(self.terms)] = 0
        found = (self.terms[places] == wanted).nonzero()[0]
        places = places[found]
        return list(zip(found.tolist(), self.starts[places].tolist(), self.starts[places + 1].tolist(), strict=True))


class _Log:
    """Postings in the order they came."""

    def __init__(self) -> None:
        self.terms, self.docs, self.weights = array("q"), array("i"), array("H")

    def __len__(self) -> int:
        return len(self.terms)

    def append(self, doc: int, weights: Mapping[int, int]) -> None:
        self.terms.fromlist([*weights])
        self.docs.extend(array("i", (doc,)) * len(weights))
        self.weights.fromlist([*weights.values()])

    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """Copies, for an array that numpy looks into cannot grow."""
        return (
            np.array(self.terms, dtype=np.int64),
            np.array(self.docs, dtype=np.int32),
            np.array(self.weights, dtype=np.uint16),
        )


class KeywordIndex:
    """An inverted index over the documents of one owner, each in a slot chosen by the caller.

    Not safe for concurrent use, a search included: it may tidy up. Inside, a document has a number of its own that is
    never used twice until a compaction, so postings of a removed document stay behind without harm.
    """

    def __init__(self) -> None:
        self._doc_in = np.full(16, _DEAD, dtype=np.int64)  # by slot
        self._slot_of = np.full(16, _DEAD, dtype=np.int64)  # by document
        self._lengths = np.zeros(16)  # by document, in tenths of a character: whole numbers, floats for speed
        self._docs = 0
        self._live = 0
        self._log = _Log()
        self._segments: list[_Segment] = []

    def __len__(self) -> int:
        return self._live

    def add(self, slot: int, doc: SearchDoc) -> None:
        """Put a document into a slot, in place of what was there."""
        self.remove(slot)
        if slot >= len(self._doc_in):
            self._doc_in = _grown(self._doc_in, slot + 1)
        if self._docs == len(self._slot_of):
            self._slot_of = _grown(self._slot_of, self._docs + 1)
            self._lengths = np.resize(self._lengths, len(self._slot_of))
        number = self._docs
        self._doc_in[slot], self._slot_of[number], self._lengths[number] = number, slot, _length(doc)
        self._log.append(number, _weights(doc))
        self._docs += 1
        self._live += 1

    def remove(self, slot: int) -> None:
        """Empty a slot; nothing happens when it is empty."""
        if not 0 <= slot < len(self._doc_in) or self._doc_in[slot] == _DEAD:
            return
        self._slot_of[self._doc_in[slot]] = _DEAD
        self._doc_in[slot] = _DEAD
        self._live -= 1
        if self._docs > 64 and self._live * 2 < self._docs:
            self._compact()

    def search(
        self,
        terms: Sequence[str],
        eligible: NDArray[np.bool_],
        limit: int | None = None,
        weak: Container[str] = frozenset(),
    ) -> KeywordHits:
        """BM25 of every eligible document that holds one of the terms (stems), best first.

        `weak` terms count for the score, not for the coverage. `eligible` is indexed by slot; a slot beyond its end is not
        eligible. Of the terms found at most 32 are used, the rarest first. With a `limit` only that many hits come back,
        and all that tie with the last of them.
        """
        if len(self._log) > _LOG_LIMIT:
            self.settle()
        slot_of, lengths = self._slot_of[: self._docs], self._lengths[: self._docs]
        counted = self._eligible_docs(eligible)
        total = int(np.count_nonzero(counted))
        distinct = list(dict.fromkeys(terms))
        if not total or not distinct:
            return KeywordHits(np.empty(0, np.int64), np.empty(0), np.empty(0))
        wanted = np.fromiter(map(hash, distinct), dtype=np.int64, count=len(distinct))
        postings = self._gather(wanted)
        if total < self._docs:
            postings = postings.where(counted[postings.docs])
        mean = float(lengths.dot(counted)) / 10 / total
        telling = [term not in weak for term in distinct]
        docs, scores, coverage = _score(postings, telling, lengths, total=total, mean_length=mean)
        order = _best_first(scores, limit)
        return KeywordHits(slot_of[docs[order]], scores[order], coverage[order])

    def settle(self) -> None:
        """Sort what was added since the last time, so that the next search need not: good after a bulk of additions."""
        if len(self._log):
            self._segments.append(_Segment.of(*self._log.arrays()))
            self._log = _Log()
        while len(self._segments) > 1 and len(self._segments[-1].docs) * _FAN_OUT >= len(self._segments[-2].docs):
            newer, older = self._segments.pop(), self._segments.pop()
            self._segments.append(self._merged([older, newer]))

    @property
    def nbytes(self) -> int:
        """About how many bytes of memory the index takes."""
        own = self._doc_in.nbytes + self._slot_of.nbytes + self._lengths.nbytes + 2_000
        return own + 14 * len(self._log) + sum(segment.nbytes for segment in self._segments)

    def _eligible_docs(self, eligible: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """By document: alive, and in an eligible slot. The last place is for dead documents, whose slot is -1."""
        missing = max(0, len(self._doc_in) - len(eligible))
        padded = np.concatenate((eligible, np.zeros(missing + 1, dtype=np.bool_)))
        return padded.take(self._slot_of[: self._docs], mode="wrap")

    def _gather(self, wanted: NDArray[np.int64]) -> _Postings:
        """All postings of the wanted terms, removed documents' too."""
        numbers: list[int] = []
        docs: list[NDArray[np.int32]] = []
        weights: list[NDArray[np.uint16]] = []
        for segment in self._segments:
            for number, start, end in segment.find(wanted):
                numbers.append(number)
                docs.append(segment.docs[start:end])
                weights.append(segment.weights[start:end])
        terms = np.repeat(np.array(numbers, dtype=np.int64), [len(part) for part in docs])
        if len(self._log):
            late_terms, late_docs, late_weights = self._late(wanted)
            terms = np.concatenate((terms, late_terms))
            docs.append(late_docs)
            weights.append(late_weights)
        if not docs:
            return _Postings(terms, np.empty(0, np.int64), np.empty(0, np.uint16))
        return _Postings(terms, np.concatenate(docs, dtype=np.int64), np.concatenate(weights))

    def _late(self, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.uint16]]:
        """The postings of the wanted terms that are not yet in a segment."""
        terms, docs, weights = self._log.arrays()
        order = wanted.argsort()
        places = wanted[order].searchsorted(terms)
        places[places == len(wanted)] = 0
        numbers = order[places]
        found = (wanted[numbers] == terms).nonzero()[0]
        return numbers[found], docs[found], weights[found]

    def _merged(self, segments: Sequence[_Segment]) -> _Segment:
        """One segment of several, without the postings of removed documents."""
        terms = np.concatenate([segment.expanded() for segment in segments])
        docs = np.concatenate([segment.docs for segment in segments])
        weights = np.concatenate([segment.weights for segment in segments])
        alive = self._slot_of[docs] != _DEAD
        return _Segment.of(terms[alive], docs[alive], weights[alive])

    def _compact(self) -> None:
        """Drop every trace of removed documents and number the others anew, in the same order."""
        self.settle()
        merged = self._merged(self._segments) if self._segments else None
        alive = np.flatnonzero(self._slot_of[: self._docs] != _DEAD)
        renumbered = np.full(self._docs, _DEAD, dtype=np.int32)
        renumbered[alive] = np.arange(len(alive), dtype=np.int32)
        self._slot_of, self._lengths = self._slot_of[alive], self._lengths[alive]
        self._doc_in = np.full(int(self._slot_of.max(initial=15)) + 1, _DEAD, dtype=np.int64)
        self._doc_in[self._slot_of] = np.arange(len(alive))
        self._docs = len(alive)
        self._segments = [merged._replace(docs=renumbered[merged.docs])] if merged is not None else []


def score_documents(
    terms: Sequence[str],
    docs: Mapping[int, SearchDoc],
    *,
    total: int,
    mean_length: float,
    weak: Container[str] = frozenset(),
) -> dict[int, tuple[float, float]]:
    """Score and coverage of documents without an index: what `KeywordIndex.search` gives the same documents.

    `docs` are all of the owner's eligible documents that may hold a term (others may be among them, and are left out of
    the answer); `total` is the number of all eligible documents and `mean_length` the mean of length(content) + 0.3 *
    length(context) over them, in characters.
    """
    distinct = {hash(term): number for number, term in enumerate(dict.fromkeys(terms))}
    ids = list(docs)
    rows = [
        (distinct[term], place, weight)
        for place, doc_id in enumerate(ids)
        for term, weight in _weights(docs[doc_id], distinct).items()
    ]
    if not rows:
        return {}
    numbers, places, weights = zip(*rows, strict=True)
    postings = _Postings(np.array(numbers), np.array(places), np.array(weights, dtype=np.uint16))
    lengths = np.array([_length(doc) for doc in docs.values()], dtype=np.float64)
    telling = [term not in weak for term in dict.fromkeys(terms)]
    found, scores, coverage = _score(postings, telling, lengths, total=total, mean_length=mean_length)
    pairs = zip(scores.tolist(), coverage.tolist(), strict=True)
    return dict(zip((ids[place] for place in found.tolist()), pairs, strict=True))


def _weights(doc: SearchDoc, wanted: Container[int] | None = None) -> dict[int, int]:
    """The weighted frequency of the terms of a document, all or those wanted, in tenths, as far as 16 bits hold it."""
    weights: dict[int, int] = {}
    for text, tenths in (
        (doc.content, _TENTHS["content"]),
        (doc.key, _TENTHS["key"]),
        (doc.context, _TENTHS["context"]),
        (doc.day, _TENTHS["day"]),
    ):
        if text:
            terms = map(_code_of, day_terms(text) if text is doc.day else words(text))
            for term in terms if wanted is None else filter(wanted.__contains__, terms):
                weights[term] = weights[term] + tenths if term in weights else tenths
    if len(doc.content) + len(doc.context) > _MOST_TENTHS // 10:
        weights = {term: min(weight, _MOST_TENTHS) for term, weight in weights.items()}
    return weights


def _length(doc: SearchDoc) -> int:
    return _TENTHS["content"] * len(doc.content) + _TENTHS["context"] * len(doc.context)


def _grown(values: NDArray[np.int64], least: int) -> NDArray[np.int64]:
    """A longer copy with room for `least` and half as much again."""
    longer = np.full(max(least + least // 2, 16), _DEAD, dtype=np.int64)
    longer[: len(values)] = values
    return longer


def _idf(df: int, total: int) -> float:
    return math.log1p((total - df + 0.5) / (df + 0.5))


def _score(
    postings: _Postings, telling: Sequence[bool], lengths: NDArray[np.float64], *, total: int, mean_length: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """The documents that have a posting, ascending, with BM25 and coverage; of the terms asked for, the telling ones cover."""
    asked = len(telling)
    df = np.bincount(postings.terms, minlength=asked).tolist()
    used = sorted(filter(df.__getitem__, range(asked)), key=df.__getitem__)[:MAX_TERMS]
    absent = [number for number in range(asked) if not df[number]]
    # Among three statements every word is common: coverage weighs words as if there were at least a hundred.
    whole = max(total, _LEAST_WHOLE)
    mass = sum(_idf(df[number], whole) for number in [*used, *absent] if telling[number])
    mass = min(mass, _MASS_TERMS * _idf(0, whole)) or 1.0
    if len(used) + len(absent) < asked:
        postings = postings.where(np.isin(postings.terms, used))
    idf = np.array([_idf(count, total) for count in df])[postings.terms]
    covered = np.array([_idf(count, whole) if telling[n] else 0.0 for n, count in enumerate(df)])[postings.terms]
    norm = K1 * B / (10 * mean_length) if mean_length > 0 else 0.0
    frequency = postings.weights / 10
    gains = idf * frequency * (K1 + 1) / (frequency + norm * lengths[postings.docs] + K1 * (1 - B))
    docs, places = _distinct(postings.docs, len(lengths))
    scores, matched = _sums(places, gains), _sums(places, covered)
    if len(docs) < len(scores):  # counted in an array of all documents
        scores, matched = scores[docs], matched[docs]
    return docs, scores, np.minimum(matched / mass, 1.0)


def _distinct(docs: NDArray[np.int64], size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The distinct documents, and for each posting the place where its document is counted: among these, or of all."""
    if size > _SPARSE and len(docs) * 8 < size:
        distinct, places = np.unique(docs, return_inverse=True)
        return distinct, places
    seen = np.zeros(size, dtype=np.bool_)
    seen[docs] = True
    return seen.nonzero()[0], docs


def _sums(places: NDArray[np.int64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of the values at each place."""
    return np.bincount(places, weights=values).astype(np.float64, copy=False)


def _best_first(scores: NDArray[np.float64], limit: int | None) -> NDArray[np.int64]:
    """Where the scores stand in descending order: of all, or of those that are not below the `limit`-th."""
    if limit is None or limit >= len(scores):
        return (-scores).argsort()
    worst = np.partition(scores, len(scores) - limit)[len(scores) - limit] if limit > 0 else np.inf
    chosen = (scores >= worst).nonzero()[0]
    return chosen[(-scores[chosen]).argsort()]
