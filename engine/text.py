"""Words of a text as the keyword tier sees them: folded, split, stemmed, and in step with SQLite's FTS5."""

import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

from engine.porter import porter
from engine.stopwords import FILLERS, FUNCTION_WORDS, WEAK_WORDS, is_small_talk

MAX_QUERY_TERMS = 512
_MAX_QUERY_CHARS = 32_000  # a query longer than this has its 512 terms in its beginning

# Scripts written without spaces between words, and hangul, whose particles are glued to the word.
_SPACELESS = (
    "\u0e01-\u0e4e\u0e50-\u0e59\u0e80-\u0eff\u1000-\u1049\u1050-\u109f\u1780-\u17d3\u17d7\u17db-\u17ff"
    "\ua9e0-\ua9ff\uaa60-\uaa7f"  # up to here Thai, Lao, Myanmar, Khmer and Myanmar's extensions
    "\u3005-\u3007\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"  # kana, iteration marks
    "\u3105-\u312f\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # bopomofo, ideographs
    "\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"  # hangul
)
_LETTER = rf"[^\W\d_{_SPACELESS}]"
_ALNUM = rf"[^\W_{_SPACELESS}]"
# Signs of Indic scripts and Tibetan belong to the word though they are no letters; dandas and the tsek end it.
_WORD = f"(?:{_ALNUM}|[\u0900-\u0963\u0966-\u096f\u0971-\u0df3\u0f71-\u0f84\u0f90-\u0fbc])+"
_EMOJI = "\u2600-\u27bf\u2b50\u2b55\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_TOKEN = re.compile(
    rf"(?P<name>{_LETTER}{{1,2}}(?:\+\+|#)(?!{_LETTER}))|(?P<run>[{_SPACELESS}]+)"
    rf"|(?P<word>{_WORD}(?:[._-]{_WORD})*)|(?P<emoji>[{_EMOJI}])"
)
# Plain text, which is nearly all, is split without a regular expression: six times faster.
_PLAIN = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_NOT_PLAIN = re.compile(r"[#+._0-9-](?:(?<=[._-])[A-Za-z0-9]|(?<=\+)\+|(?<=#)|(?<=[0-9])[SNRTsnrt][TDHtdh])")
_ASCII_TOKEN = re.compile(r"[a-z]{1,2}(?:\+\+|#)(?![a-z])|[a-z0-9]+(?:[._-][a-z0-9]+)*")
_EMOJI_ONLY = re.compile(f"[{_EMOJI}]")
# `May 2nd` is the `2 May` of a day in words.
_ORDINAL = re.compile(r"([0-9]+)(?:st|nd|rd|th)")
_JOINT = re.compile(r"[._-]")
# A joined word is worth a token of its own when it reads like a name or an id: node.js, gpt-5.5, v1_2; not well-known.
_ID = re.compile(r"[.\d]")

_MARKS = "\u0300-\u036f"
_ACCENTS = re.compile(
    f"(?<=[a-z\u00df-\u02af\u0370-\u03ff\u1e00-\u1fff])[{_MARKS}]+"  # Latin and Greek: any mark
    "|(?<=\u0435)\u0308|(?<=[\u0400-\u052f])[\u0300\u0301]+"  # Cyrillic: stress, and yo; short i stays a letter
    "|[\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7]+"  # Hebrew points
    "|[\u0610-\u061a\u0640\u064b-\u0652\u0656-\u065f\u0670\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed]+"  # Arabic
)
_FULL_WIDTH = re.compile("[\uff00-\uffef]+")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ħ": "h", "ı": "i", "æ": "ae", "œ": "oe", "ð": "d", "þ": "th", "ŧ": "t", "ŋ": "n"}
    | dict.fromkeys("\u2018\u2019\u02bc\u2032", "'")
)

