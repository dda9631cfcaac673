"""What charts of every kind are drawn with: fills of their series, numbers, texts beside and below."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from slides import deck
from slides.drawing.cells import clean, clip, pad, width, wrap
from slides.drawing.text import Line, Span, Style, joined

DIM, TEXT, HEADING = Style("dim"), Style(), Style("heading", bold=True)
RULE, LIMIT = Style("line"), Style("bad", bold=True)
FILLS, SEEN = "█▓▒░╱╲╳┃", "#=ox:+%~"  # seen where there is no colour; and always
_MEANINGS = {
    "parameters": "rank0", "params": "rank0", "compute": "rank0", "forward": "rank0",
    "gradients": "rank1", "grads": "rank1",
    "optimizer": "rank2", "optimizer states": "rank2",
    "activations": "rank3", "backward": "rank3",
    "exposed": "exposed", "hidden": "hidden", "wait": "wait", "idle": "wait",
    "full weights": "hidden", "temporary": "dim", "buffers": "wait", "data": "dim", "other": "faint",
}  # fmt: skip
_FREE = ("rank4", "rank6", "rank7", "rank5", "rank0", "rank1", "rank2", "rank3")  # 0 to 3 are kinds of memory
_RANK = re.compile(r"rank (\d{1,6})")


class Fill(NamedTuple):
    """What tells a series apart: its ink, the glyph that is seen where there is no colour, and always of one
    that has the ink of another."""

    ink: str
    glyph: str
    seen: bool = False

    @property
    def style(self) -> Style:
        """Of the cells of its bars."""
        return Style(self.ink, "" if self.seen else self.ink)

    @property
    def words(self) -> Style:
        """Of a figure in its bars."""
        return Style("background", self.ink, bold=True)


def fills(chart: deck.Chart) -> list[Fill]:
    """Of each series: what it means has its ink, all others those that mean nothing first; after eight
    colours these again with glyphs that are seen."""
    inks = ["" for _ in chart.series]
    for n, name in enumerate(chart.series):
        ink = _meant(name.strip().lower())
        inks[n] = "" if ink in inks else ink
    free = [ink for ink in _FREE if ink not in inks]
    found: list[Fill] = []
    for n, ink in enumerate(inks):
        again = not ink and not free
        ink = ink or (free.pop(0) if free else f"rank{n % 8}")
        used = [fill.glyph for fill in found]
        glyphs = SEEN if again else FILLS + SEEN[::-1]  # where there is no colour all of them differ
        glyph = next((sign for sign in glyphs if sign not in used), glyphs[n % 8])
        found.append(Fill(ink, glyph, again))
    return found


def _meant(name: str) -> str:
    """The ink of a kind of memory, of time, or of a rank; "" of a series that is none of them."""
    rank = _RANK.fullmatch(name)
    return f"rank{int(rank[1]) % 8}" if rank else _MEANINGS.get(name, "")


def lettered(chart: deck.Chart) -> bool:
    """Whether lines and points have letters: there are more of them than colours."""
    return bool(chart.xs) and len(chart.series) > 8


def letter(n: int) -> str:
    """The letter of series `n`."""
    return chr(ord("a") + n)


def number(value: float) -> str:
    """A number as people write it: at most four digits that matter, thousands parted."""
    if value and not 1e-3 <= abs(value) < 1e7:
        return f"{value:.3g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.4g}"


def with_unit(value: float, unit: str) -> str:
    """`112 GB`; of seconds `0.272 ms` where they would have noughts to count."""
    if unit == "s" and 0 < abs(value) < 0.1:
        value, unit = (value * 1e3, "ms") if abs(value) >= 1e-4 else (value * 1e6, "µs")
    return f"{number(value)} {clean(unit)}".rstrip()


def without_blank_end(cells: Sequence[Span]) -> Line:
    """Cells of one row as spans, without the blank ones at its end."""
    spans = list(joined(cells))
    while spans and not spans[-1].text.strip() and not spans[-1].style.ground:
        spans.pop()
    return tuple(spans)


def side(chart: deck.Chart, columns: int) -> list[str]:
    """The limit in words for the right side of a chart: its number, then what it is, a word a row at most."""
    if chart.limit is None:
        return []
    label = wrap([Span(clean(chart.limit_label))], max(6, columns // 6)) if chart.limit_label else []
    return [with_unit(chart.limit, chart.unit), *("".join(span.text for span in line) for line in label[:2])]


def under(texts: Sequence[str], cells: int, style: Style, most: int = 2) -> list[Line]:
    """Texts side by side, each in so many cells, as few rows as they need and at most `most`.

    Two blanks part them where these have room: with one, two names read as one.
    """
    words = (width(word) for text in texts for word in clean(text).split())
    gap = 2 if max(words, default=0) <= cells - 2 else 1
    wrapped = [wrap([Span(clean(text), style)], max(1, cells - gap)) for text in texts]
    if gap > 1 and max(map(len, wrapped), default=0) > most:
        wrapped = [wrap([Span(clean(text), style)], max(1, cells - 1)) for text in texts]
    rows = min(most, max(map(len, wrapped), default=0))
    return [
        tuple(span for one in wrapped for span in pad(clip(one[n], cells - 1) if n < len(one) else (), cells))
        for n in range(rows)
    ]
