"""Where the object of a statement ends, and whether anything is in it."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from engine.extraction.clauses import ASKS, NEW_CLAUSE, S, Sentence
from engine.extraction.family import DECISION, INSTRUCTION, PATTERN, Family
from engine.extraction.speech import CODE, QUOTE
from engine.extraction.words import EMPTY_WORDS

MAX_OBJECT = 500
_WINDOW = MAX_OBJECT + 200


@dataclass(frozen=True, slots=True)
class Ending:
    """Offsets of an object, and the word (`because`, `if`) or mark that ended it, "" at the sentence's end."""

    start: int
    end: int
    cause: str


# Words that end an object wherever they stand.
_SUBORDINATE = (
    "because|cuz|coz|since|although|though|tho|even though|even if|whereas|given that|considering|so that|which means"
    "|if|unless|provided that|providing that|as long as|in case|assuming|whether|except that|for now|right now|at "
    "the moment|at least"
    "|please|thanks|thank you|thx|btw|by the way|by any chance|lol|haha|hahaha|lmao|imo|imho|tbh|maybe|perhaps"
    "|probably|i guess|i think"
    "|i suppose|to be honest|you know|as you know|as i said|like i said|sorry|or something|or so|or whatever|for the "
    "time being"
)
_MOST_JOINTS = 10  # commas and conjunctions inside one object
_LIST_PIECE = 5  # words in a member of a list; longer ones are clauses
_STOP = re.compile(
    r"(?=[\s;:,.!?(\[\u2026\u2014\uff08\uff1a\uff1b])(?:"
    rf"(?P<mark>;|:(?=\s|\Z)|\s[-\u2013]{{1,2}}(?=\s)|\s?\u2014|\u2026|\.\.\.?|\uff1b|\uff1a(?=\s)|[!?](?=\s)"
    rf"|\s[:;=8]'?-?[)(dpo/|](?=\s|\Z))"
    r"|(?P<bracket>\s?[(\[\uff08])"
    rf"|(?P<word>\s(?:{_SUBORDINATE.replace(' ', S)}))(?=\s|,|\Z)"
    rf"|(?P<but>(?<!nothing)(?<!all)(?<!anything)(?<!everything)\s(?:but|however|yet|while))(?=\s|,)"
    r"|(?P<and>\s(?:and|or|so|&|\+))(?=\s)"
    r"|(?P<not>\snot)(?=\s)"
    rf"|(?P<ask>\s(?:(?:can|could|would|will|do|did|should)\s+(?:you|we|i)|(?:what|how|why)\s+(?:about|do|does|is"
    rf"|are|can|should|would)))\b"
    r"|(?P<comma>,(?!\d)))"
)
# After a comma: an afterthought, not one more member of the list.
_AFTERTHOUGHT = re.compile(
    rf"\s*(?:(?:and|or)\s+)?(?:{ASKS}|not|but|because|since|so|although|though|while|whereas|which|if|unless|please"
    rf"|pls|thanks"
    r"|thank|thx|ty|sorry|btw|by|too|as|however|then|instead|for\s+(?:now|example|instance)|right|ok|okay|e\.g|i\.e"
    r"|especially|mostly|honestly"
    r"|actually|just|even|yes|no|nope|yeah|let|let's|lets|this|that|these|those|there|here|haha|lol|ugh|sadly"
    r"|unfortunately"
    r"|obviously|of\s+course|to\s+be|tbh|imo|you\s+know|including|like|such|always|never|hence|thus|therefore|either"
    r"|maybe|perhaps"
    r"|probably|i|i'\w+|you|you're|we|we're|he|she|it|it's|they|my|your|our|his|her|their|everyone|everybody|nobody"
    r"|when|whenever|where|once|until|before"
    r"|after|except|regardless|given|considering|nothing|only|at\s+least|hi|hello|hey|well|anyway|what|make|give"
    r"|show|tell|help|write|suggest|recommend|explain|do|don't"
    r"|rather|and|otherwise|etc|any|\w+ly)\b"
)
_PLACE_OR_YEAR = re.compile(r"\s*(?:\d{4}\b|(?:inc|ltd|llc|jr|sr|phd)\b\.?)", re.IGNORECASE)
_CAPITAL = re.compile(r"\s+(?:[A-Z\u00c0-\u00de][\w.'-]*\s?){1,3}(?=$|[,.;!?)\n]|\s(?:and|but|so|because)\s)")
# Attributes in which a capital after a comma belongs to the name: `Nairobi, Kenya`, `Acme, Inc.`
_PLACED = frozenset(("home", "origin", "employer", "occupation", "birthday"))
_BRACKETED = re.compile(r"\s?[(\[\uff08]([^()\[\]\n]{1,60})[)\]\uff09]")


