"""Stretches of a message that are not its author's own statements: texts to work on, pretence, what others said."""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from engine.extraction.family import by_letter

_TEXT = (
    r"(?:text|sentences?|paragraphs?|e-?mails?|message|letter|essay|bio|post|tweet|article|review|comment|phrase"
    r"|quote|passage|lines?|lyrics|poem|story"
    r"|transcript|draft|notes?|statement|dialogue|conversation|cover\s+letter|speech|input|words?|document|feedback"
    r"|ticket|log)"
)
_TALES = (
    r"(?:story|poem|song|lyrics|novel|dialogue|scene|screenplay|monologue|limerick|haiku|fairy\s?tale|sketch|skit"
    r"|rap|joke|tale|e-?mail|letter|tweet|post|speech"
    r"|message|bio|slogan|review|essay|diary|caption|testimonial)"
)
_WORK_WORDS = (
    "translate translating translation proofread proof-read rewrite re-write rephrase paraphrase summarize summarise "
    "shorten polish correct spellcheck spell-check"
    " edit reword transcribe analyze analyse classify parse tokenize fix check improve grammar make convert complete "
    "continue finish repeat read review"
    " evaluate extract annotate label critique reply respond say put turn"
)
_SAID_WORDS = (
    "said says wrote writes told replied answered asked shouted claims claimed quote quoting reads posted texted "
    "tweeted emailed whispered added lyrics goes motto here here's"
)
_PRETENCE_WORDS = "pretend imagine roleplay role-play suppose act let's in picture assume for hypothetically"


@dataclass(frozen=True, slots=True)
class _Opener:
    """Words that hand a stretch of the message over: one of `words`, what must follow it and stand before it."""

    rule: str
    words: str
    follows: re.Pattern[str]
    behind: re.Pattern[str] | None
    until: Callable[[str, str, int], int]
    examples: Sequence[str] = ()


def _line_end(low: str, _raw: str, position: int) -> int:
    end = low.find("\n", position)
    return len(low) if end < 0 else end


def _paragraph_end(low: str, _raw: str, position: int) -> int:
    end = low.find("\n\n", position)
    return len(low) if end < 0 else end


def _after_colon(low: str, raw: str, position: int) -> int:
    """The paragraph on the colon's line; else the quote or code that follows (masked); else the whole rest."""
    if low[position : _line_end(low, raw, position)].strip():
        return _paragraph_end(low, raw, position)
    speech = _NOT_SPACE.search(low, position)
    masked = speech is not None and not raw[position : speech.start()].isspace()
    return speech.start() if speech is not None and masked else len(low)


def _here(_low: str, _raw: str, position: int) -> int:
    return position


def _rest(low: str, _raw: str, _position: int) -> int:
    return len(low)


_NOT_SPACE = re.compile(r"\S")
# A task begins a sentence, or follows the words that ask for it.
_ASKED = re.compile(
    r"(?:^|[.!?\n,;:\u2014\u2013(-]\s{0,3}|\b(?:please|to|you|pls|and|then|now|hi|hello|hey|just"
    r"|also|ok|okay|us|me)\s{1,3})\Z"
)

