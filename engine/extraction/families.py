"""The phrase families: which words begin a statement, what they say about its speaker, each with examples beside it."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from engine.extraction.clauses import S
from engine.extraction.words import DIETS, RELATIONS

PREFERENCE, DECISION, PATTERN, IDENTITY, INSTRUCTION = "preference", "decision", "pattern", "identity", "instruction"
TYPE_OF = {
    PREFERENCE: "factual",
    DECISION: "episodic",
    PATTERN: "factual",
    IDENTITY: "factual",
    INSTRUCTION: "procedural",
}


@dataclass(frozen=True, slots=True)
class Family:
    """One way to begin a statement.

    `opening` is what stands between the subject and the object. `attribute` names a single-valued fact; with a trailing
    `_` the object completes it; `{}` stands for the words the opening captured. A family with `refused` never makes a
    fact: it names the rule for words that resemble one.
    """

    name: str
    category: str
    polarity: str
    opening: str
    examples: Sequence[str]
    attribute: str = ""
    refused: str = ""


def _s(pattern: str) -> str:
    """Readable pattern: a space in it stands for white space between words."""
    return pattern.replace(" ", S)

def _by_letter(words: Sequence[str]) -> str:
    """An alternation that decides by the first letter, and so fails fast."""
    letters = sorted({word[0] for word in words})
    return "|".join(f"{c}(?:{'|'.join(word[1:] for word in words if word[0] == c)})" for c in letters)


_ADVERBS = [
    word.strip()
    for word in """
    really, truly, strongly, much, still, also, just, actually, personally, definitely, absolutely, totally, very
    much, quite, simply, especially, particularly, genuinely, certainly, honestly, even, sincerely, far, deeply,
    dearly, do, so, mainly, mostly, primarily, greatly, obviously, clearly, naturally, both, now, then, currently,
    finally, eventually, already, recently, ultimately, secretly, passionately, vastly, highly, overwhelmingly,
    thoroughly, completely, hugely, severely, deathly, very, badly, mildly, extremely, originally, actively,
    officially, full-time, part-time
    """.split(",")
]
_A = _s(f"(?: (?:{_by_letter(_ADVERBS)})){{0,3}}")
_BE = _s("(?:'?m|'re| am| are)")
_HAVE = _s("(?:'ve| have)?")
_NOT = _s("(?: don'?t| do not)")
_FAN = _s(
    "(?:(?:such )?an? (?:(?:really|very) )?(?:(?:big|huge|massive|great|real|true|long-?time|lifelong|die-?hard|avid) ){0,2}(?:fan|lover) of"
    "|(?:(?:really|very|super|totally) )?into|(?:(?:really|very) )?(?:fond of|keen on|partial to|passionate about|obsessed with))"
)
_TAKE = _s("(?:be using|use|adopt|go with|stick (?:with|to)|switch (?:over )?to|migrate (?:over )?to|opt for|settle on)")
_FAVOURITE = _s("(?:(?:all[- ]time|absolute|personal|current|own|number one) )?(?:favou?rite|fave|preferred|go-to)")
_IS = _s("(?: is| are| remains| remain|'s| has always been| have always been|:)")

# After `I`, `we` or, where a clause goes on about the same speaker, `and`.
FIRST_PERSON = (
    # -- likes
    Family("prefer", PREFERENCE, "+", _A + _s(" (?:prefer|like|love|enjoy|adore)"), ("I really like dark mode",)),
    Family("would-prefer", PREFERENCE, "+", _s("(?:'d| would)") + _A + _s(" prefer"), ("I'd prefer a window seat",)),
    Family(
        "always-liked",
        PREFERENCE,
        "+",
        _s("(?:'ve| have) always (?:preferred|liked|loved|enjoyed|adored)"),
        ("I've always preferred tabs",),
    ),
    Family("fan", PREFERENCE, "+", _BE + _A + _s(" ") + _FAN, ("I'm a big fan of jazz", "I'm into climbing")),
    Family("diet", PREFERENCE, "+", _BE + _A + _s(f"(?: an?)?(?: (?:strict|lifelong))?(?= (?:{DIETS})\\b)"), ("I'm vegan",)),
    # -- dislikes
    Family(
        "dislike",
        PREFERENCE,
        "-",
        _A + _s(" (?:(?:try|tend) to )?(?:hate|dislike|detest|loathe|despise|avoid)"),
        ("I hate Mondays", "I try to avoid gluten"),
    ),
    Family("cannot-stand", PREFERENCE, "-", _A + _s(" (?:can'?t|cannot|can not) (?:stand|bear|abide)"), ("I can't stand meetings",)),
    Family(
        "do-not-like",
        PREFERENCE,
        "-",
        _A + _NOT + _s("(?: (?:really|actually|particularly|especially|personally|much|even|all that|very much|generally))?")
        + _s(" (?:like|enjoy|love|care for)"),
        ("I really don't like mushrooms",),
    ),
    Family("no-fan", PREFERENCE, "-", _BE + _A + _s(" not ") + _s("(?:(?:really|exactly|particularly|at all) )?") + _FAN, ("I'm not a fan of jazz",)),
    Family("no-longer-like", PREFERENCE, "-", _A + _s(" no longer (?:like|love|enjoy|prefer)"), ("I no longer like coffee",)),
    Family("always-hated", PREFERENCE, "-", _s("(?:'ve| have) always (?:hated|disliked|avoided|detested)"), ("I've always hated olives",)),
    Family("no-diet", PREFERENCE, "-", _BE + _s(f" (?:not|no longer)(?: an?)?(?= (?:{DIETS})\\b)"), ("I'm no longer vegan",)),
    # -- decisions
    Family(
        "will-use",
        DECISION,
        "+",
        _s("(?:(?:'ll| will| shall)|(?:'?m|'re| am| are) (?:going to|gonna))(?: (?:now|just|definitely|always|also|simply|therefore|then|instead)){0,2} ")
        + _TAKE,
        ("I'll use Postgres", "I'm going to adopt Next.js", "We're going to use Redis"),
    ),
    Family("going-with", DECISION, "+", _BE + _A + _s(" going with"), ("I'm going with Vue",)),
    Family(
        "chose",
        DECISION,
        "+",
        _HAVE + _A
        + _s(" (?:chose|chosen|picked|selected|opted (?:for|to)|settled (?:on|for)|decided (?:to|on)|went with|gone with)(?! not )"),
        ("I chose React", "We've settled on Svelte", "I have decided to move to Berlin"),
    ),
    Family(
        "switched-from",
        DECISION,
        "+",
        _HAVE + _A + _s(" (?:switched|moved|migrated|converted|changed|went)(?: over| away| back)? from ")
        + r"(?P<old>[^.,;:!?\n]{1,60}?)" + _s(" (?:over |back )?to"),
        ("I switched from Vim to Helix",),
    ),
    Family("switched-to", DECISION, "+", _HAVE + _A + _s(" (?:switched|migrated|converted|changed)(?: over| back)? to"), ("We migrated to Postgres",)),
    Family(
        "will-not-use",
        DECISION,
        "-",
        _s(
            "(?: won'?t| will (?:not|never)|'ll (?:not|never)|(?:'?m|'re| am| are) (?:not|never) (?:going to|gonna))(?: ever| be)? (?:(?:using)|"
        )
        + _TAKE + ")",
        ("I won't use MongoDB again",),
    ),
    Family(
        "decided-against",
        DECISION,
        "-",
        _HAVE + _A + _s(" (?:(?:decided|chose|chosen|opted) (?:against|not to)|ruled out|(?:stopped|quit) using|(?:given|gave) up(?: on)? using)"),
        ("I decided against Kubernetes", "I stopped using Slack"),
    ),
    Family("no-longer-use", DECISION, "-", _A + _s(" no longer use"), ("I no longer use Vim",)),
    # -- patterns
    Family(
        "usually",
        PATTERN,
        "+",
        _s("(?: (?:almost|nearly|quite|very|pretty much|still|also|just|do))? (?:usually|always|often|frequently|regularly|typically|generally|normally")
        + _s("|routinely|habitually|commonly|mostly|tend to)"),
        ("I usually deploy on Fridays", "I tend to write tests first"),
    ),
    Family(
        "never",
        PATTERN,
        "-",
        _s("(?: (?:almost|very|still|also|just))? (?:never(?: ever)?|rarely|seldom|hardly ever|tend not to)"),
        ("I never force-push to main", "I rarely eat out"),
    ),
    Family(
        "do-not-usually",
        PATTERN,
        "-",
        _NOT + _s(" (?:usually|normally|typically|generally|often|regularly|frequently|tend to|ever)"),
        ("I don't usually eat breakfast",),
    ),
    # -- identities
    Family("live", IDENTITY, "+", _A + _s(" (?:live|reside) (?:in|near)"), ("I live in Paris",), "home"),
    Family("based", IDENTITY, "+", _BE + _A + _s(" (?:living in|based (?:in|near|out of))"), ("I'm based in Oslo",), "home"),
    Family("moved", IDENTITY, "+", _HAVE + _A + _s(" (?:just |recently )?(?:moved|relocated)(?: back)? to"), ("I moved to Berlin",), "home"),
    Family("from", IDENTITY, "+", _BE + _A + _s(" from") + "|" + _A + _s(" (?:come|hail) from"), ("I'm from Chile",), "origin"),
    Family("work-as", IDENTITY, "+", _A + _s(" work as"), ("I work as a nurse",), "occupation"),
    Family("work-at", IDENTITY, "+", _A + _s(" work (?:at|for)"), ("I work at a bakery",), "employer"),
    Family("allergic", IDENTITY, "+", _BE + _A + _s(" allergic to"), ("I'm allergic to peanuts",), "allergy_"),
    Family("not-allergic", IDENTITY, "-", _BE + _s(" (?:not|no longer) allergic to"), ("I'm not allergic to nuts",), "allergy_"),
    Family("speak", IDENTITY, "+", _A + _s(" speak"), ("I speak Portuguese",), "language_"),
    Family("not-speak", IDENTITY, "-", _NOT + _s(" (?:really )?speak(?: any)?"), ("I don't speak German",), "language_"),
    Family("born", IDENTITY, "+", _s(" was born on"), ("I was born on 3 May 1990",), "birthday"),
    Family("goes-by", IDENTITY, "+", _A + _s(" go by") + "|" + _BE + _s(" called"), ("I go by Max",), "name"),
    Family("occupation", IDENTITY, "+", _BE + _A + _s(" (?:an?|the)"), ("I'm a data engineer at a bakery",), "occupation"),
    # -- what only resembles a statement
    Family("would-like", PREFERENCE, "+", _s("(?:'d| would)") + _A + _s(" (?:like|love|enjoy|hate|rather)"), ("I'd like a refund",), refused="politeness"),
    Family(
        "might",
        DECISION,
        "+",
        _s("(?: (?:might|may|could|would|should|probably|maybe|perhaps|kinda|kind of|sort of)|'d|'ll probably|'ll maybe|'m thinking (?:about|of)")
        + _s("| am thinking (?:about|of)| will probably|'m considering| am considering)") + _A
        + _s(" (?:use|adopt|go with|prefer|like|love|pick|choose|using|switch(?:ing)? to|going with)"),
        ("I might use Svelte",),
        refused="hedge",
    ),
    Family("used-to", PREFERENCE, "+", _s(" used to (?:prefer|like|love|enjoy|hate|use|live|work|always|never)"), ("I used to love Perl",), refused="past"),
    Family("no-prefer", PREFERENCE, "-", _NOT + _s(" (?:prefer|hate|dislike|avoid|mind|always|only|just|necessarily)"), ("I don't prefer tabs",), refused="negated"),
)

# Of these a `we` may say them too: a project's choices are made by its people.
WE_SAY = frozenset(f.name for f in FIRST_PERSON if f.category == DECISION)

MY = (
    Family("name", IDENTITY, "+", _s("my (?:full |first |given |real )?name(?:'s| is)"), ("My name is Ada",), "name"),
    Family("last-name", IDENTITY, "+", _s("my (?:last name|surname|family name)(?:'s| is)"), ("My surname is Lovelace",), "last_name"),
    Family(
        "favourite",
        PREFERENCE,
        "+",
        _s("my ") + _FAVOURITE + _s(r"(?: (?P<of>(?!is\b|are\b)[\w'/+#-]+(?: (?!is\b|are\b)[\w'/+#-]+){0,4}?))?") + _IS,
        ("My favourite colour is teal", "My preferred editor is Vim"),
        "favourite_{}",
    ),
    Family(
        "least-favourite",
        PREFERENCE,
        "-",
        _s(r"my least (?:favou?rite|preferred)(?: (?P<of>(?!is\b|are\b)[\w'-]+(?: (?!is\b|are\b)[\w'-]+){0,4}?))?") + _IS,
        ("My least favorite food is liver",),
        "least_favourite_{}",
    ),
    Family("timezone", IDENTITY, "+", _s("my (?:local )?time ?zone(?:'s| is)").replace(S + "?", r"[\s-]?"), ("My time zone is CET",), "timezone"),
    Family("birthday", IDENTITY, "+", _s("my (?:birthday|birth date|date of birth)(?:'s| is)(?: on)?"), ("My birthday is 3 May",), "birthday"),
    Family("pronouns", IDENTITY, "+", _s("my pronouns are"), ("My pronouns are she/her",), "pronouns"),
    Family("job", IDENTITY, "+", _s("my (?:job|job title|profession|occupation)(?:'s| is)"), ("My job title is editor",), "occupation"),
    Family("mother-tongue", IDENTITY, "+", _s("my (?:native|first) language(?:'s| is)|my mother tongue(?:'s| is)"), ("My mother tongue is Thai",), "native_language"),
    Family(
        "relation",
        IDENTITY,
        "+",
        _s(rf"my (?P<of>(?:(?:older|elder|younger|little|big|eldest|oldest|youngest|late|new|first|second|\w+est|ex|current) ){{0,2}}(?:{RELATIONS}))")
        + _s("(?:(?:'s|'| s) name(?:'s| is)| is (?:called|named))"),
        ("My sister's name is Mia", "My dog is called Rex"),
        "{}_name",
    ),
)

OTHERS = (
    Family(
        "usually-i",
        PATTERN,
        "+",
        _s("(?:usually|normally|typically|generally|mostly|most of the time|as a rule),? i(?! (?:am|was|have to|can|will|would))"),
        ("Usually I start with tests",),
    ),
    Family(
        "lets",
        DECISION,
        "+",
        _s("(?:let'?s|let us)(?: (?:just|then|simply|now)){0,2} (?:go with|stick (?:with|to)|settle on|use|adopt)"),
        ("Let's go with Postgres",),
    ),
    Family("call-me", IDENTITY, "+", _s("(?:please |you can |you may |just |everyone calls? me |people )?call me"), ("Call me Sam",), "name"),
    Family(
        "remember",
        INSTRUCTION,
        "+",
        _s("(?:please )?(?:always )?(?:remember|do(?:n'?t| not) (?:ever )?forget|never forget|keep in mind|bear in mind|(?:please |also )?note|make a note)")
        + _s("(?: also)?(?: that(?! (?:one|time|day)\\b)|:| -)?") + ",?",
        ("Remember that the staging database is called hazel", "Please note that I work nights"),
    ),
    Family(
        "from-now-on",
        INSTRUCTION,
        "+",
        _s("(?:from now on|from here on(?: out)?|going forward|from this point on|for future reference|in (?:the )?future)") + "[,:]?(?:" + _s(" please") + ",?)?"
        # `From now on I'll use pnpm` is a decision, and so on.
        + r"(?!\s+(?:i|we|my|our|i'll|i'm|we'll|we're)\b(?!\s+(?:want|need|expect|would)\s))",
        ("From now on, answer in Polish",),
    ),
    Family("always-do", INSTRUCTION, "+", _s("(?:please,? )?(?:always|never(?: ever)?)"), ("Always answer in French", "Please never use emojis")),
)

ALL = {family.name: family for family in (*FIRST_PERSON, *MY, *OTHERS)}
_EDGE = r"(?![\w'-])"


def _any_of(families: Sequence[Family]) -> str:
    """One alternation; each family is a group named after it (and free of groups of its own)."""
    bodies = ((f.name.replace("-", "_"), re.sub(r"\(\?P<\w+>", "(?:", f.opening)) for f in families)
    return "|".join(f"(?P<{name}>(?:{body}){_EDGE})" for name, body in bodies)


OPENINGS = {name: re.compile(f"(?:{family.opening}){_EDGE}") for name, family in ALL.items()}
_BEHIND_SUBJECT = re.compile(_any_of(FIRST_PERSON))
_WHOLE = re.compile(_any_of((*MY, *OTHERS)))
# X is my favourite Y: the object stands before.
_IS_MY_FAVOURITE = re.compile(_s(r"(?:is|are|remains) (?:still |also )?my ") + f"(?P<least>{_s('least ')})?" + _FAVOURITE + _s(r"(?: (?P<of>[\w'+#-]+(?: (?!in\b|of\b|for\b|and\b|but\b|to\b)[\w'+#-]+){0,3}))?"))

_NEXT_WORDS = sorted(
    set(
        """really truly strongly much still also just actually personally definitely absolutely totally very quite simply
        especially particularly genuinely certainly honestly even sincerely far deeply dearly do so mainly mostly primarily greatly
        generally obviously clearly naturally both now then currently finally eventually already recently ultimately secretly
        passionately vastly highly overwhelmingly thoroughly completely hugely prefer like love enjoy adore would have am are
        are try tend hate dislike detest loathe despise avoid can't cant cannot can don't dont no will shall won't wont chose
        chosen picked selected opted settled decided went gone switched moved migrated converted changed ruled stopped quit
        given gave almost nearly pretty usually always often frequently regularly typically normally routinely habitually
        commonly never rarely seldom hardly live reside relocated come hail work speak was go might may could should probably
        maybe perhaps kinda kind sort used actively officially full-time part-time originally""".split()
    )
)
ANCHOR = re.compile(
    r"\b(?<!['\-\ue000\ue001])(?:"
    rf"(?P<subject>i|we)(?='|m\s|{S}(?:{_by_letter(_NEXT_WORDS)})\b)"
    rf"|(?P<whole>my(?={S}\w)|let'?s\b|let(?={S}us)|call(?={S}me)|(?:please|you|just|everyone|people)(?={S}[\w' ]{{0,12}}?call)|remember\b|do(?:n'?t|{S}not)(?={S}(?:ever{S})?forget)"
    r"|(?:usually|normally|typically|generally|mostly|most|as)(?=[\s,]+(?:of\s+the\s+time|a\s+rule)?[\s,]*i\s)|never\b|always\b|keep\b|bear\b|note\b|make\b|please\b|from\b|going\b|for\b|in\b(?=\s+(?:the\s+)?future))"
    rf"|(?P<favourite>(?:is|are|remains)(?={S}(?:still{S}|also{S})?my{S}))"
    r")"
)


def behind_subject(low: str, position: int) -> tuple[Family, int] | None:
    """Return the family whose opening stands at a position right behind `I`, and where its object begins."""
    return _named(_BEHIND_SUBJECT.match(low, position))


def whole(low: str, position: int) -> tuple[Family, int] | None:
    """Return the family that begins at a position without an `I`, and where its object begins."""
    return _named(_WHOLE.match(low, position))


def is_my_favourite(low: str, position: int) -> re.Match[str] | None:
    """Return the match of `is my favourite Y` at a position."""
    return _IS_MY_FAVOURITE.match(low, position)


def _named(found: re.Match[str] | None) -> tuple[Family, int] | None:
    if found is None or found.lastgroup is None:
        return None
    return ALL[found.lastgroup.replace("_", "-")], found.end()
