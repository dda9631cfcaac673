"""The panel of a run, composed for the room it gets.

What matters most has its place at every size: the head, the ranks (as rows, or as a heat strip where they are
too many), what went wrong, the summary. Curves and the timeline come where there is room besides.
"""

from __future__ import annotations

from runtime.messages import Snapshot
from slides import cells
from slides.text import Line, Span, Style
from tui.views import buffers, totals
from tui.views.loss import loss
from tui.views.table import MOST_ROWS, table
from tui.views.timeline import MOST as LANES
from tui.views.timeline import timeline

CHART_ROWS = 6  # a title, an axis with its figures, and 12 dots between: lower is no help
SIDE_BY_SIDE = 110
_CROWD_ROWS = 5  # what a heat strip needs at least, with the outliers below it
_DIM = Style("dim")


def panel(snapshot: Snapshot, width: int, height: int, *, hints: bool = True) -> list[Line]:
    """Exactly `height` lines, each exactly `width` cells; at any size. `hints` False leaves keys unsaid."""
    if width < 1 or height < 1:
        return [()] * max(0, height)
    margin = 2 if width >= 96 else 1 if width >= 60 else 0
    lines = _compose(snapshot, width - 2 * margin, height, hints)[:height]
    lines += [()] * (height - len(lines))
    return [cells.fit((Span(" " * margin), *line) if margin else line, width) for line in lines]


def _compose(snapshot: Snapshot, width: int, height: int, hints: bool) -> list[Line]:
    ranks = len(snapshot.rows)
    words = totals.notices(snapshot, width, hints=hints)
    if snapshot.state == "launching":
        words.append(totals.launching(snapshot, width))
    elif not words or height >= ranks + 5:
        words.append(totals.summary(snapshot, width))
    room = height - 1 - len(words)
    if not ranks or room < 2:
        return [totals.head(snapshot, width), *words]
    held = buffers.wanted(snapshot)
    body, chart_rows, chart_air = (table, buffers.rows_of(snapshot), 1) if held else (table, CHART_ROWS, 2)
    if held and room < ranks + 1 + chart_rows + chart_air:
        # What the ranks hold is what such a run is about: it takes the place of their figures.
        body, wanted, chart_rows = buffers.buffers, min(room, chart_rows), room + 1
    elif ranks <= MOST_ROWS and ranks + 1 <= room:
        wanted = ranks + 1
    elif room >= _CROWD_ROWS:
        wanted = _crowd_rows(ranks, width, room)
    elif ranks > MOST_ROWS:
        wanted = room
    else:
        return [totals.head(snapshot, width), *words]
    if body is table and ranks <= 8 and room >= 2 * ranks + 20:
        wanted = 2 * ranks  # rows set apart read better from the last row of the room
    spare = room - wanted
    # Blank lines where they help the eye most: under the head, over the words, over the charts.
    if spare >= chart_rows + chart_air:
        blanks = min(3, spare - chart_rows)
        charts = spare - blanks
    else:
        blanks, charts = min(2, spare), 0
    lines = [totals.head(snapshot, width), *[()] * (blanks > 0), *body(snapshot, width, wanted)]
    lines += [*[()] * (blanks > 1), *words]
    if charts:
        lines += [*[()] * (blanks > 2), *_charts(snapshot, width, charts)]
    return lines


def _crowd_rows(ranks: int, width: int, room: int) -> int:
    """Lines for strip and outliers, leaving a chart its place when there is plenty."""
    strip = 1 + -(-ranks // max(1, 1 << max(0, (width * 8 // 9 - 6).bit_length() - 1)))
    wanted = strip + 3 + min(8, ranks)
    return min(room, wanted)


def _charts(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The loss or what the ranks hold, beside it the timeline; what the ranks last said where there is room
    or a run ended badly."""
    chart = buffers.buffers if buffers.wanted(snapshot) else loss
    if snapshot.state in ("failed", "lost") and snapshot.logs:
        beside = _log
    elif snapshot.world <= LANES:
        beside = _timeline
    else:
        return chart(snapshot, width, height)
    if width < SIDE_BY_SIDE - 4:
        return _log(snapshot, width, height) if beside is _log else chart(snapshot, width, height)
    gap = 4
    left = (width - gap) * 45 // 100
    rows = zip(chart(snapshot, left, height), beside(snapshot, width - gap - left, height), strict=True)
    return [(*a, Span(" " * gap), *b) for a, b in rows]


def _timeline(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The timeline, and below it the ranks' last words where it leaves room for some."""
    needs = 3 * len(snapshot.timeline) + 6
    if not snapshot.timeline or not snapshot.logs or height < needs + 4:
        return timeline(snapshot, width, height)
    return [*timeline(snapshot, width, needs), *_log(snapshot, width, height - needs)]


def _log(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The last lines the ranks wrote: untrusted text."""
    lines: list[Line] = [(Span("last lines of the ranks", _DIM),)]
    lines += [(Span(cells.clean(text)),) for text in snapshot.logs[-(height - 1) :]]
    return [cells.fit(line, width) for line in (*lines, *[()] * (height - len(lines)))]
