"""A puzzle: its task, the board, what counts and what does not yet. Pure: data to lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from runtime.puzzles.cluster import Cluster
from runtime.puzzles.puzzle import Puzzle, score_words
from runtime.puzzles.schedule import Pipeline
from runtime.puzzles.streams import Streams
from runtime.puzzles.verdict import Judged, solves
from slides.drawing import cells
from slides.drawing.cells import clean
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line, Span, Style
from slides.reading.parse import parse_blocks
from tui.keys.table import for_role, label
from tui.practice.puzzle_keys import Board
from tui.practice.tries_and_hints import Progress
from tui.views.parts.frame import framed, spread
from tui.views.puzzle import layout, order, schedule

DIM, HEAD, ACCENT = Style("dim"), Style("heading", bold=True), Style("accent", bold=True)
GOOD, BAD, WARN = Style("good", bold=True), Style("bad", bold=True), Style("warning")
READ = 100  # cells of a line that is read
SHORT = 3  # lines of a task where there is no room for it


@dataclass(frozen=True)
class Shown:
    """All that the screen says."""

    board: Board
    progress: Progress
    place: str = ""  # `3 of 11`
    word: str = ""  # said for a moment
    hint: bool = False


def screen(shown: Shown, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells, a cell free at each side."""
    inner = max(20, width - 2)
    head, foot = _head(shown, inner), _foot(shown, inner)
    task = _task(shown, inner, height)
    status = _status(shown, inner)
    room = max(4, height - len(head) - len(foot) - len(task) - len(status) - 2)
    board = _board(shown.board, inner, room)
    spare = height - len(head) - len(task) - len(board) - len(status) - len(foot) - 2
    above = min(4, max(0, spare // 4)) if height >= 36 else 0
    body = [*task, *[()] * (1 + above), *board, *[()] * (1 + above), *status]
    body = framed(body, inner, height - len(head) - len(foot))
    return framed([(Span(" "), *line) for line in (*head, *body, *foot)], width, height)


def _board(it: Board, width: int, height: int) -> list[Line]:
    match it.puzzle.rules:
        case Pipeline():
            return schedule.board(it, it.puzzle.rules, width, height)
        case Streams():
            return order.board(it, it.puzzle.rules, width, height)
        case Cluster():
            return layout.board(it, it.puzzle.rules, width, height)


def _head(shown: Shown, width: int) -> list[Line]:
    puzzle = shown.board.puzzle
    judged = puzzle.judge(shown.board.answer)
    title: Line = (
        Span("Puzzle ", ACCENT), Span(shown.place, ACCENT), Span(f"  {clean(puzzle.title)}", HEAD),
    )  # fmt: skip
    score = _score(puzzle, judged)
    title = cells.clip(title, max(0, width - cells.line_width(score) - 2))
    return [spread(title, score, width), (Span("─" * width, Style("line")),)]


def _score(puzzle: Puzzle, judged: Judged) -> Line:
    best = puzzle.best()[0]
    known = f"best known {score_words(best, puzzle.unit)}"
    if not judged.valid or judged.score is None:
        return (Span(known, DIM),)
    style = GOOD if solves(judged, best) else ACCENT
    return (Span(f"{score_words(judged.score, puzzle.unit)}", style), Span(f" · {known}", DIM))


def _task(shown: Shown, width: int, height: int) -> list[Line]:
    """The task; on a short screen without what its first puzzle says, which is in the hint's place anyway."""
    text = shown.board.puzzle.hint if shown.hint else shown.board.puzzle.task
    lines = layout_blocks(parse_blocks(text), 0, min(width, READ))
    if height < 28:
        lines = [line for line in lines if line]
    if height < 20 and len(lines) > SHORT:
        lines = [*lines[: SHORT - 1], (*lines[SHORT - 1][:1], Span(" …", DIM))]
    return [(Span("Hint", ACCENT),), *lines] if shown.hint else lines


def _status(shown: Shown, width: int) -> list[Line]:
    """What became of the answer, in a line or two: always so many, so that nothing jumps."""
    puzzle = shown.board.puzzle
    judged = puzzle.judge(shown.board.answer)
    best = puzzle.best()[0]
    if shown.board.word:
        said: Line = (Span(clean(shown.board.word), WARN),)
    elif judged.faults:
        first = judged.faults[0]
        style = DIM if first.at < 0 and isinstance(puzzle.rules, Pipeline) else BAD
        said = (Span(clean(first.text), style),)
    elif solves(judged, best):
        said = (Span("✓ as good as it gets: no answer is better", GOOD),)
    else:
        more = score_words((judged.score or 0.0) - best, puzzle.unit)
        said = (Span(f"it counts, and takes {more} more than the best known", ACCENT),)
    lines = cells.wrap(said, width)[:2]
    return [*lines, *[()] * (2 - len(lines))]


def _foot(shown: Shown, width: int) -> list[Line]:
    if shown.word:
        return [(), cells.clip((Span(clean(shown.word), WARN),), width)]
    rules = shown.board.puzzle.rules
    hints: list[Line] = []
    for action in for_role("puzzle"):
        if action.hint and action.keys and _meant(action.name, rules):
            said = _hint(action.name, action.hint, shown.board)
            hints.append((Span(f"{label(action.keys[0])} ", ACCENT), Span(said, DIM)))
    gap = Span("   " if width >= 98 else "  ")
    while len(hints) > 2 and cells.line_width(_joined(hints, gap)) > width:
        del hints[-2]  # the last leaves, and is always said
    return [(), cells.clip(_joined(hints, gap), width)]


def _joined(hints: Sequence[Line], gap: Span) -> Line:
    return tuple(span for n, hint in enumerate(hints) for span in ((gap, *hint) if n else hint))


def _meant(name: str, rules: object) -> bool:
    """Whether a key does something here."""
    if name == "puzzle_weights":
        return isinstance(rules, Pipeline) and rules.split
    if name in ("puzzle_forward", "puzzle_backward", "puzzle_take"):
        return isinstance(rules, Pipeline)
    if name in ("puzzle_up", "puzzle_down"):
        return not isinstance(rules, Streams)
    return True


def _hint(name: str, hint: str, board: Board) -> str:
    if name == "puzzle_put" and isinstance(board.puzzle.rules, Streams):
        return "put it down" if board.lifted else "take it along"
    if name == "puzzle_put" and isinstance(board.puzzle.rules, Cluster):
        return "change"
    return hint
