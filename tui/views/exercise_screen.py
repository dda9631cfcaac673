"""An exercise: its task and the student's lines beside what the ranks made of them. Pure: data to lines."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import lru_cache

from runtime.practice.exercise import Exercise
from runtime.practice.outcome import Outcome
from slides.drawing import cells
from slides.drawing.cells import clean
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line, Span, Style
from slides.reading.parse import parse_blocks
from tui.keys.table import for_role, key_of, label
from tui.practice.tries_and_hints import TRIES_FOR_SOLUTION, Progress
from tui.views.parts.diagnosis import diagnosed
from tui.views.parts.frame import framed, spread
from tui.views.parts.headline import FROM, headline

DIM, TEXT, HEAD, ACCENT = Style("dim"), Style("text"), Style("heading", bold=True), Style("accent", bold=True)
GOOD, BAD, WARN = Style("good", bold=True), Style("bad", bold=True), Style("warning")
TWO_FROM = 98  # cells from which the task and the ranks stand side by side
MARKS = {"passed": ("✓", GOOD), "failed": ("✗", BAD), "running": ("…", ACCENT), "waiting": ("·", DIM)}
LETTERS_FROM = FROM[0] // 2 - 2  # cells of the right side from which on what matters is in letters
CODE_ROWS, FEW_ROWS = 9, 5  # of the student's lines; below a diagnosis on a narrow screen


@dataclass(frozen=True)
class Shown:
    """All that the screen says."""

    exercise: Exercise
    progress: Progress
    source: tuple[str, ...] = ()
    outcome: Outcome | None = None
    stage: str = ""  # what the ranks wait for, "" when they are warm
    word: str = ""  # said for a moment
    place: str = ""  # `3 of 9`
    cores: int = 0
    solution: tuple[str, ...] = field(default=())  # shown in the place of the task
    asks_task: bool = False  # on a narrow screen the task, not what came of it
    first: int = 0  # lines of the left side scrolled away
    path: str = ""  # of the file, for an editor beside
    running: bool = False  # a text of which nothing is known yet
    theirs: bool = False  # the file is somebody else's, and nothing of it is counted


def screen(shown: Shown, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells, a cell free at each side."""
    inner = max(1, width - 2)
    return framed([(Span(" "), *line) for line in _inside(shown, inner, height)], width, height)


def _inside(shown: Shown, width: int, height: int) -> list[Line]:
    head, foot = _head(shown, width), _foot(shown, width)
    room = height - len(head) - len(foot)
    left = _long_side(shown, width)
    if width >= TWO_FROM and len(left) < room:  # there is room for more of the student's lines
        left = _long_side(shown, width, CODE_ROWS + room - len(left))
    crowded = len(left) > room
    left = _scrolled(left, shown.first, room)
    if width < TWO_FROM:
        return [*head, *framed(left, width, room), *foot]
    cells_left = _left_cells(width)
    cells_right = width - cells_left - 3
    pairs = zip(
        framed(left, cells_left, room),
        framed(_all_right(shown, cells_right, room, crowded), cells_right, room),
        strict=True,
    )
    return [*head, *((*a, Span(" │ ", Style("line")), *b) for a, b in pairs), *foot]


def _left_cells(width: int) -> int:
    return (width - 3) * 12 // 25


def _long_side(shown: Shown, width: int, rows: int = CODE_ROWS) -> list[Line]:
    """What is scrolled: the left side, and on a narrow screen all there is. `rows` are those of the file."""
    if width >= TWO_FROM:
        return _left(shown, _left_cells(width) - 1, whole=True, rows=rows)
    nothing = shown.outcome is None and not shown.running
    if shown.asks_task or shown.solution or nothing or _unfinished(shown):
        return [*_left(shown, width, whole=False), (), *_checks(shown, width)]
    found = shown.outcome.diagnosis if shown.outcome is not None else None
    code = [(), *_code(shown, width, FEW_ROWS)] if found is not None and found.line else []
    checks = [(), *_checks(shown, width), *_printed(shown, width, 4)]
    return [*_right(shown, width, 0), *code, *checks, (), *_hints(shown, width)]


def furthest(shown: Shown, width: int, height: int) -> int:
    """Return how many lines can be scrolled away at this size."""
    inner = max(1, width - 2)
    room = height - len(_head(shown, inner)) - len(_foot(shown, inner))
    return max(0, len(_long_side(shown, inner)) - room)


def _unfinished(shown: Shown) -> bool:
    found = shown.outcome.diagnosis if shown.outcome is not None else None
    return found is not None and found.kind == "unfinished"


def _to_begin(shown: Shown) -> bool:
    """Whether the ranks have nothing to say of the text yet."""
    return not shown.solution and (shown.outcome is None or _unfinished(shown))


def _scrolled(lines: list[Line], first: int, room: int) -> list[Line]:
    at = max(0, min(first, len(lines) - room))
    below = len(lines) - at - room
    shown = lines[at : at + room]
    if below > 0 and room > 1:
        shown[-1] = (Span(f"↓ {below + 1} lines more", DIM),)
    return shown


