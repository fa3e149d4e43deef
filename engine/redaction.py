"""Credentials in text: found by their formats, by what is said of them, and by the looks of random tokens. Names
of git commits stay readable: 7-40 hexadecimal digits name a commit far more often than they open a door, people
speak of them (`broken since 9f2c1ab`), and redacting them would break the sentence. A hexadecimal token is a
secret only where it is called one (`token: …`). UUIDs, paths, long words and numbers are none for the same
reason. Time is linear: one pass for long tokens, one for `://`, one for the words that announce a secret, each
looking at a bounded stretch."""

import math
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

REDACTED = "[redacted]"


@dataclass(frozen=True, slots=True)
class Secret:
    """A credential's place in a text, and what kind it is."""

    start: int
    end: int
    kind: str


def find_secrets(text: str) -> list[Secret]:
    """Return the credentials in a text in reading order, apart from each other."""
    found = sorted([*_blocks(text), *_tokens(text), *_urls(text), *_announced(text)], key=lambda s: (s.start, -s.end))
    apart: list[Secret] = []
    for secret in found:
        if not apart or secret.start >= apart[-1].end:
            apart.append(secret)
        elif secret.end > apart[-1].end:
            apart[-1] = Secret(apart[-1].start, secret.end, apart[-1].kind)
    return apart


def contains_secret(text: str) -> bool:
    """Whether a text holds a credential."""
    return bool(find_secrets(text))


def redact(text: str) -> str:
    """Return the text with each credential replaced by `[redacted]`."""
    parts, last = [], 0
    for secret in find_secrets(text):
        parts += [text[last : secret.start], REDACTED]
        last = secret.end
    return "".join([*parts, text[last:]])


_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*+(?:-----END [A-Z0-9 ]{0,40}-----)?"
)


def _blocks(text: str) -> Iterator[Secret]:
    """Private keys in PEM; one that was cut off reaches as far as its text does."""
    if "-----BEGIN" in text:
        yield from (Secret(found.start(), found.end(), "private-key") for found in _PEM.finditer(text))


_LONG = re.compile(r"[A-Za-z0-9_+/.~:=-]{16,}+")
_VENDORS = (
    r"npm_[A-Za-z0-9]{30,}|hf_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{30,}|dop_v1_[a-f0-9]{40,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|lin_api_[A-Za-z0-9]{20,}"
    r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{20,}|ntn_[A-Za-z0-9]{20,}|sntrys_[\w+/=-]{20,}|dckr_pat_[\w-]{20,}|hvs\.[\w-]{20,}"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{40,}|tskey-[\w-]{16,}|\d{8,10}:AA[\w-]{30,}"
)
# Matched anywhere in a long token, behind a sign that ends the word before.
_FORMATS = (
    ("openai-or-anthropic", r"sk-(?=[\w-]*\d|[\w-]{32})[A-Za-z0-9_-]{16,}"),
    ("memroute", r"mr-[A-Za-z0-9_-]{20,}"),
    ("github", r"gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{22,}"),
    ("gitlab", r"gl(?:pat|dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-[A-Za-z0-9_.-]{16,}"),
    ("aws", r"(?:AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}(?![A-Za-z0-9])"),
    ("google", r"AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|GOCSPX-[A-Za-z0-9_-]{20,}"),
    ("slack", r"xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{10,}|hooks\.slack\.com/services/[A-Za-z0-9/]{20,}"),
    ("stripe", r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}"),
    ("jwt", r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*)?"),
    ("vendor-token", _VENDORS),
)
_FORMAT = re.compile(
    r"(?<![A-Za-z0-9_])(?:" + "|".join(f"(?P<f{i}>{pattern})" for i, (_, pattern) in enumerate(_FORMATS)) + ")"
)
_KINDS = {f"f{i}": kind for i, (kind, _) in enumerate(_FORMATS)}
_MOST_OF_TOKEN = 2000  # of a longer one the beginning tells what it is

_DRAWN = re.compile(r"[A-Za-z0-9_+/-]{24,}+={0,2}")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_HEX = re.compile(r"(?:0x)?(?:[0-9a-f]+|[0-9A-F]+)")
_PLAIN_PIECE = re.compile(r"\d+|v?\d+[a-z]{0,3}|(?:[A-Z]{0,3}[a-z]+)+\d{0,4}[a-z]?|[A-Z]+\d{0,4}")
_DRAWN_SIGNS = 12  # signs outside of words from which on a joined name is a token
_MOST_DRAWN = 200  # data, not a credential
_BITS = 3.6


