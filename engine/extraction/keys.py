"""Names of facts: a readable slug where nothing is lost by it, a hash where something would be."""

import hashlib
import re
import unicodedata

MAX_SLUG = 80
_KEPT_OF_LONG = 60

_NOT_SLUG = re.compile(r"[^a-z0-9]+")
# What a slug may drop without making two texts one: spaces and the marks of ordinary writing; `C++` and `-5` lose more.
_LOSSLESS = re.compile(r"(?:[a-z0-9\s_.,;:!?'\"()/\[\]]|(?<=[a-z0-9])-|-(?!\d))*")
_TRAILING = re.compile(r"[\s.,;:!?\u2026\u3002\uff01\uff1f]+$")
_SPELLINGS = {"color": "colour", "flavor": "flavour", "humor": "humour", "theater": "theatre", "center": "centre"}
_PLURAL = {"ies": "y", "ses": "se", "s": ""}


def normalised(text: str) -> str:
    """NFC, casefolded, white space collapsed, curly apostrophes straight, without punctuation at the end."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold()).replace("\u2019", "'")
    return _TRAILING.sub("", " ".join(folded.split()))


def fingerprint(text: str) -> str:
    """Return the SHA-256 of the normalised text in hexadecimal: equal for two spellings of one statement."""
    return _digest(normalised(text))


def fact_key(category: str, obj: str) -> str:
    """Return `category:slug`; a hash completes the slug where it would be empty, cut, or the slug of another text too.

    `preference:typescript`, `decision:postgres_for_this_project`, `preference:c_51b1d14b6e86` (C++).
    """
    text = normalised(obj)
    slug = _NOT_SLUG.sub("_", text).strip("_")
    if slug and len(slug) <= MAX_SLUG and _LOSSLESS.fullmatch(text):
        return f"{category}:{slug}"
    kept = slug[:_KEPT_OF_LONG].strip("_")
    digest = _digest(text)
    return f"{category}:{kept}_{digest[:12]}" if kept else f"{category}:{digest[:24]}"


def attribute(words: str) -> str:
    """Return the name of a single-valued attribute: British spelling, singular (`colors` -> `colour`)."""
    parts = [_SPELLINGS.get(w, w) for w in (_singular(word) for word in words.split())]
    return fact_key("", " ".join(parts)).removeprefix(":")


def _singular(word: str) -> str:
    if len(word) > 3 and not word.endswith(("ss", "us", "is", "series")):
        for ending, singular in _PLURAL.items():
            if word.endswith(ending):
                return word[: -len(ending)] + singular
    return word


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
