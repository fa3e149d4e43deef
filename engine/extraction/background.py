"""Prompts that a chat client sends on its own account: titles, tags, follow-ups, summaries."""

import re

_WINDOW = 700
_CHAT = (
    r"(?:conversations?|chats?|chat\s+history|dialog(?:ue)?|discussions?|messages?|threads?|exchange|session"
    r"|transcript|interaction)"
)
_MAKE = (
    r"(?:generate|create|write|suggest|give|provide|propose|come\s+up\s+with|make|produce|craft|pick|think\s+of"
    r"|return|output|name|choose)"
)
_LABEL = (
    r"(?:titles?|names?|headlines?|topics?|tags?|emojis?|labels?|subject(?:\s+line)?|follow[- ]?ups?|follow[- "
    r"]?up\s+questions?|suggestions?|questions|keywords|search\s+quer(?:y|ies))"
)
_START = r"(?:^|[.!?:,]\s|\b(?:please|you|to|is\s+to|now)\s+)"
_KNOWN = re.compile(
    rf"{_START}{_MAKE}\b[^.!?\n]{{0,80}}\b{_LABEL}\b[^.!?\n]{{0,80}}\b{_CHAT}\b"
    rf"|{_START}{_MAKE}\b[^.!?\n]{{0,40}}\b{_CHAT}\b[^.!?\n]{{0,30}}\b(?:a\s+)?(?:short\s+|brief\s+"
    rf"|concise\s+)?(?:title|name)\b"
    rf"|{_START}(?:title|name)\s+this\s+{_CHAT}\b"
    rf"|{_START}(?:briefly\s+|concisely\s+)?(?:summari[sz]e|condense|compress|recap)\b[^.!?\n]{{0,40}}\b(?:the|this"
    rf"|our|above|previous|following|entire|whole)\b[^.!?\n]{{0,30}}\b{_CHAT}\b"
    rf"|{_START}(?:create|write|generate|provide|produce|give|make)\b[^.!?\n]{{0,50}}\bsummary\s+of\s+(?:the|this"
    rf"|our|above|previous)\b[^.!?\n]{{0,30}}\b{_CHAT}\b"
    rf"|{_START}(?:review|analy[sz]e|read|examine|look\s+at|consider)\s+(?:the|this|our)\s+(?:above\s+|previous\s+"
    rf"|entire\s+|following\s+)?{_CHAT}\s+(?:above|so\s+far|history|below|and|to)\b"
    rf"|\b(?:summari[sz]ing|for|of)\s+(?:the\s+)?(?:above\s+|following\s+|this\s+)?{_CHAT}[^.!?\n]{{0,40}}\b(?:title"
    rf"|in\s+\d+\s*(?:-\s*\d+\s*)?words)\b"
    r"|^\s*#{1,3}\s*task:\s"
    r"|\b(?:\d+|three|four|five|six|few)(?:\s*(?:-|to|\u2013)\s*(?:\d+|five|six|seven))?[\s-]*word(?:s"
    r"|[\s-]or[\s-]less)?,?\s+(?:\w+\s+){0,3}title\b"
    r"|\b(?:isNewTopic|indicates\s+a\s+new\s+conversation\s+topic)\b"
    r"|\bto\s+use\s+as\s+a\s+prompt\s+for\s+future\s+context\b"
    r"|\bsession\s+is\s+being\s+continued\s+from\s+a\s+previous\b"
    r"|\bvideo\s+transcript\s+produced\s+by\b|^\s*\[suggestion\s+mode"
    r"|\bextract\b[^.!?\n]{0,40}\b(?:memories|facts|preferences)\b[^.!?\n]{0,40}\b(?:conversation|chat|messages)\b",
    re.IGNORECASE | re.MULTILINE,
)


def is_background_prompt(text: str) -> bool:
    """Whether a user message is a chat client's own request about the conversation, seen at its beginning or end."""
    return any(_KNOWN.search(_tidy(part)) for part in (text[:_WINDOW], text[max(_WINDOW, len(text) - _WINDOW) :]))


def _tidy(text: str) -> str:
    """Without empty lines and space at the ends of lines, so that no pattern has to look for either."""
    return "\n".join(filter(None, (" ".join(line.split()) for line in text.splitlines())))
