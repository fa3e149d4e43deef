"""What of a text is its author's own speech: all else is masked, character by character, so that offsets survive."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

MAX_TEXT = 65_536
QUOTE = "\ue000"  # stands for each character of a quoted span
CODE = "\ue001"  # the same for inline code

# Private characters of ours are taken out first; the rest is what people type instead of plain apostrophes and spaces.
_PLAIN = (
    dict.fromkeys("\u2019\u02bc\u2032\uff07\u00b4", "'")
    | dict.fromkeys("\u00a0\u2007\u202f\u3000\u200b\ufeff\u2060\0\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029", " ")
    | {QUOTE: " ", CODE: " ", "\uff0c": ",", "\u2010": "-", "\u2011": "-"}
)


@dataclass(frozen=True, slots=True)
class Speech:
    """A text (its last 64 KiB) in three views of one length: as given, with non-speech masked, and that in lower case.

    `offset` is where the views begin in the text given.
    """

    raw: str
    shown: str
    low: str
    offset: int


def listen(text: str) -> Speech:
    """Mask what is not speech in the last 64 KiB of a text."""
    offset = max(0, len(text) - MAX_TEXT)
    raw = text[offset:]
    shown = raw
    for sign, plain in _PLAIN.items():  # five times faster than translate, most signs being absent
        shown = shown.replace(sign, plain)
    # Fences are paired over the whole text: the cut must not turn code into speech and speech into code.
    fenced = [(max(start - offset, 0), end - offset) for start, end in _fences(text) if end > offset]
    shown = _blank(shown, fenced)
    for mask in _MASKS:
        shown = mask(shown)
    return Speech(raw, shown, lower(shown), offset)


def lower(text: str) -> str:
    """Lower case of equal length (`\u0130` would become two characters)."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _empty(length: int) -> str:
    """Empty lines instead of a block, so that what surrounds it falls into separate paragraphs."""
    return "\n\n" + " " * (length - 3) + "\n" if length > 2 else "\n" * length


def _blank(text: str, spans: list[tuple[int, int]]) -> str:
    """Replace spans (sorted, apart) by gaps."""
    parts, last = [], 0
    for start, end in spans:
        parts += [text[last:start], _empty(end - start)]
        last = end
    return "".join([*parts, text[last:]])


def _gap(pattern: str, flags: int = re.MULTILINE) -> Callable[[str], str]:
    """A mask that turns every match into a gap."""
    compiled = re.compile(pattern, flags)
    return lambda text: compiled.sub(lambda found: _empty(len(found[0])), text)


def _opaque(pattern: str, filler: str) -> Callable[[str], str]:
    """A mask that turns every match into a run of `filler`, which reads like a word that says nothing."""
    compiled = re.compile(pattern)
    return lambda text: compiled.sub(lambda found: filler * len(found[0]), text)


