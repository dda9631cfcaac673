"""Which rank a row of a view is of, and the mark on the row of the rank that is pointed at.

Both read the row as it is drawn, so that every view has them; the table, which has its own mark, keeps it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from slides.drawing.text import Line, Span, Style, plain

HEAD = Style("heading", bold=True)
POINTED = "▸"
_NAME = re.compile(r"[ ▸]*(?:rank )?(\d+) *")


def rank_of(line: Line, world: int) -> int | None:
    """The rank whose row this is; None where it is nobody's."""
    first = next((span for span in line if span.text.strip(" ▸")), None)
    match = _NAME.fullmatch(first.text) if first is not None else None
    if first is None or match is None:
        return None
    named = first.style._replace(ground="") == HEAD or "rank" in first.text
    number = int(match.group(1)[:6])
    return number if named and number < world else None


def with_margin(lines: Sequence[Line], margin: int, world: int, pointed: int | None) -> list[Line]:
    """Rows behind a margin; in it a sign beside those of the rank that is pointed at, whose number has the
    ground of what is chosen. A row that has the sign already keeps it."""
    blank = (Span(" " * margin),) if margin else ()
    found: list[Line] = []
    for line in lines:
        if pointed is None or rank_of(line, world) != pointed or plain(line).lstrip().startswith(POINTED):
            found.append((*blank, *line))
            continue
        at = next(n for n, span in enumerate(line) if span.text.strip())
        name, rest = line[at], line[at + 1 :]
        words = name.text.rstrip()
        after = Span(name.text[len(words) :], name.style)
        sign = (Span(f"{POINTED:>{margin}}", HEAD),) if margin else ()
        found.append((*sign, *line[:at], Span(words, name.style.on("select")), after, *rest))
    return found
