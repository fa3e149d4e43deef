"""What is not a statement: each rule has a name, which a refused candidate carries, and examples of what it refuses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.extraction.clauses import ASKS, Lead


@dataclass(frozen=True, slots=True)
class Rule:
    """A pattern over what stands before a statement in its sentence, and examples of what it refuses."""

    name: str
    pattern: re.Pattern[str]
    examples: Sequence[str]


def _rule(name: str, pattern: str, *examples: str) -> Rule:
    return Rule(name, re.compile(pattern), examples)


_SAYING = (
    r"(?:said|says|saying|told|tells|telling|claims|claimed|wrote|writes|thinks"
    r"|(?<!some\s)(?<!more\s)(?<!of\s)(?<!any\s)thought|believes|believed|asks|asked|replied|replies|answered"
    r"|argue[sd]|insist(?:s|ed)|heard|hears|according\s+to|quotes|quoted|goes|states|stated|mentions|mentioned"
    r"|shouted|yelled|whispered|suggests|suggested"
    r"|sings|sang|reads|joked|jokes|announced|swears|swore|assumes|assumed|figured|guesses|guessed|reckons"
    r"|complain(?:s|ed)|admitted|explained|explains|texted|posted|tweeted|remarked|noted"
    r"|(?:(?!always\b)[a-z]+s|people|they|you|we|some|many|folks|everyone|would|will|might|could|can|to)\s+(?:say"
    r"|think|tell|claim|ask|write|believe|argue|insist|complain|joke|swear|assume)|say(?=\s+i\b)"
    r"|tell\s+\w+\s+(?:that|if|whether)|say:)"
)
# Before a `but`, nothing reaches the statement: `people say tabs are evil, but I prefer tabs`.
_RESET = re.compile(r"\b(?:but|however|anyway|nevertheless)\b")
# Idioms that look like a condition or a report and are neither.
_IDIOMS = re.compile(
    r"\b(?:if\s+(?:you\s+ask\s+me|i'm\s+honest|i'm\s+being\s+honest|i\s+may|you\s+must\s+know|that\s+helps"
    r"|it\s+helps|it\s+matters|you\s+don't\s+mind|you're\s+wondering|anything)"
    r"|in\s+case\s+(?:it\s+(?:helps|matters)|you(?:'re|\s+are)?\s+(?:wonder(?:ing)?|need\s+it|didn't\s+know))"
    r"|(?:as|like)\s+i(?:'ve|\s+have)?(?:\s+already)?\s+(?:said|mentioned|told\s+you|wrote|explained)(?:\s+(?:before"
    r"|earlier|already))?"
    r"|i(?:'ve)?\s+(?:already\s+)?(?:told\s+you|said|mentioned)(?:\s+(?:before|earlier|already))?(?:\s+that)?"
    r"|that\s+said|having\s+said\s+that|needless\s+to\s+say|i\s+must\s+say"
    r"|i\s+have\s+to\s+(?:say|admit)|i'd\s+say)\b"
)

# Looked for in the whole sentence before the statement, after the last `but`.
GOVERNING = (
    _rule(
        "negated-saying",
        r"\bi\s+(?:never|didn't|did\s+not|don't|do\s+not|haven't|wouldn't|can't)\s+(?:\w+\s+)?(?:said|say|told|tell|claim(?:ed)?"
        r"|mention(?:ed)?|think|believe|mean|meant)\b",
        "I never said I like Java",
    ),
    _rule(
        "conditional",
        r"\b(?:if|unless|suppose|supposing|assuming|assume|provid(?:ed|ing)\s+that|(?:as"
        r"|so)\s+long\s+as|whether|lest|in\s+case|were\s+i|had\s+i|should\s+i)\b",
        "If I like it I'll use it",
    ),
    _rule(
        "fiction",
        r"\b(?:story|poem|song|lyrics|novel|novella|dialog(?:ue)?|scene|screenplay|script\s+where|monologue|limerick"
        r"|haiku|fairy\s?tale|character|protagonist|hero(?:ine)?|villain"
        r"|role-?play|pretend(?:ing)?|imagine|imagining|act(?:ing)?\s+as|act\s+like|make-?believe|fictional"
        r"|hypothetical(?:ly)?|in\s+(?:my|a|the)\s+dream|let's\s+say|say\s+that|picture\s+this|persona|what\s+if"
        r"|parody|joke)\b",
        "Write a story where the hero says I love gold",
        "Pretend I live on Mars",
    ),
    _rule("report", rf"\b{_SAYING}\b|\bsaid\s*:", "Bob said I hate Mondays", "My boss thinks I always come late"),
    _rule(
        "negated-saying",
        r"\bnot\s+(?:just\s+|only\s+|simply\s+)?(?:because|that|as\s+if|like|since)\b|\b(?:isn't"
        r"|wasn't|ain't)\s+(?:true\s+)?(?:that|because)\b",
        "It's not that I hate Java",
    ),
)

_ANY_GOVERNING = re.compile("|".join(rule.pattern.pattern for rule in GOVERNING))

# Looked for in the words of the statement's own clause.
LEADING = (
    _rule(
        "negated-saying",
        r"\b(?:never|not|don't|dont|didn't|doesn't|isn't|wasn't|won't|can't|cannot|doubt|deny|false"
        r"|untrue|wouldn't|nobody|no\s+one|hardly)\b",
        "I don't think I prefer tabs",
    ),
    _rule(
        "wish",
        r"\b(?:wish|hope|hoping|want|would|'d|could|should|dream(?:ed|t)?|in\s+order\s+that|so\s+that"
        r"|afraid|worried|fear)\b",
        "I wish I always won",
    ),
    _rule(
        "hedge",
        r"\b(?:maybe|perhaps|might|possibly|probably|apparently|supposedly|allegedly|hopefully|presumably|may|guess|suppose|think|believe|feel|feels|seems?"
        r"|looks|as\s+though|sometimes\s+think|not\s+sure|unsure|wonder(?:ing)?|debating)\b",
        "Maybe I prefer tea",
    ),
    _rule(
        "question", rf"^(?:and\s+|so\s+|but\s+|then\s+|ok\s+)?{ASKS}\b", "Do I like Python", "Why do I always forget"
    ),
    _rule("past", r"\b(?:used\s+to|back\s+when|until|till|once)\b", "Until 2019 I always"),
    _rule(
        "other-speaker",
        r"\b(?:he|she|they|you|who|someone|people|everyone|wife|husband|boss|mom|dad|mother|father"
        r"|friend|brother|sister|colleague)\b",
        "the man who I always",
    ),
)

# What may stand between the beginning of a clause and its statement; anything else is refused.
_LEAD_IN = (
    r"(?:hi|hello|hey|hiya|yo|ok|okay|k|alright|right|well|so|yes|yeah|yep|yup|no|nope|nah|sure|great|cool|nice"
    r"|perfect|thanks|thx|thank\s+you|cheers|sorry|please"
    r"|also|and|but|then|now|plus|still|besides|moreover|furthermore|additionally|anyway|anyways|however"
    r"|nevertheless|instead|therefore|thus|hence|too|again"
    r"|(?:oh\s+)?(?:btw|by\s+the\s+way)|fyi|tbh|imo|imho|ngl|ps|p\.s|edit|update|oh|ah|um|uh|hmm|lol|haha|just|only"
    r"|even|because|since|cuz"
    r"|for\s+the\s+record|to\s+be\s+(?:honest|fair|clear|precise|exact|frank)|in\s+(?:general|fact|addition"
    r"|particular|short|practice|the\s+end|my\s+(?:opinion|view|case|experience|free\s+time|spare\s+time))"
    r"|i\s+mean|you\s+know|you\s+see|like|look|listen|see|honest(?:ly)?|of\s+course|no\s+doubt|as\s+(?:always|usual"
    r"|you\s+know|you\s+can\s+see|for\s+me|a\s+rule|a\s+result|well)|after\s+all"
    r"|(?:just\s+)?so\s+(?:that\s+)?you(?:'re\s+aware|\s+know)|you\s+should(?:\s+also)?\s+know(?:\s+that)?|(?:good"
    r"|important|worth)\s+to\s+know(?:\s+that)?|it\s+turns\s+out(?:\s+that)?|turns\s+out(?:\s+that)?"
    r"|(?:i'm|i\s+am)\s+(?:telling\s+you|sure|certain|glad|happy|proud|afraid)(?:\s+to\s+say)?(?:\s+that)?|(?:i"
    r"|i've)\s+(?:realized|realised|noticed|found|learned|learnt|discovered|admit|confess|know|already\s+know"
    r"|confirm)(?:\s+out)?(?:\s+that)?"
    r"|(?:let\s+me\s+(?:tell\s+you|say)|first\s+of\s+all|first|second|third|firstly|secondly|lastly|last|finally"
    r"|next|one\s+more\s+thing|another\s+thing|long\s+story\s+short|bottom\s+line|fun\s+fact|good\s+news|heads\s+up"
    r"|full\s+disclosure|disclaimer|reminder)"
    r"|these\s+days|nowadays|lately|today|yesterday|currently|at\s+the\s+moment|right\s+now|(?:last|this"
    r"|next)\s+(?:week|month|year|time|night|morning|summer|winter|spring|fall|autumn|quarter)|(?:from\s+now\s+on"
    r"|going\s+forward)"
    r"|(?:al)?though|even\s+though|while|whereas|given\s+that|considering(?:\s+that)?|seeing\s+(?:as|that)|both"
    r"|my\s+(?:\w+\s+){0,2}\w+\s+and|either\s+way|all\s+in\s+all|except|unlike\s+\w+"
    r"|usually|normally|typically|generally|mostly|most\s+of\s+the\s+time|(?:every|each|most)\s+(?:day|week|month"
    r"|year|morning|evening|night|weekend|summer|winter|friday|monday|time)s?|(?!(?:only|family|reply"
    r"|supply|apparently|probably|possibly|supposedly"
    r"|allegedly|hopefully|reportedly|presumably|seemingly|theoretically|hypothetically|ideally|rarely|hardly)\b)\w{3,}ly)"
)
LEAD_IN = re.compile(rf"(?:{_LEAD_IN}[\s]*)*")
# `For work I always …`, `As a developer I prefer …`, `When I travel I usually …`
_ABOUT = re.compile(
    r"(?:(?:and|but|so|also|then|now|well|ok|okay|yes|no)\s+)*(?:for|in|on|at|during|as\s+(?:an?|the|someone"
    r"|somebody)|with|after|before|by|over|regarding|about|under|outside|inside|apart\s+from|besides|unlike|without"
    r"|when\s+it\s+comes\s+to|when(?:ever)?\s+(?:i|i'm|we|we're)|when\s+\w+ing|while\s+\w+ing|since|due\s+to|from|to"
    r"|among|between|throughout|within|despite|instead\s+of|based\s+on|of\s+all)\s[^?]{1,90}"
)
_NOT_ABOUT = re.compile(
    rf"\b(?:{_SAYING}|he|she|they|who|that|which|wish|hope|could|might|would|not|never|n't|if|whether|what|dream"
    rf"|story|mind\s+that|i\s+(?:say|said|tell|told|claim|claimed))\b|n't\b"
)
_LABEL = re.compile(
    r"(?:^|[\s.,;])(?:note|notes|fyi|ps|p\.s|btw|update|edit|context|background|about\s+me|preferences?|info"
    r"|information|important|reminder|tl;dr|heads\s+up|correction|clarification|disclaimer"
    r"|my\s+(?:preferences?|setup|stack|workflow|profile|background|details|situation|context|settings|style|rules?"
    r"|habits?|answer|decision|choice|plan|tools?)|(?:facts?|things?|bit|little|more|details?)\s+about\s+(?:me"
    r"|myself)|to\s+be\s+(?:clear|honest|precise)"
    r"|decision|decided|one\s+(?:more\s+)?thing|question|(?:good\s+|bad\s+|big\s+)?news|by\s+the\s+way|in\s+short|bottom\s+line|fun\s+fact"
    r"|full\s+disclosure|introduction|intro|hi|hello|hey|ok|okay|yes|no|also|first|second|third|finally|remember"
    r"|that\s+said|answer|result|conclusion|summary|for\s+(?:the\s+record|reference|context)|some\s+context"
    r"|me\s+in\s+short)\s*$"
)


def lead_rule(lead: Lead) -> str | None:
    """The rule that refuses a statement for what stands before it, or None."""
    governing = _IDIOMS.sub(" ", _RESET.split(lead.before)[-1])
    words = _IDIOMS.sub(" ", lead.words).strip() if lead.words else ""
    if _ANY_GOVERNING.search(governing):
        return next(rule.name for rule in GOVERNING if rule.pattern.search(governing))
    if lead.boundary == ":" and not words and not _LABEL.search(lead.before.rstrip().rstrip(":*").strip(" *_-#\t\n")):
        return "label"
    if LEAD_IN.fullmatch(words):
        return None
    if _ABOUT.fullmatch(words) and not _NOT_ABOUT.search(words):
        return None
    for rule in LEADING:
        if rule.pattern.search(words):
            return rule.name
    return "not-the-speaker"


_SUBJECT_BEGINS = re.compile(r"[,;:.()\u2014]\s|\s(?:but|because|so|that)\s")
_NO_NAME = re.compile(r"\b(?:he|she|they|you|we|i|who|which|what|that|not|never|if)\b|n't\b")
_MOST_SUBJECT_WORDS = 6


def subject_of(lead: Lead, *, plural: bool) -> str:
    """The words that are the subject of a verb: its clause; of a plural also what an `and` joins to it."""
    words = _SUBJECT_BEGINS.split(lead.before)[-1] if plural else lead.words
    words = words.strip(" \t\n*_~#>\"'-+\u2022")
    return _FIRST_LEAD_IN.sub("", words)


_FIRST_LEAD_IN = re.compile(
    r"^(?:(?:and|but|so|also|well|oh|yes|no|ok|okay|hi|hello|personally|honestly|actually"
    r"|currently|now)\s+)+"
)


def named_subject_rule(words: str) -> str | None:
    """The rule that refuses words as the subject of `is my favourite`, or None."""
    if len(words.split()) > _MOST_SUBJECT_WORDS:
        return "pointer"
    return "not-the-speaker" if _NO_NAME.search(words) else None


_CONDITION = re.compile(
    r"[\s,]*(?:but\s+)?(?:only\s+)?(?:if|unless|provided\s+that|providing\s+that|as\s+long\s+as"
    r"|assuming|whether|in\s+case|depending\s+on)\b"
)
_DOUBT = re.compile(
    r"[\s,]*(?:maybe|perhaps|probably|possibly|i\s+(?:guess|think|suppose)|or\s+(?:maybe|not)\b"
    r"|not\s+sure|i'm\s+not\s+sure)\b"
)


_SAYER = r"(?:they|people|folks|he|she|someone|everyone|(?:my|our|the|his|her)\s+\w+|[a-z]+)"
_SAID_SO = re.compile(
    rf"[\s,]*,\s*(?:as\s+)?(?:{_SAYER}\s+(?:always\s+)?(?:says?|said|claims?|claimed|told\s+me"
    rf"|wrote|thinks?)\b(?!\s+(?:you|i)\b)|(?:said|says|wrote)\s)"
)
_I_SAY = re.compile(r"[\s,]*,\s*(?:as\s+)?(?:i|i'd)\s")


def tail_rule(rest: str) -> str | None:
    """The rule that refuses a statement for what follows: `I'll use Redis if it is fast`, `I like tea, I think`."""
    rest = _IDIOMS.sub(" ", rest)
    if _CONDITION.match(rest):
        return "conditional"
    if _DOUBT.match(rest):
        return "hedge"
    return lasting_tail_rule(rest)


def lasting_tail_rule(rest: str) -> str | None:
    """The same for habits and instructions, whose conditions belong to them."""
    if JOKE.match(rest):
        return "joke"
    return "report" if _SAID_SO.match(rest) and not _I_SAY.match(rest) else None


def doubtful(words: str) -> bool:
    """Whether an object begins with a hedge: `I'll use maybe Postgres`."""
    return _DOUBT.match(words) is not None


def reported(words: str) -> bool:
    """Whether a hedge of hearsay stands at an object's end: `trust a skinny chef, they say`."""
    comma = words.rfind(",")
    return comma > 0 and _SAID_SO.fullmatch(words, comma) is not None


