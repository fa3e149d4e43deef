"""How well extraction does on labelled messages: precision, recall, and every miss."""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.extraction.types import Fact

MOST_EXTRA_WORDS = 4


@dataclass(slots=True)
class Score:
    """Counts, and the texts of what went wrong, each with the id of its message."""

    right: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    false: list[tuple[str, str]] = field(default_factory=list)

    @property
    def precision(self) -> float:
        """Share of the facts found that are right; 1 when none was found."""
        found = self.right + len(self.false)
        return self.right / found if found else 1.0

    @property
    def recall(self) -> float:
        """Share of the labelled facts found; 1 when there is none."""
        wanted = self.right + len(self.missed)
        return self.right / wanted if wanted else 1.0

    def add(self, message_id: str, wanted: Iterable[Mapping[str, Any]], found: Iterable[Fact]) -> None:
        """Count one message."""
        left = list(found)
        for label in wanted:
            hit = next((fact for fact in left if is_right(fact, label)), None)
            if hit is None:
                self.missed.append((message_id, f"{label['category']} {label['polarity']} {label['object']}"))
            else:
                left.remove(hit)
                self.right += 1
        self.false += [(message_id, f"{fact.category} {fact.polarity} {fact.object}") for fact in left]


def is_right(fact: Fact, label: Mapping[str, Any]) -> bool:
    """Whether category and polarity agree and the object has the label's words, with at most four more."""
    if (fact.category, fact.polarity) != (label["category"], label["polarity"]):
        return False
    wanted, said = _words(str(label["object"])), _words(fact.object)
    runs = range(len(said) - len(wanted) + 1)
    return len(said) - len(wanted) <= MOST_EXTRA_WORDS and any(said[i : i + len(wanted)] == wanted for i in runs)


def _words(text: str) -> list[str]:
    return re.findall(r"[^\s,.;:!?\"'()`]+", unicodedata.normalize("NFC", text).casefold())
