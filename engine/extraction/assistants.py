"""What an assistant's words may leave behind: decisions that last, never a next step."""

import re

from engine.extraction.family import DECISION, Family

_FOR = re.compile(r"\s(?:for|in|as)\s+(?P<of>(?:the|your|our|this|my|all|a|an)\s+.+|[\w-]+.*)$")
_PASSING = re.compile(
    r"\b(?:example|examples|demonstration|demo|illustration|simplicity|clarity|brevity|now|today|this|that|it|search"
    r"|searching|purpose|instance|explanation|answer|response|reply"
    r"|calculation|calculations|analysis|step|moment|time\s+being|next\s+step|first\s+step|latest|following"
    r"|conversation|lookup|reference|context|convenience|consistency|readability)\s*$"
)
_TOOL_CALL = re.compile(
    r"\b(?:tool|tools|function\s+call|search|grep|sed|awk|curl|ripgrep|rg|ls|find|cat|command"
    r"|terminal|shell|browser|web|api\s+call|calculator|interpreter|code\s+execution|read_file"
    r"|bash)\b|\w_\w|\(\)"
)
_NEXT_STEP = re.compile(r"\s(?:to|so)\s+\w+|^to\s+\w+|\b(?:first|next|below|above|here|again|instead)$")


def lasting_rule(family: Family, words: str, shown: str) -> str | None:
    """Keep `PostgreSQL for the backend`; refuse `grep to find it`, `a loop for this`, `the search tool`."""
    if family.category != DECISION:
        return "assistant"
    if family.name == "lets" or _TOOL_CALL.search(words) or _NEXT_STEP.search(words):
        return "next-step"
    purpose = _FOR.search(words)
    if purpose and not _PASSING.search(purpose["of"]):
        return None
    return None if not purpose and is_named(shown) else "next-step"


def is_named(shown: str) -> bool:
    """Whether the first word of an object is a name: capitals, digits or dots inside."""
    first = shown.split(maxsplit=1)[0] if shown.split() else ""
    return (
        bool(re.match(r"[A-Z\u00c0-\u00de]", first))
        or bool(re.search(r"\d|\w\.\w|[a-z][A-Z]", first))
        or first > "\u2e7f"
    )
