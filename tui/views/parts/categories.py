"""What time and memory go to: one word, ink and glyph for each kind, the same in every view.

Every kind of time has a glyph of its own, every kind of memory a letter: nothing is told by colour alone.
Solid glyphs leave the top eighth of their cell free: rows of bars stay apart.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style


class Kind(NamedTuple):
    """`field` is the attribute of a `RankRow`; `word` and `short` are what a legend calls it."""

    field: str
    word: str
    short: str
    ink: str
    glyph: str

    def run(self, count: int) -> Span:
        return Span(self.glyph * count, Style(self.ink))


DATA = Kind("data", "data", "data", "dim", "▃")
COMPUTE = Kind("compute", "compute", "comp", "compute", "▇")
HIDDEN = Kind("hidden", "hidden", "hid", "hidden", "▓")
EXPOSED = Kind("exposed", "exposed", "exp", "exposed", "▒")
WAIT = Kind("wait", "wait", "wait", "wait", "░")
OPTIMIZER = Kind("optimizer", "opt", "opt", "optimizer", "▅")
OTHER = Kind("other", "other", "other", "faint", "·")
UNKNOWN = Kind("", "not known", "?", "faint", "╌")

# In the order of the step bar, which is the order of a step.
TIME = (DATA, COMPUTE, HIDDEN, EXPOSED, WAIT, OPTIMIZER, OTHER)
# In the order in which a legend can do without them, the last first.
TIME_LEGEND = (COMPUTE, HIDDEN, EXPOSED, WAIT, OPTIMIZER, DATA, OTHER)

MEMORY = (
    Kind("params", "params", "p", "params", "▇"),
    Kind("grads", "grads", "g", "grads", "▇"),
    Kind("optimizer_bytes", "opt", "o", "optimizer", "▇"),
    Kind("activations", "act", "a", "activations", "▇"),
    Kind("gathered", "full", "f", "hidden", "▇"),
    Kind("temporary", "temp", "t", "dim", "▇"),
    Kind("buffers", "buf", "b", "wait", "▇"),
)


def time_legend(width: int) -> Line:
    """Glyphs and words of the kinds of time in at most `width` cells: in words, in short ones, or fewer.

    Words never touch the next glyph: a legend that has to be puzzled out is none.
    """
    for count in range(len(TIME_LEGEND), 0, -1):
        shown = TIME_LEGEND[:count]
        for words, inside, between in (
            ([kind.word for kind in shown], " ", "  "),
            ([kind.word for kind in shown], "", "  "),
            ([kind.short for kind in shown], " ", "  "),
            ([kind.short for kind in shown], "", " "),
        ):
            line = _legend([(k, inside + w) for k, w in zip(shown, words, strict=True)], between)
            if cells.line_width(line) <= width:
                return line
    return ()


def memory_legend(kinds: Sequence[Kind], width: int) -> Line:
    """The words whose first letters stand in the memory bars, in at most `width` cells."""
    spans = [span for kind in kinds for span in (Span(kind.word, Style(kind.ink)), Span(" "))][:-1]
    while cells.line_width(spans) > width:
        spans = spans[:-2]
    return tuple(spans)


def bar(parts: Sequence[tuple[Kind, float]], scale: float, width: int) -> list[tuple[Kind, int]]:
    """Cells per part where `scale` is `width` cells long.

    Edges are rounded, not lengths: an edge at the same value is in the same cell in every row.
    """
    if not 0 < scale < math.inf or width <= 0:
        return []
    cut, done, total = [], 0, 0.0
    for kind, value in parts:
        total += value if 0 < value < math.inf else 0.0
        edge = round(min(1.0, total / scale) * width)
        cut.append((kind, edge - done))
        done = edge
    return [(kind, n) for kind, n in cut if n > 0]


def time_bar(parts: Sequence[tuple[Kind, float]], scale: float, width: int) -> Line:
    return tuple(kind.run(n) for kind, n in bar(parts, scale, width))


def memory_bar(values: Sequence[int], scale: float, width: int, *, letters: bool = True) -> Line:
    """The bytes of each of `MEMORY`; with `letters` a part of 2 cells or more begins with its own."""
    spans: list[Span] = []
    for kind, n in bar(list(zip(MEMORY, values, strict=True)), scale, width):
        if letters and n >= 2:
            spans += [Span(kind.short, Style(kind.ink)), kind.run(n - 1)]
        else:
            spans.append(kind.run(n))
    return tuple(spans)


def _legend(entries: Sequence[tuple[Kind, str]], between: str) -> Line:
    spans: list[Span] = []
    for n, (kind, word) in enumerate(entries):
        # Some fills are too faint for words; the glyph before the word has their ink.
        ink = {"wait": "dim", "faint": "dim", "hidden": "dim"}.get(kind.ink, kind.ink)
        last = n == len(entries) - 1
        spans += [kind.run(1), Span(word + ("" if last else between), Style(ink))]
    return tuple(spans)
