"""Which candidates of a recall are worth their tokens: relevance floor, near-copies, budget."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from engine.stopwords import FUNCTION_WORDS
from engine.text import stem, words

MAX_TOKENS = 8_000
# The least share of the query's IDF mass that an answer holds. At .10 no evidence of the 99 questions of MemoryBank that
# shares a word with its question is cut, nor one of the best ten of LoCoMo (R@10 .732 with and without); at .20 it is 4 %
# and 1 %. What goes is the tail that shares one common word: three hits of four in LoCoMo.
KEYWORD_FLOOR = 0.10
BELOW_FLOOR = "below floor"
OVER_BUDGET = "over budget"
OVER_LIMIT = "over limit"

_COMPARED = 200  # the walk over near-copies is quadratic in the worst case, and nobody reads further
_SAME_WORDS = 0.8
_CONTAINED = 0.9
_FACTS = frozenset(
    "no not never none nor t cannot without hate hates dislike dislikes avoid stop stopped quit longer "
    "two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand".split()
)
_EMPHASIS = frozenset(
    "really very always just also actually truly still absolutely definitely strongly much usually generally quite".split()
)
_EMPTY = FUNCTION_WORDS | _EMPHASIS
_ADDED = 0.25  # the share of new telling words up to which a longer wording says the same
_DIGITS = frozenset("0123456789")
_NAME = re.compile(r"(?<=[^.!?\s]\s)[^\W\d_a-z][\w]*")


class Ranked(NamedTuple):
    """One candidate: what it says, what it costs (its markup included), how well it fits, when it was made (epoch)."""

    id: int
    content: str
    tokens: int
    score: float
    created: float
    reasons: tuple[str, ...] = ()


class Rejected(NamedTuple):
    """A candidate that was left out, and why."""

    item: Ranked
    reason: str


@dataclass(frozen=True, slots=True)
class Selection:
    """What is injected, in order, and what it costs in all."""

    pinned: list[Ranked] = field(default_factory=list)
    instructions: list[Ranked] = field(default_factory=list)
    ranked: list[Ranked] = field(default_factory=list)
    rejected: list[Rejected] = field(default_factory=list)
    tokens: int = 0


def clamp_tokens(n: int) -> int:
    """A token budget within 1..8,000."""
    return max(1, min(n, MAX_TOKENS))


def keyword_floor(coverage: float, shift: float = 0.0) -> bool:
    """Whether a keyword hit is relevant: it holds enough of the query's IDF mass. A positive shift asks for more."""
    return coverage > 0 and coverage >= KEYWORD_FLOOR + shift


def in_rank_order(items: Iterable[Ranked]) -> list[Ranked]:
    """Best first; ties by age, the newest first, then by id, the highest first."""
    return sorted(items, key=lambda item: (-item.score, -item.created, -item.id))


def drop_near_duplicates(ranked: Sequence[Ranked], *, limit: int | None = None) -> tuple[list[Ranked], list[Rejected]]:
    """Keep the first of several near-copies, in the order given, at most `limit`; only the first 200 items are compared.

    A near-copy has nearly the words of an earlier item (Jaccard of the stems .8), or is contained in it (.9 of its stems),
    or contains it and adds next to nothing. Other numbers, a negation or a name more make it distinct.
    """
    kept: list[Ranked] = []
    rejected: list[Rejected] = []
    seen = _Seen()
    for place, item in enumerate(ranked):
        if limit is not None and len(kept) >= limit:
            rejected += [Rejected(other, OVER_LIMIT) for other in ranked[place:]]
            break
        original = seen.original_of(item) if place < _COMPARED else None
        if original is None:
            kept.append(item)
        else:
            rejected.append(Rejected(item, f"near-duplicate of {original.id}"))
    return kept, rejected


