"""What is not a statement: each rule refuses its kind of sentence, and names itself."""

import pytest

from engine.extraction import extract
from engine.extraction.regions import OPENERS
from engine.extraction.rules import GOVERNING, LEADING

RULES: dict[str, list[str]] = {
    "question": [
        "Do I like Python?",
        "Why do I always forget that?",
        "I prefer tabs, right?",
        "I like Python, don't I?",
        "Am I sure that I prefer tea?",
    ],
    "conditional": [
        "If I like it I'll use it",
        "If it rains, I'll use the car",
        "Unless it scales, I'll use Redis.",
        "I'll use Redis if it is fast enough.",
        "I prefer the train, unless it is late.",
        "Provided that it holds, I'll use glue.",
    ],
    "hedge": [
        "I might use Svelte",
        "Maybe I'll use Deno.",
        "I'm thinking about using Nix",
        "I think I prefer tea",
        "I'll use Redis, I guess",
        "Probably I'll use Go.",
        "I'll use maybe Postgres",
    ],
    "wish": ["I wish I always won", "I hope I never lose my keys"],
    "politeness": [
        "I'd like a refund",
        "I would like to know how joins work",
        "I'd love to hear more",
        "I would prefer not to say",
        "I hate to bother you",
        "I'd prefer if you kept it short",
    ],
    "pointer": [
        "I like it",
        "I like that, sounds good",
        "I prefer the second one",
        "I'll go with the latter",
        "I like how you explained it",
        "I love your answer",
        "I always use that",
        "I hate doing this",
    ],
    "report": [
        "My boss says I always come late",
        "She told me I never listen",
        "Bob wrote: I will use Go. I hate Java.",
        "According to my doctor I always sit badly",
        "I never trust a skinny chef, they say",
    ],
    "negated-saying": [
        "I never said I like Java",
        "I don't think I prefer tabs",
        "It's not that I hate Java",
        "I didn't say I always win",
    ],
    "pretence": ["Pretend I live in Oslo", "Imagine I work at Nokia. I hate phones.", "Let's say I prefer tabs"],
    "fiction": ["Write a story where the hero lies and says I love gold.", "In the novel, I live in a castle"],
    "text-to-work-on": [
        "Translate to French: I love the sea",
        "Proofread the following text.\n\nI live in Madrid. I love flamenco.",
        "I love cats. Translate that to Dutch.",
        "Fix the grammar: I always wins",
    ],
    "label": ["Anna: I prefer Linux"],
    "example": ["Example: I always lock my door"],
    "past": ["I used to love Perl", "I always liked jazz"],
    "negated": ["I don't prefer tabs", "I don't always lock the door", "My favourite colour is not red"],
    "joke": ["I love Mondays. Just kidding.", "I always win, said no one"],
    "trouble": ["I always get an error when I build", "I never get an answer"],
    "chat": ["I never know which branch to use", "I often wonder about that lake"],
    "too-long": ["I prefer " + "very " * 120 + "long things"],
    "empty": ["I prefer X", "I like the", "I prefer ..."],
    "announcement": ["I prefer the following:\n- tabs\n- dark mode"],
    "companion": ["I went with my sister to the zoo"],
    "phrasal-verb": ["I picked up the phone", "I can't stand up"],
    "errand": ["I'm going to use the bathroom"],
    "no-occupation": ["I'm a bit confused", "I am a beginner"],
    "no-name": ["My name is on the list", "Call me when you can"],
    "no-language": ["I speak from experience"],
    "relative-day": ["My birthday is in two weeks"],
    "no-place": ["I moved to Postgres", "I live in fear"],
    "no-employer": ["I work at night"],
    "no-instruction": ["Never mind that", "Always a pleasure", "Never heard of it"],
    "no-statement": ["Remember the milk"],
    "quote": ['I love the line "I am your father"'],
    "secret": [
        "I always use sk-test-FAKE0123456789abcdef for this",
        "Remember that my password is hunter2",
        "I'll use postgres://app:s3cret@db/prod for the app",
        "I prefer using password: hunter2",
    ],
    "background-prompt": ["Generate a short title for this conversation"],
}


@pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in RULES.items() for text in texts])
def test_a_refused_candidate_carries_the_name_of_its_rule(rule: str, text: str) -> None:
    extraction = extract(text)
    assert extraction.facts == []
    assert rule in {refusal.rule for refusal in extraction.refused}


@pytest.mark.parametrize("text", [text for rule in (*GOVERNING, *LEADING, *OPENERS) for text in rule.examples])
def test_the_examples_beside_the_rules_are_refused(text: str) -> None:
    assert extract(text).facts == []


@pytest.mark.parametrize(
    "text",
    [
        "My boss prefers Java.",
        "My wife's favourite colour is red",
        "whenever you're ready, go ahead",
        "Our team decided on Kubernetes.",
        "I use Firefox.",
        "We use Postgres 16 in production.",
        "I'm getting an error",
        "I am not sure.",
        "Do you remember that I like tea?",
        "It never works",
        "You always say that",
        "I've never been to Japan.",
        "I feel like a coffee",
        "Ana likes tea.",
        "",
        "   ",
    ],
)
def test_what_is_not_of_the_speaker_yields_nothing(text: str) -> None:
    assert extract(text).facts == []


@pytest.mark.parametrize(
    ("text", "object_"),
    [
        ("I prefer dark mode, can you set it up?", "dark mode"),
        ("I'm vegan, what can I cook?", "vegan"),
        ("People say tabs are evil, but I prefer tabs.", "tabs"),
        ("As I said, I prefer tabs", "tabs"),
        ("I told you I prefer tabs", "tabs"),
        ("When I travel, I usually take the train.", "take the train"),
        ("Since I'm vegan, what should I order?", "vegan"),
        ("Note: I prefer tabs", "tabs"),
        ("I used to love Perl, now I prefer Raku", "Raku"),
        ("If you ask me, I prefer tabs", "tabs"),
        ("I always commit if the tests pass", "commit if the tests pass"),
    ],
)
def test_what_only_resembles_them_is_kept(text: str, object_: str) -> None:
    assert [fact.object for fact in extract(text).facts] == [object_]


def test_text_to_work_on_ends_with_its_paragraph() -> None:
    text = "Translate: I love cats\n\nBy the way, I live in Bonn."
    assert [fact.object for fact in extract(text).facts] == ["Bonn"]


def test_a_refusals_span_points_at_its_words() -> None:
    text = "Well. I like it, thanks."
    [refusal] = extract(text).refused
    assert text[slice(*refusal.span)] == "I like it"