def _head(shown: Shown, width: int) -> list[Line]:
    exercise, outcome = shown.exercise, shown.outcome
    title: Line = (
        Span("Exercise ", ACCENT),
        Span(shown.place, ACCENT),
        Span(f"  {clean(exercise.title)}", HEAD),
    )
    passed = outcome.passed if outcome is not None else 0
    tries = f"try {shown.progress.tries}" if shown.progress.tries else "not tried yet"
    solved = " · solved" if shown.progress.solved else ""
    if shown.theirs:
        tries, solved = clean(exercise.file), ""
    style = GOOD if solved else DIM
    count = (Span(f"{passed} of {len(exercise.checks)} checks · {tries}{solved}", style),)
    if cells.line_width(title) + cells.line_width(count) >= width:
        count = (Span(f"{passed}/{len(exercise.checks)}", style),)
        title = cells.clip(title, width - cells.line_width(count) - 2)
    return [spread(title, count, width), (Span("─" * width, Style("line")),)]


def _foot(shown: Shown, width: int) -> list[Line]:
    if shown.word:
        return [(), cells.clip((Span(clean(shown.word), WARN),), width)]
    spans: list[Span] = []
    gap = "   " if width >= TWO_FROM else "  "
    for action in for_role("exercise"):
        if not (action.hint and action.keys) or (action.name == "task" and width >= TWO_FROM):
            continue
        dim = action.name == "solution" and not shown.progress.may_see_solution
        more = [Span(f"{label(action.keys[0])} ", DIM if dim else ACCENT), Span(f"{action.hint}{gap}", DIM)]
        if cells.line_width(tuple(spans + more)) <= width + len(gap):
            spans += more
    return [(), cells.clip(tuple(spans), width)]


# --- left: what is to be done ------------------------------------------------------------------------------


def _left(shown: Shown, width: int, *, whole: bool, rows: int = CODE_ROWS) -> list[Line]:
    if shown.solution:
        title: Line = (Span("The solution", HEAD), Span("  one of those that pass", DIM))
        return [title, (), *_numbered(shown.solution, 1, 0, width)]
    lines = [*_task(shown.exercise.task, width), (), *_code(shown, width, rows, path=not whole)]
    if whole and _to_begin(shown):
        return lines  # checks and hints have the room at the right
    if whole:
        lines += [(), *_checks(shown, width)]
    return [*lines, (), *_hints(shown, width)]


@lru_cache(8)
def _task(text: str, width: int) -> tuple[Line, ...]:
    return tuple(layout_blocks(parse_blocks(text), 0, width))


