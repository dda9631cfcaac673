"""More points than cells can show: a line keeps what it looks like, points become how many lie in a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from slides.drawing.text import Line, Span, Style, joined

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_SHADES = "░▒▓█"
CROWD = 500  # points; fewer are drawn as they are


class Density(NamedTuple):
    """Rows of cells, each as full as it has points, and what the shades stand for in words."""

    lines: list[Line]
    legend: str


def same_look(points: NDArray[np.float64], columns_a_dot: float = 1.0) -> NDArray[np.float64]:
    """A line with at most four points of each stay in a column of dots: the first, the lowest, the highest
    and the last. Drawn in these dots it is the same line (M4: Jugel, Jerzak, Hackenbroich and Markl, VLDB
    2014, section 4). What is no number stays, since the line is broken there.

    Args:
        points: (N, 2) of x, y in dots, in the order of the line.
        columns_a_dot: Finer columns than dots, for pixels.
    """
    import numpy as np

    if len(points) < 5:
        return points
    known = np.isfinite(points).all(1)
    column = np.where(known, np.floor(np.nan_to_num(points[:, 0]) * columns_a_dot + 0.5), np.nan)
    new: NDArray[np.bool_] = np.ones(
        len(points), bool
    )  # where a stay begins; each that is no number is one of its own
    new[1:] = column[1:] != column[:-1]
    first = np.flatnonzero(new)
    last = np.append(first[1:], len(points)) - 1
    stay = np.cumsum(new) - 1
    y = np.where(known, points[:, 1], 0.0)
    by_height = np.lexsort((y, stay))  # within each stay, and as long as it
    keep = np.unique(np.concatenate([first, last, by_height[first], by_height[last]]))
    kept: NDArray[np.float64] = points[keep]
    return kept


def alone(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The points of a line that have no neighbour which is a number: no line goes to them."""
    import numpy as np

    known = np.asarray(np.isfinite(points).all(axis=1))
    beside: NDArray[np.bool_] = np.zeros(len(points), bool)
    beside[1:] |= known[:-1]
    beside[:-1] |= known[1:]
    found: NDArray[np.float64] = points[known & ~beside]
    return found


def density(
    series: Sequence[tuple[str, NDArray[np.float64]]], columns: int, rows: int, letters: str = ""
) -> Density | None:
    """How many points lie in each cell, where most of them would be hidden behind others as dots; else None.

    Args:
        series: The ink of each, and (N, 2) of x, y in dots of braille: 2 across a cell, 4 down.
        columns: Cells of the plot.
        rows: Its rows.
        letters: Of each series, where colours alone do not tell them apart: each run of cells begins with
            that of the most in it.
    """
    import numpy as np

    placed = [points[np.isfinite(points).all(1)] for _, points in series]
    every = np.concatenate(placed)
    if len(every) < CROWD or 2 * len(np.unique(np.floor(every / 2), axis=0)) > len(every):
        return None
    counts = np.zeros((len(series), rows, columns), np.int64)
    for n, points in enumerate(placed):
        x = np.clip(np.floor(points[:, 0] / 2).astype(np.int64), 0, columns - 1)
        y = np.clip(np.floor(points[:, 1] / 4).astype(np.int64), 0, rows - 1)
        np.add.at(counts[n], (y, x), 1)
    total = counts.sum(0)
    most = int(total.max())
    least = sorted({math.ceil(most ** (k / len(_SHADES)) - 1e-9) for k in range(len(_SHADES))})
    glyphs = " " + _SHADES[-len(least) :]
    shade = np.searchsorted(least, total, side="right")
    of = counts.argmax(0)
    lines = [
        joined(_cells(row, inks, glyphs, [ink for ink, _ in series], letters))
        for row, inks in zip(shade.tolist(), np.where(shade > 0, of, -1).tolist(), strict=True)
    ]
    ends = [*(low - 1 for low in least[1:]), most]
    said = [
        f"{sign} {low}" if low == end else f"{sign} {low}–{end}"
        for sign, low, end in zip(glyphs[1:], least, ends, strict=True)
    ]
    return Density(lines, f"{len(every):,} points; in a cell: {'  '.join(said)}")


def _cells(
    shades: Sequence[int], of: Sequence[int], glyphs: str, inks: Sequence[str], letters: str
) -> Iterator[Span]:
    """The cells of a row: how full each is, and of which series, -1 where it is empty."""
    for k, n, before in zip(shades, of, [-1, *of], strict=False):
        if n < 0:
            yield Span(" ", Style())
        elif letters and n != before:
            yield Span(letters[n], Style(inks[n], bold=True))
        else:
            yield Span(glyphs[k], Style(inks[n]))
