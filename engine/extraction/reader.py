"""From an opening to a fact: one candidate at a time, refused by the first rule that applies."""

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property

from engine.extraction import assistants, identities, objects, openings, rules
from engine.extraction.clauses import Sentence, Sentences, lead_of, statement_in_question
from engine.extraction.families import ALL
from engine.extraction.family import INSTRUCTION, PATTERN, TYPE_OF, Family
from engine.extraction.meaning import Candidate, Meaning, content_rule, key_of, meaning_of
from engine.extraction.objects import Ending
from engine.extraction.regions import Regions, find_regions
from engine.extraction.speech import QUOTE, Speech
from engine.extraction.types import Fact, Refusal
from engine.redaction import contains_secret


@dataclass(frozen=True, slots=True)
class Outcome:
    """A fact or a refusal, and where reading goes on."""

    result: Fact | Refusal
    end: int


_QUOTED = re.compile(f"{QUOTE}+")
_QUOTE_MARKS = "\"'\u201c\u201d\u201e\u2018\u2019\u00ab\u00bb\u300c\u300d\u300e\u300f "
_SOMEBODYS_WORDS = re.compile(r"\b(?:i|i['\u2019]\w+|me|my|we|you|your)\b", re.IGNORECASE)
_MOST_QUOTED_WORDS = 5
_MOST_QUOTED_IN_INSTRUCTION = 25
_AND = re.compile(r"\s*,?\s*(?:and|but)(?:\s+(?:also|then|still|now))?(?=\s)")


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
        return find_regions(self._low, self._speech.raw)

    def read(self, candidate: Candidate) -> Outcome | None:
        """Return what becomes of a candidate; None when it is none at all."""
        if candidate.shape == "favourite-before":
            return self._favourite_before(candidate.start)
        if candidate.shape == "order-before":
            return self._order_before(candidate.start)
        sentence = self._sentences.around(candidate.start)
        if candidate.opened > sentence.end:
            return None
        rule = self._rule_before(candidate, sentence)
        if rule and candidate.family.category == INSTRUCTION and self._regions.rule_at(candidate.start) is None:
            return None  # `it never works`: not even a candidate
        category = candidate.family.category
        ending = objects.find_end(self._low, self._speech.shown, candidate.opened, sentence, candidate.family)
        meaning = meaning_of(candidate, objects.trim(self._low, ending, category), self._low)
        rule = rule or candidate.family.refused or self._rule_within(meaning, ending, sentence)
        if not rule and self._holds_secret(candidate, sentence, ending):
            rule = "secret"
        if rule:
            end = max(meaning.object.end, candidate.opened)
            return Outcome(Refusal(self.span(candidate.start, end), rule), ending.end)
        return Outcome(self._fact(candidate, meaning), ending.end)

    def _rule_before(self, candidate: Candidate, sentence: Sentence) -> str | None:
        rule = self._regions.rule_at(candidate.start)
        if rule or candidate.shape == "elided":
            return rule
        return rules.lead_rule(lead_of(self._low, sentence, candidate.start))

    def _rule_within(self, meaning: Meaning, ending: Ending, sentence: Sentence) -> str | None:
        """The rule that refuses a candidate for its object, or for what follows it."""
        family, object_ = meaning.family, meaning.object
        rule = objects.empty_rule(self._low, object_)
        if rule and not (family.attribute and self._low[object_.start : object_.end].isdigit()):
            return rule  # one digit is little, but may be a favourite number
        if sentence.asks and not statement_in_question(self._low, ending.end, sentence):
            return "question"
        words = self._low[object_.start : object_.end]
        return (
            self._rule_behind(family, ending)
            or self._quote_rule(object_, family.category)
            or content_rule(family, words)
            or self._special_rule(family, words, self._speech.shown[object_.start : object_.end])
        )

    def _rule_behind(self, family: Family, ending: Ending) -> str | None:
        rest = self._low[ending.end : ending.end + 120]
        if family.category in (PATTERN, INSTRUCTION):  # their conditions belong to them
            return rules.lasting_tail_rule(rest)
        return rules.tail_rule(rest)

    def _special_rule(self, family: Family, words: str, shown: str) -> str | None:
        for check in identities.CHECKS.get(family.name, ()):
            rule = check(words, shown)
            if rule:
                return rule
        return assistants.lasting_rule(family, words, shown) if self._role == "assistant" else None

    def _quote_rule(self, object_: Ending, category: str) -> str | None:
        """A quoted term may be an object (`the "Solarized" theme`); somebody's words may not."""
        for found in _QUOTED.finditer(self._low, object_.start, object_.end):
            quoted = self._speech.raw[found.start() : found.end()]
            limit = _MOST_QUOTED_IN_INSTRUCTION if category == INSTRUCTION else _MOST_QUOTED_WORDS
            if len(quoted.split()) > limit or (category != INSTRUCTION and _SOMEBODYS_WORDS.search(quoted)):
                return "quote"
        return None

    def _holds_secret(self, candidate: Candidate, sentence: Sentence, ending: Ending) -> bool:
        """Whether a credential stands in the statement, or right behind its colon (`using password: …`)."""
        end = min(sentence.end, ending.end + 200) if ending.cause == ":" else ending.end
        return contains_secret(self._speech.raw[candidate.start : max(end, candidate.opened)])

    def _fact(self, candidate: Candidate, meaning: Meaning) -> Fact:
        family, object_ = meaning.family, meaning.object
        opening = openings.OPENINGS[family.name].match(self._low, candidate.start) if "{}" in family.attribute else None
        said = self.words(candidate.start, object_.end)
        return self._make(
            family,
            meaning.polarity,
            object_,
            content=f"I {said}" if candidate.shape == "elided" else said,
            span=(candidate.start, object_.end),
            of=opening["of"] if opening else None,
        )

    def _make(
        self,
        family: Family,
        polarity: str,
        object_: Ending,
        *,
        content: str,
        span: tuple[int, int],
        of: str | None = None,
    ) -> Fact:
        spoken = self.words(object_.start, object_.end)
        return Fact(
            category=family.category,
            type=TYPE_OF[family.category],
            polarity=polarity,
            object=spoken,
            content=content,
            key=key_of(family, spoken, of),
            span=self.span(*span),
        )

    def words(self, start: int, end: int) -> str:
        """The words as given: white space collapsed, ticks and emphasis dropped, NFC."""
        text = self._speech.raw[start:end].replace("`", "").replace("**", "").replace("__", "")
        text = unicodedata.normalize("NFC", " ".join(text.split()))
        return text if self._low[start:end].strip(QUOTE) else text.strip(_QUOTE_MARKS)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Offsets in the text given, of offsets in the part of it that is read."""
        return start + self._speech.offset, end + self._speech.offset

    def continued(self, end: int) -> Candidate | None:
        """The candidate that goes on behind an object without repeating its `I`: `I love pizza and hate olives`."""
        joint = _AND.match(self._low, end)
        found = openings.behind_subject(self._low, joint.end()) if joint else None
        if joint is None or found is None:
            return None
        start = joint.end()
        while self._low[start].isspace():
            start += 1
        return Candidate(found[0], start, found[1], "elided")

    def _order_before(self, position: int) -> Outcome | None:
        """`Answer in Polish from now on.`: the instruction stands before the words at `position` that make it last."""
        sentence = self._sentences.around(position)
        lead = lead_of(self._low, sentence, position)
        start = position - len(lead.before) + lead.before.rfind(lead.words)
        order = identities.IMPERATIVE.match(self._low, start, position)
        if not order or sentence.asks or self._role == "assistant" or self._regions.rule_at(position):
            return None
        family = ALL["from-now-on"]
        begin = order.end("no") if order["no"] else start
        object_ = objects.trim(self._low, Ending(begin, position, ""), INSTRUCTION)
        if rules.lead_rule(lead_of(self._low, sentence, start)) or objects.empty_rule(self._low, object_):
            return None
        end = self._low.find("on", position) + 2 if self._low.startswith("from", position) else object_.end
        if contains_secret(self._speech.raw[start:end]):
            return Outcome(Refusal(self.span(start, end), "secret"), end)
        polarity = "-" if order["no"] else "+"
        return Outcome(self._make(family, polarity, object_, content=self.words(start, end), span=(start, end)), end)

    def _favourite_before(self, position: int) -> Outcome | None:
        """`Neovim is my favourite editor`: the object stands before the verb at `position`."""
        found = openings.is_my_favourite(self._low, position)
        if found is None:
            return None
        sentence = self._sentences.around(position)
        lead = lead_of(self._low, sentence, position)
        words = rules.subject_of(lead, plural=found[0].startswith("are"))
        start = position - len(lead.before) + lead.before.rfind(words) if words else position
        object_, span = Ending(start, start + len(words), ""), (start, found.end())
        family = ALL["least-favourite" if found["least"] else "favourite"]
        rule = (
            self._regions.rule_at(position)
            or self._favourite_rule(object_, sentence, found.end())
            or ("secret" if contains_secret(self._speech.raw[slice(*span)]) else None)
        )
        if rule:
            return Outcome(Refusal(self.span(*span), rule), found.end())
        content = self.words(*span)
        return Outcome(
            self._make(family, family.polarity, object_, content=content, span=span, of=found["of"]), found.end()
        )

    def _favourite_rule(self, object_: Ending, sentence: Sentence, end: int) -> str | None:
        words = self._low[object_.start : object_.end]
        rule = objects.empty_rule(self._low, object_) or rules.named_subject_rule(words)
        if rule or objects.points(words):
            return rule or "pointer"
        if sentence.asks and not statement_in_question(self._low, end, sentence):
            return "question"
        if self._role == "assistant":
            return "assistant"
        return self._quote_rule(object_, "") or rules.lead_rule(lead_of(self._low, sentence, object_.start))