_FENCE = re.compile(r"^[ \t]{0,12}(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:(`{3,})([^`\n]*)|(~{3,})([^\n]*))$", re.MULTILINE)


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Spans of fenced code; a fence that is never closed runs to the end."""
    if "```" not in text and "~~~" not in text:
        return
    opened: tuple[int, str] | None = None
    last: tuple[int, int] | None = None
    for found in _FENCE.finditer(text):
        fence, info = found[1] or found[3], found[2] or found[4]
        if opened is None:
            opened = found.start(), fence
        elif fence.startswith(opened[1]) and not (info and info.strip()):
            if last and last[1] + 1 >= opened[0]:
                last = last[0], found.end()  # nothing between two of them
            else:
                yield from [last] if last else []
                last = opened[0], found.end()
            opened = None
    yield from [last] if last else []
    if opened is not None:
        yield opened[0], len(text)


_OWN_BLOCK = re.compile(r"^[ \t]{0,8}memory context:[^\n]*$", re.MULTILINE | re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*(?:[-*+\u2022]|\d{1,3}[.)])[ \t]")


def _own_block(text: str) -> str:
    """`Memory context:`, the lines that explain it, its lists and their headings: clients send them back to us."""
    spans: list[tuple[int, int]] = []
    for found in _OWN_BLOCK.finditer(text):
        if not spans or found.start() >= spans[-1][1]:
            spans.append((found.start(), _end_of_block(text, found.end())))
    return _blank(text, spans)


def _end_of_block(text: str, start: int) -> int:
    """The first line after the bullets that is neither bullet, heading nor blank; without bullets, a blank line."""
    end, bullets = start, False
    while end < len(text):
        stop = text.find("\n", end + 1)
        stop = len(text) if stop < 0 else stop
        line = text[end + 1 : stop]
        if _BULLET.match(line):
            bullets = True
        elif not line.strip():
            if not bullets and not _BULLET.match(text, stop + 1):
                return end
        elif bullets and not line.rstrip().endswith(":"):
            return end
        end = stop
    return end


_TAG = re.compile(r"<(/?)([A-Za-z][\w:.-]{0,60})(?:\s[^<>]{0,400})?(/?)>")
_VOID = frozenset("br hr img input p li wbr".split())


def _markup(text: str) -> str:
    """XML-ish blocks with their content; a lone tag only itself."""
    opened: dict[str, list[int]] = {}
    spans: list[tuple[int, int]] = []
    for found in _TAG.finditer(text):
        closing, name, empty = found[1], found[2].lower(), found[3]
        if closing and opened.get(name):
            start = opened[name].pop()
            while spans and spans[-1][0] >= start:
                spans.pop()
            spans.append((start, found.end()))
        elif not closing and not empty and name not in _VOID:
            opened.setdefault(name, []).append(found.start())
    return _blank(text, _apart(spans))


def _apart(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Overlapping spans made one."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


# A mail pasted with its headers, or forwarded: everything from there on is somebody's letter.
_MAIL = (
    r"^(?:-{2,}[ ]*(?:original|forwarded)[ ]message\b|begin forwarded message:"
    r"|(?:from|to|subject|date|sent|cc):[ ][^\n]+\n(?:from|to|subject|date|sent|cc):[ ])[\s\S]*"
)

# Lines that no person wrote as speech, by what they begin with; a line is looked at only with those of its first sign.
_SYMBOL_LINES = "|".join(
    (
        r">",  # > quoted
        r"\|.*\|",  # | a row | of a table |
        r"\#|//|/\*|--[ ]|%%",  # comments, headings
        r"<[\w@.+~ -]{1,40}>[ \t]",  # <bob> as chats log it
        r"[$%][ ]|\.\.\.[ ]",  # prompts
        r"\[\d{1,4}[-:/.]\d\d",  # [12:30], [2024-05-01
        r"\[(?:trace|debug|info|notice|warn|warning|error|fatal|critical)\]",
        r"@@[ ]|\+\+\+[ ]|---[ ][ab]/|[+-](?=[^\s\d+-])",  # diffs
    )
)
_CAPITAL_LINES = "|".join(
    (
        r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?[ \t]",  # logs begin with a time,
        r"[A-Z][a-z]{2}[ ]{1,2}\d{1,2}[ ]\d\d:\d\d:\d\d[ ]",
        r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL|SEVERE)\b(?:[: |\-\]]|$)",  # or a level
        r"File[ ]\"|(?:Traceback|[\w.]{0,60}(?:Error|Exception|Warning)):?[ (:]",  # stack traces
        r"PS[ ][A-Z]:[^>\n]{0,80}>",
        r"SELECT[ ][^\n]*[ ]FROM|INSERT[ ]INTO|UPDATE[ ]\w+[ ]SET|DELETE[ ]FROM",
        r"(?:CREATE|ALTER|DROP)[ ](?:TABLE|INDEX|VIEW|DATABASE)",
    )
)
_SMALL_LINES = "|".join(
    (
        r"at[ ][\w$.<>]+\(",
        r"(?:const|let|var|val|auto|int|string|bool|float)[ ]\w+[ ]*(?::[ ]?\w+[ ]*)?=",  # code nobody fenced
        r"(?:def|func|fn)[ ]\w+[ ]?[(:{]|(?:class|struct|enum|interface|function)[ ]\w*[ ]?[({:]",
        r"(?:public|private|protected|static)[ ][\w<>\[\], ]+[({;=]",
        r"import[ ](?:[\w.]+(?:[ ]as[ ]\w+)?[ ]*;?$|[{*])|from[ ][\w.]+[ ]import[ ]|package[ ]\w+;|using[ ]\w+;",
        r"return[ ][^\n]*;",
        r"diff[ ]--git|[\w.-]+@[\w.-]+:[^\n$\#]{0,60}[$\#][ ]",
    )
)
_LINES = (
    rf"[ \t]{{0,8}}+(?:(?=[^\w\s])(?:{_SYMBOL_LINES})|(?=[A-Z\d])(?:{_CAPITAL_LINES})|(?=[a-z])(?:{_SMALL_LINES})"
    r"|(?=\w)[\w.\[\]]{1,80}+(?:[ ]?(?:[-+*/]?=|:=|=>|==)[ ]?\S|\([^\n]*\)[ ]*[;:{]?[ \t]*$))"
)


_MASK_MAIL = _gap(_MAIL, re.MULTILINE | re.IGNORECASE)


def _mail(text: str) -> str:
    return _MASK_MAIL(text) if ":" in text or "--" in text else text


def _indented(text: str) -> str:
    """Lines indented by four spaces or a tab, unless they continue an item of a list."""
    if "\n    " not in text and "\t" not in text and not text.startswith("    "):
        return text
    spans: list[tuple[int, int]] = []
    listed = False
    for start, end in pairwise([0, *(m.end() for m in re.finditer("\n", text)), len(text)]):
        if text.startswith(("    ", "\t"), start):
            if not listed:
                spans.append((start, end))
        elif not text[start:end].isspace():
            listed = _BULLET.match(text, start) is not None
    return _blank(text, spans)


# Always ends somewhere, at the latest with its paragraph: a quote nobody closed is a quote, and no search runs twice.
_REST = r"(?:(?=\n[ \t]*\n)|\Z)"
# Each begins with its sign, so that the search may leap from sign to sign; what must stand before it is checked second.
_QUOTES = "|".join(
    (
        rf'"(?<![\w"]")(?=[^\s"])(?:[^"\n]|\n(?![ \t]*\n))*+(?:"|{_REST})',
        rf"[\u201c\u201f](?:[^\u201c\u201d\"\n]|\n(?![ \t]*\n))*+(?:[\u201d\u201c\"]|{_REST})",
        rf"\u201e(?:[^\u201c\u201d\"\n]|\n(?![ \t]*\n))*+(?:[\u201c\u201d\"]|{_REST})",
        rf"\u00ab(?:[^\u00bb\n]|\n(?![ \t]*\n))*+(?:\u00bb|{_REST})",
        rf"\u300c(?:[^\u300d\n]|\n(?![ \t]*\n))*+(?:\u300d|{_REST})",
        rf"\u300e(?:[^\u300f\n]|\n(?![ \t]*\n))*+(?:\u300f|{_REST})",
        r"['\u2018](?<![\w']')(?=[^\s'\u2018])(?:[^'\u2018\n]|(?<=\w)'(?=\w))*+(?<!\s)'(?!\w)",
    )
)

_MASKS: tuple[Callable[[str], str], ...] = (
    _own_block,
    _mail,
    _gap(r"<!--(?:[^-]|-(?!->))*+(?:-->|\Z)"),
    _markup,
    _indented,
    _gap(rf"^{_LINES}[^\n]*$"),
    # Words of 1,000 characters are data; and what follows them begins anew.
    _gap(r"[!-~]{1000,}+"),
    _opaque(r"(?<!`)(`{1,3})(?!`)[^`\n]++\1(?!`)", CODE),
    _opaque(_QUOTES, QUOTE),
    _gap(r"\{[^{}]*\}"),
    lambda text: text.replace("**", "  ").replace("__", "  ") if "**" in text or "__" in text else text,
)
