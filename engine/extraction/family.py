"""What a phrase family is, and the pieces its openings are built from."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.extraction.clauses import S

PREFERENCE, DECISION, PATTERN, IDENTITY, INSTRUCTION = "preference", "decision", "pattern", "identity", "instruction"
TYPE_OF = {
    PREFERENCE: "factual",
    DECISION: "episodic",
    PATTERN: "factual",
    IDENTITY: "factual",
    INSTRUCTION: "procedural",
}


@dataclass(frozen=True, slots=True)
class Family:
    """One way to begin a statement.

    `opening` is what stands between the subject and the object. `attribute` names a single-valued fact; with a trailing
    `_` the object completes it; `{}` stands for the words the opening captured. A family with `refused` never makes a
    fact: it names the rule for words that resemble one.
    """

    name: str
    category: str
    polarity: str
    opening: str
    examples: Sequence[str]
    attribute: str = ""
    refused: str = ""


def spaced(pattern: str) -> str:
    """Readable pattern: a space in it stands for white space between words."""
    return pattern.replace(" ", S)


def by_letter(words: Sequence[str]) -> str:
    """An alternation that decides by the first letter, and so fails fast."""
    letters = sorted({word[0] for word in words})
    return "|".join(f"{c}(?:{'|'.join(word[1:] for word in words if word[0] == c)})" for c in letters)


ADVERBS = [
    word.strip()
    for word in """
    really, truly, strongly, much, still, also, just, actually, personally, definitely, absolutely, totally, very
    much, quite, simply, especially, particularly, genuinely, certainly, honestly, even, sincerely, far, deeply,
    dearly, do, so, mainly, mostly, primarily, greatly, obviously, clearly, naturally, both, now, then, currently,
    finally, eventually, already, recently, ultimately, secretly, passionately, vastly, highly, overwhelmingly,
    thoroughly, completely, hugely, severely, deathly, very, badly, mildly, extremely, originally, actively,
    officially, full-time, part-time
    """.split(",")
]
ADVERB = spaced(f"(?: (?:{by_letter(ADVERBS)})){{0,3}}")
BE = spaced("(?:'?m|'re| am| are)")
HAVE = spaced("(?:'ve| have)?")
NOT = spaced("(?: don'?t| do not)")
FAN = spaced(
    "(?:(?:such )?an? (?:(?:really|very) )?(?:(?:big|huge|massive|great|real|true|long-?time|lifelong|die-?hard"
    "|avid) ){0,2}(?:fan|lover) of"
    "|(?:(?:really|very|super|totally) )?into|(?:(?:really|very) )?(?:fond of|keen on|partial to|passionate about"
    "|obsessed with))"
)
TAKE = spaced(
    "(?:be using|use|adopt|go with|stick (?:with|to)|switch (?:over )?to|migrate (?:over )?to|opt for|settle on)"
)
FAVOURITE = spaced("(?:(?:all[- ]time|absolute|personal|current|own|number one) )?(?:favou?rite|fave|preferred|go-to)")
IS = spaced("(?: is| are| remains| remain|'s| has always been| have always been|:)")
