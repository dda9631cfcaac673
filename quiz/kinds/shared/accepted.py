"""What is answered by typing one of the answers that are accepted: shared by numeric and text. The weight of
the first that fits counts."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from msgspec.structs import replace

from quiz.answers import text_matching, within_tolerance
from quiz.answers.tolerance_as_written import written
from quiz.kinds.kind import EQUALS, DeckText, Made, Parts, QuestionKind, Remark, Says, Share, Told
from quiz.question import Accepted, Question

_WEIGHTED = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,5})?)% +(?=\S)")


class AcceptedAnswers(QuestionKind):
    """A typed answer, held against those that are accepted in their order; the first that fits counts."""

    answer_line = EQUALS

    def build(self, parts: Parts, says: Says) -> Made:
        return Made(accepted=tuple(self._answers(parts, says)))

    def _answers(self, parts: Parts, says: Says) -> list[Accepted]:
        found: list[Accepted] = []
        for draft in parts.drafts:
            text, weight = draft.whole, 1.0 if draft.mark == "=" else 0.0
            if match := _WEIGHTED.match(text):
                weight, text = float(match[1]) / 100, text[match.end() :]
                if weight > 1:
                    says(draft.line, "an answer is worth more than all its points", "Write at most `100%`")
            for one in self.alternatives(text):
                read = self.accepts(one)
                if trouble := self.trouble(read):
                    says(draft.line, *trouble)
                elif one.strip():
                    found.append(Accepted(one.strip(), weight, draft.why, read.number))
        if not any(answer.weight >= 1 for answer in found) and not parts.redacted:
            line = parts.drafts[0].line if parts.drafts else parts.head
            says(line, "no answer is right", "Write `= ` and the right answer below the question")
        return found

    def alternatives(self, text: str) -> list[str]:
        """Return the answers that one line accepts."""
        return [text]

    def trouble(self, answer: Accepted) -> tuple[str, str] | None:
        """Return why an answer is invalid and what to write instead, None if it is valid."""
        return None

    def written(self, question: Question, deck: DeckText) -> list[str]:
        return [row for answer in question.accepted for row in deck.accepted(answer)]

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        found = best(question.accepted, text[0] if text else "", question.case)
        return Share(found.weight, found.weight >= 1.0, (), found.explain) if found else Share(0.0, False)

    def told(self, question: Question) -> Told:
        right = [answer for answer in question.accepted if answer.weight >= 1.0]
        return Told((), tuple(a.text for a in right), tuple(a.explain for a in right))

    def remarks(self, question: Question) -> list[Remark]:
        return [Remark(a.text, a.explain, False) for a in question.accepted if a.explain and a.weight < 1.0]

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        return replace(question, accepted=tuple(self.accepts(text) for text in accepted))

    def key_as_typed(self, question: Question) -> str:
        return typed(next(answer for answer in question.accepted if answer.weight >= 1))

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        return " or ".join(self.told(question).accepted)


def typed(answer: Accepted) -> str:
    """Return an accepted answer as it would be typed."""
    return written(answer.number) if answer.number else answer.text


def best(accepted: Sequence[Accepted], typed: str, case: bool = False) -> Accepted | None:
    """Return the first accepted answer that `typed` fits, None if none does."""
    if not typed.strip():
        return None
    return next((answer for answer in accepted if _fits(answer, typed, case)), None)


def _fits(answer: Accepted, typed: str, case: bool) -> bool:
    if answer.number is not None:
        return within_tolerance.is_right(answer.number, typed)
    return text_matching.fits(answer.text, typed, case)
