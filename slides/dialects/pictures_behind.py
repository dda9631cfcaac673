"""Pictures that another program puts behind a slide, or beside its words: what becomes of them here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from slides.dialects.native import columns, picture
from slides.dialects.translation import Row
from slides.reading.scan import blank_comment, replace_comments, scan

_EMPTY_HEADING = re.compile(r" {0,3}#{1,6}[ \t]*")
_PICTURES = (".png", ".jpg", ".jpeg", ".gif", ".webp", ".svg", ".bmp")


class Behind(NamedTuple):
    """A picture written on `line` of a draft. `side` is "left", "right" or "" (it fills the slide), `share`
    how much of the slide's width it takes, in percent."""

    line: int
    row: Row
    side: str = ""
    share: float = 50.0


def laid_out(rows: list[Row], found: Sequence[Behind]) -> list[Row]:
    """Return a slide's rows with its pictures: beside its words where they have a side, else below them."""
    beside = [one for one in found if one.side]
    if beside:
        first = beside[0]
        share = min(max(1, round(first.share / 10)), 9)
        pictures = [row for each in beside for row in (each.row, Row("", each.row.place))]
        if first.side == "left":
            rows = columns((share, 10 - share), (pictures, rows), first.row.place)
        else:
            rows = columns((10 - share, share), (rows, pictures), first.row.place)
    for row in (one.row for one in found if not one.side):
        rows = [*rows, Row("", row.place), row]
    return rows


def shown_alone(rows: list[Row], path: str, place: int) -> list[Row]:
    """Return a slide's rows with the picture behind it, if there is nothing else to see; that of a slide with
    words is how it looks, and no part of it. Headings without a word go."""
    rows = [row._replace(text="") if _EMPTY_HEADING.fullmatch(row.text) else row for row in rows]
    path = path.strip().removeprefix("url(").removesuffix(")").strip("'\"")
    if not path.lower().endswith(_PICTURES):
        return rows
    lines = [row.text for row in rows]
    if any(line.strip() for line in replace_comments(lines, scan(lines).comments, blank_comment)):
        return rows
    return [*rows, Row("", place), Row(picture(path, ""), place)]
