"""How the teacher's console is divided between slide, notes and what is next. Pure.

Side by side from 90 columns on, one under the other on a narrower terminal.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Layout = Literal["balanced", "notes", "slides"]
LAYOUTS: tuple[Layout, ...] = ("balanced", "notes", "slides")
NAMES = {"balanced": "balanced", "notes": "large notes", "slides": "large slide"}

BESIDE = 90  # columns from which notes stand beside the slide
SMALLEST, LARGEST = -4, 4  # of the notes' size
LOOSE = 3  # from this size on their rows stand apart
STRIP_ROWS = 10  # of the neighbours' thumbnails, with their head
STRIP_FROM = 40  # rows of a terminal that has room for them
LEAST_SLIDE, LEAST_NOTES = 40, 30  # columns
LEAST_SLIDE_ROWS, LEAST_NOTES_ROWS = 5, 3

_PART = {"balanced": 0.36, "notes": 0.56, "slides": 0.27}  # of the columns, for notes
_ROWS = {"balanced": 0.42, "notes": 0.66, "slides": 0.2}  # of the rows, where they stand below


@dataclass(frozen=True, slots=True)
class Parts:
    """Cells of each part. `aside`: columns of the notes, or their rows where they stand below (`stacked`).

    `below`: rows under the slide in its own column: what is next, or thumbnails of its neighbours.
    """

    stacked: bool
    aside: int
    below: int = 0


def divide(layout: Layout, width: int, rows: int, size: int, *, height: int, panel: bool) -> Parts:
    """`rows` are those between top bar and hints of a terminal `height` rows high; `size` is what the
    teacher made of the notes; a `panel` of a demo wants the room that is left."""
    if width < BESIDE:
        part = 0.25 if panel and layout != "notes" else _ROWS[layout]
        wanted = round(rows * part) + 2 * size
        return Parts(True, max(LEAST_NOTES_ROWS, min(wanted, rows - LEAST_SLIDE_ROWS)))
    wanted = round(width * (_PART[layout] + 0.06 * size))
    aside = max(LEAST_NOTES, min(wanted, width - LEAST_SLIDE))
    if panel:
        return Parts(False, aside)
    if layout == "notes":
        return Parts(False, aside, rows * 2 // 5)
    return Parts(False, aside, STRIP_ROWS if height >= STRIP_FROM and width - aside >= 80 else 0)
