"""Text that tries to take over: to set earlier instructions aside, or to get secrets out. A plain imperative is not that."""

from __future__ import annotations

import re
from functools import lru_cache

_SET_ASIDE = r"(?:ignore|disregard|forget|override|bypass|overrule|do not (?:follow|obey)|don'?t (?:follow|obey))"
_WHOSE = (
    r"(?:(?:all|any|every|each|of|the|your|my|our|these|those|other|previous|prior|earlier|above|preceding|past|former"
    r"|existing|current|original|initial|developer'?s?|system|safety|openai'?s?)[\s-]+){1,6}"
)
_RULES = (
    r"(?:instructions?|prompts?|rules?|directives?|guidelines?|guardrails?|restrictions?|messages?|policies|commands?)"
)
_GET_OUT = r"(?<!never )(?<!not )(?<!n't )(?:reveal|print|show|repeat|output|leak|expose|disclose|give me|tell me|dump)"
_SECRETS = (
    r"(?:system prompts?|hidden prompts?|initial prompts?|developer messages?|secrets?|credentials|api keys?|passwords?"
    r"|private keys?|access tokens?|environment variables)"
)
_OVERRIDE = re.compile(
    rf"\b{_SET_ASIDE}\s+{_WHOSE}{_RULES}\b|\b{_SET_ASIDE}\s+(?:everything|anything|all|whatever)\s+(?:above|before|said|you)"
    rf"|\b{_GET_OUT}\s+(?:\w+\s+){{0,4}}{_SECRETS}\b|\bignore\s+the\s+system\s+prompt\b",
    re.IGNORECASE,
)


@lru_cache(maxsize=8192)  # the same memories are recalled again and again
def is_override(text: str) -> bool:
    """Tell whether a memory would act as an instruction against its reader: it waits for review and is not injected."""
    return bool(_OVERRIDE.search(" ".join(text.split())))
