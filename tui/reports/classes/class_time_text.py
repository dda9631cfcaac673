"""Planned against spent, slide by slide, as people read it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.reports.classes.class_time import ClassReport, SlideTime

TITLE = 40  # cells


def read(class_id: str) -> ClassReport:
    """The report of a class, from its journal."""
    from runtime import paths
    from runtime.classroom import journal
    from tui.reports.classes.class_time import report

    return report(journal.read(paths.journal_file(class_id)))


def text(report: ClassReport) -> Iterator[str]:
    """The report as people read it, line by line. Titles come from a deck, so they are cleaned."""
    from slides.drawing.cells import clean, clip_text, width
    from tui.classroom.pace import signed
    from tui.figures.numbers import clock

    def cell(text: str, size: int) -> str:
        shown = clip_text(clean(text), size)
        return shown + " " * (size - width(shown))

    def minutes(seconds: float | None) -> str:
        return "-" if seconds is None else clock(seconds)

    yield f"{clean(report.title)} · class {report.class_id} · {_when(report)}"
    if report.began is None:
        yield "its clock never started: nobody moved off the first slide"
    else:
        by = report.spent_s - (report.planned_s or 0.0)
        more = "" if report.planned_s is None else f" · {clock(abs(by))} {'under' if by < 0 else 'over'}"
        paused = f" · paused {clock(report.paused_s)} in {len(report.pauses)}" if report.pauses else ""
        yield f"planned {minutes(report.planned_s)} · spent {clock(report.spent_s)}{more}{paused}"
    yield ""
    yield f"{'#':>4}  {cell('slide', TITLE)} {'planned':>8} {'spent':>8} {'over':>8}"
    for n, slide in enumerate(report.slides, 1):
        number = str(n) if slide.in_plan else "+"
        over = "" if slide.planned_s is None or not slide.visits else signed(slide.spent_s - slide.planned_s)
        spent = clock(slide.spent_s) if slide.visits else "-"
        row = f"{number:>4}  {cell(slide.title, TITLE)} {minutes(slide.planned_s):>8} {spent:>8} {over:>8}"
        yield f"{row}  {_marks(slide)}".rstrip()
    titles = {slide.slide: slide.title for slide in report.slides}
    if report.demos:
        yield "\nFrom d to the first step"
        for demo in report.demos:
            wait = "no step" if demo.wait_s is None else f"{demo.wait_s:.2f} s"
            name = cell(f"{demo.demo}, {titles.get(demo.slide, demo.slide)}", TITLE)
            yield f"      {name} {wait:>8}  {demo.state}"
    if report.questions:
        yield "\nQuestions: shown to locked, to explained"
        for asked in report.questions:
            name = cell(f"{asked.question}, {titles.get(asked.slide, asked.slide)}", TITLE)
            yield f"      {name} {minutes(asked.open_s):>8} {minutes(asked.revealed_s):>8}"


def _when(report: ClassReport) -> str:
    if report.began is None:
        return "not begun"
    day = time.strftime("%Y-%m-%d %H:%M", time.localtime(report.began))
    return (
        f"{day} to {time.strftime('%H:%M', time.localtime(report.ended))}"
        if report.ended
        else f"{day}, not ended"
    )


def _marks(slide: SlideTime) -> str:
    marks = [f"{slide.visits} visits"] if slide.visits > 1 else []
    marks += ["optional"] if slide.optional else []
    marks += ["left out"] if slide.dropped else []
    return ", ".join(marks)
