"""What is answered by picking among options: shared by single, multi, truefalse and poll."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from msgspec.structs import replace

from quiz.answers.option_labels import labels, named, places
from quiz.kinds.kind import (
    BOX,
    MAX_OPTIONS,
    DeckText,
    Draft,
    Made,
    Parts,
    QuestionKind,
    Reply,
    Says,
    Share,
    named_sign,
)
from quiz.question import Option, Question

_PERCENT = re.compile(r"(-?[0-9]{1,3}(?:\.[0-9]{1,7})?)%")
_GAP = re.compile(r"\{\{[^{}]*\}\}")


class Options(QuestionKind):
    """One pick among options, each right or wrong or worth a share: all or nothing, or the weight of the
    option picked."""

    answer_line = BOX

    def build(self, parts: Parts, says: Says) -> Made:
        drafts = parts.drafts
        right = [draft for draft in drafts if self.is_right(draft)]
        for draft in drafts:
            if draft.mark not in (" ", "x", "X") and weight(draft) is None:
                held = repr(draft.mark) if draft.mark else "nothing"
                says(
                    draft.line,
                    f"the box of this option holds {held}",
                    "Write `- [ ]` for a wrong option, `- [x]` for a right one, `- [50%]` for a share, "
                    "`- \\[` for a plain bracket",
                )
        gaps = "; for a text with gaps, `kind=cloze`" if any(map(_GAP.search, parts.stem)) else ""
        if not drafts:
            what = f"Write `- [ ] text` for each, `- [x]` for a right one{gaps}"
            says(parts.head, "there are no options", what)
        elif not right and not parts.redacted:
            says(drafts[0].line, "no option is right", f"Mark the right one with `- [x]`{gaps}")
        if len(drafts) > MAX_OPTIONS:
            few(says, len(drafts), drafts[MAX_OPTIONS].line)
        lines = {draft.line for draft in right}  # each has its own
        return Made(tuple(Option(d.whole, d.line in lines, d.why, weight(d)) for d in drafts))

    def is_right(self, draft: Draft) -> bool:
        """Whether an option is marked as right."""
        return ticked(draft) or weight(draft) == 1.0

    def written(self, question: Question, deck: DeckText) -> list[str]:
        rows = (deck.row(f"- [{self.box(question, o)}] ", o) for o in question.options)
        return [row for found in rows for row in found]

    def box(self, question: Question, option: Option) -> str:
        """Return what is written in the box of an option."""
        if option.weight is not None and option.weight not in (0.0, 1.0):
            return f"{round(option.weight * 100, 5):.8g}%"
        return "x" if option.right else " "

    def reply(self, question: Question, typed: str) -> Reply | str:
        return among(question, typed, 1)

    def how(self, question: Question) -> str:
        return f"a {named_sign(self.labels(question))}"

    def first(self, question: Question) -> str:
        return f"pick an answer first: 1 to {len(question.options)}"

    def share(self, question: Question, choice: tuple[int, ...], text: tuple[str, ...]) -> Share:
        key, picked = set(question.key), set(choice)
        # Of several right options of a single choice (foreign files have them) any one will do.
        if picked == key or (len(picked) == 1 and picked <= key):
            return Share(1.0, True)
        return Share(weighed(question, picked, 0.0) or 0.0, False)

    def held(self, question: Question, key: Sequence[int], accepted: Sequence[str]) -> Question:
        told = (replace(o, right=n in key, weight=None) for n, o in enumerate(question.options))
        return replace(question, options=tuple(told))


def ticked(draft: Draft) -> bool:
    """Whether a box holds an `x`."""
    return draft.mark in ("x", "X")


def weight(draft: Draft) -> float | None:
    """Return the share in the box: `[50%]` half, `[-25%]` a quarter lost; None if it is not a share."""
    match = _PERCENT.fullmatch(draft.mark.strip())
    return round(float(match[1]) / 100, 9) if match and abs(float(match[1])) <= 100 else None


def few(says: Says, count: int, line: int) -> None:
    """Report a trouble if there are more options than digits."""
    if count > MAX_OPTIONS:
        says(
            line,
            f"{count} options, and one digit picks from at most {MAX_OPTIONS}",
            "Drop some, or ask two questions",
        )


def weighed(question: Question, picked: set[int], default: float) -> float | None:
    """The weights of all picks added up, `default` for one that is not an option or a wrong one without a
    weight; None where no option has a weight."""
    weights = [option.weight for option in question.options]
    if all(weight is None for weight in weights):
        return None
    key = question.key
    earned = [
        (weights[n] if weights[n] is not None else 1.0 / len(key) if n in key else default)
        if 0 <= n < len(weights)
        else default
        for n in picked
    ]
    return math.fsum(worth for worth in earned if worth is not None)


def among(question: Question, typed: str, most: int) -> Reply | str:
    """At most so many options, by their labels or the text of one."""
    texts = [option.text for option in question.options]
    said = labels(texts)
    named_one = named(typed, texts)
    found = [named_one] if named_one is not None else places(typed, said, texts)
    if not found or len(set(found)) > most:
        many = "one of" if most == 1 else "some of"
        text = "" if said[0] == "1" else ", or its text"
        return f"{many} {said[0]} to {said[-1]}{text}" if len(said) > 1 else said[0]
    return Reply(tuple(found))


def named_each(texts: Sequence[str], typed: str) -> list[int] | None:
    """Return the options whose texts were typed, separated by `;`."""
    found = [named(word, texts) for word in typed.split(";")]
    return [n for n in found if n is not None] if len(found) > 1 and None not in found else None