JOKE = re.compile(
    r"\s*[,;.!?\u2026\u2014\u2013-]*\s*(?:\(?\s*)(?:just\s+kidding|only\s+kidding|kidding|jk\b|j/k"
    r"|not!|psych|said\s+no\s+one|said\s+nobody|/s\b|not\s+really|i'm\s+kidding|i'm\s+joking"
    r"|just\s+joking|\(not\))"
)

_POLITE_VERBS = (
    r"to\s+(?:bother|say|ask|admit|interrupt|disturb|nag|complain|repeat|tell|break|rush|push|know|hear|see\s+(?:it"
    r"|that|this|what)|think|believe|be\s+(?:that|the\s+one|a\s+pain|annoying|difficult|rude|pedantic))\b"
)
POLITE = re.compile(rf"(?:{_POLITE_VERBS}|not\s+to\b|if\s|it\s+if|that\s+(?:you|we)|you\s|your\s)")
TROUBLE = re.compile(
    r"(?:get|gets|see|receive|have|run\s+into|end\s+up\s+with|encounter|hit|face)\b.{0,60}?\b(?:errors?|exceptions?"
    r"|problems?|issues?|bugs?|warnings?|crash(?:es)?|failures?|timeouts?|tracebacks?|404|500|502|null|undefined|nan"
    r"|stuck|confused|lost|nothing|wrong)\b|(?:get|receive|see)\s+(?:an?|any|the)\s+(?:answer|reply|response|result|e-?mail|message)s?\b"
)
_IRREGULAR_PAST = (
    "was|were|had|did|said|went|got|knew|thought|saw|came|took|made|found|gave|told|felt|left|kept|held|brought"
    "|began|wrote|ran|heard|meant|met|paid|sat|stood|lost|fell|spoke"
    "|grew|drew|drove|broke|chose|ate|drank|forgot|understood|bought|caught|taught|sold|built|sent|spent|won|wore"
    "|threw|flew|slept|rode|been|done|gone|seen|taken|given|known|written|spoken|eaten"
)
_PRESENT_ED = frozenset("need feed speed bleed embed seed proceed exceed succeed shed wed breed weed heed".split())
_PAST = re.compile(rf"(?:{_IRREGULAR_PAST})\b")


def is_past(words: str) -> bool:
    """Whether words begin with a verb in the past: `liked`, `thought`."""
    first = re.match(r"[a-z'-]+", words)
    if first is None:
        return False
    return _PAST.match(words) is not None or (first[0].endswith("ed") and first[0] not in _PRESENT_ED)
