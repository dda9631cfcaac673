"""The panel of a run, composed for the room it gets.

What matters most has its place at every size: the head, the ranks (as rows, or as a heat strip where they are
too many), what goes on and what went wrong, the summary. What the demo is about (`Snapshot.view`) comes next,
where there is room besides, or in place of the ranks' figures where there is not. A view that was chosen by
its digit has all the room but for the head and the words.
"""

from __future__ import annotations

from msgspec.structs import replace

from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span
from tui.figures.run_outcome import ENDED
from tui.views import registry
from tui.views.parts import headline, run_totals
from tui.views.parts.diagnosis import diagnosed
from tui.views.parts.home_paths import without_home, words_without_home
from tui.views.parts.ranks.rank_of_row import with_margin
from tui.views.parts.run_activity import coming_back, doings
from tui.views.run import buffers
from tui.views.run.log import by_rank, last_words
from tui.views.run.pipeline import roomy
from tui.views.run.table import MOST_ROWS, legend_below, table
from tui.views.run.timeline import MOST as LANES
from tui.views.run.timeline import timeline
from tui.views.view import CHART_ROWS, PLAIN_PAINT, Paint

SIDE_BY_SIDE = 110
LARGE = 120, 39  # cells and rows from which on the figures of a run are in letters: of a panel in full size
_CROWD_ROWS = 5  # what a heat strip needs at least, with the outliers below it
_BESIDE = 4  # ranks that a timeline beside the loss has room for
_TABS_FROM = 11  # rows from which on the views have a line of their own


def panel(
    snapshot: Snapshot,
    width: int,
    height: int,
    *,
    hints: bool = True,
    seen: bool = False,
    view: str = "",
    rank: int | None = None,
    paint: Paint = PLAIN_PAINT,
) -> list[Line]:
    """Exactly `height` lines, each exactly `width` cells; at any size.

    `view` was chosen by its digit, `rank` is pointed at; `hints` False is what a room sees: no keys, no
    budget of time, nothing of where the teacher keeps his files; `seen`: it sees a screen that has keys.
    `paint` is for views that are pictures.
    """
    if width < 1 or height < 1:
        return [()] * max(0, height)
    if not hints and snapshot.xray is not None and snapshot.xray.trace:
        snapshot = replace(snapshot, xray=replace(snapshot.xray, trace=""))
    if seen or not hints:
        snapshot = replace(words_without_home(snapshot), budget_s=None)
    margin = 2 if width >= 96 else 1 if width >= 60 else 0
    inner = width - 2 * margin
    large = run_totals.large(snapshot, inner) if _has_room(snapshot, inner, height) else []
    whole, height = height, height - len(large) - bool(large)
    if snapshot.comparison is not None:
        lines = _compared(snapshot, inner, height, hints)[:height]
    elif registry.find(view) is not None:
        lines = _chosen(snapshot, inner, height, hints, view, rank, paint)[:height]
    else:
        lines = _compose(snapshot, inner, height, hints, rank, paint)[:height]
    if large:
        head = run_totals.head(snapshot, inner, figures=False)
        lines = [head, (), *large, *lines[1:]]
    lines += [()] * (whole - len(lines))
    if seen or not hints:
        lines = [without_home(line) for line in lines]
    return [cells.fit(line, width) for line in with_margin(lines, margin, snapshot.world, rank)]


def _has_room(snapshot: Snapshot, width: int, height: int) -> bool:
    """Whether the run's figures may be in letters: there is a step, and rows for them besides all else."""
    stepped = any(row.step is not None for row in snapshot.rows)
    return snapshot.comparison is None and stepped and width >= LARGE[0] and height >= LARGE[1]


def _words(snapshot: Snapshot, width: int, hints: bool, height: int) -> list[Line]:
    """What went wrong and what goes on; where there is room the first of it in letters."""
    lines = [*run_totals.notices(snapshot, width, hints=hints), *doings(snapshot, width, hints=hints)]
    if lines and width >= headline.FROM[0] and height >= headline.FROM[1] + len(snapshot.rows):
        harmed = any(row.harm for row in snapshot.rows)
        matters = harmed or snapshot.warning or snapshot.state in ENDED or snapshot.recoveries
        drawn = headline.first_part(lines[0], width) if matters else []
        lines = [(), *drawn, *[()] * (len(lines) > 1), *lines[1:]] if drawn else lines
    return lines


def _compared(snapshot: Snapshot, width: int, height: int, hints: bool) -> list[Line]:
    from tui.views.compare import compare

    table = snapshot.comparison
    running = next((row.label for row in table.rows if row.state == "running"), "") if table else ""
    lines = [run_totals.head(snapshot, width, cells.clean(running))]
    lines += run_totals.notices(snapshot, width, hints=hints)
    lines += [()] * (height >= 12)
    return [*lines, *compare(snapshot, width, max(0, height - len(lines)))]


