"""The views of a run by name and digit, and the line that says which one is shown."""

from __future__ import annotations

from typing import get_args

from runtime.catalog.params import View
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

DIM, KEY = Style("dim"), Style("accent", bold=True)
HERE = Style("heading", "select", bold=True)
DIGITS: dict[int, str] = dict(enumerate(get_args(View), start=1))
NUMBER = {name: digit for digit, name in DIGITS.items()}
_SHORT = {"timeline": "time", "memory": "mem", "collectives": "coll", "pipeline": "pipe", "buffers": "buf"}


def view(name: str, snapshot: Snapshot, width: int, height: int, rank: int | None = None) -> list[Line]:
    """The view of that name: exactly `height` lines of exactly `width` cells. `rank` is pointed at."""
    # Each is imported when it is first looked at: most are never.
    match name:
        case "loss":
            from tui.views.loss import loss

            return loss(snapshot, width, height)
        case "timeline":
            from tui.views.timeline import xray

            return xray(snapshot, width, height)
        case "memory":
            from tui.views.memory import memory

            return memory(snapshot, width, height)
        case "collectives":
            from tui.views.collectives import collectives

            return collectives(snapshot, width, height)
        case "pipeline":
            from tui.views.pipeline import pipeline

            return pipeline(snapshot, width, height)
        case "buffers":
            from tui.views.buffers import buffers

            return buffers(snapshot, width, height)
        case "launch":
            from tui.views.launch import launch

            return launch(snapshot, width, height)
        case "log":
            from tui.views.log import log

            return log(snapshot, width, height, rank)
        case _:
            from tui.views.parts.rank_details import details

            return details(snapshot, width, height, rank)


def tabs(shown: str, width: int, *, hints: bool = True) -> Line:
    """All views with their digits, the one shown set off; as much as fits, first what is shown."""
    if not hints:
        return (Span(f" {shown} ", HERE),)
    for gap, names in (("  ", {}), (" ", {}), (" ", _SHORT)):
        spans: list[Span] = []
        for digit, name in DIGITS.items():
            here = name == shown
            word = names.get(name, name)
            spans += (
                [Span(f" {digit} {name} ", HERE)] if here else [Span(f"{digit}", KEY), Span(f" {word}", DIM)]
            )
            spans.append(Span(gap))
        line = (*spans, Span("0", KEY), Span(" back", DIM))
        if cells.line_width(line) <= width:
            return line
    return cells.clip((Span(f" {shown} ", HERE), Span(" 1-9", KEY), Span(" others", DIM)), width)
