"""Why ranks stand still or have failed: words, who waits where for whom, and the circle drawn."""

from __future__ import annotations

from runtime.protocol.diagnosis import Diagnosis
from slides.drawing import cells
from slides.drawing.cells import clean
from slides.drawing.text import Line, Span, Style
from tui.views.parts.ranks.rank_circle import circle

DIM, TEXT, HEAD = Style("dim"), Style("text"), Style("heading", bold=True)
BAD, WARN = Style("bad", bold=True), Style("warning")


def diagnosed(found: Diagnosis, ranks: int, width: int, height: int) -> list[Line]:
    """As many lines as the words take; the picture below them where `height` has room for it."""
    lines = cells.wrap((Span(clean(found.headline), BAD),), width)
    table = [row for row in found.rows if row.since_s is not None and row.line]
    if found.edges and table:
        lines += [(), *_table(found, width)]
    else:
        details = [clean(line) for line in found.details]
        lines += [()] if details else []
        for line in details:
            lines += cells.wrap((Span(line, TEXT),), width)
    if found.meaning:
        lines += [(), *cells.wrap((Span(clean(found.meaning), HEAD),), width)]
    doing = {row.rank: _verb(row.doing) for row in found.rows}
    picture = circle(ranks, found.edges, doing, width)
    if picture and len(lines) + 1 + len(picture) <= height:
        lines += [(), *picture]
    return lines


def _verb(doing: str) -> str:
    word = doing.partition(" ")[0]
    return (
        f"in {word}" if word in ("send", "receive", "barrier", "broadcast", "reduce") or "-" in word else word
    )


def _table(found: Diagnosis, width: int) -> list[Line]:
    places = [f"{row.line or '–'}" + (f" → {row.waits_at}" if row.waits_at else "") for row in found.rows]
    place = "line → wait" if any(row.waits_at for row in found.rows) else "line"
    wide = max(map(len, (place, *places))) + 2
    what = max(12, min(26, width - 28 - wide))
    lines: list[Line] = [(Span(f"rank  {place:<{wide}}{'doing':<{what}}{'waits for':<12}since", DIM),)]
    for row, at in zip(found.rows, places, strict=True):
        since = f"{row.since_s:.2f} s" if row.since_s is not None and row.line else ""
        lines.append(
            (
                Span(f"{row.rank:<6}", HEAD),
                Span(f"{at:<{wide}}", TEXT),
                Span(f"{cells.clip_text(clean(row.doing), what - 1):<{what}}", WARN if row.bad else DIM),
                Span(f"{cells.clip_text(clean(row.partner).removeprefix('ranks '), 11):<12}", TEXT),
                Span(since, TEXT),
            )
        )
    return lines