def _code(shown: Shown, width: int, rows: int, path: bool = False) -> list[Line]:
    """The student's lines: those around what failed, else those of the hole. `path`: where the file is."""
    found = shown.outcome.diagnosis if shown.outcome is not None else None
    at = found.line if found is not None else 0
    middle = at or next((n for n, line in enumerate(shown.source, 1) if "yours: from here" in line), 1)
    first = max(1, min(middle - rows // 2, len(shown.source) - rows + 1))
    place = clean(shown.path if path and shown.path else shown.exercise.file)
    if cells.room(place) > width - 2:  # its end tells more
        place = f"…{place[3 - width :]}"
    title = cells.fit((Span(f" {place}", DIM.on("panel")),), width, Style(ground="panel"))
    return [title, *_numbered(shown.source[first - 1 : first - 1 + rows], first, at, width)]


def _numbered(source: tuple[str, ...], first: int, marked: int, width: int) -> list[Line]:
    lines: list[Line] = []
    for number, text in enumerate(source, first):
        ground = "removed" if number == marked else "panel"
        ink = Style("heading", ground, bold=True) if number == marked else TEXT.on(ground)
        mark = "▸" if number == marked else " "
        line = (Span(f"{mark}{number:3} ", DIM.on(ground)), Span(clean(text.rstrip()), ink))
        lines.append(cells.fit(line, width, Style(ground=ground)))
    return lines


def _checks(shown: Shown, width: int, *, apart: bool = False) -> list[Line]:
    lines: list[Line] = [(Span("Checks", HEAD),)]
    states = [check.state for check in shown.outcome.checks] if shown.outcome is not None else []
    for n, title in enumerate(shown.exercise.checks):
        state = states[n] if n < len(states) else "waiting"
        mark, style = MARKS[state]
        text = TEXT if state in ("passed", "failed", "running") else DIM
        lines += [()] * apart
        lines += _hanging((Span(f" {mark}  ", style),), clean(title), text, width)
    return lines


def _hints(shown: Shown, width: int) -> list[Line]:
    used = min(shown.progress.hints, len(shown.exercise.hints))
    every = len(shown.exercise.hints)
    title = f"  {used} of {every} used" if used else f"  none of {every} used"
    lines: list[Line] = [(Span("Hints", HEAD), Span(title, DIM))]
    for hint in shown.exercise.hints[:used]:
        lines += [*layout_blocks(parse_blocks(hint), 0, width), ()]
    return lines


# --- right: what the ranks made of it ----------------------------------------------------------------------


def _all_right(shown: Shown, width: int, height: int, crowded: bool) -> list[Line]:
    """The right side; at first with checks and hints. Where a long task hides them, the lines that failed and
    the checks stand there, too."""
    lines = _right(shown, width, height)
    if _to_begin(shown):
        hints = _hints(shown, width)
        airy = [*lines, (), *_checks(shown, width, apart=True), (), (), *hints]
        return airy if len(airy) <= height else [*lines, (), *_checks(shown, width), (), *hints]
    if crowded and not shown.solution:
        found = shown.outcome.diagnosis if shown.outcome is not None else None
        code = _code(shown, width, FEW_ROWS) if found is not None and found.line else []
        for part in (code, _checks(shown, width)):
            if part and len(lines) + 1 + len(part) <= height:
                lines += [(), *part]
    return lines


def _right(shown: Shown, width: int, height: int) -> list[Line]:
    """`height` 0: as many as it takes, without a picture and what was printed."""
    outcome = shown.outcome
    cores = f" {shown.exercise.ranks} ranks on {shown.cores} cores" if shown.cores else ""
    head = spread(
        (Span(f" {clean(shown.exercise.file)} ", Style("heading", "select", bold=True)), Span(cores, DIM)),
        (Span(f"● {outcome.badge}", GOOD),) if outcome is not None else (),
        width,
    )
    lines: list[Line] = [head, ()]
    if outcome is None:
        return [*lines, *_before(shown, width)]
    if outcome.solved:
        said = f"All {len(outcome.checks)} checks pass"
        first = f"the first of them after {outcome.first_check_s:.2f} s" if outcome.first_check_s else ""
        drawn = headline((Span(said, GOOD),), width) if height >= FROM[1] and width >= LETTERS_FROM else []
        if not drawn:
            drawn = cells.wrap((Span(f"{said}, {first}." if first else f"{said}.", GOOD),), width)
        elif first:
            drawn.append((Span(first, GOOD),))
        waits = "The solution shows one way to write it; the next exercise waits."
        lines += [*drawn, (), *cells.wrap((Span(waits, DIM),), width)]
    elif _unfinished(shown):
        lines += _to_write(shown, width)
    elif outcome.diagnosis is not None:
        rows = height - 2 if height else 0
        large = rows >= FROM[1] and width >= LETTERS_FROM
        lines += diagnosed(outcome.diagnosis, shown.exercise.ranks, width, rows, large=large)
    else:
        lines += _before(replace(shown, running=True), width)
    for note in outcome.notes:
        lines += [(), *cells.wrap((Span(clean(note), WARN),), width)]
    return [*lines, *(_printed(shown, width, height - len(lines) - 2) if height else ())]


def _printed(shown: Shown, width: int, room: int) -> list[Line]:
    """The last lines that the ranks have printed, where something is wrong."""
    outcome = shown.outcome
    if outcome is None or not outcome.printed or outcome.diagnosis is None or _unfinished(shown) or room < 2:
        return []
    tail = [cells.clip((Span(clean(line), DIM),), width) for line in outcome.printed[-min(room, 6) :]]
    return [(), (Span("printed at last", DIM),), *tail]


def _before(shown: Shown, width: int) -> list[Line]:
    """While nothing is known of the text: what the ranks do, and at the first time what the student is to."""
    lines: list[Line] = []
    if shown.stage:
        lines = cells.wrap((Span(f"the ranks get ready: {clean(shown.stage)}", DIM),), width)
    elif shown.running:
        lines = [(Span("running …", ACCENT),)]
    if shown.theirs or (shown.running and shown.progress.tries):
        return lines
    return [*lines, *([()] if lines else []), *_how(shown, width)]


def _to_write(shown: Shown, width: int) -> list[Line]:
    """Where to write, while nothing is written yet."""
    found = shown.outcome.diagnosis if shown.outcome is not None else None
    headline = clean(found.headline) if found is not None else ""
    return [*cells.wrap((Span(headline, WARN),), width), (), *_how(shown, width)]


def _how(shown: Shown, width: int) -> list[Line]:
    """Where to write, with what, and where the file is."""
    editor = key_of("edit_exercise")
    how: Line = (
        Span("Write it between the marks: ", TEXT),
        Span(f"{editor} ", ACCENT),
        Span("opens your editor here, or open the file in any other. Every save runs it on ", TEXT),
        Span(f"{shown.exercise.ranks} real ranks.", TEXT),
    )
    lines = cells.wrap(how, width)
    if shown.path:
        lines += [(), *cells.wrap((Span(clean(shown.path), DIM),), width)]
    return lines


def _hanging(first: Line, text: str, style: Style, width: int) -> list[Line]:
    indent = cells.line_width(first)
    wrapped = cells.wrap((Span(text, style),), max(8, width - indent))
    return [(*(first if n == 0 else (Span(" " * indent),)), *line) for n, line in enumerate(wrapped)]


def solution_word(progress: Progress) -> str:
    """Why the solution is not shown yet."""
    left = TRIES_FOR_SOLUTION - progress.tries
    return f"the solution comes when it is solved, or after {left} {'try' if left == 1 else 'tries'} more"
