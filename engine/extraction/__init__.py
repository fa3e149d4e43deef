"""Text to facts: what somebody said about themself, found by rules, in linear time, without a model."""

import re
from collections import deque

from engine.extraction import families
from engine.extraction.background import is_background_prompt
from engine.extraction.keys import fact_key, fingerprint
from engine.extraction.meaning import Candidate
from engine.extraction.reader import Outcome, Reader
from engine.extraction.speech import listen
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

# The last openings of a text are looked at; more than these no person says of themself in one message.
MAX_OPENINGS = 100
MOST_CLAUSES = 4  # that share one `I`

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
    for found in deque(families.ANCHOR.finditer(low), maxlen=MAX_OPENINGS):
        if found.start() < done and found.lastgroup != "favourite":
            continue
        for outcome in _outcomes(reader, low, found):
            if isinstance(outcome.result, Fact):
                facts.pop(outcome.result.key, None)  # the last said stands last
                facts[outcome.result.key] = outcome.result
                done = max(done, outcome.end)
            else:
                refused.append(outcome.result)
                done = max(done, found.end())
    return Extraction(sorted(facts.values(), key=lambda fact: fact.span), refused)


def _outcomes(reader: Reader, low: str, found: re.Match[str]) -> list[Outcome]:
    """What one opening leads to, clauses that share its `I` included."""
    if found.lastgroup == "favourite":
        return _some(reader.favourite_before(found.start()))
    subject = found["subject"]
    opening = families.behind_subject(low, found.end()) if subject else families.whole(low, found.start())
    if opening is None or (subject == "we" and opening[0].name not in families.WE_SAY):
        return []
    candidate: Candidate | None = Candidate(opening[0], found.start(), opening[1])
    if opening[0].name == "from-now-on" and _MADE_LASTING.match(low, opening[1]):
        return _some(reader.order_before(found.start()))
    outcomes: list[Outcome] = []
    while candidate and len(outcomes) < MOST_CLAUSES and (outcome := reader.read(candidate)):
        outcomes.append(outcome)
        candidate = reader.continued(outcome.end) if subject and isinstance(outcome.result, Fact) else None
    return outcomes


def _some(outcome: Outcome | None) -> list[Outcome]:
    return [outcome] if outcome else []