# Characters of which FTS5 (unicode61, remove_diacritics 2) makes the very tokens we make; found by trying all of them.
_NATIVE = (
    "\x01-\u00c5\u00c7-\u00cf\u00d1-\u00d7\u00d9-\u00dd\u00e0-\u00e5\u00e7-\u00ef\u00f1-\u00f7\u00f9-\u00fd\u00ff-\u010f"
    "\u0112-\u0125\u0128-\u0130\u0132-\u0140\u0143-\u0148\u014c-\u0151\u0154-\u0165\u0168-\u01bf\u0391-\u03a1\u03a3-\u03a9"
    "\u03b1-\u03c9\u0402\u0404-\u0406\u0408-\u040b\u040e-\u044f\u0452\u0454-\u0456\u0458-\u045b\u045e-\u045f\u0490-\u0491"
    "\u05d0-\u05ea\u0621-\u063a\u0641-\u064a\u1ea0-\u1ef9\u2010-\u2031\u2033-\u205e\u20a0-\u20b9"
)
_FOREIGN = re.compile(rf"[^{_NATIVE}]|[0-9][SNRTsnrt][TDHtdh]\b")
# Characters that FTS5 keeps in a token as they are once we have folded them; tokens of others are spelt in hexadecimal.
_SPELT_AS_IS = re.compile(f"[{_NATIVE}\u3041-\u3096\u30a1-\u30fa\u30fc-\u30fe\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3]+")

_FTS_COLUMNS = "{content key context search_extra}"
_OWNER_TOKENS = re.compile(r"[a-z0-9]+(?: [a-z0-9]+)*")
_DAY_NAMES = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
_MONTH_NAMES = "January February March April May June July August September October November December"


class Term(NamedTuple):
    """A word of a query: as folded (what FTS5 is asked for) and stemmed (what our own index is asked for)."""

    word: str
    stem: str


