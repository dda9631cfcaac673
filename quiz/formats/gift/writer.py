"""Questions written as GIFT; reading it again gives the same questions.

What GIFT cannot say is written as what comes nearest, and told: an order becomes pairs of place and item,
gaps become one question each, a line of code a choice among the lines; a poll is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec.structs import replace

from quiz.answers.quantity import plain
from quiz.formats.nearest_kind import Loss, dropped, nearest
from quiz.formats.texmath import for_moodle
from quiz.question import Accepted, Option, Question

_CONTROL = re.compile(r"([~=#{}:\\])")
_LOOKS_LIKE_A_MARK = re.compile(r"\[(html|moodle|plain|markdown)\]|%")
GAP = "_____"
KINDS = ("single", "multi", "truefalse", "numeric", "text", "match", "essay", "description")
KEPT = ("explain", "title", "category", "tags", "options", "accepted")


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """Return the file's text, and what was lost of each question."""
    losses: list[Loss] = []
    blocks: list[str] = []
    category = ""
    for question in questions:
        for told in nearest(question, KINDS, losses):
            if told.category != category:
                category = told.category
                blocks.append(f"$CATEGORY: {category or '$course$'}")
            dropped(told, KEPT, losses)
            if told.kind == "numeric":
                told = _unitless(told, losses)
            if any("->" in text for text in _arrowless(told)):
                losses.append(Loss(told.id, "`->` is written as →: there it would make a pair"))
            blocks.append(_question(for_moodle(told)))
    return "\n\n".join(blocks) + "\n" if blocks else "", losses


def _unitless(question: Question, losses: list[Loss]) -> Question:
    """With all numbers in the unit of the first, which GIFT has no sign for: it is told."""
    numbers = [answer.number for answer in question.accepted if answer.number]
    unit = next((number.unit for number in numbers if number.unit), "")
    if not unit:
        return question
    in_it = tuple(
        replace(a, number=inside) if a.number and (inside := a.number.inside(unit)) else a
        for a in question.accepted
    )
    strange = sum(bool(a.number) and a.number.inside(unit) is None for a in question.accepted if a.number)
    kept = tuple(a for a in in_it if a.number is None or a.number.unit in ("", unit))
    more = f", and {strange} of its answers, which are in others" if strange else ""
    losses.append(
        Loss(question.id, f"left out: the unit {unit}{more}. Say in the question that it is in {unit}")
    )
    return replace(question, accepted=kept)


def _question(question: Question) -> str:
    lines = []
    marks = [f"[id:{_bracket(question.id)}]"] if question.id else []
    marks += [f"[tag:{_bracket(tag)}]" for tag in question.tags]
    if marks:
        lines.append("// " + " ".join(marks))
    title = f"::{_escaped(' '.join(question.title.split()))}::" if question.title else ""
    head = f"{title}[{question.markup}]"
    stem = question.stem
    before, gap, after = (
        stem.partition(GAP) if question.kind not in ("essay", "description") else (stem, "", "")
    )
    answers = _answers(question)
    if gap and after.strip():
        lines.append(f"{head}{_escaped(before)}{answers}{_escaped(after)}")
    else:
        lines.append(f"{head}{_escaped(stem.strip())} {answers}".rstrip())
    return "\n".join(lines)


def _answers(question: Question) -> str:
    if question.kind == "description":
        return ""
    general = f"\t####{_answer(question, question.explain)}\n" if question.explain else ""
    if question.kind == "essay":
        return f"{{{general.strip()}}}"
    if question.kind == "truefalse":
        true, false = question.options
        right, wrong = (true, false) if true.right else (false, true)
        feedback = (
            f"#{_answer(question, wrong.explain)}#{_answer(question, right.explain)}"
            if wrong.explain or right.explain
            else ""
        )
        return f"{{{'T' if true.right else 'F'}{feedback} {general.strip()}}}"
    if question.kind == "numeric":
        rows = [_number(question, a) for a in question.accepted if a.number or a.weight > 0 or a.explain]
        return "{#\n" + "".join(f"\t{row}\n" for row in rows) + general + "}"
    if question.kind == "match":
        rows = [
            f"={_answer(question, _unarrowed(prompt))} -> {_answer(question, question.options[right].text)}"
            for prompt, right in zip(question.prompts, question.key, strict=True)
        ]
        rows += [
            f"= -> {_answer(question, o.text)}"
            for n, o in enumerate(question.options)
            if n not in question.key
        ]
    elif question.kind == "text":
        rows = [
            f"={_weight(answer.weight)}{_answer(question, _unarrowed(answer.text))}"
            f"{_unarrowed(_why(question, answer.explain))}"
            for answer in question.accepted
        ]
    else:
        rows = [_option(question, option) for option in question.options]
        if question.kind == "single" and all(row[0] == "=" for row in rows):
            rows = [f"~{row}" for row in rows]  # without a `~` they would be short answers
    return "{\n" + "".join(f"\t{row}\n" for row in rows) + general + "}"


def _option(question: Question, option: Option) -> str:
    if question.kind == "single":
        mark = "=" if option.right else "~"
        weight = option.weight if option.weight not in (None, 1.0, 0.0) else None
    else:  # without an `=` several are right, and what each earns has to be said
        mark = "~"
        right = len(question.key)
        default = 1 / right if option.right else -1 / right
        weight = option.weight if option.weight is not None else default
    share = "" if weight is None else _percent(weight)
    return f"{mark}{share}{_answer(question, option.text)}{_why(question, option.explain)}"


def _number(question: Question, answer: Accepted) -> str:
    number = answer.number
    if number is None and answer.weight <= 0:
        return f"~{_why(question, answer.explain)}"
    if number is None:
        text = "*"
    elif number.stated is None:
        text = f"{plain(number.low)}..{plain(number.high)}"
    else:
        text = f"{plain(number.stated)}:{plain(round(number.high - number.stated, 12))}"
    return f"={_weight(answer.weight)}{text}{_why(question, answer.explain)}"


def _weight(weight: float) -> str:
    return "" if weight == 1 else _percent(weight)


def _percent(weight: float) -> str:
    return f"%{round(weight * 100, 5):.5f}".rstrip("0").rstrip(".") + "%"


def _why(question: Question, explain: str) -> str:
    return f"#{_answer(question, explain)}" if explain else ""


def _escaped(text: str) -> str:
    """The text with its control characters escaped; line ends as `\\n`, for a blank one ends a question."""
    return _CONTROL.sub(r"\\\1", text).replace("\n", "\\n")


def _answer(question: Question, text: str) -> str:
    """An answer or feedback; one that begins like a format or a weight gets its format said before."""
    mark = f"[{question.markup}]" if _LOOKS_LIKE_A_MARK.match(text.lstrip()) else ""
    return mark + _escaped(text.strip())


def _arrowless(question: Question) -> list[str]:
    """Texts in which an arrow would make a pair, and nothing escapes it."""
    answers = question.accepted if question.kind == "text" else ()
    return [*question.prompts, *(a.text for a in answers), *(a.explain for a in answers)]


def _unarrowed(text: str) -> str:
    return text.replace("->", "→")


def _bracket(text: str) -> str:
    return re.sub(r"([\]\\])", r"\\\1", " ".join(text.split()))
