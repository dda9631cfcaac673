"""The box of `::: exercise NAME` on a slide: what is to be written, how far it is, and what opens it.

Only those that come with teachrun: the checks of a folder beside the deck would run without anybody having
agreed to them.
"""

from __future__ import annotations

from runtime.practice.exercise import BrokenExercise, Exercise, shipped
from slides import deck
from slides.drawing import cells
from slides.drawing.blocks.frames import NARROWEST, boxed
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line, Span, Style, plain
from slides.problems import Problem, one_line
from slides.reading.parse import parse_blocks
from tui.keys.table import key_of
from tui.practice import progress

HEAD, DIM, KEY, EDGE = Style("heading", bold=True), Style("dim"), Style("accent", bold=True), Style("accent")
GOOD = Style("good", bold=True)
TASK_ROWS = 5
TOLD = 100  # cells of a line without a screen


def trouble(block: deck.Exercise, file: str) -> Problem | None:
    """What is wrong with a block's name."""
    try:
        shipped(block.name)
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
    exercise = shipped(block.name)
    state = _state(exercise)
    inner = width - 4 if width >= NARROWEST else width
    key = key_of("exercise")
    last: list[Span] = [Span(_effort(exercise), DIM)]
    if hints and key:
        last = [Span(key, KEY), Span(" opens it · ", DIM), *last]
    lines = [
        _ends((Span(cells.clean(exercise.title), HEAD),), state, inner),
        *_task(exercise, inner),
        (),
        *cells.wrap(tuple(last), inner),
    ]
    return boxed(lines, width, EDGE, "Exercise") if width >= NARROWEST else lines


def told(block: deck.Exercise) -> list[str]:
    """The block in sentences, for a class in lines."""
    if (problem := trouble(block, "")) is not None:
        return [f"exercise {cells.clean(block.name)}: {problem.message}. {problem.mend}"]
    exercise = shipped(block.name)
    how = progress.in_words(_known(exercise), len(exercise.checks))
    task = [plain(line) for line in layout_blocks(parse_blocks(_first(exercise)), 0, TOLD)]
    opens = f"teachrun practice {exercise.name} opens it"
    return [f"exercise: {cells.clean(exercise.title)}; {how}", *task, f"{_effort(exercise)}; {opens}"]


def in_print(block: deck.Exercise) -> tuple[str, str, tuple[str, ...]]:
    """Title, badge and words of the block in a document; how far it is only where whoever makes it began."""
    if (problem := trouble(block, "")) is not None:
        return f"exercise {cells.clean(block.name)}", "", (f"{problem.message}. {problem.mend}",)
    exercise = shipped(block.name)
    task = " ".join(plain(line).strip() for line in layout_blocks(parse_blocks(_first(exercise)), 0, TOLD))
    opens = f"{_effort(exercise)}. Open it with teachrun practice {exercise.name}"
    how = _known(exercise)
    badge = progress.in_words(how, len(exercise.checks)) if how.tries or how.solved else ""
    return f"Exercise: {cells.clean(exercise.title)}", badge, (task, opens)


def _known(exercise: Exercise) -> progress.Progress:
    return progress.known().get(exercise.name, progress.Progress())


def _state(exercise: Exercise) -> Line:
    how = _known(exercise)
    return (Span(progress.in_words(how, len(exercise.checks)), GOOD if how.solved else DIM),)


def _effort(exercise: Exercise) -> str:
    return f"{exercise.ranks} real ranks, about {exercise.minutes} minutes"


def _first(exercise: Exercise) -> str:
    """The task up to its first empty line."""
    return exercise.task.partition("\n\n")[0]


def _task(exercise: Exercise, width: int) -> list[Line]:
    lines = list(layout_blocks(parse_blocks(_first(exercise)), 0, width))
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
