"""The exercise and the puzzle that come next for somebody who studies, as rows of the study page."""

from __future__ import annotations

from runtime.practice.exercise import BrokenExercise, listed
from runtime.puzzles.registry import PUZZLES
from tui.practice import tries_and_hints
from tui.study.home_and_end_pages import Row


def following() -> tuple[Row, ...]:
    """The first exercise and the first puzzle of the course that are not solved; nothing where all are."""
    try:
        every = list(listed().values())
    except (BrokenExercise, OSError):
        return ()
    known = tries_and_hints.load()
    left = [it for it in every if not known.get(it.name, tries_and_hints.Progress()).solved]
    if not left:
        return _puzzle(known)
    how = known.get(left[0].name, tries_and_hints.Progress())
    begun = f"{tries_and_hints.in_words(how, len(left[0].checks))}, " if how.tries else ""
    aside = f"{begun}lesson {left[0].lesson}; {len(every) - len(left)} of {len(every)} solved"
    return (
        Row("exercise", left[0].name, f"Write it yourself: {left[0].title}", aside=aside),
        *_puzzle(known),
    )


def _puzzle(known: dict[str, tries_and_hints.Progress]) -> tuple[Row, ...]:
    left = [it for it in PUZZLES if not known.get(it.name, tries_and_hints.Progress()).solved]
    if not left:
        return ()
    aside = f"lesson {left[0].lesson}; {len(PUZZLES) - len(left)} of {len(PUZZLES)} solved"
    return (Row("exercise", left[0].name, f"A puzzle: {left[0].title}", aside=aside),)
