"""The exercise that comes next for somebody who studies, as a row of the study page."""

from __future__ import annotations

from runtime.practice.exercise import BrokenExercise, listed
from tui.practice import progress
from tui.study.pages import Row


def following() -> tuple[Row, ...]:
    """The first exercise of the course that is not solved; nothing where all are."""
    try:
        every = list(listed().values())
    except (BrokenExercise, OSError):
        return ()
    known = progress.load()
    left = [it for it in every if not known.get(it.name, progress.Progress()).solved]
    if not left:
        return ()
    how = known.get(left[0].name, progress.Progress())
    begun = f"{progress.in_words(how, len(left[0].checks))}, " if how.tries else ""
    aside = f"{begun}lesson {left[0].lesson}; {len(every) - len(left)} of {len(every)} solved"
    return (Row("exercise", left[0].name, f"Write it yourself: {left[0].title}", aside=aside),)
