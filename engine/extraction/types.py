"""What extraction hands back: facts, and the candidates it refused with the rule that refused them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A statement of the speaker about themself; `span` holds the offsets of its words in the text it came from."""

    category: str
    type: str
    polarity: str
    object: str
    content: str
    key: str
    span: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Refusal:
    """Words that looked like a fact, and the name of the rule that said they are none."""

    span: tuple[int, int]
    rule: str


@dataclass(frozen=True, slots=True)
class Extraction:
    """The facts of a text in reading order, and what was refused."""

    facts: list[Fact]
    refused: list[Refusal]
