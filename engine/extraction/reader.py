"""From an opening to a fact: one candidate at a time, refused by the first rule that applies."""

import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property

from engine.extraction import assistants, families, identities, objects, rules
from engine.extraction.clauses import Sentence, Sentences, lead_of, statement_in_question
from engine.extraction.families import DECISION, IDENTITY, INSTRUCTION, PATTERN, PREFERENCE, Family
from engine.extraction.keys import attribute, fact_key
from engine.extraction.objects import Ending
from engine.extraction.regions import Regions, find_regions
from engine.extraction.speech import QUOTE, Speech
from engine.extraction.types import Fact, Refusal
from engine.redaction import contains_secret


@dataclass(frozen=True, slots=True)
class Candidate:
    """Words that open a statement: from `start`, the object from `opened`; `elided` says that its `I` stands in the clause before."""

    family: Family
    start: int
    opened: int
    elided: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """A fact or a refusal, and where reading goes on."""

    result: Fact | Refusal
    ending: Ending


_AND = re.compile(r"\s*,?\s*(?:and|but)(?:\s+(?:also|i|then|still|now))?(?=\s)")
_OWN_QUOTE = re.compile(r"\b(?:i|i'\w+|me|my|we|you|your)\b", re.IGNORECASE)


class Reader:
    """Reads the candidates of one text."""

    def __init__(self, speech: Speech, role: str) -> None:
        self._speech = speech
        self._low = speech.low
        self._role = role

    # Most messages hold no candidate and need neither.
    @cached_property
    def _sentences(self) -> Sentences:
        return Sentences(self._low)

    @cached_property
    def _regions(self) -> Regions:
        return find_regions(self._low)

    def read(self, candidate: Candidate) -> Outcome | None:
        """Return what becomes of a candidate; None when it is none at all."""
        family = candidate.family
        sentence = self._sentences.around(candidate.start)
        if candidate.opened > sentence.end:
            return None
        ending = objects.find_end(self._low, self._speech.shown, candidate.opened, sentence, family.category)
        rule = self._before(candidate, sentence)
        if rule and family.category == INSTRUCTION and rule != "pretence":
            return None
        return self._weigh(candidate, sentence, ending, rule)

    def _before(self, candidate: Candidate, sentence: Sentence) -> str | None:
        rule = self._regions.rule_at(candidate.start)
        if rule or candidate.elided:
            return rule
        return rules.lead_rule(lead_of(self._low, sentence, candidate.start))

    def _weigh(self, candidate: Candidate, sentence: Sentence, ending: Ending, rule: str | None) -> Outcome:
        found = _understood(candidate, objects.trim(self._low, ending), self._low)
        rule = rule or candidate.family.refused or self._object_rule(found, ending, sentence)
        if rule is None and contains_secret(self._speech.raw[candidate.start : max(ending.end, found.ending.end)]):
            rule = "secret"
        if rule is None:
            return Outcome(self._fact(candidate, found), ending)
        end = max(found.ending.end, min(candidate.opened, sentence.end))
        return Outcome(Refusal(self._span(candidate.start, end), rule), ending)

    def _object_rule(self, found: "_Understood", ending: Ending, sentence: Sentence) -> str | None:
        low, family, object_ = self._low, found.family, found.ending
        rule = objects.empty_rule(low, object_)
        if rule:
            return rule
        if sentence.asks and not statement_in_question(low, ending.end, sentence):
            return "question"
        words = low[object_.start : object_.end]
        shown = self._speech.shown[object_.start : object_.end]
        rest = low[ending.end : ending.end + 120]
        rule = rules.tail_rule(rest) if family.category != PATTERN and family.category != INSTRUCTION else None
        rule = rule or ("joke" if rules.JOKE.match(rest) else None)
        rule = rule or self._quote_rule(object_, family.category) or content_rule(family, words)
        for check in identities.CHECKS.get(family.name, ()):
            rule = rule or check(words, shown)
        if self._role == "assistant" and not rule:
            rule = assistants.lasting_rule(family, words, shown)
        return rule

    def _quote_rule(self, object_: Ending, category: str) -> str | None:
        """A quoted term may be an object (`the "Solarized" theme`); somebody's words may not."""
        for found in re.finditer(f"{QUOTE}+", self._low[object_.start : object_.end]):
            quoted = self._speech.raw[object_.start + found.start() : object_.start + found.end()]
            limit = 25 if category == INSTRUCTION else 5
            if len(quoted.split()) > limit or (category != INSTRUCTION and _OWN_QUOTE.search(quoted)):
                return "quote"
        return None

    # -- facts ------------------------------------------------------------------------------------------------------------

    def _fact(self, candidate: Candidate, found: "_Understood") -> Fact:
        family, object_ = found.family, found.ending
        spoken = self.words(object_.start, object_.end)
        start, end = candidate.start, max(object_.end, candidate.opened if object_.start < candidate.start else 0)
        start = min(start, object_.start)
        content = self.words(start, end)
        if candidate.elided:
            content = f"I {content}"
        key = _key(family, spoken, candidate, self._low)
        return Fact(
            category=family.category,
            type=families.TYPE_OF[family.category],
            polarity=found.polarity,
            object=spoken,
            content=content,
            key=key,
            span=self._span(start, end),
        )

    def words(self, start: int, end: int) -> str:
        """The words as given: white space collapsed, ticks and emphasis dropped, NFC."""
        text = self._speech.raw[start:end].replace("`", "").replace("**", "").replace("__", "")
        text = unicodedata.normalize("NFC", " ".join(text.split()))
        if self._speech.low[start:end].strip(QUOTE) == "":
            text = text.strip("\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f ")
        return text

    def _span(self, start: int, end: int) -> tuple[int, int]:
        return start + self._speech.offset, end + self._speech.offset

    def continued(self, ending: Ending) -> Candidate | None:
        """The candidate that goes on behind an object without repeating its `I`: `I love pizza and hate olives`."""
        joint = _AND.match(self._low, ending.end)
        found = families.behind_subject(self._low, joint.end()) if joint else None
        if joint is None or found is None or joint[0].rstrip().endswith(" i"):
            return None
        start = joint.end() + len(self._low[joint.end() : found[1]]) - len(self._low[joint.end() : found[1]].lstrip())
        return Candidate(found[0], start, found[1], elided=True)

    def favourite(self, position: int) -> Outcome | None:
        """`Neovim is my favourite editor`: the object stands before the verb at `position`."""
        found = families.is_my_favourite(self._low, position)
        if found is None:
            return None
        sentence = self._sentences.around(position)
        lead = lead_of(self._low, sentence, position)
        before = re.split(r"[,;:.()\u2014]\s|\s(?:but|because|so|that)\s", lead.before)[-1] if found[0].startswith("are") else lead.words
        before = before.strip(objects._EDGE)
        start = self._low.rfind(before, sentence.start, position) if before else position
        object_ = Ending(start, start + len(before), "")
        name = "least-favourite" if found["least"] else "favourite"
        candidate = Candidate(families.ALL[name], start, found.end())
        rule = self._regions.rule_at(position) or self._favourite_rule(lead.before[: -len(before) or None], object_, sentence, found.end())
        if rule:
            return Outcome(Refusal(self._span(start, found.end()), rule), Ending(start, found.end(), ""))
        spoken = self.words(object_.start, object_.end)
        family = families.ALL[name]
        key = f"{PREFERENCE}:{family.attribute.format(attribute(found['of']))}" if found["of"] else fact_key(PREFERENCE, spoken)
        fact = Fact(PREFERENCE, "factual", family.polarity, spoken, self.words(start, found.end()), key, self._span(start, found.end()))
        del candidate
        return Outcome(fact, Ending(start, found.end(), ""))

    def _favourite_rule(self, before: str, object_: Ending, sentence: Sentence, end: int) -> str | None:
        words = self._low[object_.start : object_.end]
        rule = objects.empty_rule(self._low, object_)
        if rule or objects.points(words) or len(words.split()) > 6:
            return rule or "pointer"
        if sentence.asks and not statement_in_question(self._low, end, sentence):
            return "question"
        if re.search(r"\b(?:he|she|they|you|we|i|who|which|that|not|never|if|said|says)\b|n't\b", words):
            return "not-the-speaker"
        if self._role == "assistant":
            return "assistant"
        return rules.lead_rule(lead_of(self._low, replace(sentence, end=object_.start), object_.start))


