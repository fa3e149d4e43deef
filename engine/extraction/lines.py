"""Extraction over JSON lines: messages in, facts out; and labelled messages scored."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from engine.extraction import Extraction, extract
from engine.extraction.scoring import Score


class BadLine(Exception):
    """A line that is no message; the text says why."""


def read_message(line: str) -> dict[str, Any]:
    """Return the message on a line: an object with `id` and `text`, `role` defaulting to `user`; raise BadLine."""
    try:
        message = json.loads(line)
    except json.JSONDecodeError as error:
        raise BadLine(f"not JSON: {error}") from error
    if not isinstance(message, dict):
        raise BadLine("not a JSON object")
    message.setdefault("role", "user")
    for name in ("text", "role"):
        if not isinstance(message.get(name), str):
            raise BadLine(f"`{name}` is not a string")
    try:
        json.dumps(message, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise BadLine("contains half of a character (a lone surrogate)") from error
    return message


def extract_lines(lines: Iterable[str]) -> Iterator[dict[str, Any]]:
    """Yield `{id, facts, refused}` for each message, `{line, error}` for a line that is none; blank lines are skipped."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                message = read_message(line)
            except BadLine as error:
                yield {"line": number, "error": str(error)}
            else:
                yield as_json(message.get("id"), extract(message["text"], message["role"]))


def as_json(message_id: object, extraction: Extraction) -> dict[str, Any]:
    """Return an extraction as plain values."""
    facts = [
        {
            "category": fact.category,
            "type": fact.type,
            "polarity": fact.polarity,
            "object": fact.object,
            "content": fact.content,
            "key": fact.key,
            "span": list(fact.span),
        }
        for fact in extraction.facts
    ]
    refused = [{"span": list(refusal.span), "rule": refusal.rule} for refusal in extraction.refused]
    return {"id": message_id, "facts": facts, "refused": refused}


def score_lines(lines: Iterable[str]) -> Score:
    """Score extraction on labelled messages `{id, role, text, facts: [{category, polarity, object}]}`; raise BadLine."""
    score = Score()
    for number, line in enumerate(lines, start=1):
        if line.strip():
            message = read_message(line)
            labels = message.get("facts")
            if not isinstance(labels, list) or not all(_is_label(label) for label in labels):
                raise BadLine(f"line {number}: `facts` is not a list of labels")
            score.add(str(message.get("id", number)), labels, extract(message["text"], message["role"]).facts)
    return score


def _is_label(label: object) -> bool:
    return isinstance(label, dict) and {"category", "polarity", "object"} <= label.keys()


def report(score: Score) -> Iterator[str]:
    """Yield the lines of a score: the two figures, then every miss and every false fact."""
    yield f"precision {score.precision:.3f}, recall {score.recall:.3f}"
    yield f"{score.right} right, {len(score.missed)} missed, {len(score.false)} false"
    yield from (f"missed  {message_id}: {label}" for message_id, label in score.missed)
    yield from (f"false   {message_id}: {fact}" for message_id, fact in score.false)