def _chosen(
    snapshot: Snapshot, width: int, height: int, hints: bool, view: str, rank: int | None, paint: Paint
) -> list[Line]:
    tabbed = height >= _TABS_FROM
    said = "" if tabbed else cells.clean(registry.titled(view) if hints else view)
    if view == "timeline" and snapshot.xray is not None and snapshot.xray.state == "ready":
        snapshot, seen = replace(snapshot, xray=None), snapshot  # what is shown need not be said
    else:
        seen = snapshot
    words = _words(snapshot, width, hints, height)[: max(0, height - 4)]
    words = words[words[:1] == [()] :]  # there is a blank row over them
    lines = [run_totals.head(snapshot, width, said)]
    if tabbed:
        # The tabs stand free, as far as there is room: a blank row below them first, then one over them.
        lines += [()] * (height >= _TABS_FROM + 14)
        lines += [registry.tabs(view, snapshot, width, hints=hints)]
        lines += [()] * (height >= _TABS_FROM + 1)
    lines += [*words, *[()] * (bool(words) and height >= _TABS_FROM + 3)]
    return [*lines, *registry.view(view, seen, width, height - len(lines), rank, paint)]


def _compose(
    snapshot: Snapshot, width: int, height: int, hints: bool, rank: int | None, paint: Paint
) -> list[Line]:
    ranks = len(snapshot.rows)
    if snapshot.diagnosis is not None and snapshot.state in ("running", "failed"):
        rows = max(0, height - 4)
        large = width >= headline.FROM[0] and rows >= headline.FROM[1]
        why = diagnosed(snapshot.diagnosis, snapshot.world, width, rows, large=large)
        if len(why) + 4 <= height:  # whose figures stand still: what they wait for is what there is to see
            words = _words(_without_headline(snapshot, snapshot.diagnosis.headline), width, hints, 0)
            words = words[: height - 3 - len(why)]
            lines = [run_totals.head(snapshot, width), (), *why, (), *words]
            spare = height - len(lines) - 1
            if snapshot.state == "failed" and spare > 1 and (others := _of_others(snapshot)) is not None:
                lines += [(), *last_words(others, width, spare)]
            return lines
    # The ranks keep their rows, whatever is to be said below them.
    most = max(1, height - 2 - ranks) if ranks <= MOST_ROWS else height // 2
    words = _words(snapshot, width, hints, height)[:most]
    if snapshot.state == "launching":
        words.append(run_totals.launching(snapshot, width))
    elif not words or height >= ranks + 4 + len(words):
        words.append(run_totals.summary(snapshot, width))
    room = height - 1 - len(words)
    if not ranks or room < 2:
        return [run_totals.head(snapshot, width), *words]
    own = _own(snapshot, room)
    rows, air = registry.needs(own, snapshot), 2 if own in ("table", "loss") else 1
    shown, charted = False, True
    if own != "table" and room < ranks + 1 + rows + air:
        # What such a run is about takes the place of the ranks' figures.
        shown, charted = True, False
        wanted = min(room, rows if own == "buffers" else max(rows, room - 2))
    elif ranks <= MOST_ROWS and ranks + 1 <= room:
        wanted = ranks + 1
        legend = len(legend_below(snapshot, width))
        if own == "table" and room < wanted + legend + rows + air:  # there is none for a chart
            # What the colours are comes first, as in the table; then blank rows, as bars that touch are one.
            apart = 2 * ranks + legend
            if apart + bool(legend) <= room:
                wanted = apart
            elif wanted + legend <= room:
                wanted += legend
    elif room >= _CROWD_ROWS:
        wanted = _crowd_rows(ranks, width, room)
    elif ranks > MOST_ROWS:
        wanted = room
    else:
        return [run_totals.head(snapshot, width), *words]
    # Where there is no timeline beside the loss, a few rows are enough for what is below.
    below = 20 if ranks <= _BESIDE else rows + air + 2
    picture = own == "pipeline" or _picture(own)
    if not shown and ranks <= 8 and not picture and room >= 2 * ranks + below:
        # Rows set apart read better from the last row of the room.
        wanted = 2 * ranks + 1 + len(legend_below(snapshot, width))
    spare = room - wanted
    # Blank lines where they help the eye most: over the charts, over the words, under the head.
    if charted and spare >= rows + air:
        blanks = min(3, spare - rows)
        charts = spare - blanks
    else:
        blanks, charts = min(2, spare), 0
    body = (
        registry.view(own, snapshot, width, wanted, paint=paint)
        if shown
        else table(snapshot, width, wanted, rank)
    )
    blanks -= bool(charts)
    lines = [
        run_totals.head(snapshot, width),
        *[()] * (blanks > 1),
        *body,
        *[()] * (blanks > 0 and words[:1] != [()]),
        *words,
    ]
    return [*lines, (), *_charts(own, snapshot, width, charts, paint)] if charts else lines