@dataclass(frozen=True, slots=True)
class _Understood:
    """A candidate with its object's final bounds, polarity and family (`I usually don't` says the opposite)."""

    family: Family
    polarity: str
    ending: Ending


_NEGATION = re.compile(r"(?:don'?t|do\s+not|never)\s+")
_AFTER_FROM_NOW_ON = re.compile(r"(?:(?:please,?|i\s+(?:want|need|expect|would\s+like)\s+you\s+to|i'd\s+like\s+you\s+to|you\s+(?:should|must|will))\s+)*(?:(?P<no>don'?t|do\s+not|never)|always)?\s*")


def _understood(candidate: Candidate, ending: Ending, low: str) -> _Understood:
    family, polarity = candidate.family, candidate.family.polarity
    start = ending.start
    if family.name == "usually":
        negation = _NEGATION.match(low, start, ending.end)
        if negation:
            start, polarity = negation.end(), "-"
    elif family.name == "from-now-on":
        prefix = _AFTER_FROM_NOW_ON.match(low, start, ending.end)
        if prefix:
            start, polarity = prefix.end(), "-" if prefix["no"] else "+"
    elif family.name == "always-do":
        polarity = "-" if "never" in low[candidate.start : candidate.opened] else "+"
    elif family.name in ("occupation", "work-as"):
        article = re.compile(r"(?:an?|the)\s+").match(low, start, ending.end)
        start = article.end() if article else start
    elif family.name == "switched-from":
        old = families.OPENINGS[family.name].search(low, candidate.start, candidate.opened)
        if old and " moved" in low[candidate.start : candidate.opened] and identities.is_home_move(old["old"], low[start : ending.end]):
            family = families.ALL["moved"]
    return _Understood(family, polarity, Ending(min(start, ending.end), ending.end, ending.cause))