@dataclass(frozen=True, slots=True)
class _Joint:
    """A place where an object may end: what stands there, and the words after it."""

    low: str
    shown: str
    found: re.Match[str]
    family: Family

    @property
    def rest(self) -> str:
        end = self.found.end()
        return self.low[end : end + 120]


def find_end(low: str, shown: str, start: int, sentence: Sentence, family: Family) -> Ending:
    """Return where an object that begins at `start` ends."""
    limit = min(sentence.end, start + _WINDOW)
    while start < limit and low[start] in " \t\n,*_'":
        start += 1
    position, within = start, low[:limit]
    for _ in range(_MOST_JOINTS):
        found = _STOP.search(low, position, limit)
        if found is None:
            return Ending(start, limit, "")
        end = _goes_on(_Joint(within, shown, found, family))
        if end is None:
            return Ending(start, found.start(), " ".join(found[0].split()))
        position = max(end, found.start() + 1)
    return Ending(start, position, "")


def _goes_on(joint: _Joint) -> int | None:
    """None when the object ends here, else from where to look on."""
    kind = joint.found.lastgroup or ""
    if kind == "bracket":
        inside = _BRACKETED.match(joint.low, joint.found.start())
        short = inside is not None and len(inside[1].split()) <= 4 and not NEW_CLAUSE.match(inside[1])
        return inside.end() if inside and short else None
    checks = _IN_INSTRUCTIONS if joint.family.category == INSTRUCTION else _IN_OBJECTS
    return joint.found.end() if kind in checks and checks[kind](joint) else None


def _is_one_more_thing(joint: _Joint) -> bool:
    """`FastAPI and Django`, but not `pizza and I hate olives`."""
    return not NEW_CLAUSE.match(joint.rest[:60].lstrip())


def _is_old_not(joint: _Joint) -> bool:
    """`whether or not`, but not `Postgres, not MySQL`."""
    return not joint.low.endswith((" and", ","), 0, joint.found.start())


def _is_condition_of_habit(joint: _Joint) -> bool:
    """`commit if the tests pass` is a habit with its condition."""
    return joint.family.category == PATTERN and joint.found[0].split()[0] in ("if", "unless")


def _is_in_list(joint: _Joint) -> bool:
    """Whether a comma parts members of a list (`cats, dogs and birds`), or a place from its country."""
    end, rest = joint.found.end(), joint.rest
    if _PLACE_OR_YEAR.match(rest) or (
        joint.family.attribute in _PLACED and _CAPITAL.match(joint.shown[end : end + 60])
    ):
        return True
    joined = _AND.match(rest)
    if joined:
        following = rest[joined.end() :]
        return not NEW_CLAUSE.match(following.lstrip()) and not _AFTERTHOUGHT.match(following)
    return not _AFTERTHOUGHT.match(rest) and _is_list(rest)


def _keeps_order(joint: _Joint) -> bool:
    """An instruction keeps its commas; courtesy and the next statement end it."""
    return not _COURTESY.match(joint.rest) and not (joint.found[0] == "," and _OWN_CLAUSE.match(joint.rest))


_AND = re.compile(r"\s*(?:and|or|&)\s")
_OWN_CLAUSE = re.compile(r"\s*(?:and\s+|but\s+|so\s+)?(?:i|i'm|i've|i'll|my)\b")
_NEXT_ORDER = re.compile(
    r"\s*(?:also\s+|then\s+)?(?:i|i'm|i've|i'll|my|can|could|would|will\s+you|always|never|please|thanks?|what|how"
    r"|remember|don't|do\s+not)\b"
)
_COURTESY = re.compile(
    r"\s*(?:please|pls|thanks|thank|thx|ty|sorry|btw|by\s+the\s+way|ok|okay|right|can|could|would|will\s+you|what|how"
    r"|got\s+it|alright|lol|haha|if\s+(?:you|that's|possible))\b"
)
_KEPT_IN_ORDERS = frozenset("if unless whether provided as in at for right even so or considering assuming".split())

_IN_OBJECTS: dict[str, Callable[[_Joint], bool]] = {
    "and": _is_one_more_thing,
    "not": _is_old_not,
    "word": _is_condition_of_habit,
    "comma": _is_in_list,
}
_IN_INSTRUCTIONS: dict[str, Callable[[_Joint], bool]] = {
    "and": lambda joint: not _NEXT_ORDER.match(joint.rest),
    "not": lambda _: True,
    "comma": _keeps_order,
    "but": _keeps_order,
    "word": lambda joint: joint.found[0].split()[0] in _KEPT_IN_ORDERS,
    "mark": lambda joint: joint.found[0].strip() in (":", ";", "-", "\u2014", "\u2013"),
}


