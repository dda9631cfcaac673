"""The board of a pipeline: a device a row, a step a column, and what each device holds."""

from __future__ import annotations

from runtime.puzzles.schedule import Pipeline
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.practice.puzzle_keys import Board
from tui.views.puzzle import track
from tui.views.puzzle.track import Mark

HEAD, DIM, TEXT, BAD = Style("heading", bold=True), Style("dim"), Style("text"), Style("bad", bold=True)
NAME = 9  # cells before the first step
HIGH = ((3, 1), (2, 1), (2, 0), (1, 0))  # rows of a device, and between two


def board(it: Board, rules: Pipeline, width: int, height: int) -> list[Line]:
    """At most `height` lines: devices two rows high and apart where that fits, else one."""
    devices = rules.read(it.answer)
    judged = rules.judge(it.answer)
    broken = {(fault.lane, fault.at) for fault in judged.faults if fault.at >= 0}
    columns = it.columns
    held_wide = 2 + max(len(_held_text(rules, devices, d, it.at)) for d in range(rules.devices))
    cell = track.cell_width(columns, width - NAME - held_wide)
    shown = min(columns, (width - NAME - held_wide) // cell)
    high, apart = next(((h, a) for h, a in HIGH if 1 + rules.devices * (h + a) - a <= height), (1, 0))
    lines: list[Line] = [
        (Span("step".ljust(NAME), DIM), *track.axis(shown, cell), Span(" held" * (held_wide > 2), DIM))
    ]
    middle = (high - 1) // 2
    for device in range(rules.devices):
        marks = []
        for one in rules.blocks(devices):
            if one.device != device or one.start >= shown:
                continue
            style = track.BROKEN if (device, one.start) in broken else track.of(one.kind)
            if device == it.row and one.start <= it.at < one.end:
                style = track.CURSOR
            marks.append(Mark(one.start, min(one.end, shown), f"{one.kind}{one.microbatch}", style))
        if device == it.row and it.at < shown and not any(m.start <= it.at < m.end for m in marks):
            marks.append(Mark(it.at, it.at + 1, "+", track.CURSOR))
        name = Span(f"device {device}".ljust(NAME), HEAD if device == it.row else TEXT)
        held = _held_text(rules, devices, device, it.at)
        over = any(n > rules.memory[device] for n in rules.held(devices, device))
        for y, line in enumerate(track.row(marks, shown, cell, high)):
            tail = Span(f" {held}", BAD if over else DIM) if y == middle else Span("")
            lines.append((name if y == middle else Span(" " * NAME), *line, tail))
        if device < rules.devices - 1:
            lines += [()] * apart
    return [cells.clip(line, width) for line in lines]


def _held_text(
    rules: Pipeline, devices: tuple[tuple[tuple[str, int], ...], ...], device: int, at: int
) -> str:
    """What a device holds at the cursor's step, of what fits; "" where all fits anyway."""
    if rules.memory[device] >= rules.microbatches:
        return ""
    held = rules.held(devices, device)
    return f"{held[at] if at < len(held) else 0}/{rules.memory[device]}"
