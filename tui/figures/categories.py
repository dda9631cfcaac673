"""What time and memory go to: one word, ink and glyph for each kind, the same in every view.

A part of a bar fills its cells with its colour and is as high as every other part, its word in the middle of
it. The glyph has the same colour as the cell, so that it is seen only where there is no colour: nothing is
told by colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style


class Kind(NamedTuple):
    """`field` is the attribute of a `RankRow`; `word` and `short` are what a legend calls it.

    `ground` fills its cells, its own ink where that is ""; `label` is the ink of a word on it.
    """

    field: str
    word: str
    short: str
    ink: str
    glyph: str
    ground: str = ""
    label: str = "background"

    @property
    def style(self) -> Style:
        """Its ink on its ground."""
        return Style(self.ink, self.ground or self.ink)

    def run(self, count: int) -> Span:
        """`count` cells of it."""
        return Span(self.glyph * count, self.style)

    def block(self, width: int, words: Sequence[str] = (), *, parted: bool = False) -> Line:
        """`width` cells with the first of `words` that fits in their middle.

        `parted`: a thin line at its left end parts it from its like beside it.
        """
        if width < 1:
            return ()
        on = Style(self.label, self.ground or self.ink, bold=True)
        edge = parted and width > 1
        room = width - edge
        word = next((word for word in words if word and cells.width(word) <= room - (len(word) > 2)), "")
        if not word:
            rest: Line = (self.run(room),)
        else:
            left = (room - cells.width(word)) // 2
            right = room - cells.width(word) - left
            # A blank at both sides of a word sets it off from the glyphs where these are seen.
            blank = min(left, right, 1)
            said = Span(" " * blank + word + " " * blank, on)
            rest = (self.run(left - blank), said, self.run(right - blank))
        return tuple(span for span in ((Span("▏" if edge else "", on)), *rest) if span.text)

    def rows(self, width: int, words: Sequence[str], high: int, *, parted: bool = False) -> list[Line]:
        """A block `high` rows high, with the first of `words` that fits in letters, else as `block` has it in
        the middle row."""
        drawn = next(
            (found for word in words if len(word) > 1 and (found := self._lettered(word, width))), []
        )
        if high < len(drawn) or not drawn:
            blank = self.block(width, parted=parted)
            middle = self.block(width, words, parted=parted)
            return [middle if y == (high - 1) // 2 else blank for y in range(high)]
        above = (high - len(drawn) + 1) // 2  # the last row of letters is mostly empty
        said = dict(enumerate(drawn, above))
        # A row of letters is a word of its own to `block`.
        return [self.block(width, [said[y]] if y in said else (), parted=parted) for y in range(high)]

    def _lettered(self, word: str, width: int) -> list[str]:
        drawn = letters(word, max(1, width - 4), ("low", "slim"), 1) or []
        wide = max(map(len, drawn), default=0)
        return [row.ljust(wide) for row in drawn]  # each is put in the middle on its own


DATA = Kind("data", "data", "data", "dim", "▞")
COMPUTE = Kind("compute", "compute", "comp", "compute", "█")
HIDDEN = Kind("hidden", "hidden", "hidden", "hidden", "▓")
EXPOSED = Kind("exposed", "exposed", "exposed", "exposed", "▒")
WAIT = Kind("wait", "wait", "wait", "wait", "░", "idle", "text")
OPTIMIZER = Kind("optimizer", "optimizer", "opt", "optimizer", "▚")
OTHER = Kind("other", "other", "other", "faint", "·", "idle", "text")
UNKNOWN = Kind("", "not known", "?", "faint", "╌", "background", "dim")

# In the order of the step bar, which is the order of a step.
TIME = (DATA, COMPUTE, HIDDEN, EXPOSED, WAIT, OPTIMIZER, OTHER)
# In the order in which a legend can do without them, the last first.
TIME_LEGEND = (COMPUTE, HIDDEN, EXPOSED, WAIT, OPTIMIZER, DATA, OTHER)

# Short words begin with the letter that stands for them where a part is small.
MEMORY = (
    Kind("params", "parameters", "params", "params", "█"),
    Kind("grads", "gradients", "grads", "grads", "▓"),
    Kind("optimizer_bytes", "optimizer", "opt", "optimizer", "▒"),
    Kind("activations", "activations", "act", "activations", "█"),
    Kind("gathered", "full weights", "full", "hidden", "▓"),
    Kind("temporary", "temporary", "temp", "dim", "▒"),
    Kind("buffers", "buffers", "buf", "wait", "░", "idle", "text"),
)


def time_legend(width: int, kinds: Sequence[Kind] = TIME_LEGEND) -> Line:
    """Glyphs and words of these kinds of time in at most `width` cells, the less needed left out.

    Words are never cut and never touch the next glyph: a legend that has to be puzzled out is none.
    """
    for count in range(len(kinds), 0, -1):
        for inside, between in ((" ", "  "), ("", "  "), ("", " ")):
            line = _legend([(kind, inside + kind.word) for kind in kinds[:count]], between)
            if cells.line_width(line) <= width:
                return line
    return ()


def memory_legend(kinds: Sequence[Kind], width: int) -> Line:
    """What the parts of the memory bars are called, in at most `width` cells."""
    for words in ([kind.word for kind in kinds], [kind.short for kind in kinds]):
        spans = [s for kind, word in zip(kinds, words, strict=True) for s in _named(kind, word)][:-1]
        if cells.line_width(spans) <= width:
            break
    while cells.line_width(spans) > width:
        spans = spans[:-2]
    return tuple(spans)


def _named(kind: Kind, word: str) -> Line:
    return Span(word, Style(_readable(kind))), Span("  " if " " in kind.word or len(word) > 6 else " ")


def _readable(kind: Kind) -> str:
    """Some fills are too faint for words; what stands before the word has their ink."""
    return {"wait": "dim", "faint": "dim", "hidden": "dim"}.get(kind.ink, kind.ink)


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
    """A bar of seconds: `width` cells stand for `scale` seconds."""
    return tuple(kind.run(n) for kind, n in bar(parts, scale, width))


def memory_bar(
    values: Sequence[int], scale: float, width: int, *, high: int = 1, sizes: Sequence[str] = ()
) -> list[Line]:
    """The bytes of each of `MEMORY`, `high` rows; each part has its word, or as much of it as fits.

    `sizes` are the bytes of each in words, said as well where that fits.
    """
    lines: list[Line] = [()] * high
    written = dict(zip(MEMORY, sizes, strict=True)) if sizes else {}
    for kind, n in bar(list(zip(MEMORY, values, strict=True)), scale, width):
        words = [kind.word, kind.short, kind.short[0]]
        if kind in written:
            words[:0] = [f"{kind.word} {written[kind]}", f"{kind.short} {written[kind]}"]
        lines = [(*line, *part) for line, part in zip(lines, kind.rows(n, words, high), strict=True)]
    return lines


def _legend(entries: Sequence[tuple[Kind, str]], between: str) -> Line:
    spans: list[Span] = []
    for n, (kind, word) in enumerate(entries):
        last = n == len(entries) - 1
        spans += [kind.run(1), Span(word + ("" if last else between), Style(_readable(kind)))]
    return tuple(spans)
