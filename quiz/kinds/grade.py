"""What an answer is worth. Flat: how fast it came never counts. Every rule is here, one function a kind.

- single, true/false: all or nothing, or the weight of the option picked.
- multi: each right pick earns an equal share of the points, each wrong pick takes one such share away, and
  nobody falls below zero; or the weights of all picks added up.
- numeric, text: the weight of the first accepted answer that fits.
- order: a share for each item that is followed by its right successor (n items, n - 1 shares), as Moodle's
  "relative to the next item".
- match: a share for each prompt. line: all or nothing.
- cloze: a share for each gap, by its weight; of one for several picks their weights added up.

`partial=no` turns all of them into all or nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Sequence
from itertools import pairwise
from typing import NamedTuple

from quiz.kinds import quantity, text_matching
from quiz.question import Accepted, Gap, Question


class Grade(NamedTuple):
    """`right` only when the answer is the key, neither more nor less. `parts` is the share earned (0 to 1) by
    each prompt, gap or place in the order, where the kind has such parts. `explain` belongs to the accepted
    answer that fitted."""

    points: float
    out_of: float
    right: bool
    parts: tuple[float, ...] = ()
    explain: str = ""


class _Share(NamedTuple):
    earned: float
    right: bool
    parts: tuple[float, ...] = ()
    explain: str = ""


def grade(question: Question, choice: Collection[int], text: Sequence[str] = ()) -> Grade:
    """The grade of an answer: 0-based options, lines or places in `choice`, what was typed in `text`.

    An empty one is a question not answered. A pick that is no option counts as wrong. Raises ValueError for a
    question whose key was taken out, or that never had one.
    """
    if not question.keyed:
        raise ValueError(f"question {question.id!r} has no key to grade by")
    share = _RULES[question.kind](question, tuple(choice), tuple(text))
    earned = share.earned if question.partial or share.right else 0.0
    points = question.points * min(1.0, max(0.0, earned))
    return Grade(points, question.points, share.right, share.parts, share.explain)


def _choice(question: Question, choice: tuple[int, ...], _: tuple[str, ...]) -> _Share:
    key, picked = set(question.key), set(choice)
    # Of several right options of a single choice (foreign files have them) any one will do.
    if picked == key or (question.kind != "multi" and len(picked) == 1 and picked <= key):
        return _Share(1.0, True)
    weights = [option.weight for option in question.options]
    if any(weight is not None for weight in weights):
        default = -1.0 / len(key) if question.kind == "multi" else 0.0
        earned = [
            (weights[n] if weights[n] is not None else 1.0 / len(key) if n in key else default)
            if 0 <= n < len(weights)
            else default
            for n in picked
        ]
        return _Share(math.fsum(worth for worth in earned if worth is not None), False)
    if question.kind != "multi":
        return _Share(0.0, False)
    return _Share((len(picked & key) - len(picked - key)) / len(key), False)


def _line(question: Question, choice: tuple[int, ...], _: tuple[str, ...]) -> _Share:
    right = len(choice) == 1 and choice[0] in question.key
    return _Share(float(right), right)


def _order(question: Question, choice: tuple[int, ...], _: tuple[str, ...]) -> _Share:
    if len(question.key) == 1 or not choice:
        return _Share(float(choice == question.key), choice == question.key)
    followers = dict(pairwise(choice))
    parts = tuple(float(followers.get(item) == after) for item, after in pairwise(question.key))
    return _Share(sum(parts) / len(parts), choice == question.key, parts)


def _match(question: Question, choice: tuple[int, ...], _: tuple[str, ...]) -> _Share:
    texts = [option.text for option in question.options]

    def same(given: int, right: int) -> bool:  # two prompts may share a text on the right
        return given == right or (0 <= given < len(texts) and texts[given] == texts[right])

    padded = (*choice, *(-1,) * len(question.key))
    parts = tuple(float(same(given, right)) for given, right in zip(padded, question.key, strict=False))
    return _Share(sum(parts) / len(parts), all(parts), parts)


def _typed(question: Question, _: tuple[int, ...], text: tuple[str, ...]) -> _Share:
    found = best(question.accepted, text[0] if text else "", question.case)
    return _Share(found.weight, found.weight >= 1.0, (), found.explain) if found else _Share(0.0, False)


def _cloze(question: Question, _: tuple[int, ...], text: tuple[str, ...]) -> _Share:
    padded = (*text, *("",) * len(question.gaps))
    found = [_gap(gap, typed, question.case) for gap, typed in zip(question.gaps, padded, strict=False)]
    parts = tuple(share for share, _ in found)
    total = math.fsum(gap.weight for gap in question.gaps)
    earned = math.fsum(part * gap.weight for part, gap in zip(parts, question.gaps, strict=True))
    why = "\n\n".join(dict.fromkeys(filter(None, (explain for _, explain in found))))
    return _Share(earned / total if total else 0.0, all(part >= 1.0 for part in parts), parts, why)


def _gap(gap: Gap, typed: str, case: bool) -> tuple[float, str]:
    """The share that a gap earns (0 to 1), and what belongs to its answer."""
    if not gap.many:
        if any(_same(text, typed) for text in gap.offered):  # the one that was chosen: `-5` is not `5`
            answer = next((one for one in gap.accepted if _same(one.text, typed)), None)
        else:
            answer = best(gap.accepted, typed, case or gap.case)
        return (answer.weight, answer.explain) if answer else (0.0, "")
    picks = picked(typed)
    found = [best(gap.accepted, pick, gap.case) for pick in picks]
    earned = math.fsum(answer.weight if answer else -1.0 for answer in found)
    # Thirds come as 33.33333 %.
    share = 1.0 if earned > 0.9999 else max(0.0, earned)
    return share, "\n\n".join(answer.explain for answer in found if answer and answer.explain)


def _same(text: str, typed: str) -> bool:
    return " ".join(text.split()).casefold() == " ".join(typed.split()).casefold()


def picked(typed: str) -> list[str]:
    """The texts picked for one gap: with `|` between them, or commas."""
    return list(dict.fromkeys(filter(None, map(str.strip, typed.split("|" if "|" in typed else ",")))))


def best(accepted: Sequence[Accepted], typed: str, case: bool = False) -> Accepted | None:
    """The first accepted answer that `typed` fits, None where none does."""
    if not typed.strip():
        return None
    return next((answer for answer in accepted if _fits(answer, typed, case)), None)


def _fits(answer: Accepted, typed: str, case: bool) -> bool:
    number = answer.number
    if number is None:
        return text_matching.fits(answer.text, typed, case)
    found = quantity.read(typed)
    value = quantity.converted(found, number.unit) if found else None
    if value is None:
        return False
    # Half a unit in the last place of a double: 0.1 + 0.2 is inside 0.3 ± 0.
    slack = 1e-12 * max(abs(number.low), abs(number.high))
    return number.low - slack <= value <= number.high + slack


_RULES: dict[str, Callable[[Question, tuple[int, ...], tuple[str, ...]], _Share]] = {
    "single": _choice,
    "multi": _choice,
    "truefalse": _choice,
    "line": _line,
    "order": _order,
    "match": _match,
    "numeric": _typed,
    "text": _typed,
    "cloze": _cloze,
}
