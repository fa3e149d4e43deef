"""Text to facts: what somebody said about themself, found by rules, in linear time, without a model."""

import re
from collections import deque

from engine.extraction import openings
from engine.extraction.background import is_background_prompt
from engine.extraction.families import ALL
from engine.extraction.first_person import NEED_SUBJECT, WE_SAY
from engine.extraction.keys import fact_key, fingerprint
from engine.extraction.meaning import Candidate
from engine.extraction.reader import Outcome, Reader
from engine.extraction.speech import MAX_TEXT, listen
from engine.extraction.types import Extraction, Fact, Refusal

__all__ = [
    "Extraction",
    "Fact",
    "Refusal",
    "extract",
    "extract_facts_from_text",
    "fact_key",
    "fingerprint",
    "is_background_prompt",
]

# The last openings of a text are looked at. No person says more of themself in one message, and what a long text costs
# by its length alone is taken off what its candidates may cost.
MAX_ANCHORS = 600
MAX_CANDIDATES = 100
MAX_CANDIDATES_OF_LONGEST = 40
MOST_CLAUSES = 3  # that share one `I`

_MADE_LASTING = re.compile(r"\s*(?:$|[.!?,;\n]|please|thanks|ok\b)")  # nothing follows `from now on`


def extract(text: str | None, role: str = "user", *, assistant: str = "decisions") -> Extraction:
    """Return the facts of a message and what was refused; one fact per key, the last said wins.

    `role` is who speaks: a user is mined, an assistant as `assistant` says (`off`, `decisions`, `all`), others never.
    Of a text over 64 KiB the tail is read. Never raises for any text.
    """
    if not text or role not in ("user", "assistant") or (role == "assistant" and assistant == "off"):
        return Extraction([], [])
    if role == "user" and is_background_prompt(text):
        return Extraction([], [Refusal((0, len(text)), "background-prompt")])
    speech = listen(text)
    return _gather(Reader(speech, "user" if assistant == "all" else role), speech.low)


def extract_facts_from_text(text: str | None, role: str = "user") -> list[Fact]:
    """Return the facts of a message, without storing anything."""
    return extract(text, role).facts


def _gather(reader: Reader, low: str) -> Extraction:
    facts: dict[str, Fact] = {}
    refused: list[Refusal] = []
    done = 0
    anchors = deque(openings.ANCHOR.finditer(low), maxlen=MAX_ANCHORS)
    candidates = [candidate for found in anchors if (candidate := _candidate(low, found))]
    most = MAX_CANDIDATES - (MAX_CANDIDATES - MAX_CANDIDATES_OF_LONGEST) * len(low) // MAX_TEXT
    if len(candidates) > most:
        refused.append(Refusal(reader.span(candidates[0].start, candidates[-most].start), "too-many"))
    for candidate in candidates[-most:]:
        if candidate.start < done and candidate.shape != "favourite-before":
            continue
        for outcome in _outcomes(reader, candidate):
            if isinstance(outcome.result, Fact):
                facts.pop(outcome.result.key, None)  # the last said stands last
                facts[outcome.result.key] = outcome.result
                done = max(done, outcome.end)
            else:
                refused.append(outcome.result)
                done = max(done, candidate.opened)
    return Extraction(sorted(facts.values(), key=lambda fact: fact.span), refused)


def _candidate(low: str, found: re.Match[str]) -> Candidate | None:
    """The candidate an anchor begins, when a family's opening stands there."""
    start = found.start()
    if found["favourite"]:
        return Candidate(ALL["favourite"], start, found.end(), "favourite-before")
    opening = openings.behind_subject(low, found.end()) if found["subject"] else openings.whole(low, start)
    if opening is None or (found["subject"] == "we" and opening[0].name not in WE_SAY):
        return None
    family, opened = opening
    order_before = family.name == "from-now-on" and _MADE_LASTING.match(low, opened)
    return Candidate(family, start, opened, "order-before" if order_before else "")


def _outcomes(reader: Reader, first: Candidate) -> list[Outcome]:
    """What one candidate leads to, clauses that share its `I` included."""
    outcomes: list[Outcome] = []
    candidate: Candidate | None = first
    while candidate and len(outcomes) < MOST_CLAUSES and (outcome := reader.read(candidate)):
        outcomes.append(outcome)
        shares = isinstance(outcome.result, Fact) and first.family.name in NEED_SUBJECT
        candidate = reader.continued(outcome.end) if shares else None
    return outcomes