_MEMBERS_END = re.compile(r"[;:.!?](?:\s|$)|\s(?:but|because|since|though|although)\s")
_MEMBER_JOINT = re.compile(r",(?!\d)(?:\s*(?:and|or|&)\s)?|\s(?:and|or|&)\s")


def _is_list(rest: str) -> bool:
    """Whether members follow: two short ones, the second behind a comma or an `and`."""
    tail = _MEMBERS_END.split(rest[:80], maxsplit=1)[0]
    first, *more = _MEMBER_JOINT.split(tail, maxsplit=2)[:2]
    short = all(member.strip() and len(member.split()) <= _LIST_PIECE for member in (first, *more))
    return bool(more) and short and not _AFTERTHOUGHT.match(more[0])


_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_COURTESY_AT_END = (
    r"please|thanks|thank\s+you|thx|lol|haha|hehe|btw|by\s+the\s+way|tbh|imo|imho|ok|okay|from\s+now\s+on"
    r"|of\s+course|for\s+sure|honestly|though|tho|too|as\s+well|anyway|anyways"
)
_TIME_AT_END = (
    r"again|anymore|any\s+more|now|today|tonight|yesterday|tomorrow|already|also|either|instead|then"
    r"|(?:last|this|next)\s+(?:week|month|year|night|morning|evening|afternoon|weekend|summer|winter|spring|fall"
    r"|autumn|quarter|time"
    r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday)|these\s+days|nowadays|lately|recently|currently"
    r"|at\s+the\s+moment"
    r"|for\s+now|right\s+now|(?:\d+|a|an|one|two|three|four|five|six|a\s+few|a\s+couple\s+of|several|some"
    r"|many)\s+(?:day|week|month|year|hour)s?\s+ago"
    r"|a\s+lot|very\s+much|so\s+much|a\s+whole\s+lot|the\s+most|once\s+more|once\s+again|forever|for\s+good"
    r"|after\s+all|in\s+the\s+end|at\s+all|as\s+always"
    r"|obviously|definitely|actually|really|personally|so\s+far|soon|later|myself"
)
# `visits in June` is when it happens; `chose Hetzner in June`, when it was chosen.
_DATE_AT_END = (
    rf"(?:back\s+)?in\s+(?:(?:early|late|mid)[\s-])?(?:(?:{_MONTHS})\s+)?(?:(?:19|20)\d\d|(?:{_MONTHS}))"
    rf"|for\s+(?:this|that|it)"
)


def _at_end(*alternatives: str) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))


_TRAILING = {
    INSTRUCTION: _at_end(_COURTESY_AT_END),
    DECISION: _at_end(_COURTESY_AT_END, _TIME_AT_END, _DATE_AT_END),
}
_TRAILING_OF_OTHERS = _at_end(_COURTESY_AT_END, _TIME_AT_END)
_EDGE = " \t\n\r,.;:!?*_~'\"\u2019\u2014\u2013-\u3002\uff0c\u3001\uff01\u2026"
_OPEN_WORDS = frozenset(("and", "or", "but", "so", "the", "a", "an", "to", "of", "with", "&"))
_MOST_CUTS = 5
_MOST_CUT_WORDS = 5  # `a couple of weeks ago`
_WORDS = re.compile(r"[^\s,]+")


def trim(low: str, ending: Ending, category: str) -> Ending:
    """Cut adverbs of time, courtesy and stray punctuation from an object's end; an instruction keeps its times."""
    start, end = ending.start, ending.end
    trailing = _TRAILING.get(category, _TRAILING_OF_OTHERS)
    for _ in range(_MOST_CUTS):
        end = start + len(low[start:end].rstrip(_EDGE))
        end = _without_smiles(low, start, end)
        cut = _cut(low, start, end, trailing)
        if cut == end:
            break
        end = cut
    return Ending(start, max(start, end), ending.cause)


def _cut(low: str, start: int, end: int, trailing: re.Pattern[str]) -> int:
    """Where the object ends without the longest phrase to be cut from its last words."""
    begins = [found.start() for found in _WORDS.finditer(low, max(start, end - 50), end)][-_MOST_CUT_WORDS:]
    for begin in begins:
        if trailing.fullmatch(low, begin, end) or (low[begin:end] in _OPEN_WORDS and begin > start):
            return begin
    return end


_JOINED = re.compile(r"(?:^|\s)(?:and|or|&)\s*$")


