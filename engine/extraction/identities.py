"""Checks of what only some words may fill: names, places, occupations, languages, and the verbs of instructions."""

import re
from collections.abc import Callable

from engine.extraction.words import COMPANIONS, LANGUAGES, PLACES, TOOLS, is_occupation, is_place

_NOT_NAMES = frozenset(
    """not on in at of for with by from a an the it that this too also just later back when if tomorrow today tonight
    soon maybe crazy old-fashioned again now never always sometimes whatever anytime asap irrelevant unimportant
    important wrong misspelled spelled spelt unknown secret private hard difficult easy pronounced written listed
    missing mentioned there here out over under up biased stupid weird mad paranoid lucky lazy ignorant names about
    as to and or but because so very really quite rather common rare unusual long short being getting what who how""".split()
)
_NAME = re.compile(r"[^\W\d_][\w.'\u2019-]*(?:\s+[^\W\d_][\w.'\u2019-]*){0,4}")


def name_rule(low: str, shown: str) -> str | None:
    """`My name is Ada` but not `my name is on the list`; `Call me Sam` but not `call me later`."""
    words = low.split()
    if not _NAME.fullmatch(low) or words[0] in _NOT_NAMES:
        return "no-name"
    capital = any(word[:1] != word[:1].lower() for word in shown.split())
    uncased = shown.lower() == shown.upper()
    return None if capital or uncased or len(words) <= 2 else "no-name"


_NOT_HOMES = re.compile(
    r"(?:fear|hope|denial|peace|sin|poverty|constant|the\s+(?:moment|past|present|future|now|terminal|browser|shell"
    r"|cloud)|my\s+(?:head|own|car|dreams?|terminal|editor)|a\s+(?:bubble|dream|world|terminal|simulation)|vim|emacs"
    r"|harmony|tears|next|using|a\s+different\s+approach)\b"
)
_NOT_EMPLOYERS = re.compile(
    r"(?:night|nights|home|the\s+weekend|weekends|free|hours|days|weeks|a\s+(?:while|desk|living|long)|my\s+(?:own"
    r"|desk|best)|all|fun|money|me|you|him|her|them|it|this|that|full|least|times|the\s+moment|now|both|most|\d)\b"
)
_ARTICLE = re.compile(r"(?:an?|the)\s+")
_HEAD_END = re.compile(
    r"\s+(?:at|in|for|with|from|of|on|by|who|that|working|based|specializ\w+|specialis\w+"
    r"|focus\w+|and|here|living|turned|near|during|currently)\b|[,(]"
)


def home_rule(low: str, _shown: str) -> str | None:
    """`I live in fear` names no place."""
    return "no-place" if _NOT_HOMES.match(low) else None


def moved_rule(low: str, shown: str) -> str | None:
    """`I moved to Berlin` but not `I moved to Postgres` (a decision) or `I moved to a new flat`."""
    if is_place(low):
        return None
    first = low.split(maxsplit=1)[0]
    looks_like_a_tool = first in TOOLS or re.search(r"[\d#+]|\w\.\w", first) or re.search(r"[a-z][A-Z]", shown)
    capital = shown[:1] != shown[:1].lower() or shown.lower() == shown.upper()
    return None if capital and not looks_like_a_tool else "no-place"


def employer_rule(low: str, _shown: str) -> str | None:
    """`I work at night`, `for free` name no employer."""
    return "no-employer" if _NOT_EMPLOYERS.match(low) else None


def occupation_rule(low: str, _shown: str) -> str | None:
    """`I'm a senior data engineer at X` but not `I'm a bit confused` or `I'm a big fan`."""
    head = _HEAD_END.split(low, maxsplit=1)[0].split()
    if not head or len(head) > 5:
        return "no-occupation"
    noun = head[-1].removesuffix("s") if head[-1] not in ("sales",) else head[-1]
    return None if is_occupation(head[-1]) or is_occupation(noun) else "no-occupation"


