"""All phrase families: which words begin a statement, and what they say about its speaker."""

from engine.extraction.clauses import S
from engine.extraction.family import DECISION, FAVOURITE, IDENTITY, INSTRUCTION, IS, PATTERN, PREFERENCE, Family, spaced
from engine.extraction.first_person import FIRST_PERSON
from engine.extraction.words import RELATIONS

MY = (
    Family(
        "name", IDENTITY, "+", spaced("my (?:full |first |given |real )?name(?:'s| is)"), ("My name is Ada",), "name"
    ),
    Family(
        "last-name",
        IDENTITY,
        "+",
        spaced("my (?:last name|surname|family name)(?:'s| is)"),
        ("My surname is Lovelace",),
        "last_name",
    ),
    Family(
        "favourite",
        PREFERENCE,
        "+",
        spaced("my ")
        + FAVOURITE
        + spaced(r"(?: (?P<of>(?!is\b|are\b)[\w'/+#-]+(?: (?!is\b|are\b)[\w'/+#-]+){0,4}?))?")
        + IS,
        ("My favourite colour is teal", "My preferred editor is Vim"),
        "favourite_{}",
    ),
    Family(
        "least-favourite",
        PREFERENCE,
        "-",
        spaced(r"my least (?:favou?rite|preferred)(?: (?P<of>(?!is\b|are\b)[\w'-]+(?: (?!is\b|are\b)[\w'-]+){0,4}?))?")
        + IS,
        ("My least favorite food is liver",),
        "least_favourite_{}",
    ),
    Family(
        "timezone",
        IDENTITY,
        "+",
        spaced("my (?:local )?time ?zone(?:'s| is)").replace(S + "?", r"[\s-]?"),
        ("My time zone is CET",),
        "timezone",
    ),
    Family(
        "birthday",
        IDENTITY,
        "+",
        spaced("my (?:birthday|birth date|date of birth)(?:'s| is)(?: on)?"),
        ("My birthday is 3 May",),
        "birthday",
    ),
    Family("pronouns", IDENTITY, "+", spaced("my pronouns are"), ("My pronouns are she/her",), "pronouns"),
    Family(
        "job",
        IDENTITY,
        "+",
        spaced("my (?:job|job title|profession|occupation)(?:'s| is)"),
        ("My job title is editor",),
        "occupation",
    ),
    Family(
        "mother-tongue",
        IDENTITY,
        "+",
        spaced("my (?:native|first) language(?:'s| is)|my mother tongue(?:'s| is)"),
        ("My mother tongue is Thai",),
        "native_language",
    ),
    Family(
        "relation",
        IDENTITY,
        "+",
        spaced(
            rf"my (?P<of>(?:(?:older|elder|younger|little|big|eldest|oldest|youngest|late|new|first|second|\w+est|ex"
            rf"|current) ){{0,2}}(?:{RELATIONS}))"
        )
        + spaced("(?:(?:'s|'| s) name(?:'s| is)| is (?:called|named))"),
        ("My sister's name is Mia", "My dog is called Rex"),
        "{}_name",
    ),
)

OTHERS = (
    Family(
        "usually-i",
        PATTERN,
        "+",
        spaced(
            "(?:usually|normally|typically|generally|mostly|most of the time|as a rule),? i(?! (?:am|was|have to|can"
            "|will|would))"
        ),
        ("Usually I start with tests",),
    ),
    Family(
        "lets",
        DECISION,
        "+",
        spaced("(?:let'?s|let us)(?: (?:just|then|simply|now)){0,2} (?:go with|stick (?:with|to)|settle on|use|adopt)"),
        ("Let's go with Postgres",),
    ),
    Family(
        "call-me",
        IDENTITY,
        "+",
        spaced("(?:please |you can |you may |just |everyone calls? me |people )?call me"),
        ("Call me Sam",),
        "name",
    ),
    Family(
        "remember",
        INSTRUCTION,
        "+",
        spaced(
            "(?:please )?(?:always )?(?:remember|do(?:n'?t| not) (?:ever )?forget|never forget|keep in mind|bear in "
            "mind|(?:please |also )?note(?= that)|make a note)"
        )
        + spaced("(?: also)?(?: that(?! (?:one|time|day)\\b)|:| -)?")
        + ",?",
        ("Remember that the staging database is called hazel", "Please note that I work nights"),
    ),
    Family(
        "from-now-on",
        INSTRUCTION,
        "+",
        spaced("(?:from now on|from here on(?: out)?|going forward|from this point on|for future reference)")
        + "[,:]?(?:"
        + spaced(" please")
        + ",?)?"
        # `From now on I'll use pnpm` is a decision, and so on.
        + r"(?!\s+(?:i|we|my|our|i'll|i'm|we'll|we're)\b(?!\s+(?:want|need|expect|would)\s))",
        ("From now on, answer in Polish",),
    ),
    Family("in-future", INSTRUCTION, "+", spaced("in (?:the )?future,?"), ("In future, cite your sources",)),
    Family(
        "always-do",
        INSTRUCTION,
        "+",
        spaced("(?:please,? )?(?:always|never(?: ever)?)"),
        ("Always answer in French", "Please never use emojis"),
    ),
)

ALL = {family.name: family for family in (*FIRST_PERSON, *MY, *OTHERS)}