_MODAL = re.compile(r"(?:would|could|can|can't|should|might|may|will|am|was|were|had|did|didn't|have\s+(?:been|had|seen|done|used|to)|do|is|are|i|you|he|she|it|we|they|the|a|an|my|this|that|in|on|at|of|as|not)\b(?!-)")
_VAGUE_VERB = re.compile(r"(?:wonder|know|understand|seem|mind|forget\s+(?:how|what|which|that|to)|remember|manage\s+to|feel\s+like|think|find\s+(?:myself|it|that)|mean|get\s+(?:it|this|that|used))\b")


def content_rule(family: Family, words: str) -> str | None:
    """The rule of its category that refuses an object."""
    if family.category == PREFERENCE and family.name not in ("favourite", "least-favourite"):
        if rules.POLITE.match(words) or (family.name == "would-prefer" and words.startswith("to ")):
            return "politeness"
        if family.name == "cannot-stand" and re.match(r"(?:up|still|here|there|in|on)\b", words):
            return "phrasal-verb"
    if family.category in (PREFERENCE, DECISION) and objects.points(words):
        return "pointer"
    return _pattern_rule(words) if family.category == PATTERN else None


def _pattern_rule(words: str) -> str | None:
    if _MODAL.match(words):
        return "no-verb"
    if _VAGUE_VERB.match(words):
        return "chat"
    if rules.is_past(words):
        return "past"
    if rules.TROUBLE.match(words):
        return "trouble"
    rest = words.partition(" ")[2]
    return "pointer" if rest and objects.is_pointer(rest) else None


_TAKEN = re.compile(r"(?:to\s+)?(?:use|using|adopt|adopting|go\s+with|going\s+with|switch\s+to|stick\s+(?:with|to))\s+", re.IGNORECASE)


def _key(family: Family, spoken: str, candidate: Candidate, low: str) -> str:
    name = family.attribute
    if not name:
        subject = _TAKEN.sub("", spoken, count=1) if family.category == DECISION and _TAKEN.match(spoken) else spoken
        return fact_key(family.category, subject)
    if "{}" in name:
        found = families.OPENINGS[family.name].match(low, candidate.start)
        of = found["of"] if found else None
        return f"{family.category}:{name.format(attribute(of))}" if of else fact_key(family.category, spoken)
    if name.endswith("_"):
        languages = identities.spoken(spoken.lower()) if family.category == IDENTITY and name == "language_" else []
        return fact_key(family.category, f"{name[:-1]} {' '.join(languages) or spoken}")
    return f"{family.category}:{name}"
