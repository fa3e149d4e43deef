"""Text to facts: what somebody said about themself, found by rules, in linear time, without a model."""

from collections import deque

from engine.extraction import families
from engine.extraction.background import is_background_prompt
from engine.extraction.keys import fact_key, fingerprint
from engine.extraction.reader import Candidate, Outcome, Reader
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
        if found.start() < done and not found["favourite"]:
            continue
        for outcome, until in _outcomes(reader, low, found.start(), found.end(), found.lastgroup or ""):
            done = max(done, until)
            if isinstance(outcome.result, Fact):
                facts.pop(outcome.result.key, None)
                facts[outcome.result.key] = outcome.result
            else:
                refused.append(outcome.result)
    return Extraction(sorted(facts.values(), key=lambda fact: fact.span), refused)


def _outcomes(reader: Reader, low: str, start: int, end: int, kind: str) -> list[tuple[Outcome, int]]:
    """What one opening leads to, each with where the next opening may begin; clauses without an `I` of their own included."""
    if kind == "favourite":
        outcome = reader.favourite(start)
        return [(outcome, end)] if outcome else []
    opening = families.behind_subject(low, end) if kind == "subject" else families.whole(low, start)
    if opening is None or (low[start:end] == "we" and opening[0].name not in families.WE_SAY):
        return []
    candidate: Candidate | None = Candidate(opening[0], start, opening[1])
    outcomes: list[tuple[Outcome, int]] = []
    while candidate and len(outcomes) < MOST_CLAUSES and (outcome := reader.read(candidate)):
        until = candidate.opened if isinstance(outcome.result, Refusal) else outcome.ending.end
        outcomes.append((outcome, until))
        goes_on = isinstance(outcome.result, Fact) and kind == "subject"
        candidate = reader.continued(outcome.ending) if goes_on else None
    return outcomes
