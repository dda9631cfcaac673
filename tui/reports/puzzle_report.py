"""What an answer to a puzzle is worth, in lines and as an object."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from slides.drawing.cells import clean

if TYPE_CHECKING:
    from runtime.puzzles.puzzle import Puzzle
    from runtime.puzzles.verdict import Judged


def lines(puzzle: Puzzle, judged: Judged) -> list[str]:
    """Return the score beside the best known, or what keeps the answer from counting."""
    from runtime.puzzles.puzzle import score_words
    from runtime.puzzles.verdict import solves

    best = puzzle.best()[0]
    known = f"best known {score_words(best, puzzle.unit)}"
    if judged.valid and judged.score is not None:
        mark = "✓" if solves(judged, best) else "·"
        return [f"{clean(puzzle.title)}: {mark} {score_words(judged.score, puzzle.unit)}, {known}"]
    said = [f"{clean(puzzle.title)}: it does not count yet; {known}"]
    return [*said, *(f"  ✗ {clean(fault.text)}" for fault in judged.faults)]


def as_object(puzzle: Puzzle, judged: Judged, answer: str) -> dict[str, Any]:
    """Return the same for JSON; `score` and `best` count `unit`."""
    from runtime.puzzles.verdict import solves

    best = puzzle.best()[0]
    return {
        "puzzle": puzzle.name,
        "answer": answer,
        "passed": solves(judged, best),
        "valid": judged.valid,
        "score": judged.score,
        "best": best,
        "unit": puzzle.unit,
        "faults": [fault.text for fault in judged.faults],
    }


def listing(puzzle: Puzzle) -> dict[str, Any]:
    """Return what `teachrun list exercises --json` says of one."""
    return {
        "name": puzzle.name,
        "title": puzzle.title,
        "kind": puzzle.kind,
        "lesson": puzzle.lesson,
        "minutes": puzzle.minutes,
        "unit": puzzle.unit,
        "best": puzzle.best()[0],
        "start": puzzle.start(),
    }
