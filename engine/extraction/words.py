"""Vocabularies of the rules: words of which only some members make a fact."""

import re

DIETS = (
    r"vegetarian|vegan|pescatarian|pescetarian|flexitarian|lactose[- ]intolerant|gluten[- ]free|gluten[- ]intolerant"
    r"|keto"
    r"|paleo|halal|kosher|teetotal|teetotaler|teetotaller|omnivore"
)

OCCUPATIONS = frozenset(
    """accountant actor actress actuary administrator adviser advisor agent analyst animator apprentice architect
    artist assistant astronaut astronomer athlete attorney auditor author baker banker barber barista bartender
    biologist blogger bookkeeper bookseller botanist broker builder butcher carer caretaker caregiver carpenter
    cashier ceo cfo chef chemist chiropractor cleaner clerk coach coder composer conductor consultant contractor
    cook coo copywriter counsellor counselor courier cto curator dancer dealer dentist designer detective developer
    dev dietitian diplomat director dispatcher doctor dj driver economist editor educator electrician employee
    engineer entertainer entrepreneur examiner farmer filmmaker firefighter fisherman florist founder freelancer
    cofounder co-founder gardener geologist geographer goldsmith grad graduate guard guide hacker hairdresser
    handyman headmaster historian homemaker host housewife illustrator inspector instructor intern interpreter
    inventor investigator investor janitor jeweller jeweler joiner journalist judge lawyer lecturer librarian
    linguist locksmith machinist maintainer manager marketer mason mathematician mechanic mediator medic mentor
    merchant midwife miner minister model musician narrator nanny neurologist notary novelist nurse nutritionist
    officer operator optician optometrist organizer organiser owner painter paralegal paramedic pastor pathologist
    pediatrician paediatrician pensioner pharmacist phd photographer physician physicist physiotherapist pianist
    pilot planner plumber poet policeman policewoman politician porter postdoc potter priest principal producer
    professor programmer psychiatrist psychologist psychotherapist publisher radiologist rancher realtor
    receptionist recruiter referee registrar repairman reporter representative researcher restaurateur retiree
    reviewer roofer sailor salesman salesperson saleswoman scholar scientist screenwriter sculptor seamstress
    secretary sergeant sheriff shopkeeper singer smith soldier solicitor specialist statistician stockbroker
    strategist streamer student stylist supervisor surgeon surveyor sysadmin tailor teacher technician technologist
    tester therapist trader trainee trainer translator treasurer tutor undergrad undergraduate upholsterer vet
    veterinarian vicar videographer violinist vp waiter waitress weaver welder writer youtuber zookeeper zoologist
    builder sre dba qa pm pensioner barrister brewer beekeeper""".split()
)
_OCCUPATION_ENDING = re.compile(
    r"(?:olog|otherap|ograph|onom)(?:ist|er)$|(?:iatrist|ician|grapher|smith|wright|keeper|maker"
    r"|monger)$"
)
NOT_OCCUPATIONS = frozenset("matchmaker goalkeeper peacemaker troublemaker scorekeeper timekeeper".split())


def is_occupation(noun: str) -> bool:
    """Whether people are that by profession."""
    if noun in NOT_OCCUPATIONS:
        return False
    return noun in OCCUPATIONS or _OCCUPATION_ENDING.search(noun) is not None


RELATIONS = (
    r"(?:grand|step|half-?|god|ex-?|foster[- ])?(?:mother|father|mom|mum|mommy|dad|daddy|brother|sister|son|daughter"
    r"|parent|child"
    r"|baby|wife|husband|spouse|partner|fianc[e\u00e9]e?|boyfriend|girlfriend|cousin|uncle|aunt|auntie|nephew|niece"
    r"|kid|twin|sibling)"
    r"(?:-in-law)?|grand(?:ma|pa|mother|father|son|daughter|child)|best\s+friend|friend|roommate|flatmate|housemate"
    r"|neighbou?r"
    r"|colleague|co-?worker|teammate|boss|manager|supervisor|mentor|teacher|doctor|dentist|therapist|landlord|tutor"
    r"|coach"
    r"|dog|cat|puppy|kitten|pet|horse|pony|rabbit|bunny|hamster|parrot|bird|fish|goldfish|turtle|tortoise|snake"
    r"|lizard|guinea\s+pig"
    r"|company|startup|start-up|employer|team|band|school|university|hometown|boat|car|client|assistant|business"
    r"|blog|podcast"
)

LANGUAGES = frozenset(
    """afrikaans albanian amharic arabic armenian assamese aymara azerbaijani bambara basque belarusian bengali bosnian
    breton bulgarian burmese cantonese catalan chechen chinese cornish corsican croatian czech danish dari dutch
    dzongkha english esperanto estonian farsi faroese fijian filipino finnish flemish french frisian gaelic galician
    georgian german greek guarani gujarati hausa hawaiian hebrew hindi hungarian icelandic igbo ilocano indonesian
    irish italian japanese javanese kannada kazakh khmer korean kurdish kyrgyz lao latin latvian lingala lithuanian
    luxembourgish macedonian malagasy malay malayalam maltese mandarin maori marathi mongolian navajo nepali
    norwegian occitan oriya pashto persian polish portuguese punjabi quechua romani romanian romansh russian samoan
    sanskrit scots sardinian serbian serbo-croatian shona sicilian sindhi sinhala sinhalese slovak slovene slovenian
    somali sorbian spanish sundanese swahili swedish tagalog taiwanese tajik tamil tatar telugu thai tibetan
    tigrinya tongan turkish turkmen twi ukrainian urdu uyghur uzbek valencian vietnamese welsh wolof xhosa yiddish
    yoruba zulu ladino klingon asl bsl""".split()
)

