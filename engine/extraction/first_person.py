"""The phrase families that stand behind `I` (some also behind `we`), each with examples beside it."""

from engine.extraction.family import (
    ADVERB,
    BE,
    DECISION,
    FAN,
    HAVE,
    IDENTITY,
    NOT,
    PATTERN,
    PREFERENCE,
    TAKE,
    Family,
    spaced,
)
from engine.extraction.words import DIETS

# After `I`, `we` or, where a clause goes on about the same speaker, `and`.
FIRST_PERSON = (
    # -- likes
    Family(
        "prefer", PREFERENCE, "+", ADVERB + spaced(" (?:prefer|like|love|enjoy|adore)"), ("I really like dark mode",)
    ),
    Family(
        "would-prefer",
        PREFERENCE,
        "+",
        spaced("(?:'d| would)") + ADVERB + spaced(" prefer"),
        ("I'd prefer a window seat",),
    ),
    Family(
        "always-liked",
        PREFERENCE,
        "+",
        spaced("(?:'ve| have) always (?:preferred|liked|loved|enjoyed|adored)"),
        ("I've always preferred tabs",),
    ),
    Family("fan", PREFERENCE, "+", BE + ADVERB + spaced(" ") + FAN, ("I'm a big fan of jazz", "I'm into climbing")),
    Family(
        "diet",
        PREFERENCE,
        "+",
        BE + ADVERB + spaced(f"(?: an?)?(?: (?:strict|lifelong))?(?= (?:{DIETS})\\b)"),
        ("I'm vegan",),
    ),
    # -- dislikes
    Family(
        "dislike",
        PREFERENCE,
        "-",
        ADVERB + spaced(" (?:(?:try|tend) to )?(?:hate|dislike|detest|loathe|despise|avoid)"),
        ("I hate Mondays", "I try to avoid gluten"),
    ),
    Family(
        "cannot-stand",
        PREFERENCE,
        "-",
        ADVERB + spaced(" (?:can'?t|cannot|can not) (?:stand|bear|abide)"),
        ("I can't stand meetings",),
    ),
    Family(
        "do-not-like",
        PREFERENCE,
        "-",
        ADVERB
        + NOT
        + spaced("(?: (?:really|actually|particularly|especially|personally|much|even|all that|very much|generally))?")
        + spaced(" (?:like|enjoy|love|care for)"),
        ("I really don't like mushrooms",),
    ),
    Family(
        "no-fan",
        PREFERENCE,
        "-",
        BE + ADVERB + spaced(" not ") + spaced("(?:(?:really|exactly|particularly|at all) )?") + FAN,
        ("I'm not a fan of jazz",),
    ),
    Family(
        "no-longer-like",
        PREFERENCE,
        "-",
        ADVERB + spaced(" no longer (?:like|love|enjoy|prefer)"),
        ("I no longer like coffee",),
    ),
    Family(
        "always-hated",
        PREFERENCE,
        "-",
        spaced("(?:'ve| have) always (?:hated|disliked|avoided|detested)"),
        ("I've always hated olives",),
    ),
    Family(
        "no-diet",
        PREFERENCE,
        "-",
        BE + spaced(f" (?:not|no longer)(?: an?)?(?= (?:{DIETS})\\b)"),
        ("I'm no longer vegan",),
    ),
    # -- decisions
    Family(
        "will-use",
        DECISION,
        "+",
        spaced(
            "(?:(?:'ll| will| shall)|(?:'?m|'re| am| are) (?:going to|gonna))(?: (?:now|just|definitely|always|also"
            "|simply|therefore|then|instead)){0,2} "
        )
        + TAKE,
        ("I'll use Postgres", "I'm going to adopt Next.js", "We're going to use Redis"),
    ),
    Family("going-with", DECISION, "+", BE + ADVERB + spaced(" going with"), ("I'm going with Vue",)),
    Family(
        "chose",
        DECISION,
        "+",
        HAVE
        + ADVERB
        + spaced(
            " (?:chose|chosen|picked|selected|opted (?:for|to)|settled (?:on|for)|decided (?:to|on)|went with|gone "
            "with)(?! not )"
        ),
        ("I chose React", "We've settled on Svelte", "I have decided to move to Berlin"),
    ),
    Family(
        "switched-from",
        DECISION,
        "+",
        HAVE
        + ADVERB
        + spaced(" (?:switched|moved|migrated|converted|changed|went)(?: over| away| back)? from ")
        + r"(?P<old>[^.,;:!?\n]{1,60}?)"
        + spaced(" (?:over |back )?to"),
        ("I switched from Vim to Helix",),
    ),
    Family(
        "switched-to",
        DECISION,
        "+",
        HAVE + ADVERB + spaced(" (?:switched|migrated|converted|changed)(?: over| back)? to"),
        ("We migrated to Postgres",),
    ),
    Family(
        "will-not-use",
        DECISION,
        "-",
        spaced(
            "(?: won'?t| will (?:not|never)|'ll (?:not|never)|(?:'?m|'re| am| are) (?:not|never) (?:going to"
            "|gonna))(?: ever| be)? (?:(?:using)|"
        )
        + TAKE
        + ")",
        ("I won't use MongoDB again",),
    ),
    Family(
        "decided-against",
        DECISION,
        "-",
        HAVE
        + ADVERB
        + spaced(
            " (?:(?:decided|chose|chosen|opted) (?:against|not to)|ruled out|(?:stopped|quit) using"
            "|(?:given|gave) up(?: on)? using)"
        ),
        ("I decided against Kubernetes", "I stopped using Slack"),
    ),
    Family("no-longer-use", DECISION, "-", ADVERB + spaced(" no longer use"), ("I no longer use Vim",)),
    # -- patterns
    Family(
        "usually",
        PATTERN,
        "+",
        spaced(
            "(?: (?:almost|nearly|quite|very|pretty much|still|also|just|do))? (?:usually|always|often|frequently"
            "|regularly|typically|generally|normally"
        )
        + spaced("|routinely|habitually|commonly|mostly|tend to)"),
        ("I usually deploy on Fridays", "I tend to write tests first"),
    ),
    Family(
        "never",
        PATTERN,
        "-",
        spaced("(?: (?:almost|very|still|also|just))? (?:never(?:,? ever,?)?|rarely|seldom|hardly ever|tend not to)"),
        ("I never force-push to main", "I rarely eat out"),
    ),
    Family(
        "do-not-usually",
        PATTERN,
        "-",
        NOT + spaced(" (?:usually|normally|typically|generally|often|regularly|frequently|tend to|ever)"),
        ("I don't usually eat breakfast",),
    ),
    # -- identities
    Family("live", IDENTITY, "+", ADVERB + spaced(" (?:live|reside) (?:in|near)"), ("I live in Paris",), "home"),
    Family(
        "based",
        IDENTITY,
        "+",
        BE + ADVERB + spaced(" (?:living in|based (?:in|near|out of))"),
        ("I'm based in Oslo",),
        "home",
    ),
    Family(
        "moved",
        IDENTITY,
        "+",
        HAVE + ADVERB + spaced(" (?:just |recently )?(?:moved|relocated)(?: back)? to"),
        ("I moved to Berlin",),
        "home",
    ),
    Family(
        "from",
        IDENTITY,
        "+",
        BE + ADVERB + spaced(" from") + "|" + ADVERB + spaced(" (?:come|hail) from"),
        ("I'm from Chile",),
        "origin",
    ),
    Family("work-as", IDENTITY, "+", ADVERB + spaced(" work as"), ("I work as a nurse",), "occupation"),
    Family("work-at", IDENTITY, "+", ADVERB + spaced(" work (?:at|for)"), ("I work at a bakery",), "employer"),
    Family("allergic", IDENTITY, "+", BE + ADVERB + spaced(" allergic to"), ("I'm allergic to peanuts",), "allergy_"),
    Family(
        "not-allergic",
        IDENTITY,
        "-",
        BE + spaced(" (?:not|no longer) allergic to"),
        ("I'm not allergic to nuts",),
        "allergy_",
    ),
    Family("speak", IDENTITY, "+", ADVERB + spaced(" speak"), ("I speak Portuguese",), "language_"),
    Family(
        "not-speak", IDENTITY, "-", NOT + spaced(" (?:really )?speak(?: any)?"), ("I don't speak German",), "language_"
    ),
    Family("born", IDENTITY, "+", spaced(" was born on"), ("I was born on 3 May 1990",), "birthday"),
    Family(
        "goes-by", IDENTITY, "+", ADVERB + spaced(" go by") + "|" + BE + spaced(" called"), ("I go by Max",), "name"
    ),
    Family(
        "occupation",
        IDENTITY,
        "+",
        BE + ADVERB + spaced(" (?:an?|the)"),
        ("I'm a data engineer at a bakery",),
        "occupation",
    ),
    # -- what only resembles a statement
    Family(
        "would-like",
        PREFERENCE,
        "+",
        spaced("(?:'d| would)") + ADVERB + spaced(" (?:like|love|enjoy|hate|rather)"),
        ("I'd like a refund",),
        refused="politeness",
    ),
    Family(
        "might",
        DECISION,
        "+",
        spaced(
            "(?: (?:might|may|could|would|should|probably|maybe|perhaps|kinda|kind of|sort of)|'d|'ll probably|'ll "
            "maybe|'m thinking (?:about|of)"
        )
        + spaced("| am thinking (?:about|of)| will probably|'m considering| am considering)")
        + ADVERB
        + spaced(" (?:use|adopt|go with|prefer|like|love|pick|choose|using|switch(?:ing)? to|going with)"),
        ("I might use Svelte",),
        refused="hedge",
    ),
    Family(
        "used-to",
        PREFERENCE,
        "+",
        spaced(" used to (?:prefer|like|love|enjoy|hate|use|live|work|always|never)"),
        ("I used to love Perl",),
        refused="past",
    ),
    Family(
        "no-prefer",
        PREFERENCE,
        "-",
        NOT + spaced(" (?:prefer|hate|dislike|avoid|mind|always|only|just|necessarily)"),
        ("I don't prefer tabs",),
        refused="negated",
    ),
)

# Of these a `we` may say them too: a project's choices are made by its people.
NEED_SUBJECT = frozenset(f.name for f in FIRST_PERSON)
WE_SAY = frozenset(f.name for f in FIRST_PERSON if f.category == DECISION)