def spoken(low: str) -> list[str]:
    """The languages named in some words."""
    return [word for word in re.findall(r"[^\W\d_]+(?:-[^\W\d_]+)?", low) if word in LANGUAGES]


def language_rule(low: str, _shown: str) -> str | None:
    """`I speak from experience` names no language."""
    return None if spoken(low) else "no-language"


_RELATIVE_DAY = re.compile(
    r"(?:today|tomorrow|yesterday|soon|coming|next|this|last|in\s+(?:a|an|\d+|two|three|\w+)\s+(?:day|week|month)s?"
    r"|over|almost|nearly|near|around|approaching|not|already|a\s|the\s+(?:same|day)|also|always|up\b|when|my\b)"
)


def day_rule(low: str, _shown: str) -> str | None:
    """`My birthday is next week` says nothing next week."""
    return "relative-day" if _RELATIVE_DAY.match(low) else None


def time_zone_rule(low: str, _shown: str) -> str | None:
    """`My timezone is wrong` is a complaint."""
    return (
        "no-time-zone"
        if re.match(r"(?:not|wrong|different|set|the\s+same|off|incorrect|broken|messed|missing|unknown)\b", low)
        else None
    )


def not_negated(low: str, _shown: str) -> str | None:
    """`My job is not that` says only what is not."""
    return "negated" if re.match(r"(?:not|never|no\s+longer|neither)\b", low) else None


_ERRAND = re.compile(r"(?:the\s+)?(?:bathroom|toilet|restroom|loo|stairs|elevator|lift)\b")
_HOW_CHOSEN = re.compile(
    r"(?:the\s+)?(?:wrong|right)\s+\w+|all(?:\s+and\s.*)?|(?:so\s+)?(?:wrong|wrongly|right|poorly|badly|well|wisely|carefully|quickly|first|last|already)"
)
_PHRASAL = re.compile(r"(?:up|out|on|off|at|apart|over|through|back|away|down)\b")
_TRIP = re.compile(
    r"(?:bed|sleep|school|work|church|town|the\s+(?:bathroom|toilet|gym|shop|store|doctor|zoo|park"
    r"|cinema|movies|beach|front|back|next|other)|next\b)"
)


def chosen_rule(low: str, _shown: str) -> str | None:
    """Not `picked up the phone`, `went with my sister to the zoo`, `decided to ask you`."""
    if _PHRASAL.match(low):
        return "phrasal-verb"
    if _HOW_CHOSEN.fullmatch(low):
        return "empty"
    if _ERRAND.match(low):
        return "errand"
    if COMPANIONS.match(low):
        return "companion"
    return "pointer" if re.search(r"\byou\b", low) else None


def moved_over_rule(low: str, _shown: str) -> str | None:
    """`We went from work to the gym`."""
    return "errand" if _TRIP.match(low) else None


def is_home_move(old: str, new: str) -> bool:
    """Whether `from Paris to Berlin` tells of a home, not of a tool."""
    return old.rsplit(maxsplit=1)[-1] in PLACES or is_place(old) or is_place(new)


_NOT_VERBS = frozenset(
    """mind again ever a an the i you he she it we they this that these those my your his her our their too so very as
    in on at of for from with by to and or but not no yes happy glad nice good great better best worse bad the more
    less more most about there here been gonna going gotten heard seen had was were am are is will would could
    should might may can did does has have ready sure wrong right late early open closed true false available on off
    free there being having getting something anything nothing someone anyone one two first last enough fun hard
    easy interesting important the same ok okay fine forget forgot wanted thought knew loved liked used said told
    went got came saw did made found felt better simply just really quite almost nearly happens happened works
    worked fails failed seems seemed goes gets says looks feels returns shows takes gives means wins won lies lied
    makes thinks wants needs mine yours possible impossible worth welcome""".split()
)


