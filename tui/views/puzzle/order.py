"""The board of an order: what is computed above what is sent, the slots, and the queue to be put in order."""

from __future__ import annotations

from runtime.puzzles.streams import Played, Streams
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.practice.puzzle_keys import Board
from tui.views.puzzle import track
from tui.views.puzzle.track import Mark

HEAD, DIM, TEXT = Style("heading", bold=True), Style("dim"), Style("text")
NAME = 10
SENT, GATHER = Style("background", "exposed", bold=True), Style("background", "hidden", bold=True)
HELD = Style("text", "idle")
LIFTED = Style("background", "warning", bold=True, underline=True)


def board(it: Board, rules: Streams, width: int, height: int) -> list[Line]:
    """At most `height` lines; streams are two rows high where that fits."""
    order = rules.read(it.answer)
    played = rules.play(order)
    columns = max(played.steps, rules.play(rules.first()).steps) + 1
    cell = track.cell_width(columns, width - NAME)
    shown = min(columns, (width - NAME) // cell)
    lanes = 2 + rules.slots
    high, apart = next(
        (
            (h, a)
            for h, a in ((3, 1), (2, 1), (2, 0), (1, 0))
            if 5 + 2 * h + rules.slots + a * lanes <= height
        ),
        (1, 0),
    )
    work = [Mark(w.start, w.end, w.name, track.of(w.name)) for w in played.work]
    kinds = {one.name: GATHER if one.until else SENT for one in rules.collectives}
    here = order[it.at]
    cursor = LIFTED if it.lifted else track.CURSOR
    sent = [Mark(s.start, s.end, s.name, cursor if s.name == here else kinds[s.name]) for s in played.sent]
    lines: list[Line] = [(Span("step".ljust(NAME), DIM), *track.axis(shown, cell))]
    for name, marks, rows, empty in (
        ("computes", work, high, track.WAITS), ("sends", sent, high, "·"),
        *((f"slot {n + 1}", held, 1, "·") for n, held in enumerate(_slots(rules, played))),
    ):  # fmt: skip
        over = min(shown, played.steps)  # behind it there is nothing to wait for
        cut = [m._replace(end=min(m.end, shown)) for m in marks if m.start < shown]
        drawn = track.row(cut, over, cell, rows, empty)
        lines += [
            (Span((name if y == (rows - 1) // 2 else "").ljust(NAME), TEXT), *line)
            for y, line in enumerate(drawn)
        ]
        lines += [()] * apart
    lines += [()] * (not apart)
    lines += _queue(it, order, kinds, width, cursor)
    return [cells.clip(line, width) for line in lines]


def _slots(rules: Streams, played: Played) -> list[list[Mark]]:
    """What each slot holds, from the begin of a gather to the end of the work that needs it."""
    until = {one.name: one.until for one in rules.collectives if one.until}
    ends = {one.name: one.end for one in played.work}
    slots: list[list[Mark]] = [[] for _ in range(rules.slots)]
    for one in played.sent:
        if one.name in until:
            free = next((s for s in slots if not s or s[-1].end <= one.start), None)
            if free is not None:
                free.append(Mark(one.start, ends.get(until[one.name], played.steps), one.name, HELD))
    return slots


def _queue(
    it: Board, order: tuple[str, ...], kinds: dict[str, Style], width: int, cursor: Style
) -> list[Line]:
    spans: list[Span] = [Span("your order".ljust(NAME + 1), HEAD)]
    for n, name in enumerate(order):
        text = f"◂{name}▸" if n == it.at and it.lifted else f" {name} "
        spans += [Span(text, cursor if n == it.at else kinds[name]), Span(" ")]
    return [cells.clip(tuple(spans), width)]