def _own(snapshot: Snapshot, room: int) -> str:
    """What the demo is about, if there is anything of it to see yet; a picture only where it has its rows."""
    if buffers.wanted(snapshot):
        return "buffers"
    found = registry.find(snapshot.view)
    if found is None or not found.has(snapshot) or (_picture(found.name) and room < found.rows(snapshot)):
        return "table"
    # While ranks are started anew, they are what there is to see, and no curve takes their place.
    return "table" if snapshot.view == "loss" and coming_back(snapshot) else snapshot.view


def _picture(name: str) -> bool:
    """Whether a view is a picture, which is read as a whole and in the middle: it has all that is there."""
    found = registry.find(name)
    return found is not None and found.painted is not None


def _crowd_rows(ranks: int, width: int, room: int) -> int:
    """Lines for strip and outliers, leaving a chart its place when there is plenty."""
    strip = 1 + -(-ranks // max(1, 1 << max(0, (width * 8 // 9 - 6).bit_length() - 1)))
    wanted = strip + 3 + min(8, ranks)
    return min(room, wanted)


def _of_others(snapshot: Snapshot) -> Snapshot | None:
    """What ranks wrote last, of those whose last line is not the headline itself; None: nobody else did."""
    headline = snapshot.diagnosis.headline if snapshot.diagnosis is not None else ""
    others = {rank: tail for rank, tail in by_rank(snapshot).items() if tail[-1].strip() not in headline}
    tails = tuple(others.get(rank, ()) for rank in range(snapshot.world))
    return replace(snapshot, tails=tails) if others else None


def _without_headline(snapshot: Snapshot, headline: str) -> Snapshot:
    """What a diagnosis has said over it need not be said again below it: of a reason what is more is left."""
    warning = "" if snapshot.warning == headline else snapshot.warning
    said = headline.rpartition(" (")[0] or headline  # behind it stands the line of the script
    why = snapshot.why
    if why.startswith(said):
        why = why.removeprefix(said).strip().removeprefix("(").removesuffix(")")
    return replace(snapshot, warning=warning, why=why, fault="" if why != snapshot.why else snapshot.fault)


def _charts(own: str, snapshot: Snapshot, width: int, height: int, paint: Paint) -> list[Line]:
    """What the run is about (the loss where that is nothing else), beside it or below it the timeline.

    What the ranks last said comes where there is room for it too, or where a run ended badly.
    """
    name = "loss" if own in ("table", "timeline") else own
    if name == "loss" and snapshot.timeline and not snapshot.curves:
        name = "timeline"  # a run without a loss: its steps are what there is to see
    if snapshot.state in ("failed", "lost") and snapshot.logs:
        beside = last_words
    elif snapshot.world <= LANES and (name != "loss" or height >= 2 * len(snapshot.timeline) + 2):
        beside = _timeline  # with the loss only where its bars do not touch
    else:
        return registry.view(name, snapshot, width, height, paint=paint)
    if beside is not last_words and _picture(own):
        return registry.view(own, snapshot, width, height, paint=paint)  # a picture has all the width
    wide = width >= SIDE_BY_SIDE - 4
    above = registry.needs(own, snapshot) + 1
    if name == "pipeline" and above <= height < roomy(snapshot) + 1 + CHART_ROWS + 2:
        return registry.view(name, snapshot, width, height)  # its pieces are small: it has all the room
    if name not in ("loss", "buffers", "timeline") and height >= above + CHART_ROWS + (3 if wide else 0):
        below = max(height - 2 * above, CHART_ROWS + 2) if wide else CHART_ROWS + 2
        below = height - roomy(snapshot) - 1 if name == "pipeline" else below
        lines = registry.view(name, snapshot, width, height - below, paint=paint)
        return [*lines, (), *_charts("table", snapshot, width, below - 1, paint)]
    if name == "buffers" and not wide and snapshot.curves and height >= above + CHART_ROWS:
        # What ranks said of themselves is a few rows: the loss has the others.
        airy = 2 * above - 3
        few = airy if height >= airy + 1 + CHART_ROWS else above - 1
        said = registry.view(name, snapshot, width, few, paint=paint)
        return [*said, (), *registry.view("loss", snapshot, width, height - few - 1, paint=paint)]
    if not wide or (name == "timeline" and beside is _timeline):
        if beside is last_words:
            return last_words(snapshot, width, height)
        return registry.view("timeline" if own == "timeline" else name, snapshot, width, height)
    gap = 4
    left = (width - gap) * 45 // 100
    rows = zip(
        registry.view(name, snapshot, left, height, paint=paint),
        beside(snapshot, width - gap - left, height),
        strict=True,
    )
    return [(*a, Span(" " * gap), *b) for a, b in rows]


def _timeline(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The timeline, and below it the ranks' last words where it leaves room for some; the rows of the ranks
    over it say what its colours are."""
    needs = 3 * len(snapshot.timeline) + 6
    if not snapshot.timeline or not snapshot.logs or height < needs + 4:
        return timeline(snapshot, width, height, legend=False)
    return [*timeline(snapshot, width, needs, legend=False), *last_words(snapshot, width, height - needs)]
