"""What results of a class are called in words, the same for a terminal and a page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tui.figures.numbers import quantity

if TYPE_CHECKING:
    from tui.reports.classes.result_types import QuestionResult


def facts(question: QuestionResult) -> list[str]:
    """Figures of a question in words; what is not known is left out, but for the facility, and for the
    discrimination, whose dash says why."""
    from tui.reports.classes.results_from_journal import FEWEST

    hands = question.rounds[question.counts - 1].hands
    told = [f"facility {percent(question.facility)}"]
    told.append(f"{question.answered} answered" + (f", {hands} by hand" if hands else ""))
    if question.median_s is not None:
        told.append(f"median {question.median_s:.0f} s to answer")
    for block, values in question.measured.items():
        runs = ", ".join("-" if value is None else quantity(value) for value in values)
        told.append(f"measured {block}: {runs}")
    if question.discrimination is not None:
        told.append(f"discrimination {figure(question.discrimination)}")
    elif question.key:
        told.append(f"discrimination - (it takes {FEWEST} people and two questions)")
    return told


def asked(question: QuestionResult) -> str:
    """The stem in words, on one line, its gaps by number."""
    from tui.export.question_parts import words

    return words(re.sub(r"\{\{(\d+)\}\}", r"\\[\1]", question.stem))


def unlisted(question: QuestionResult) -> bool:
    """Whether what is right is not marked among the answers that are listed."""
    from quiz.kinds.registry import PICKED

    listed = any(said.right for said in question.said)
    return bool(question.key) and (not listed or question.kind not in PICKED)


def readable(question: QuestionResult, text: str) -> str:
    """An option as it reads; what somebody typed, and a line of code, as it is."""
    from quiz.kinds.registry import CHOICES
    from tui.export.question_parts import words

    return words(text) if question.kind in CHOICES else text


def percent(share: float | None) -> str:
    """Return a share of 0 to 1 as whole percent, "-" for None."""
    return "-" if share is None else f"{100 * share:.0f} %"


def figure(value: float | None) -> str:
    """Return a statistic with two decimals, "-" for None."""
    return "-" if value is None else f"{value:.2f}"
