"""Sentences and clauses of masked speech: where a statement begins, where it may end, and what is asked."""

import re
from bisect import bisect_left
from dataclasses import dataclass

S = r"\s{1,9}+"  # the space between two words; bounded, for texts that are all space

# One set of signs first, so that the search may leap from sign to sign; then what makes each an end.
_END = re.compile(
    r"[.!?\u2026\u3002\uff01\uff1f\uff0e\n](?:(?<=\n)(?:[ \t]*+\n)*+"
    r"|(?<=[.!?\u2026])[.!?\u2026]*+[)\]\"'\ue000]{0,3}(?=\s|\Z)"
    r"|(?<=[\u3002\uff01\uff1f\uff0e])[\u3002\uff01\uff1f\uff0e]*+|(?<=[!?])(?=[A-Za-z])|(?<=\.)(?=i[\s']))"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(])(?:[a-hj-z]|e\.g|i\.e|vs|etc|cf|approx|ca|dr|mr|mrs|ms|prof|st|sr|jr|no|inc|ltd|co|dept|fig|al"
    r"|u\.s|u\.k|a\.m|p\.m|ph\.d|[a-z]\.[a-z])$"
)
_WRAPS = re.compile(
    r"(?:^|\s)(?:a|an|the|of|and|or|to|in|on|at|for|with|by|from|my|our|your|is|are|than|over|as|that|into|before|after"
    r"|prefer|like|love|hate|use|always|never|usually)$"
)
_LONG_LINE = 60  # lines of this length were wrapped by a program; shorter ones end because their author ended them
_MOST_WRAPS = 40


@dataclass(frozen=True, slots=True)
class Sentence:
    """From `start` to `end` (before its mark); `mark` is the punctuation that ended it, "" when none did."""

    start: int
    end: int
    mark: str

    @property
    def asks(self) -> bool:
        """Whether it ends in a question mark."""
        return "?" in self.mark or "\uff1f" in self.mark


class Sentences:
    """The sentences of a text, looked up by position."""

    def __init__(self, low: str) -> None:
        self._low = low
        self._marks = [found.start() for found in _END.finditer(low)]

    def around(self, position: int) -> Sentence:
        """Return the sentence that holds a position."""
        last = bisect_left(self._marks, position)
        first = last - 1
        for _ in range(_MOST_WRAPS):
            if first < 0 or not self._goes_on(first):
                break
            first -= 1
        for _ in range(_MOST_WRAPS):
            if last >= len(self._marks) or not self._goes_on(last):
                break
            last += 1
        start = self._mark(first).end() if first >= 0 else 0
        if last >= len(self._marks):
            return Sentence(start, len(self._low), "")
        return Sentence(start, self._marks[last], self._mark(last)[0])

    def _mark(self, index: int) -> re.Match[str]:
        found = _END.match(self._low, self._marks[index])
        assert found is not None, "marks are where the pattern was found"  # noqa: S101
        return found

    def _goes_on(self, index: int) -> bool:
        """Whether the sentence goes on behind this mark: an abbreviation, or a line wrapped in its middle."""
        found = self._mark(index)
        start, end = found.span()
        if found[0] == "\n":
            return self._wrapped(start)
        if found[0] == ".":
            return _ABBREVIATION.search(self._low, max(0, start - 8), start) is not None and not _begins(self._low, end)
        return False

    def _wrapped(self, newline: int) -> bool:
        low = self._low
        following = low[newline + 1 : newline + 40].lstrip(" \t")
        if not following or not (following[0].isalnum() or following[0] in "\ue000\ue001('"):
            return False
        if re.match(r"\d{1,3}[.)]\s", following):
            return False
        begin = low.rfind("\n", max(0, newline - 200), newline) + 1
        line = low[begin:newline].rstrip()
        if not line or line[-1] in ".!?:;":
            return False
        return len(line) >= _LONG_LINE or _WRAPS.search(line[-12:]) is not None


def _begins(low: str, position: int) -> bool:
    """Whether a new sentence begins after `etc.` or `vitamin c.`: with its speaker."""
    return (
        re.match(r"\s+(?:i|we|my|please|remember|always|never|can|what|how)\b", low[position : position + 14])
        is not None
    )