def _without_smiles(low: str, start: int, end: int) -> int:
    """The end without emoji that follow words: `pizza \U0001f355`, but not of an object that is one, or ends a list."""
    bare = end
    while bare > start and _is_smile(low[bare - 1]):
        bare -= 1
    before = low[start:bare]
    if bare == end or _JOINED.search(before) or not any(c.isalnum() or c in (QUOTE, CODE) for c in before):
        return end
    return start + len(before.rstrip(_EDGE))


def _is_smile(sign: str) -> bool:
    return sign > "\u2190" and not sign.isalnum() and sign not in (QUOTE, CODE) and not "\u3000" <= sign < "\u3020"


_ORDINAL = (
    "first|second|third|fourth|fifth|last|latter|former|other|next|previous|above|same|new|old|original|left"
    "|right|top|bottom"
)
_POINTER = re.compile(
    rf"(?:it|this|that|these|those|them|him|her|he|she|they|you|me|us|myself|yours?|mine|theirs|both|either|neither"
    rf"|none|all|some|any|each"
    rf"|one|everything|something|anything|nothing|so|such|here|there|what|which|everyone|everybody|someone)"
    rf"(?:\s+(?:one|ones|all|too|very|much|more|better|best|most|now|then|of\s+(?:them|those|these|it|that|this|you)"
    rf"|two|three|kind|sort|a|lot|you|guys|for\s+(?:it|this|that|now)))*"
    rf"|(?:option|number|choice|variant|version|answer|solution)\s+(?:one|two|three|four|1|2|3)"
    rf"|(?:the|your|his|her|their)\s+(?:(?:{_ORDINAL}|whole|general|very|simple|simpler|shorter|longer|better|best"
    rf"|suggested)\s+){{0,2}}"
    rf"(?:one|ones|option|options|version|versions|approach|idea|ideas|suggestion|suggestions|solution|answer"
    rf"|answers|proposal|variant|choice|way|draft|plan"
    rf"|example|examples|sound|look|looks|feel|result|results|output|explanation|snippet|rest|{_ORDINAL})"
    rf"(?:\s+(?:of\s+(?:it|that|this|these|those)|you\s.*|above|below|so\s+far))?"
    rf"|(?:the|your)\s+(?:[\w-]+\s+){{1,2}}ones?|the\s+ones?\b.*|the\s+way\s+(?:you|this|that|it)\b.*"
    rf"|(?:the\s+)?(?:{_ORDINAL})(?:\s+(?:one|ones|option|version))?"
)
_POINTS_AT_ONCE = re.compile(
    r"(?:this|that|these|those|your|yours|you|you're|it)\b(?!\s+when\b(?!\s+you))"
    r"|(?:how(?:\s+\w+)?|the\s+way|what|when|where|that|seeing|hearing|it\s+when)\s+(?:you|your|you've|this|that|it|we|i)\b"
    r"|(?:talking|chatting|working|speaking)\s+(?:to|with)\s+you\b"
)
_ANNOUNCES = re.compile(
    r"(?:the\s+)?following\b|(?:these|those|this|as\s+follows)$|(?:these|the\s+following|a\s+few"
    r"|some|several|many|two|three)\s+things$"
)


def empty_rule(low: str, ending: Ending) -> str | None:
    """The rule that refuses an object without content, or None."""
    words = low[ending.start : ending.end]
    if len(words) > MAX_OBJECT:
        return "too-long"
    if _POINTER.fullmatch(words):
        return "pointer"
    if not _says_something(words):
        return "empty"
    if _ANNOUNCES.match(words) or (ending.cause == ":" and not words[-1:].isalnum()):
        return "announcement"
    return None


def points(words: str) -> bool:
    """Whether words begin by pointing at something said elsewhere, or at the listener."""
    return _POINTS_AT_ONCE.match(words) is not None


_TRAILS_OFF = re.compile(r"(?:[\w'-]+\s+){1,3}(?:it|this|that|them|these|those|you)")


def trails_off(words: str) -> bool:
    """Whether a few words end by pointing: `doing it`, `everything about that`."""
    return _TRAILS_OFF.fullmatch(words) is not None


def is_pointer(words: str) -> bool:
    """Whether words are nothing but a pronoun, an ordinal, or `the second one`."""
    return _POINTER.fullmatch(words) is not None


def _says_something(words: str) -> bool:
    """Two characters with a letter or digit among them, one of a script of whole-word signs, or an emoji."""
    bare = re.sub(r"[\s.,;:!?'\"()\-]", "", words)
    if not bare:
        return False
    if len(bare) == 1:
        return bare > "\u2e7f" or bare in "\u2764\u2665\u2615\u2600"
    if not any(c.isalnum() or c > "\u2190" for c in bare):
        return False
    return any(word not in EMPTY_WORDS for word in words.split()) or bare in ("go", "it")