def _tokens(text: str) -> Iterator[Secret]:
    for token in _LONG.finditer(text):
        words = token[0][:_MOST_OF_TOKEN]
        known = False
        for found in _FORMAT.finditer(words):
            known = True
            end = token.end() if found.end() == len(words) else token.start() + found.end()
            yield Secret(token.start() + found.start(), end, _KINDS[found.lastgroup or ""])
        behind = text[token.start() - 1 : token.start()]
        if not known and behind not in ("@", "#", "\\", "$", "%") and text[token.end() : token.end() + 1] != "@":
            yield from _drawn(token, words)


def _drawn(token: re.Match[str], words: str) -> Iterator[Secret]:
    if "://" in words:
        return
    for found in _DRAWN.finditer(words):
        if len(found[0]) <= _MOST_DRAWN and _is_drawn(found[0].rstrip("=")):
            yield Secret(token.start() + found.start(), token.start() + found.end(), "high-entropy")


def _is_drawn(token: str) -> bool:
    """Whether a token is drawn, not written: letters and digits mixed, no path, UUID or commit, many different signs."""
    if _UUID.fullmatch(token) or _HEX.fullmatch(token):
        return False
    digits, letters = sum(c.isdigit() for c in token), sum(c.isalpha() for c in token)
    if (
        digits < (1 if "/" in token or "+" in token else 2)
        or letters < 6
        or token.count("/") > 2
        or _is_joined_words(token)
    ):
        return False
    return _entropy(token) >= _BITS and _changes(token) >= len(token) / 6


def _is_joined_words(token: str) -> bool:
    """`my-service-2024-prod_v2`, `all-MiniLM-L6-v2`: pieces that are words or numbers, but for a short rest."""
    pieces = [piece for piece in re.split(r"[-_/+]", token) if piece]
    rest = [piece for piece in pieces if not _PLAIN_PIECE.fullmatch(piece)]
    return len(pieces) > 1 and len(rest) < len(pieces) and sum(map(len, rest)) < _DRAWN_SIGNS


def _changes(token: str) -> int:
    """How often the class of signs changes: small, capital, digit."""
    classes = ["d" if c.isdigit() else "u" if c.isupper() else "l" if c.isalpha() else "s" for c in token]
    return sum(a != b for a, b in pairwise(classes))


def _entropy(token: str) -> float:
    """Shannon's entropy in bits per sign."""
    counts = Counter(token).values()
    return -sum(n / len(token) * math.log2(n / len(token)) for n in counts)


_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]{1,30}\Z")
_USER_INFO = re.compile(r"://(?:[^\s/@:'\"<>]{0,200}:[^\s/@'\"<>]{1,200}+@|[A-Za-z0-9_-]{20,200}+@)[^\s'\"<>]{0,2000}+")


def _urls(text: str) -> Iterator[Secret]:
    """Connection strings and addresses with a password, or with a long token for a user."""
    position = text.find("://")
    while position >= 0:
        scheme = _SCHEME.search(text[max(0, position - 31) : position])
        found = _USER_INFO.match(text, position) if scheme else None
        if scheme and found:
            end = found.end() - (len(found[0]) - len(found[0].rstrip(".,;:!?)]}")))
            yield Secret(position - len(scheme[0]), end, "url-with-password")
        position = text.find("://", found.end() if found else position + 3)