_SPEAKERS = (
    r"(?:i|we|you|he|she|they|it)(?:'\w{1,2})?(?=\s)|(?:i|we|you|he|she|they|it|there|that|who|what|how|here)'\w{1,2}\b"
    r"|i\b|there\s+(?:is|are)\b"
    r"|(?:my|our|his|her|their|the|your|most|some|many|every|all)\s+(?:[\w'-]+\s+){1,3}?"
    r"(?:is|are|was|were|isn't|aren't|has|have|had|does|doesn't|do|don't|did|didn't|can|can't|will|won't|would"
    r"|should|likes?"
    r"|loves?|hates?|prefers?|uses?|wants?|needs?|says?|thinks?|works?|lives?|always|never|usually|keeps?|gets?)\b"
)
ASKS = (
    r"(?:can|could|would|will|do|does|did|is|are|am|was|were|should|shall|may|has|have|had|what|which|who|whom|whose"
    r"|how|why"
    r"|where|when|any|don't|doesn't|isn't|aren't|can't|couldn't|wouldn't|won't|what's|how's|who's|where's|anything|got)"
)
# A new clause after `and`, `or`, `so`: somebody else (or the speaker again) begins to speak, ask or act.
NEW_CLAUSE = re.compile(
    rf"(?:also|then|now|so|thus|therefore|hence|yes|no|please|sorry|thanks|thank|maybe|perhaps|yet|but|because|if"
    rf"|when|not)\b"
    rf"|(?:that's|let's|lets|let|this|these|those|that)\b(?=\s+(?!one)\w)|{_SPEAKERS}"
    rf"|(?:can|could|would|will|do|does|did|what|which|who|how|why|where|is|are|should|any)\s"
    rf"|(?:really\s+|also\s+|still\s+)?(?:hate|dislike|detest|love|prefer|enjoy|avoid|don't|do\s+not|can't|cannot"
    rf"|always|never|usually|often|rarely|normally|typically|generally|regularly|frequently|tend\s+to)\s"
    rf"|(?:live|work|speak|remember|call|am|was|would|will|won't|switched|chose|picked|decided|went)\s"
)
_TAG_QUESTION = re.compile(
    r"\b(?:(?:is|are|do|does|did|have|has|can|could|should|would|wo|ca|was|were|am|ai)(?:n't)?\s+(?:i|it|that|he|she|they"
    r"|we|there)|(?:don't|wouldn't)\s+you\s+(?:think|agree|say)|right|correct|no|yes|ok|okay|huh|eh|yeah|true)\s*$"
)
_OPENER = re.compile(
    rf"[\s,;:)(\u2014\u2013-]*(?:(?:and|but|so|or|then|now|also|well|ok|okay|please|given\s+that)[\s,]+){{0,2}}{ASKS}\b"
)


def statement_in_question(low: str, end: int, sentence: Sentence) -> bool:
    """Whether what ends at `end` stands before the question of its sentence: `I prefer tabs, can you set it up?`."""
    rest = low[end : min(sentence.end, end + 200)]
    found = _OPENER.match(rest)
    return found is not None and not _TAG_QUESTION.search(rest.lstrip(" ,;:\u2014\u2013-"))


# What parts a clause from the one before it.
_BOUNDARY = re.compile(
    r"[,;()\[\]\u2014\u2013\u2026\u3001]|:(?=\s)|\.(?=\s)|\s-{1,2}(?=\s)|\n"
    r"|(?<=\s)(?:and|but|so|because|cause|cuz|since|although|though|while|whereas|yet|plus|however|&|\+)(?=\s)"
)
_MOST_LEAD = 200


@dataclass(frozen=True, slots=True)
class Lead:
    """What stands before a statement in its sentence: in its own clause, the boundary before that, and all of it."""

    words: str
    boundary: str
    before: str


def lead_of(low: str, sentence: Sentence, position: int) -> Lead:
    """Return what leads to a statement."""
    before = low[max(sentence.start, position - _MOST_LEAD) : position]
    boundary, start = "", 0
    for found in _BOUNDARY.finditer(before):
        boundary, start = found[0].strip() or "\n", found.end()
    return Lead(before[start:].strip(" \t\n*_~#>\"'-+\u2022"), boundary, before)
