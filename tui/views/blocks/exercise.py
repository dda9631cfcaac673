"""The box of `::: exercise NAME` or `::: puzzle NAME` on a slide: the task, how far it is, and what opens it.

Only those that come with teachrun: the checks of a folder beside the deck would run without anybody having
agreed to them.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.practice.exercise import BrokenExercise, shipped
from runtime.puzzles import registry as puzzles
from runtime.puzzles.puzzle import score_words
from slides import deck
from slides.drawing import cells
from slides.drawing.blocks.frames import NARROWEST, boxed
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line, Span, Style, plain
from slides.problems import Problem, one_line
from slides.reading.parse import parse_blocks
from tui.keys.table import key_of
from tui.practice import tries_and_hints

HEAD, DIM, KEY, EDGE = Style("heading", bold=True), Style("dim"), Style("accent", bold=True), Style("accent")
GOOD = Style("good", bold=True)
TASK_ROWS = 5
TOLD = 100  # cells of a line without a screen


def trouble(block: deck.Exercise, file: str) -> Problem | None:
    """What is wrong with a block's name."""
    try:
        _described(block.name)
    except (BrokenExercise, OSError) as error:
        what, _, mend = one_line(str(error)).partition(": ")
        mend = mend[:1].upper() + mend[1:]
        return Problem(block.file or file, block.line, what, mend + ("" if mend[-1:] in ".?" else "."))
    return None


def exercise_lines(block: deck.Exercise, file: str, width: int, *, hints: bool = True) -> list[Line]:
    """The block at `width` cells; a labelled box where there is no such exercise.

    `hints` False leaves the key unsaid: an audience's screen has none for it.
    """
    if (problem := trouble(block, file)) is not None:
        return layout_blocks((deck.Box(problem, raw=f"exercise {block.name}", line=block.line),), 0, width)
    it = _described(block.name)
    state: Line = (Span(it.how, GOOD if it.solved else DIM),)
    inner = width - 4 if width >= NARROWEST else width
    key = key_of("exercise")
    last: list[Span] = [Span(it.effort, DIM)]
    if hints and key:
        alone = [Span(key, KEY), Span(" opens it · ", DIM)]
        room = [Span(key_of("run_code"), KEY), Span(" opens it for the room · ", DIM)]
        last = [*alone, *room, *last]
    lines = [
        _ends((Span(cells.clean(it.title), HEAD),), state, inner),
        *_task(it, inner),
        (),
        *cells.wrap(tuple(last), inner),
    ]
    return boxed(lines, width, EDGE, it.kind.capitalize()) if width >= NARROWEST else lines


def told(block: deck.Exercise) -> list[str]:
    """The block in sentences, for a class in lines."""
    if (problem := trouble(block, "")) is not None:
        return [f"exercise {cells.clean(block.name)}: {problem.message}. {problem.mend}"]
    it = _described(block.name)
    opens = f"teachrun practice {block.name} opens it"
    return [f"{it.kind}: {cells.clean(it.title)}; {it.how}", *_told(it), f"{it.effort}; {opens}"]


def in_print(block: deck.Exercise) -> tuple[str, str, tuple[str, ...]]:
    """Title, badge and words of the block in a document; how far it is only where whoever makes it began."""
    if (problem := trouble(block, "")) is not None:
        return f"exercise {cells.clean(block.name)}", "", (f"{problem.message}. {problem.mend}",)
    it = _described(block.name)
    task = " ".join(line.strip() for line in _told(it))
    opens = f"{it.effort}. Open it with teachrun practice {block.name}"
    return f"{it.kind.capitalize()}: {cells.clean(it.title)}", it.how if it.begun else "", (task, opens)


class _Described(NamedTuple):
    """What a box says of an exercise or a puzzle."""

    kind: str
    title: str
    task: str  # the first paragraph
    effort: str
    how: str
    begun: bool
    solved: bool


def _described(name: str) -> _Described:
    """Raises `BrokenExercise` where there is neither of that name."""
    puzzle = puzzles.listed().get(name)
    if puzzle is None:
        exercise = shipped(name)
        known = tries_and_hints.known().get(name, tries_and_hints.Progress())
        effort = f"{exercise.ranks} real ranks, about {exercise.minutes} minutes"
        how = tries_and_hints.in_words(known, len(exercise.checks))
        task = exercise.task.partition("\n\n")[0]
        begun = bool(known.tries or known.solved)
        return _Described("exercise", exercise.title, task, effort, how, begun, bool(known.solved))
    known = tries_and_hints.known().get(name, tries_and_hints.Progress())
    best = score_words(puzzle.best()[0], puzzle.unit)
    how = f"{score_words(known.score, puzzle.unit)}, best {best}" if known.score else "not begun"
    task = puzzle.task.rpartition("\n\n")[2]
    effort = f"played with the arrow keys, about {puzzle.minutes} minutes"
    solved = bool(known.solved)
    return _Described(
        "puzzle", puzzle.title, task, effort, "solved" if solved else how, bool(known.score), solved
    )


def _told(it: _Described) -> list[str]:
    return [plain(line) for line in layout_blocks(parse_blocks(it.task), 0, TOLD)]


def _task(it: _Described, width: int) -> list[Line]:
    lines = list(layout_blocks(parse_blocks(it.task), 0, width))
    if len(lines) > TASK_ROWS:
        lines = [*lines[: TASK_ROWS - 1], (Span("…", DIM),)]
    return [(), *lines]


def _ends(left: Line, right: Line, width: int) -> Line:
    """Two ends of a line; what stands on the left is cut first."""
    room = width - cells.line_width(right) - 2
    if room < 8:
        return cells.clip(left, width)
    left = cells.clip(left, room)
    return (*left, Span(" " * (width - cells.line_width(left) - cells.line_width(right))), *right)