def verb_rule(low: str, _shown: str) -> str | None:
    """`Always answer in French` but not `Never mind`, `Always a pleasure`, `Never heard of it`."""
    first = low.split(maxsplit=1)[0].strip(",.'")
    if first in _NOT_VERBS or low == "say never" or len(low.split()) < 2:
        return "no-instruction"
    if first.endswith(("ed", "ing", "ly")) and first not in (
        "bring",
        "embed",
        "need",
        "feed",
        "apply",
        "reply",
        "rely",
        "ping",
        "sing",
        "string",
        "proceed",
        "multiply",
    ):
        return "no-instruction"
    return None


# The commonest orders to an assistant; what `… from now on` must begin with.
IMPERATIVE = re.compile(
    r"(?:please,?\s+|always\s+)*(?P<no>(?:don'?t|do\s+not|never|stop)\s+)?(?:answer|reply|respond|write|use|using"
    r"|speak|talk|call|address|keep|give|be|make|format|explain|include|add|avoid|skip|show|start|end"
    r"|only|refer|treat|assume|prefer|default|stick|send|put|return|code|provide|list|quote|cite|translate|respect"
    r"|follow|ask|check|mention|suggest|recommend)\b"
)

_SUBJECT = re.compile(r"(?:it|this|that|there|he|she|they|everything|things|something|nobody|everyone)\b")


def order_rule(low: str, _shown: str) -> str | None:
    """`From now on it gets harder` orders nothing."""
    return "no-instruction" if _SUBJECT.match(low) else None


def imperative_rule(low: str, _shown: str) -> str | None:
    """`In the future, cars will fly` orders nothing."""
    return None if IMPERATIVE.match(low) else "no-instruction"


_FINITE = re.compile(
    r"(?:\w'(?:s|m|re|ll|ve|d)|n't|\b(?:is|are|am|was|were|has|have|had|will|won't|can|can't|cannot|must|should|may"
    r"|do|does|don't|did|i|we|you|use|uses|go|get|live|work|run|like|prefer|\w{2,}(?:s|ed))\b)"
)
_NOT_REMEMBERED = re.compile(
    r"(?:when|how|what|why|who|where|which|me|us|him|her|them|it|to|if|about|the\s+(?:time|day)"
    r"|last|our\s+(?:last|previous)|this|one)\b"
)


def remembered_rule(low: str, _shown: str) -> str | None:
    """A statement to keep: `the staging database is called hazel`; not `the milk`, `when we met`, `to call mum`."""
    if _NOT_REMEMBERED.match(low):
        return "no-statement"
    first, *rest = low.split()
    speaks = first in ("i", "we", "my") or "'" in first
    finite = _FINITE.search(low if speaks else " ".join(rest)) is not None
    return None if finite and len(rest) >= (1 if speaks else 2) else "no-statement"


Check = Callable[[str, str], str | None]
CHECKS: dict[str, tuple[Check, ...]] = {
    "name": (name_rule,),
    "last-name": (name_rule,),
    "goes-by": (name_rule,),
    "call-me": (name_rule,),
    "relation": (not_negated, name_rule),
    "live": (home_rule,),
    "based": (home_rule,),
    "moved": (moved_rule,),
    "from": (home_rule,),
    "work-as": (not_negated,),
    "work-at": (employer_rule,),
    "occupation": (occupation_rule,),
    "job": (not_negated,),
    "mother-tongue": (language_rule,),
    "speak": (language_rule,),
    "not-speak": (language_rule,),
    "born": (day_rule,),
    "birthday": (day_rule,),
    "timezone": (time_zone_rule,),
    "favourite": (not_negated,),
    "least-favourite": (not_negated,),
    "chose": (chosen_rule,),
    "going-with": (chosen_rule,),
    "will-use": (chosen_rule,),
    "lets": (chosen_rule,),
    "decided-against": (chosen_rule,),
    "switched-from": (moved_over_rule,),
    "switched-to": (moved_over_rule,),
    "always-do": (verb_rule,),
    "remember": (remembered_rule,),
    "from-now-on": (order_rule,),
    "in-future": (imperative_rule,),
}
