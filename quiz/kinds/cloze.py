"""A text with gaps: `{{answer|other}}` is typed, `{{right|~wrong|~wrong}}` is chosen, `{{= 16 ± 1 GB}}` is a
number. A share for each gap, by its weight; of one for several picks their weights added up."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial

from msgspec.structs import replace

from quiz.answers.option_labels import labels, named, places
from quiz.answers.tolerance_as_written import number, written
from quiz.kinds.kind import Made, Parts, QuestionKind, Remark, Reply, Says, Share, Told, text_of
from quiz.kinds.shared.accepted import best, typed
from quiz.question import Accepted, Gap, Question

_GAP = re.compile(r"\{\{(?P<body>[^{}]*)\}\}")
_OR = "|"  # between the texts that a gap accepts, as decks write them
_INSIDE = str.maketrans("|{}", "¦()")  # what parts the answers of a gap, and ends it


class Cloze(QuestionKind):
    """A text with gaps, each typed or chosen on its own."""

    between = "; "
    parts = "gaps"

    def recognised(self, lines: Sequence[str]) -> bool:
        return re.search(r"\{\{[^{}]+\}\}", "\n".join(lines)) is not None

    def build(self, parts: Parts, says: Says) -> Made:
        gaps: list[Gap] = []

        def take(line: int, match: re.Match[str]) -> str:
            body = match["body"].strip()
            if parts.redacted and (not body or body.isdecimal() or body.startswith("~")):
                offered = tuple(one.strip().lstrip("~").strip() for one in body.split("|") if "~" in body)
                gaps.append(Gap((), offered))
            elif body.startswith("="):
                value = number(body[1:])
                if value is None:
                    says(line, f"{body!r} is not a number", "Write `{{= 16.6 ± 0.1 GB}}`")
                gaps.append(Gap((Accepted(body[1:].strip(), number=value),)))
            else:
                pieces = [one.strip() for one in body.split("|")]
                right = tuple(Accepted(one) for one in pieces if one and not one.startswith("~"))
                wrong = [one[1:].strip() for one in pieces if one.startswith("~") and one[1:].strip()]
                if not right:
                    says(line, "this gap has no right answer", "Write `{{answer}}` or `{{answer|other}}`")
                offered = tuple(sorted((*(answer.text for answer in right), *wrong))) if wrong else ()
                gaps.append(Gap(right, offered))
            return "{{" + str(len(gaps)) + "}}"

        lines = [_GAP.sub(partial(take, at), line) for at, line in enumerate(parts.stem, parts.body_line)]
        if not gaps:
            says(parts.head, "there is no gap in the text", "Write `{{answer}}` where one is to be filled in")
        return Made(gaps=tuple(gaps), stem=text_of(lines))

    def stem(self, question: Question, stem: str) -> str:
        gaps = iter(question.gaps)
        return re.sub(r"\{\{\d+\}\}", lambda _: "{{" + _written(next(gaps)) + "}}", stem)

    def reply(self, question: Question, typed: str) -> Reply | str:
        """One text a gap, by `;`; of a gap with texts to choose from one of them, or its label."""
        texts = [text.strip() for text in typed.split(";")]
        count = len(question.gaps)
        if len(texts) != count:
            return f"{count} answers, with `;` between them" if count > 1 else "one answer, without `;`"
        for at, (gap, text) in enumerate(zip(question.gaps, texts, strict=True)):
            if not gap.offered or not text:
                continue
            chosen = _offered(gap, text)
            if chosen is None:
                said = labels(gap.offered)
                which = f" for gap {at + 1}" if count > 1 else ""
                return f"one of {said[0]} to {said[-1]}, or its text{which}"
            texts[at] = " | ".join(gap.offered[n] for n in chosen)
        return Reply(text=tuple(texts))

    def how(self, question: Question) -> str:
        return "an answer for each gap, with ; between them"

    def typing(self, question: Question) -> str:
        return "an answer for each gap, with ; between them; of offered texts the number or letter will do"

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        padded = (*text, *("",) * len(question.gaps))
        found = [
            _graded(gap, typed, question.case) for gap, typed in zip(question.gaps, padded, strict=False)
        ]
        parts = tuple(share for share, _ in found)
        total = math.fsum(gap.weight for gap in question.gaps)
        earned = math.fsum(part * gap.weight for part, gap in zip(parts, question.gaps, strict=True))
        why = "\n\n".join(dict.fromkeys(filter(None, (explain for _, explain in found))))
        return Share(earned / total if total else 0.0, all(part >= 1.0 for part in parts), parts, why)

    def accepts(self, text: str) -> Accepted:
        return Accepted(text, number=number(text))

    def told(self, question: Question) -> Told:
        rights = ([a.text for a in gap.accepted if a.weight >= 1.0] for gap in question.gaps)
        return super().told(question)._replace(key=(), accepted=tuple(map(_OR.join, rights)))

    def remarks(self, question: Question) -> list[Remark]:
        return [
            Remark(answer.text, answer.explain, answer.weight >= 1.0, n)
            for n, gap in enumerate(question.gaps)
            for answer in gap.accepted
            if answer.explain
        ]

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        known = question.gaps or (Gap(()),) * len(accepted)
        gaps = tuple(
            Gap(tuple(self.accepts(text) for text in alternatives(texts)), gap.offered, gap.weight)
            for gap, texts in zip(known, accepted, strict=False)
        )
        return replace(question, gaps=gaps)

    def key_as_typed(self, question: Question) -> str:
        rights = [gap.right[: None if gap.many else 1] for gap in question.gaps]
        return "; ".join(" | ".join(map(typed, right)) for right in rights)

    def key_in_words(self, question: Question, words: Callable[[str], str]) -> str:
        rights = [gap.right[: None if gap.many else 1] for gap in question.gaps]
        return "; ".join(" and ".join(answer.text for answer in right) for right in rights if right)


def alternatives(accepted: str) -> list[str]:
    """The texts that a gap accepts, the first one first."""
    return [text.strip() for text in accepted.split(_OR) if text.strip()]


def picked(typed: str) -> list[str]:
    """The texts picked for one gap: with `|` between them, or commas."""
    return list(dict.fromkeys(filter(None, map(str.strip, typed.split("|" if "|" in typed else ",")))))


def _written(gap: Gap) -> str:
    if gap.right and gap.right[0].number:
        return f"= {written(gap.right[0].number)}"
    right = [answer.text for answer in gap.right]
    texts = [*right, *(f"~{text}" for text in gap.offered if text not in right)]
    return "|".join(" ".join(text.split()).translate(_INSIDE) for text in texts)


def _graded(gap: Gap, typed: str, case: bool) -> tuple[float, str]:
    """The share that a gap earns (0 to 1), and what belongs to its answer."""
    if not gap.many:
        if any(_same(text, typed) for text in gap.offered):  # the one that was chosen: `-5` is not `5`
            answer = next((one for one in gap.accepted if _same(one.text, typed)), None)
        else:
            answer = best(gap.accepted, typed, case or gap.case)
        return (answer.weight, answer.explain) if answer else (0.0, "")
    found = [best(gap.accepted, pick, gap.case) for pick in picked(typed)]
    earned = math.fsum(answer.weight if answer else -1.0 for answer in found)
    # Thirds come as 33.33333 %.
    share = 1.0 if earned > 0.9999 else max(0.0, earned)
    return share, "\n\n".join(answer.explain for answer in found if answer and answer.explain)


def _same(text: str, typed: str) -> bool:
    return " ".join(text.split()).casefold() == " ".join(typed.split()).casefold()


def _offered(gap: Gap, text: str) -> list[int] | None:
    """What of a gap's texts was chosen: one, or where several belong there any of them."""
    said = labels(gap.offered)
    one = named(text, gap.offered)
    if one is not None:
        return [one]
    found = places(text, said, gap.offered)
    if found is not None and (gap.many or len(found) == 1):
        return list(dict.fromkeys(found))
    words = [named(word, gap.offered) for word in picked(text)] if gap.many else [None]
    return [n for n in words if n is not None] if None not in words else None


KIND = Cloze()