# The last word of a name, where the search begins; (?<!…) keeps `compass`, `turkey`, `spin` apart.
_NAME = re.compile(
    r"(?:pass(?:word|wd|phrase|code|wort)?|pwd|secret|key|token|credentials?|code|pin|cvv|cvc|otp|bearer"
    r"|basic)(?![a-z])"
)
_QUALIFIED = re.compile(
    r"(?:api|access|private|secret|client|auth|session|signing|encryption|master|license|account|ssh|deploy|service"
    r"|recovery|security|pin|verification|backup|door|alarm|gate|entry)[ _-]?\Z"
)
_KEY_OR_CODE = frozenset(("key", "code"))
_ASSIGNED = re.compile(
    r"(?:[ _-]?(?:access[ _-]?key|key|id|code|number))?[\"'`\])]{0,2}[ \t]{0,3}(?:=>|:="
    r"|[:=])\s{0,3}(?P<quote>[\"'`]?)(?P<value>[^\s\"'`,;]{3,200}+)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"(?:[ _-]?(?:access[ _-]?key|key|code|number))?(?:\s{1,3}(?:for|of|to|on|at)\s[\w' .-]{1,40}?)?\s{1,3}(?:is|was"
    r"|will\s+be|are)\s{1,3}(?:now\s+|set\s+to\s+|still\s+|called\s+|just\s+)?"
    r"(?:[\"'\u201c`](?P<quoted>[^\"'\u201d`\n]{3,120}+)[\"'\u201d`]|(?P<value>[^\s\"'\u201c`,;]{3,200}+))",
    re.IGNORECASE,
)
_PASSED = re.compile(r"(?:\s{1,3}|=)(?P<value>[^\s\"'`,;-][^\s\"'`,;]{2,200}+)")  # --password hunter2
_SCHEME_HEADER = re.compile(r"\s{1,4}(?P<value>(?=[\w.~+/=-]{0,200}?\d)[\w.~+/-]{12,400}+={0,2})")

_NOT_VALUES = frozenset(
    """not the wrong correct incorrect required invalid missing empty expired weak strong too stored hashed saved
    hidden secret safe reset changed sent used needed valid optional unknown different same being based set for from
    one what that this your our and but none null true false undefined string str int text varchar never always
    encrypted protected only also just very good bad long short forgotten lost case case-sensitive shared public
    private available enabled disabled checked verified generated created asked stolen leaked compromised broken
    hard easy important confidential about under over out off down with without when where how why who which there
    here like accepted rejected denied failing working rotated revoked due password username email blank static
    dynamic simple complex random unique user counted limited free cheap expensive object value header field
    parameter variable boolean number stuff nothing something going written kept part almost still probably maybe
    possibly visible plain plaintext all any they you his her their its mine yours ours exactly simply again already
    longer shorter old new next ready strange unsafe insecure secure unclear fine okay terrible great perfect""".split()
)
_CALL = re.compile(r"[\w.]+\(")
_CALLED_PASS = re.compile(r"pass(?![a-z])")
_PLACEHOLDER = re.compile(
    r"[<\[{$%*.\u2026x\u2022_-]+[\w .-]*[>\]}%*.x\u2022_-]*|\$\{?\w+\}?|\*+"
    r"|(?:your|my|the|example|changeme|placeholder|redacted|os\.environ|process\.env|env\b|getenv|settings\."
    r"|config\.|self\.|request\.).*",
    re.IGNORECASE,
)


def _announced(text: str) -> Iterator[Secret]:
    """`password: …`, `my password is …`, `DB_PASSWORD=…`, `--token …`, `Authorization: Bearer …`."""
    low = text.lower()
    if len(low) != len(text):  # `\u0130` became two characters; its neighbours still have one each
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in text)
    for found in _NAME.finditer(low):
        if _names_a_secret(text, low, found):
            value = _value(text, low, found)
            if value:
                yield value


def _names_a_secret(text: str, low: str, found: re.Match[str]) -> bool:
    """A name of its own (`db_password`, `dbPassword`, not `compass`); `key` and `code` need a word that says which."""
    start = found.start()
    behind = text[start - 1 : start]
    if (
        behind.isalnum()
        and not (behind.islower() and text[start].isupper())
        and not low[max(0, start - 3) : start].endswith("api")
    ):
        return False
    return found[0] not in _KEY_OR_CODE or _QUALIFIED.search(low[max(0, start - 14) : start]) is not None


def _value(text: str, low: str, found: re.Match[str]) -> Secret | None:
    name, end = found[0], found.end()
    if name in ("bearer", "basic"):
        header = _SCHEME_HEADER.match(text, end)
        return Secret(header.start("value"), header.end("value"), "bearer") if header else None
    spoken = False
    match = _ASSIGNED.match(text, end)
    if match is None and low.startswith("--", max(0, low.rfind(" ", max(0, end - 40), end) + 1)):
        match = _PASSED.match(text, end)
    if match is None:
        match, spoken = _STATED.match(text, end), True
    if match is None:
        return None
    group = "quoted" if spoken and match["quoted"] is not None else "value"
    start = match.start(group)
    value = match[group] if group == "quoted" else match[group].rstrip(".!?)]}>")
    whole = name + text[end:start].lower()
    if group == "quoted" or _looks_like_one(value, whole, spoken=spoken):
        return Secret(start, start + len(value), "password" if name.startswith(("pass", "pwd")) else "named-secret")
    return None


def _looks_like_one(value: str, name: str, *, spoken: bool) -> bool:
    """Whether what is said to be a password looks like one, not like the rest of a sentence about passwords."""
    bare = value.strip("\"'`.,;:!?()")
    if len(bare) < 3 or bare.lower() in _NOT_VALUES or _PLACEHOLDER.fullmatch(bare) or _CALL.match(value):
        return False
    digit = any(c.isdigit() for c in bare)
    mixed = bare[1:].lower() != bare[1:]
    symbols = any(not c.isalnum() and c not in "-'." for c in bare)
    if name.startswith(("pin", "cvv", "cvc", "otp", "code")):
        return bare.isdigit() or (digit and not spoken and len(bare) >= 4 and "code" in name)
    if _CALLED_PASS.match(name):
        return digit or (mixed and symbols)
    if not name.startswith(("pass", "pwd")):
        return (digit and len(bare) >= 6) or (mixed and len(bare) >= 12) or (symbols and len(bare) >= 8)
    if not spoken:
        return True
    return digit or mixed or symbols or not bare.endswith(("ed", "ing", "ly"))
