"""What became of an exercise's checks, in lines and as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slides.drawing.cells import clean
from tui.reports import diagnosis_report

if TYPE_CHECKING:
    from runtime.practice.exercise import Exercise
    from runtime.practice.outcome import Outcome

MARKS = {"passed": "✓", "failed": "✗", "running": "…", "waiting": "·"}


def lines(outcome: Outcome) -> list[str]:
    """Return the checks, and why the first that failed did."""
    exercise = outcome.exercise
    said = [f"{clean(exercise.title)}: {outcome.passed} of {len(outcome.checks)} checks"]
    said += [f"  {MARKS[check.state]} {clean(check.title)}" for check in outcome.checks]
    found = outcome.diagnosis
    if found is not None:
        said += ["", *diagnosis_report.lines(found, outcome.file.name, source_line(outcome))]
    said += [f"note: {clean(note)}" for note in outcome.notes]
    if found is not None and outcome.printed:
        said += ["", "printed at last:", *(f"  {clean(line)}" for line in outcome.printed[-8:])]
    return said


def source_line(outcome: Outcome) -> str:
    """Return the student's line that the diagnosis names, "" if there is none."""
    if outcome.diagnosis is None or not outcome.diagnosis.line:
        return ""
    try:
        text = outcome.file.read_text("utf-8", "replace").splitlines()
        return text[outcome.diagnosis.line - 1].strip()
    except (OSError, IndexError):
        return ""


def as_object(outcome: Outcome) -> dict[str, Any]:
    """Return the same for JSON; times in seconds."""
    found = outcome.diagnosis
    return {
        "exercise": outcome.exercise.name,
        "file": str(outcome.file),
        "passed": outcome.solved,
        "checks": [
            {"title": check.title, "state": check.state, "seconds": check.seconds} for check in outcome.checks
        ],
        "diagnosis": diagnosis_report.as_object(found),
        "badge": outcome.badge,
        "first_check_s": outcome.first_check_s,
        "seconds": outcome.seconds,
        "notes": outcome.notes,
        "printed": outcome.printed,
        "processes_left": outcome.left,
    }


def listing(exercise: Exercise) -> dict[str, Any]:
    """Return what `teachrun list exercises --json` says of one."""
    return {
        "name": exercise.name,
        "title": exercise.title,
        "lesson": exercise.lesson or None,
        "minutes": exercise.minutes,
        "ranks": exercise.ranks,
        "checks": list(exercise.checks),
        "hints": len(exercise.hints),
        "path": str(exercise.folder),
    }