def walk_budget(
    pinned: Sequence[Ranked],
    instructions: Sequence[Ranked],
    ranked: Sequence[Ranked],
    *,
    max_tokens: int,
    overhead: int = 0,
    floor_passed_min_one: bool = True,
) -> Selection:
    """Fill a budget: pinned first, up to half of it; instructions, newest first, up to a quarter; then by rank.

    What does not fit is skipped, and the walk goes on. `overhead` is what the block costs beside its entries. When none
    of `ranked` (all of which passed the floor) fits, the first that fits into 8,000 tokens goes in all the same, unless
    `floor_passed_min_one` is off. An item in several lists counts once.
    """
    if max_tokens <= 0:
        return Selection()
    limit = clamp_tokens(max_tokens)
    walk = _Walk(overhead)
    first = walk.take(in_rank_order(pinned), room=min(limit // 2, limit - overhead))
    newest = sorted(instructions, key=lambda item: (-item.created, -item.id))
    standing = walk.take(newest, room=min(limit // 4, limit - walk.tokens))
    best = in_rank_order(ranked)
    chosen = walk.take(best, room=limit - walk.tokens)
    if not chosen and floor_passed_min_one:
        chosen = walk.take_one(best, room=MAX_TOKENS - walk.tokens)
    return Selection(first, standing, chosen, walk.rejected(), walk.tokens if walk.taken else 0)


class _Walk:
    """What has been taken so far, and what was passed over."""

    def __init__(self, overhead: int) -> None:
        self.tokens = overhead
        self.taken: set[int] = set()
        self._passed: dict[int, Ranked] = {}

    def take(self, items: Iterable[Ranked], *, room: int) -> list[Ranked]:
        chosen = []
        for item in items:
            if item.id in self.taken:
                continue
            if item.tokens > room:
                self._passed.setdefault(item.id, item)
                continue
            room -= item.tokens
            self.tokens += item.tokens
            self.taken.add(item.id)
            chosen.append(item)
        return chosen

    def take_one(self, items: Iterable[Ranked], *, room: int) -> list[Ranked]:
        """The first that is not taken yet and fits."""
        for item in items:
            if item.id not in self.taken and item.tokens <= room:
                return self.take([item], room=room)
        return []

    def rejected(self) -> list[Rejected]:
        return [Rejected(item, OVER_BUDGET) for item in self._passed.values() if item.id not in self.taken]


@dataclass(frozen=True, slots=True)
class _Signature:
    """What two statements are compared by."""

    stems: frozenset[str]
    telling: frozenset[str]  # the stems of words that are neither function words nor emphasis
    facts: frozenset[str]  # numbers and negations, which must be the same
    names: frozenset[str]

    @classmethod
    @lru_cache(maxsize=8192)  # the same memories are recalled again and again
    def of(cls, text: str) -> "_Signature":
        found = frozenset(words(text))
        names = frozenset(stem(part) for name in _NAME.findall(text) for part in words(name))
        return cls(
            stems=frozenset(map(stem, found)),
            telling=frozenset(map(stem, found - _EMPTY)),
            facts=frozenset(map(stem, found & _FACTS)).union(filter(_has_digit, found)),
            names=names,
        )


class _Seen:
    """The items kept so far, to be asked for the one that an item is a near-copy of."""

    def __init__(self) -> None:
        # Statements whose numbers and negations differ are never compared.
        self._by_facts: dict[frozenset[str], list[tuple[Ranked, _Signature]]] = {}

    def original_of(self, item: Ranked) -> Ranked | None:
        """The first kept item that this one repeats; if there is none, it is kept itself."""
        signature = _Signature.of(item.content)
        alike = self._by_facts.setdefault(signature.facts, [])
        for original, other in alike:
            if _near(signature, other):
                return original
        alike.append((item, signature))
        return None


def _has_digit(word: str) -> bool:
    return not _DIGITS.isdisjoint(word)


def _near(new: _Signature, old: _Signature) -> bool:
    """Whether a statement repeats an older one."""
    if not new.stems or not new.names <= old.stems:
        return False
    common = len(new.stems & old.stems)
    if common >= _SAME_WORDS * len(new.stems | old.stems):
        return True
    if common >= _CONTAINED * len(new.stems):
        return True
    added = new.telling - old.telling
    return common >= _CONTAINED * len(old.stems) and len(added) <= _ADDED * len(new.telling)
