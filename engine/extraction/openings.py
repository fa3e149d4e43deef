"""Where statements may begin: one cheap search for anchors, then the families tried at each."""

import re
from collections.abc import Sequence

from engine.extraction.clauses import S
from engine.extraction.families import ALL, MY, OTHERS
from engine.extraction.family import ADVERB, BE, FAVOURITE, HAVE, Family, by_letter, spaced
from engine.extraction.first_person import FIRST_PERSON

_EDGE = r"(?![\w'-])"


# Beginnings that many families share; each is tried once for all of them.
_SHARED = (BE + ADVERB, HAVE + ADVERB, ADVERB, "")


def _any_of(families: Sequence[Family]) -> str:
    """One alternation; each family is a group named after it (and free of groups of its own)."""
    by_beginning: dict[str, list[str]] = {}
    for family in families:
        beginning = next(shared for shared in _SHARED if family.opening.startswith(shared))
        rest = re.sub(r"\(\?P<\w+>", "(?:", family.opening.removeprefix(beginning))
        by_beginning.setdefault(beginning, []).append(f"(?P<{family.name.replace('-', '_')}>(?:{rest}){_EDGE})")
    return "|".join(f"{beginning}(?:{'|'.join(rests)})" for beginning, rests in by_beginning.items())


OPENINGS = {name: re.compile(f"(?:{family.opening}){_EDGE}") for name, family in ALL.items()}
_BEHIND_SUBJECT = re.compile(_any_of(FIRST_PERSON))
_WHOLE = re.compile(_any_of((*MY, *OTHERS)))
# X is my favourite Y: the object stands before.
_IS_MY_FAVOURITE = re.compile(
    spaced(r"(?:is|are|remains) (?:still |also )?my ")
    + f"(?P<least>{spaced('least ')})?"
    + FAVOURITE
    + spaced(r"(?: (?P<of>[\w'+#-]+(?: (?!in\b|of\b|for\b|and\b|but\b|to\b)[\w'+#-]+){0,3}))?")
)

_NEXT_WORDS = sorted(
    set(
        """really truly strongly much still also just actually personally definitely absolutely totally very quite simply
        especially particularly genuinely certainly honestly even sincerely far deeply dearly do so mainly mostly
        primarily greatly generally obviously clearly naturally both now then currently finally eventually already
        recently ultimately secretly passionately vastly highly overwhelmingly thoroughly completely hugely prefer like
        love enjoy adore would have am are are try tend hate dislike detest loathe despise avoid can't cant cannot can
        don't dont no will shall won't wont chose chosen picked selected opted settled decided went gone switched moved
        migrated converted changed ruled stopped quit given gave almost nearly pretty usually always often frequently
        regularly typically normally routinely habitually commonly never rarely seldom hardly live reside relocated come
        hail work speak was go might may could should probably maybe perhaps kinda kind sort used actively officially
        full-time part-time originally""".split()
    )
)
ANCHOR = re.compile(
    r"\b(?<!['\-\ue000\ue001])(?:"
    rf"(?P<subject>i|we)(?='|m\s|{S}(?:{by_letter(_NEXT_WORDS)})\b)"
    rf"|(?P<whole>my(?={S}\w)|let'?s\b|let(?={S}us)|call(?={S}me)|(?:please|you|just|everyone|people)(?={S}[\w' "
    rf"]{{0,12}}?call)|remember\b|do(?:n'?t|{S}not)(?={S}(?:ever{S})?forget)"
    r"|(?:usually|normally|typically|generally|mostly|most|as)(?=[\s,]+(?:of\s+the\s+time|a\s+rule)?[\s,]*i\s)"
    r"|never\b|always\b|keep\b|bear\b|note\b|make\b|please\b|from\b|going\b|for\b|in\b(?=\s+(?:the\s+)?future))"
    rf"|(?P<favourite>(?:is|are|remains)(?={S}(?:still{S}|also{S})?my{S}))"
    r")"
)


def behind_subject(low: str, position: int) -> tuple[Family, int] | None:
    """Return the family whose opening stands at a position right behind `I`, and where its object begins."""
    return _named(_BEHIND_SUBJECT.match(low, position))


def whole(low: str, position: int) -> tuple[Family, int] | None:
    """Return the family that begins at a position without an `I`, and where its object begins."""
    return _named(_WHOLE.match(low, position))


def is_my_favourite(low: str, position: int) -> re.Match[str] | None:
    """Return the match of `is my favourite Y` at a position."""
    return _IS_MY_FAVOURITE.match(low, position)


def _named(found: re.Match[str] | None) -> tuple[Family, int] | None:
    if found is None or found.lastgroup is None:
        return None
    return ALL[found.lastgroup.replace("_", "-")], found.end()
