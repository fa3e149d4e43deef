"""What a candidate means once its object is known: polarity, bounds, the key of its fact."""

import re
from dataclasses import dataclass

from engine.extraction import identities, objects, openings, rules
from engine.extraction.families import ALL
from engine.extraction.family import DECISION, IDENTITY, PATTERN, PREFERENCE, Family
from engine.extraction.keys import attribute, fact_key
from engine.extraction.objects import Ending


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that open a statement: from `start`, the object from `opened`.

    Of other shapes, the object stands before `start` (`favourite-before`, `order-before`) or the `I` stands in the clause
    before (`elided`).
    """

    family: Family
    start: int
    opened: int
    shape: str = ""


@dataclass(frozen=True, slots=True)
class Meaning:
    """The family, polarity and object of a candidate as its words settle them (`I usually don't` says the opposite)."""

    family: Family
    polarity: str
    object: Ending


_NEGATION = re.compile(r"(?:don'?t|do\s+not|never)\s+")
_ARTICLE = re.compile(r"(?:an?|the)\s+")
_ORDERS = re.compile(
    r"(?:(?:please,?|i\s+(?:want|need|expect|would\s+like)\s+you\s+to|i'd\s+like\s+you\s+to|you\s+(?:should|must"
    r"|will))\s+)*"
    r"(?:(?P<no>don'?t|do\s+not|never)\s+|always\s+)?"
)


def meaning_of(candidate: Candidate, object_: Ending, low: str) -> Meaning:
    """Return what a candidate says, given where its object ends."""
    family, polarity, start, end = candidate.family, candidate.family.polarity, object_.start, object_.end
    if family.category == PATTERN and polarity == "+":
        negation = _NEGATION.match(low, start, end)
        start, polarity = (negation.end(), "-") if negation else (start, polarity)
    elif family.name in ("from-now-on", "in-future"):
        order = _ORDERS.match(low, start, end)
        start, polarity = (order.end(), "-" if order["no"] else "+") if order else (start, polarity)
    elif family.name == "always-do":
        polarity = "-" if "never" in low[candidate.start : candidate.opened] else "+"
    elif family.name in ("occupation", "work-as", "job"):
        article = _ARTICLE.match(low, start, end)
        start = article.end() if article else start
    elif family.name == "switched-from":
        family = _home_or_tool(candidate, low, low[start:end])
    return Meaning(family, polarity, Ending(min(start, end), end, object_.cause))


def _home_or_tool(candidate: Candidate, low: str, new: str) -> Family:
    """`I moved from Paris to Berlin` tells of a home, `from npm to pnpm` of a decision."""
    found = openings.OPENINGS["switched-from"].search(low, candidate.start, candidate.opened)
    moved = found is not None and re.search(r"\b(?:moved|went)\b", found[0]) is not None
    home = found is not None and moved and identities.is_home_move(found["old"], new)
    return ALL["moved"] if home else candidate.family


_MODAL = re.compile(
    r"(?:would|could|can|can't|should|might|may|will|am|was|were|had|did|didn't|have\s+(?:been|had|seen|done|used"
    r"|to)|do|is|are"
    r"|i|if|ever|and|or|but|you|he|she|it|we|they|the|a|an|my|this|that|in|on|at|of|as|not)\b(?!-)"
)
_CHAT_VERB = re.compile(
    r"(?:wonder|want|know|understand|seem|mind|forget\s+(?:how|what|which|that|to)|remember|manage\s+to|feel\s+like|think"
    r"|mean"
    r"|find\s+(?:myself|it|that)|end\s+up|get\s+(?:it|this|that|used))\b"
)
_STAND_UP = re.compile(r"(?:up|still|here|there|in|on)\b")


def content_rule(family: Family, words: str) -> str | None:
    """The rule of its category that refuses the words of an object, or None."""
    if family.category == PREFERENCE and not family.attribute:
        if rules.POLITE.match(words) or (family.name == "would-prefer" and words.startswith("to ")):
            return "politeness"
        if family.name == "cannot-stand" and _STAND_UP.match(words):
            return "phrasal-verb"
    if family.category in (PREFERENCE, DECISION) and (objects.points(words) or objects.trails_off(words)):
        return "pointer"
    if rules.doubtful(words):
        return "hedge"
    if rules.reported(words):
        return "report"
    return _pattern_rule(words) if family.category == PATTERN else None


def _pattern_rule(words: str) -> str | None:
    rest = words.partition(" ")[2]
    if rest and objects.is_pointer(rest):
        return "pointer"
    if _MODAL.match(words):
        return "no-verb"
    if _CHAT_VERB.match(words):
        return "chat"
    if rules.is_past(words):
        return "past"
    if rules.TROUBLE.match(words):
        return "trouble"
    return None


# `I'll use Kubernetes` and `I decided not to use Kubernetes` speak of one thing.
_TAKEN = re.compile(
    r"(?:to\s+)?(?:use|using|adopt|adopting|go\s+with|going\s+with|switch\s+to|stick\s+(?:with|to))\s+(?=\S)",
    re.IGNORECASE,
)


def key_of(family: Family, spoken: str, of: str | None = None) -> str:
    """The key of a fact: its attribute where it has a single value, else its object; `of` completes the name."""
    name = family.attribute
    if not name or ("{}" in name and not of):
        subject = _TAKEN.sub("", spoken, count=1) if family.category == DECISION else spoken
        return fact_key(family.category, subject)
    if of:
        return f"{family.category}:{name.format(attribute(of))}"
    if name.endswith("_"):
        languages = identities.spoken(spoken.lower()) if family.category == IDENTITY and name == "language_" else []
        return fact_key(family.category, f"{name[:-1]} {' '.join(languages) or spoken}")
    return f"{family.category}:{name}"
