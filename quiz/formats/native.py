"""Writes questions in the grammar of decks, so that a slide can ask them and `quiz.parse` reads them back.

::: quiz {#ring-bytes kind=single points=1 tags=ring,bytes}
…
:::
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from msgspec.structs import replace

from quiz.answers import scale
from quiz.answers.tolerance_as_written import written
from quiz.formats.nearest_kind import Loss, dropped
from quiz.kinds.kind import IN_BOX, NOTHING, of
from quiz.kinds.shared.accepted import typed
from quiz.markup import as_markdown
from quiz.parse import turned
from quiz.question import Accepted, Markup, Option, Question

_MARKS_KEPT = (
    "points",
    "explain",
    "hints",
    "title",
    "tags",
    "source",
    "shuffle",
    "case",
    "partial",
    "time_s",
    "axis",
)
_SHARE = re.compile(r"[0-9.]+% +\S")
# What would begin an answer, a directive or a slide, were it not escaped.
_BEGINS = re.compile(
    rf" ?(?:[-*+] +(?:\[{IN_BOX}\]|.*=>)|[=~] |[0-9]{{1,3}}[.)] |:::|---\s*$|> ?hint:)", re.IGNORECASE
)


def write(questions: Iterable[Question]) -> tuple[str, list[Loss]]:
    """Return a deck with one question a slide; only what Markdown cannot express is lost."""
    losses: list[Loss] = []
    slides = []
    taken: set[str] = set()
    for question in questions:
        most = of(question.kind).most
        if (count := max(len(question.options), len(question.prompts))) > most:
            losses.append(Loss(question.id, f"{count} options, and a deck asks at most {most}: left out", -1))
            continue
        question = replace(question, id=fitting(question.id, taken))
        dropped(question, (*_MARKS_KEPT, "options"), losses)
        losses += [Loss(question.id, what) for what in _lost_of_gaps(question)]
        words = [text for gap in question.gaps for text in (*gap.offered, *(a.text for a in gap.accepted))]
        if any("|" in text or "}}" in text for text in words):
            losses.append(
                Loss(question.id, "`|` in a gap is written as ¦, `}}` as `} }`: they part and end it")
            )
        words = [" ".join(a.text.split()) for a in question.accepted if a.number is None]
        if any(" | " in text for text in words):
            losses.append(Loss(question.id, "in an answer ` | ` is written as ¦: it parts answers"))
        slides.append(told(question))
    return "\n\n---\n\n".join(slides) + "\n" if slides else "", losses


def _lost_of_gaps(question: Question) -> list[str]:
    """What a deck cannot say of gaps: it has right answers, wrong ones to choose from, and one number."""
    found = []
    answers = [answer for gap in question.gaps for answer in gap.accepted]
    if any(gap.many for gap in question.gaps):
        found.append("a gap for several picks takes any one of them")
    if any(answer.explain for answer in answers):
        found.append("left out: what explains the answers of gaps")
    half = [typed(a) for gap in question.gaps if not gap.many for a in gap.accepted if 0 < a.weight < 1]
    if half:
        found.append(f"left out: answers of gaps worth part of the points: {', '.join(half)}")
    more = [typed(a) for gap in question.gaps for a in gap.right[1:] if a.number or gap.right[0].number]
    if more:
        found.append(f"left out: what else is right in a gap with a number: {', '.join(more)}")
    if len({gap.weight for gap in question.gaps}) > 1:
        found.append("its gaps are worth the same")
    if any(gap.case for gap in question.gaps) and not question.case:
        found.append("its gaps take capitals for small letters")
    return found


def fitting(id: str, taken: set[str]) -> str:
    """An id a deck can have, of letters, digits and hyphens, that is not among `taken`; then it is."""
    found = base = re.sub(r"[^\w-]+", "-", id).strip("-") or "question"
    n = 1
    while found in taken:
        n += 1
        found = f"{base}-{n}"
    taken.add(found)
    return found


def told(question: Question) -> str:
    """Return the whole block of a question."""
    return f"{attributes(question)}\n{body(question)}\n:::"


def attributes(question: Question) -> str:
    """Return the line that opens the question."""
    pairs = {
        "kind": question.kind,
        "points": f"{question.points:g}" if question.points != 1 else "",
        "tags": ",".join(tag.replace(",", " ") for tag in question.tags),
        "title": question.title,
        "source": question.source,
        "time": f"{question.time_s:g}s" if question.time_s else "",
        "axis": scale.written(question.axis) if question.axis else "",
        "shuffle": "yes" if question.shuffle else "",
        "case": "yes" if question.case else "",
        "partial": "" if question.partial else "no",
    }
    said = " ".join(f"{key}={_value(value)}" for key, value in pairs.items() if value)
    return f"::: quiz {{#{question.id} {said}}}"


def _value(text: str) -> str:
    text = " ".join(text.split()).replace('"', "'")
    return f'"{text}"' if re.search(r"[\s{}'=]", text) else text


def body(question: Question) -> str:
    """Stem, answers, hints and explanation, as `parse_question` reads them; of a question without its key
    as that reads it `redacted`."""
    parts = [_stem(question), *_answers(question)]
    hints = [f"> hint: {' '.join(hint.split())}" for hint in question.hints]
    if hints:
        parts += ["", *hints]
    if question.explain:
        parts += ["", *_quoted(question.explain, question.markup)]
    return "\n".join(parts)


def _stem(question: Question) -> str:
    kind = of(question.kind)
    stem = _safe(_shown(question.stem, question.markup), kind.answer_line)
    return kind.stem(question, stem)


def _safe(text: str, begins: re.Pattern[str]) -> str:
    """The text with a backslash, which Markdown does not show, before what the grammar would take;
    `begins` is what answers of this kind begin with."""
    lines, fence = [], ""

    def taken(line: str) -> bool:
        return bool(_BEGINS.match(line) or begins.match(line))

    for line in text.split("\n"):
        before = fence
        fence, _ = turned(fence, line)
        lines.append("\\" + line.lstrip() if not before and not fence and taken(line) else line)
    if fence:  # a fence that stays open would take the answers in
        lines.append(fence)
    if not fence and _ends_quoted(lines):
        lines += ["", "<!-- -->"]  # at the end of the body it would explain
    return "\n".join(lines)


def _ends_quoted(lines: list[str]) -> bool:
    last = next((block for block in reversed("\n".join(lines).split("\n\n")) if block.strip()), "")
    return any(line.lstrip().startswith(">") for line in last.split("\n"))


def _shown(text: str, markup: Markup) -> str:
    """As Markdown; what is nothing but tags is shown as it is written."""
    return as_markdown(text, markup) or as_markdown(text, "plain")


def _closed(text: str) -> str:
    """The text; one whose fence stays open has none, for it would take in what follows."""
    fence = ""
    for line in text.split("\n"):
        fence, _ = turned(fence, line)
    return re.sub(r"^( {0,3})(?=```|~~~)", r"\1\\", text, flags=re.M) if fence else text


def _answers(question: Question) -> list[str]:
    kind = of(question.kind)
    rows = kind.written(question, _Deck(question.markup))
    return [] if kind.answer_line is NOTHING else ["", *rows]


class _Deck(NamedTuple):
    """How the texts of one question stand in a deck."""

    markup: Markup

    def shown(self, text: str) -> str:
        return _shown(text, self.markup)

    def closed(self, text: str) -> str:
        return _closed(text)

    def row(self, mark: str, option: Option, indent: int | None = None) -> list[str]:
        first, *more = _closed(_shown(option.text, self.markup)).split("\n")
        room = " " * (len(mark.split("[")[0]) if indent is None else indent)
        rows = [mark + first, *(room + line if line else "" for line in more)]
        return [*rows, *(room + line for line in _quoted(option.explain, self.markup))]

    def accepted(self, answer: Accepted) -> list[str]:
        sign, share = "=", ""
        if answer.weight == 0:
            sign = "~"
        elif answer.weight != 1:
            share = f"{round(answer.weight * 100, 5):g}% "
        # On one line: spaces and ends of lines count the same where answers are compared.
        text = (
            written(answer.number)
            if answer.number
            else _closed(" ".join(answer.text.split()).replace(" | ", " ¦ "))
        )
        if not share and _SHARE.match(text):
            share = "100% "
        return [f"{sign} {share}{text}", *(f"  {line}" for line in _quoted(answer.explain, self.markup))]


def _quoted(text: str, markup: Markup) -> list[str]:
    shown = as_markdown(text, markup) if text else ""  # of HTML there may be nothing to see
    return [f"> {line}".rstrip() for line in _closed(shown).split("\n")] if shown else []