OPENERS = (
    _Opener(
        "text-to-work-on",
        _WORK_WORDS,
        re.compile(r"[\w-]+\b[^.!?\n:]{0,120}:(?=\s|\Z)"),
        _ASKED,
        _after_colon,
        ("Translate to French: I love you", "Fix the grammar: I always wins"),
    ),
    _Opener(
        "text-to-work-on",
        _WORK_WORDS,
        re.compile(
            rf"[\w-]+\b[^.!?\n:]{{0,60}}\b(?:the\s+following|(?:this|the|my)\s+{_TEXT}\s+(?:below|here)|below"
            rf"|(?:this|that)\s+{_TEXT}(?=[^.!?\n]{{0,40}}\n))[^.!?\n]{{0,80}}(?:[.!?:\n]|\Z)"
        ),
        _ASKED,
        _rest,
        ("Proofread the following text.\n\nI love cats.",),
    ),
    _Opener(
        "pretence",
        _PRETENCE_WORDS,
        re.compile(
            r"(?:pretend|imagine|role-?play|suppose|act\s+(?:as|like)|let's\s+(?:say|assume|pretend|imagine|play"
            r"|suppose|role-?play)|in\s+this\s+(?:story|scenario|role-?play|fiction|game)"
            r"|picture\s+this|assume|for\s+the\s+sake\s+of\s+argument|hypothetically)\b"
        ),
        _ASKED,
        _paragraph_end,
        ("Pretend you are a pirate. I love rum.",),
    ),
    _Opener(
        "report",
        _SAID_WORDS,
        re.compile(
            rf"(?:[a-z]+(?<!here)\b[^.!?\n:]{{0,60}}|here(?:'s|\s+is|\s+are)\s[^.!?\n:]{{0,60}}\b(?:{_TEXT}|(?:said"
            rf"|wrote|says|writes|sent))\b[^.!?\n:]{{0,40}}):(?=\s|\Z)"
        ),
        None,
        _after_colon,
        ("She said: I prefer Linux. I hate Windows.", "Here's the email:\n\nI always pay late."),
    ),
    _Opener(
        "example",
        "example examples sample template input output expected prompt system assistant user transcript instance",
        re.compile(r"[a-z]+\s{0,3}:(?=\s)"),
        None,
        _line_end,
        ("Example: I always win",),
    ),
    _Opener(
        "fiction",
        "write compose draft create generate make invent tell give continue finish sing",
        re.compile(
            rf"[a-z]+\b[^.!?\n]{{0,60}}\b{_TALES}\b[^.!?\n]{{0,200}}?(?:\b(?:where|in\s+which|saying|says"
            rf"|that\s+says|about|with|who|telling|beginning|starting|ending|from\s+the\s+(?:perspective|point)"
            rf"|as\s+if)\b|:)[^.!?\n]*+"
        ),
        None,
        _here,
        ("Write a story where the hero says I love gold.",),
    ),
)
# A task about what was said before it.
_TASK_BEFORE = re.compile(
    r"[\w-]+\s+(?:this|that|it|the\s+above|these|(?:this|that|the)\s+(?:above\s+)?(?:sentences?|text|paragraph"
    r"|phrase|message|lines?))\b(?=\s*(?:[.!?\n]|\Z|(?:in|into|to|for|as|more|sound|please|from|so)\b))"
)
# With nothing before it, it speaks of what follows: `Can you make it sound better? I always …`
_NOTHING_BEFORE = re.compile(
    r"(?:\s|[,.!?]|please|hi|hello|hey|can|could|would|will|you|help|me|to|i|need|want){0,24}+"
)
_BEFORE_WORDS = frozenset(
    "translate proofread proof-read rewrite re-write rephrase paraphrase reword correct "
    "spellcheck spell-check fix polish shorten turn convert make".split()
)

_BY_WORD: dict[str, list[_Opener]] = {}
for _opener in OPENERS:
    for _word in _opener.words.split():
        _BY_WORD.setdefault(_word, []).append(_opener)
_KEY = re.compile(rf"\b(?:{by_letter(sorted(_BY_WORD, reverse=True))})(?![\w'-])")


class Regions:
    """Spans in which nothing is a statement, each with the rule that says so."""

    def __init__(self, spans: list[tuple[int, int, str]]) -> None:
        self._spans = spans
        self._starts = [start for start, _, _ in spans]

    def rule_at(self, position: int) -> str | None:
        """The rule that silences a position, or None."""
        at = bisect_right(self._starts, position) - 1
        return self._spans[at][2] if at >= 0 and position < self._spans[at][1] else None


def find_regions(low: str, raw: str) -> Regions:
    """Find what the message hands over to be worked on, pretends, or reports: spans in order, apart from each other."""
    spans: list[tuple[int, int, str]] = []
    done = 0
    for found in _KEY.finditer(low):
        if found.start() < done:
            continue
        if found[0] in _BEFORE_WORDS and _asked(low, found.start()) and _TASK_BEFORE.match(low, found.start()):
            if _NOTHING_BEFORE.fullmatch(low, 0, found.start()):
                spans.append((found.start(), len(low), "text-to-work-on"))
                break
            _reach_back(spans, low, found.start())
        end = _reach(spans, low, raw, found.start(), _BY_WORD[found[0]])
        done = max(done, end)
    return Regions(spans)


def _asked(low: str, position: int) -> bool:
    return _ASKED.search(low[max(0, position - 10) : position]) is not None


def _reach(spans: list[tuple[int, int, str]], low: str, raw: str, position: int, openers: list[_Opener]) -> int:
    """Add the span that an opener at a position begins; return where it ends."""
    for opener in openers:
        if opener.behind is not None and not _asked(low, position):
            continue
        found = opener.follows.match(low, position)
        if found:
            end = opener.until(low, raw, found.end())
            spans.append((position, end, opener.rule))
            return end
    return 0


def _reach_back(spans: list[tuple[int, int, str]], low: str, position: int) -> None:
    """`I love cats. Translate that to French.`: from the paragraph's beginning, as far as no other span took it."""
    start = max(low.rfind("\n\n", 0, position) + 1, spans[-1][1] if spans else 0)
    if start < position:
        spans.append((start, position, "text-to-work-on"))
