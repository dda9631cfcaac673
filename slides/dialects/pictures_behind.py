"""Pictures that another program puts behind a slide, or beside its words: what becomes of them here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.dialects.draft import Row
from slides.dialects.native import columns


class Behind(NamedTuple):
    """A picture written on `line` of a draft. `side` is "left", "right" or "" (it fills the slide), `share`
    how much of the slide's width it takes, in percent."""

    line: int
    row: Row
    side: str = ""
    share: float = 50.0


def laid_out(rows: list[Row], found: Sequence[Behind]) -> list[Row]:
    """Return a slide's rows with its pictures: beside its words where they have a side, else below them."""
    beside = [picture for picture in found if picture.side]
    if beside:
        first = beside[0]
        share = min(max(1, round(first.share / 10)), 9)
        pictures = [row for each in beside for row in (each.row, Row("", each.row.place))]
        if first.side == "left":
            rows = columns((share, 10 - share), (pictures, rows), first.row.place)
        else:
            rows = columns((10 - share, share), (rows, pictures), first.row.place)
    for row in (picture.row for picture in found if not picture.side):
        rows = [*rows, Row("", row.place), row]
    return rows