def fold(text: str) -> str:
    """Case, accents (Latin, Greek, Cyrillic), optional vowel points and full-width forms removed; NFC; `'` straight."""
    if text.isascii():
        return text.lower()
    text = _FULL_WIDTH.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
    # Canonical caseless matching: Unicode 3.13, D145.
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFD", text).casefold())
    return unicodedata.normalize("NFC", _ACCENTS.sub("", text)).translate(_LETTERS)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The word's stem, as FTS5's porter tokenizer makes it."""
    return porter(word)


def words(text: str) -> list[str]:
    """The folded words of a text in order: ids joined by `.`, `-` or `_` whole and in parts, spaceless runs in n-grams."""
    if text.isascii() and not _NOT_PLAIN.search(text):
        return text.translate(_PLAIN).split()
    return _split(fold(text), _all_ngrams)


def tokenise(text: str) -> list[str]:
    """The stems of `words`: what the index holds of a text."""
    return list(map(stem, words(text)))


def query_terms(text: str) -> list[Term]:
    """The distinct terms of a query in order, stop words dropped, at most 512; empty when there is nothing to look for.

    A query of nothing but stop words keeps them all. One of nothing but greetings, thanks or emoji keeps these, so that
    it matches only a text that holds them.
    """
    folded = fold(text[:_MAX_QUERY_CHARS])
    distinct = list(dict.fromkeys(_split(folded, _query_ngrams)))
    literal = [word for word in distinct if word in FILLERS or _EMOJI_ONLY.match(word)]
    kept = [word for word in distinct if word not in FUNCTION_WORDS and word not in literal]
    small_talk = is_small_talk(folded)
    if small_talk and len(distinct) > 1:
        kept = []
    kept = (kept or literal or ([] if small_talk else distinct))[:MAX_QUERY_TERMS]
    terms = [Term(word, stem(word)) for word in kept]
    if not _MONTHS.isdisjoint(distinct):
        terms += [Term(word, word + _DAY_MARK) for word in kept if _DAY_NUMBER.fullmatch(word)]
    return terms


def weak_stems(terms: Iterable[Term]) -> frozenset[str]:
    """The stems of a query that make no text relevant by themselves; none when there are no others."""
    weak, telling = set(), False
    for term in terms:
        if term.word in WEAK_WORDS:
            weak.add(term.stem)
        else:
            telling = True
    return frozenset(weak) if telling else frozenset()


def day_terms(day: str) -> list[str]:
    """The terms of a day in words. Its number is marked: a query finds it only beside the name of a month.

    Otherwise `Give me 3 ideas` would find whatever was said on the third.
    """
    return [word + _DAY_MARK if _DAY_NUMBER.fullmatch(word) else word for word in words(day)]


def fts_match(terms: Iterable[Term], owner_token: str, limit: int = 32) -> str:
    """An FTS5 expression: rows of the owner that hold any of the first `limit` terms; of no terms, one that finds nothing.

    `owner_token` is one token or several separated by a space (`k12`, `k12 kall`). Every term is quoted, so no text can
    be an operator or a column filter. FTS5 may find more rows than hold a term (`C++` asks for `c`), never fewer.
    """
    if not _OWNER_TOKENS.fullmatch(owner_token):
        raise ValueError(f"not an owner token: {owner_token!r}")
    owners = " OR ".join(map(_quoted, owner_token.split()))
    wanted = " OR ".join(_quoted(fts_form(term.word)) for term in islice(terms, limit))
    return f"owner_token : ({owners}) AND {_FTS_COLUMNS} : ({wanted or _quoted('')})"


def search_extra(content: str, context: str, day: str, key: str = "") -> str:
    """What the search table must hold beside the texts so that FTS5 finds what `tokenise` finds.

    The first line is the day in words, possibly empty; the second, if any, the words that FTS5 would not make of the texts
    itself: n-grams of spaceless runs, ids glued to them, letters folded further than it folds, emoji.
    """
    spelt: dict[str, None] = {}
    for text in (content, context, key):
        if _FOREIGN.search(text):
            foreign = (chunk for chunk in text.split() if _FOREIGN.search(chunk))
            spelt.update(dict.fromkeys(fts_form(word) for chunk in foreign for word in words(chunk)))
    return f"{day}\n{' '.join(spelt)}" if spelt else day


def fts_form(word: str) -> str:
    """A folded word as FTS5 can hold it: itself, or in hexadecimal where FTS5 would split it or drop its signs."""
    if _SPELT_AS_IS.fullmatch(word):
        return word
    return "x" + "".join(f"{ord(character):x}" for character in word)


_MONTHS = frozenset(fold(_MONTH_NAMES).split()) | {name[:3] for name in fold(_MONTH_NAMES).split()} | {"sept"}
_DAY_NUMBER = re.compile(r"[12]?\d|3[01]")
_DAY_MARK = "@"


def day_words(moment: datetime) -> str:
    """The day in English words, whatever the locale: `Monday 8 May 2023`."""
    weekday, month = _DAY_NAMES.split()[moment.weekday()], _MONTH_NAMES.split()[moment.month - 1]
    return f"{weekday} {moment.day} {month} {moment.year}"


def _quoted(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'


def _split(folded: str, ngrams: Callable[[str], list[str]]) -> list[str]:
    found: list[str] = []
    if folded.isascii():
        for word in _ASCII_TOKEN.findall(folded):
            found.extend(_parts(word))
        return found
    for match in _TOKEN.finditer(folded):
        if match.lastgroup == "run":
            found.extend(ngrams(match[0]))
        else:
            found.extend(_parts(match[0]))
    return found


def _parts(word: str) -> list[str]:
    """A joined word's parts, after the whole where that is a name or an id; an ordinal's number."""
    if word.isalpha():
        return [word]
    ordinal = _ORDINAL.fullmatch(word)
    if ordinal:
        return [ordinal[1]]
    parts = _JOINT.split(word)
    return [word, *parts] if len(parts) > 1 and _ID.search(word) else parts


def _all_ngrams(run: str) -> list[str]:
    """Every character that is more than a sign, and every pair: a query of any length finds the run it is part of."""
    singles = [character for character in run if character.isalnum()]
    return singles + _pairs(run)


def _query_ngrams(run: str) -> list[str]:
    """The pairs alone, if there are any: single characters are in too many texts to tell them apart."""
    return _pairs(run) or [run]


def _pairs(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]