# People one goes somewhere with: not what one chose.
COMPANIONS = re.compile(
    r"(?:my|our|his|her|their|a|an|the|some|two|three)\s+(?:[\w-]+\s+){0,2}?(?:sister|brother|wife|husband|partner"
    r"|mother|father|mom|mum|dad|parents"
    r"|son|daughter|kids?|children|family|friends?|boyfriend|girlfriend|cousins?|uncle|aunt|colleagues?|co-?workers?"
    r"|team|boss"
    r"|dog|class(?:mates)?|roommates?|neighbou?rs?|flow|crowd|guys|gang|grandma|grandpa|grandmother|grandfather)\b"
    r"|(?:him|her|them|you|everyone|everybody|nobody|someone)\b|[\w-]+(?:\s+and\s+[\w-]+)?\s+to\s+(?:the|a|see|my"
    r"|buy|visit)\b"
)

# Well-known places: what one moves to, rather than a tool one changes to.
PLACES = frozenset(
    """amsterdam athens atlanta auckland austin bangalore bangkok barcelona basel beijing belfast belgrade bergen
    berlin bern birmingham bogota bologna bordeaux boston bratislava brisbane bristol brooklyn brussels bucharest
    budapest cairo calgary cambridge canberra caracas cardiff casablanca chennai chicago cologne copenhagen dallas
    delhi denver detroit dhaka doha dresden dubai dublin edinburgh eindhoven florence frankfurt gdansk geneva genoa
    ghent glasgow gothenburg graz hamburg hanoi helsinki houston istanbul jakarta jerusalem johannesburg karachi
    kathmandu kiev krakow kyiv kyoto lagos lausanne leeds leipzig lima lisbon liverpool ljubljana london luxembourg
    lviv lyon madrid malaga malmo manchester manila marseille melbourne miami milan minneapolis minsk montevideo
    montreal moscow mumbai munich nairobi naples nice nuremberg odessa osaka oslo ottawa oxford palermo paris perth
    philadelphia phoenix porto portland prague quito reykjavik riga riyadh rome rotterdam salzburg santiago sarajevo
    seattle seoul seville shanghai shenzhen singapore sofia split stockholm strasbourg stuttgart sydney taipei
    tallinn tbilisi tehran tokyo toronto toulouse tunis turin utrecht valencia vancouver venice vienna vilnius
    warsaw washington wellington wroclaw zagreb zurich argentina australia austria bangladesh belgium bolivia brazil
    bulgaria canada chile china colombia croatia cuba cyprus czechia denmark ecuador egypt england estonia ethiopia
    finland france georgia germany ghana greece hungary iceland india indonesia iran iraq ireland israel italy
    jamaica japan jordan kenya korea kuwait latvia lebanon lithuania malaysia malta mexico morocco nepal netherlands
    nigeria norway pakistan panama paraguay peru philippines poland portugal qatar romania russia scotland serbia
    slovakia slovenia spain sweden switzerland syria taiwan tanzania thailand tunisia turkey uganda ukraine uruguay
    usa uk us venezuela vietnam wales zambia california texas florida alaska hawaii oregon ohio utah nevada arizona
    colorado bavaria tuscany catalonia quebec ontario europe asia africa america""".split()
)
_PLACE_PREFIX = frozenset(
    "new san los las saint st santa rio buenos kuala tel hong cape mexico salt el north south west east the".split()
)


def is_place(words: str) -> bool:
    """Whether lower-case words begin with a well-known place, or with a word only places begin with."""
    first = re.match(r"[\w.-]+", words)
    return first is not None and (first[0].strip(".") in PLACES or (first[0] in _PLACE_PREFIX and " " in words))


# Tools one changes to with the same words as one changes cities.
TOOLS = frozenset(
    """angular ansible arch aws azure bash bazel bun c celery chrome clojure cloudflare cmake dart debian deno django
    docker dvorak eclipse edge elixir emacs eslint fastapi fedora figma firefox fish flask flutter gcp git github
    gitlab go golang gradle graphql grpc haskell helix helm heroku hetzner ios jest java javascript jenkins jira
    julia jupyter kafka kotlin kubernetes laravel linear linux lua mac macos mariadb maven microservices mongo
    mongodb mysql neovim next nextjs nginx nixos node nodejs notion npm numpy obsidian oracle pandas perl php pip
    pnpm podman poetry polars postgres postgresql preact prettier prisma pytest python pytorch qwerty rails react
    redis remix rest ruby ruff rust rustc safari scala sqlite sublime svelte swift tailwind tensorflow terraform
    tmux typescript ubuntu uv vercel vim vite vitest vscode vue webpack windows yarn zed zig zsh android slack
    discord teams serverless oat decaf tea coffee""".split()
)

# Words that announce or point and have nothing in them to remember.
EMPTY_WORDS = frozenset(
    """a an the to of and or in on at for with by as is are be been do does did very much so really too also just my
    your our his her their its this that these those it them me you i we not no more most less some any such than
    then there here one ones lot bit all both either neither none same other others thing things stuff something
    anything everything nothing what which who how when where why if but yes no ok okay again now well""".split()
)
