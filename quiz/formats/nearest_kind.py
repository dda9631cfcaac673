"""Rewrites a question with the kinds another format has, and reports what is lost."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sized
from typing import NamedTuple

from msgspec.structs import replace

from quiz.formats.read_result import shared
from quiz.kinds.shared.accepted import typed
from quiz.question import Accepted, Option, Question


class Loss(NamedTuple):
    """`what` of the question `id` could not be kept, or had to be told in another way. `more` is how many
    questions that makes in the file beside the one: -1 where it is left out."""

    id: str
    what: str
    more: int = 0


def written(questions: Sized, losses: Iterable[Loss]) -> int:
    """Count the questions in the file that is written."""
    return len(questions) + sum(loss.more for loss in losses)


_MARKS: dict[str, object] = {
    "points": 1.0,
    "explain": "",
    "hints": (),
    "title": "",
    "category": "",
    "tags": (),
    "source": "",
    "shuffle": False,
    "case": False,
    "partial": True,
    "time_s": None,
    "axis": None,
    "verdicts": (),
    "files": (),
}


def nearest(question: Question, kinds: Collection[str], losses: list[Loss]) -> Iterator[Question]:
    """Return `question` itself if `kinds` has its kind, else an equivalent in them, or nothing."""
    if question.kind in kinds:
        yield question
        return
    told = _TOLD.get(question.kind)
    found = list(told(question, kinds)) if told else []
    found = [one for one in found if one.kind in kinds]
    if found:
        what = ", ".join(dict.fromkeys(one.kind for one in found))
        many = f"{len(found)} questions, {what}" if len(found) > 1 else what
        gaps = len(question.gaps) - len(found)
        more = f"; {gaps} of its gaps cannot be said" if gaps > 0 else ""
        losses.append(Loss(question.id, f"`{question.kind}` is written as {many}{more}", len(found) - 1))
        yield from found
    else:
        losses.append(Loss(question.id, f"`{question.kind}` cannot be said in this format: left out", -1))


def dropped(question: Question, kept: Collection[str], losses: list[Loss]) -> None:
    """Add to `losses` which of the question's fields a format does not have; `kept` are those it has."""
    marks = {**_MARKS, "points": 0.0} if question.kind == "description" else _MARKS
    gone = [
        name for name, default in marks.items() if name not in kept and getattr(question, name) != default
    ]
    if "options" not in kept and any(o.explain or o.weight not in (None, 0.0, 1.0) for o in question.options):
        gone.append("options' explanations and shares")
    if gone:
        losses.append(Loss(question.id, f"left out: {', '.join(gone)}"))


def _order(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    """Each place in the order is matched with its item."""
    if "match" in kinds:
        yield replace(
            question,
            kind="match",
            prompts=tuple(str(n + 1) for n in range(len(question.key))),
        )


def _line(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    """A choice among the lines."""
    lines = question.code.split("\n")
    options = tuple(
        Option(
            f"`{line.strip() or ' '}`" if question.markup == "markdown" else line.strip(), n in question.key
        )
        for n, line in enumerate(lines)
        if line.strip()
    )
    stem = f"{question.stem}\n\n```{question.lang}\n{question.code}\n```"
    yield replace(question, kind="single", stem=stem, options=options, sequence=(), code="", lang="")


def _cloze(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    """One question a gap; in its sentence the other gaps are filled."""
    for at, gap in enumerate(question.gaps):

        def fill(match: re.Match[str], at: int = at) -> str:
            n = int(match[1]) - 1
            if n == at or not 0 <= n < len(question.gaps):
                return "_____"
            return ", ".join(map(typed, question.gaps[n].right[: None if question.gaps[n].many else 1]))

        stem = re.sub(r"\{\{(\d+)\}\}", fill, question.stem)
        base = replace(
            question,
            id=f"{question.id}-{at + 1}" if len(question.gaps) > 1 else question.id,
            stem=stem,
            gaps=(),
            points=question.points * gap.weight / sum(one.weight for one in question.gaps),
        )
        if len(gap.offered) > 1 and ("multi" if gap.many else "single") in kinds:
            right = {answer.text for answer in gap.right}
            known = {answer.text: answer for answer in gap.accepted}
            options = tuple(
                Option(text, text in right, known[text].explain, known[text].weight)
                if text in known
                else Option(text)
                for text in gap.offered
            )
            options = shared(options) if gap.many else tuple(map(_bare, options))
            yield replace(base, kind="multi" if gap.many else "single", options=options)
        elif any(answer.number for answer in gap.accepted) and "numeric" in kinds:
            yield replace(base, kind="numeric", accepted=gap.accepted)
        elif "text" in kinds:
            yield replace(base, kind="text", accepted=gap.accepted)


def _bare(option: Option) -> Option:
    """A weight that says no more than whether it is right is none."""
    return replace(option, weight=None) if option.weight in (0.0, 1.0) else option


def _truefalse(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    yield replace(question, kind="single")


def _multi(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    if len(question.key) == 1:
        yield replace(question, kind="single")


def _numeric(question: Question, kinds: Collection[str]) -> Iterator[Question]:
    """The numbers as texts: only what is written exactly so is right."""
    texts = tuple(
        Accepted(f"{a.number.stated:g} {a.number.unit}".strip(), a.weight, a.explain)
        for a in question.accepted
        if a.number and a.number.stated is not None and a.number.low == a.number.high
    )
    if texts:
        yield replace(question, kind="text", accepted=texts)


_TOLD = {
    "order": _order,
    "line": _line,
    "cloze": _cloze,
    "truefalse": _truefalse,
    "multi": _multi,
    "numeric": _numeric,
}
