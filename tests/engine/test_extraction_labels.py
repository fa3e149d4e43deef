"""Precision and recall on labelled messages: the public ones, and our own of every family and every kind of refusal."""

from collections import Counter
from pathlib import Path

import pytest

from engine.extraction.lines import read_message, score_lines

DATA = Path(__file__).resolve().parent.parent / "data"
FILES = ["extraction_dev.jsonl", "extraction_more.jsonl"]


@pytest.mark.parametrize("name", FILES)
def test_nearly_all_facts_are_found_and_nearly_none_invented(name: str) -> None:
    score = score_lines((DATA / name).read_text(encoding="utf-8").splitlines())

    assert score.precision >= 0.98, score.false
    assert score.recall >= 0.95, score.missed


def test_our_own_labels_cover_every_category_and_many_refusals() -> None:
    messages = [read_message(line) for line in (DATA / FILES[1]).read_text(encoding="utf-8").splitlines()]
    categories = Counter(fact["category"] for message in messages for fact in message["facts"])

    assert min(categories[name] for name in ("preference", "decision", "pattern", "identity", "instruction")) >= 40
    assert sum(not message["facts"] for message in messages) >= 300
