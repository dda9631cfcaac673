"""One step of every rank on one time axis: what the rank did, and below it its collectives.

A bar of a collective runs from the moment its last rank had entered to its end, and is drawn as exposed where
the rank stood still for it, as hidden where the rank computed on, and as waiting where the rank stood still
for another one that had not come to a later collective.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from runtime.metrics.steps.step_breakdown import BUCKET
from runtime.protocol.figures import Mark
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories, numbers
from tui.figures.categories import Kind
from tui.views.parts.frame import axis, framed, nothing, spread
from tui.views.parts.ranks.rank_strip import merged

DIM, HEAD = Style("dim"), Style("heading", bold=True)
MOST = 16  # ranks for which the host sends a timeline
# The kind a block is drawn as, and what it is called, the longest word first.
OWN: dict[str, tuple[Kind, tuple[str, ...]]] = {
    "data": (categories.DATA, ("data",)),
    "forward": (categories.COMPUTE, ("forward", "fwd")),
    "backward": (categories.COMPUTE, ("backward", "bwd")),
    "optimizer": (categories.OPTIMIZER, ("optimizer", "opt")),
    "exposed": (categories.EXPOSED, ()),
    "wait": (categories.WAIT, ("wait",)),
    "other": (categories.OTHER, ()),
}
_A_PAIR = {"forward", "backward"}  # in full or in short together
STOOD = {"exposed": categories.EXPOSED, "wait": categories.WAIT}


def timeline(snapshot: Snapshot, width: int, height: int, *, legend: bool = True) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells; no `legend` where one stands over it."""
    if width < 1 or height < 1:
        return [()] * max(0, height)
    lanes = [(rank, marks) for rank, marks in enumerate(snapshot.timeline) if marks]
    span_s = snapshot.timeline_s or max((m.t1 for _, marks in lanes for m in marks), default=0.0)
    if not lanes or span_s <= 0 or height < 3 or width < 24:
        return nothing("one step, every rank", _why_empty(snapshot), width, height)
    return framed(_lanes(snapshot, lanes, span_s, width, height, legend=legend), width, height)


def xray(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """The step that was looked at with the profiler in place of the newest one: its true peaks, its file."""
    taken = snapshot.xray
    if taken is None or taken.state != "ready" or not any(taken.lanes):
        return timeline(snapshot, width, height)
    known = [(rank, peak) for rank, peak in enumerate(taken.peaks) if peak is not None]
    lines: list[Line] = []
    if known:
        spans = [Span("peak by the allocator  ", DIM)]
        for rank, peak in known[:MOST]:
            longer = [*spans, Span(f" {rank} ", HEAD), Span(f"{numbers.size(peak)} ")]
            spans = longer if cells.line_width(longer) <= width else spans
        lines.append(tuple(spans))
    if taken.trace:
        lines.append((Span("trace for ui.perfetto.dev  ", DIM), Span(_end_of(taken.trace, width - 27))))
    room = height - len(lines)
    seen = replace(snapshot, timeline=taken.lanes, timeline_s=taken.span_s or None)
    step = f"step {taken.step} under the profiler"
    lanes = [(rank, marks) for rank, marks in enumerate(taken.lanes) if marks]
    span_s = taken.span_s or max(m.t1 for _, marks in lanes for m in marks)
    if room < 4 or width < 24 or span_s <= 0:
        return timeline(seen, width, height)
    return framed([*_lanes(seen, lanes, span_s, width, room, step), *lines], width, height)


def _end_of(path: str, width: int) -> str:
    """Of a long path the end, which tells it from others."""
    path = cells.clean(path)
    if cells.width(path) <= width:
        return path
    return "…" + path[-max(1, width - 1) :]


def stood_for(marks: Sequence[Mark], kind: str) -> Callable[[Mark], float]:
    """Seconds of a collective in which its rank stood still, `exposed` for transfers or `wait` for a rank."""
    stood = [(m.t0, m.t1) for m in marks if m.kind == kind]
    return lambda bar: sum(max(0.0, min(bar.t1, b) - max(bar.t0, a)) for a, b in stood)


def caption(snapshot: Snapshot) -> str:
    """Which collectives hide behind computing and which are exposed, as the marks of all ranks say; or "".

    Buckets by name: it matters which. Of any other kind what share of it the ranks stood still for.
    """
    found: dict[tuple[str, str], dict[str, _Seconds]] = {}  # by kind and short name, then by label
    for marks in snapshot.timeline:
        exposed, waited = stood_for(marks, "exposed"), stood_for(marks, "wait")
        for bar in marks:
            if bar.kind not in OWN:
                of_kind = found.setdefault((bar.kind, bar.label.rstrip("0123456789")), {})
                before = of_kind.get(bar.label, _Seconds())
                more = bar.t1 - bar.t0, exposed(bar), waited(bar)
                of_kind[bar.label] = _Seconds(*(a + b for a, b in zip(before, more, strict=True)))
    parts = []
    for (kind, short), labels in found.items():
        if (kind, short) == ("all-reduce", BUCKET):
            parts.append(_buckets(labels))
        else:
            total, exposed_s, waited_s = (sum(each) for each in zip(*labels.values(), strict=True))
            share = exposed_s / (total or 1.0)
            word = f"{share:.0%} exposed" if share < 0.995 else "exposed"
            if share < 0.005:
                word = "hidden" if waited_s < 0.005 * total else "while a rank is waited for"
            parts.append(f"{short} {kind}: {word}".strip().replace("%", " %"))
    return " · ".join(cells.clean(part) for part in parts)


class _Seconds(NamedTuple):
    """Of a collective on all ranks: its transfer, and what of that they stood still for it or for a rank."""

    total: float = 0.0
    exposed: float = 0.0
    waited: float = 0.0


def _buckets(labels: Mapping[str, _Seconds]) -> str:
    order = list(labels)
    exposed = [label for label, of in labels.items() if of.exposed * 2 > of.total]
    waited = [label for label, of in labels.items() if of.waited * 2 > of.total]
    hidden = [label for label in order if label not in exposed and label not in waited]
    said = []
    if hidden:
        verb = "hides" if len(hidden) == 1 else "hide"
        said.append(f"{_listed(hidden, order)} {verb} behind backward")
    if waited:
        verb = "travels" if len(waited) == 1 else "travel"
        said.append(f"{_listed(waited, order)} {verb} while a rank is waited for")
    if exposed:
        said.append(f"{_listed(exposed, order)} {'is' if len(exposed) == 1 else 'are'} exposed")
    return f"bucket{'s' * (len(hidden or waited or exposed) > 1)} " + "; ".join(said)


def _listed(labels: Sequence[str], order: Sequence[str]) -> str:
    """`b0 b1`, of many neighbours the first and the last, of many others how many."""
    if len(labels) <= 4:
        return " ".join(labels)
    first, last = order.index(labels[0]), order.index(labels[-1])
    neighbours = last - first + 1 == len(labels)
    return f"{labels[0]} … {labels[-1]}" if neighbours else f"{len(labels)} of {len(order)}"


def _lanes(
    snapshot: Snapshot,
    lanes: Sequence[tuple[int, Sequence[Mark]]],
    span_s: float,
    width: int,
    height: int,
    what: str = "one step",
    *,
    legend: bool = True,
) -> list[Line]:
    words = caption(snapshot) if height >= len(lanes) + 3 else ""
    shown = lanes[: max(1, min(MOST, height - 2 - bool(words)))]
    every = len(shown) == snapshot.world
    title = f"{what}, every rank" if every else f"{what}, {len(shown)} of {snapshot.world} ranks"
    if height - 3 < 2 * len(shown) - 1 <= height - 2 and cells.width(title + words) + 12 <= width:
        title, words = " · ".join(filter(None, (title, words))), ""  # in its row ranks have one between them
    room = height - 2 - bool(words)  # title, axis, caption
    gutter = len(str(shown[-1][0])) + 2
    bar_w = width - gutter
    each = min(2, max(1, room // len(shown)))
    # Blank lines go first between the ranks, then under the title, over the axis, over the caption.
    spare = room - each * len(shown)
    apart = spare >= len(shown) - 1
    spare -= (len(shown) - 1) * apart
    named = categories.time_legend(bar_w, _kinds(shown)) if legend and spare >= 5 else ()
    spare -= 2 * bool(named)
    # With plenty of room a rank's own time gets it, one more row each: large figures are read from afar.
    thick = 1 + max(0, min(3, (spare - 3) // len(shown))) if apart and each > 1 else 1
    spare -= (thick - 1) * len(shown)
    lines = [spread((Span(title, DIM),), (Span(numbers.ms(span_s), DIM),), width)]
    lines += [()] * (spare > 0)
    words_of = _words([marks for _, marks in shown], span_s, bar_w)
    for n, (rank, marks) in enumerate(shown):
        lines += [()] * (apart and n > 0)
        for y, own in enumerate(_own(marks, span_s, bar_w, words_of, thick)):
            left = Span(f"{rank:<{gutter}}" if y == (thick - 1) // 2 else " " * gutter, HEAD)
            lines.append((left, *own))
        if each > 1:
            lines.append((Span(" " * gutter), *_collectives(marks, span_s, bar_w, high=apart)))
    lines += [()] * (spare > 1)
    lines.append((Span(" " * gutter), *axis(span_s, bar_w, "s")))
    if words:
        lines += [()] * (spare > 2)
        lines.append((Span(" " * gutter), Span(words, DIM)))
    if named:
        lines += [(), (Span(" " * gutter), *named)]
    return lines


def _kinds(lanes: Sequence[tuple[int, Sequence[Mark]]]) -> list[Kind]:
    """The kinds of time in these lanes, in the order of a legend."""
    there = {OWN[mark.kind][0] for _, marks in lanes for mark in marks if mark.kind in OWN}
    if any(mark.kind not in OWN for _, marks in lanes for mark in marks):
        there.add(categories.HIDDEN)
    return [kind for kind in categories.TIME_LEGEND if kind in there]


def _words(lanes: Sequence[Sequence[Mark]], span_s: float, width: int) -> dict[str, tuple[str, ...]]:
    """What blocks of each kind are called: in full where most blocks have room for that, else in short.

    One way for all, so that no lane calls backward what the next one calls bwd.
    """
    widths: dict[str, list[int]] = {}
    for mark in (mark for marks in lanes for mark in marks if OWN.get(mark.kind, (None, ()))[1]):
        room = _cell(mark.t1, span_s, width) - _cell(mark.t0, span_s, width)
        if room >= len(OWN[mark.kind][1][-1]) + 2:
            widths.setdefault(mark.kind, []).append(room)
    short = {kind for kind, rooms in widths.items() if median(rooms) < len(OWN[kind][1][0]) + 2}
    if short & _A_PAIR:
        short |= _A_PAIR
    return {kind: OWN[kind][1][-1:] if kind in short else OWN[kind][1][:1] for kind in widths}


def _own(
    marks: Sequence[Mark], span_s: float, width: int, words: Mapping[str, tuple[str, ...]], high: int
) -> list[Line]:
    """The rank's own time, `high` rows; each block has its word inside where that fits."""
    lines: list[Line] = [()] * high
    x, before = 0, None
    for mark in (mark for mark in marks if mark.kind in OWN):
        start, end = _cell(mark.t0, span_s, width), _cell(mark.t1, span_s, width)
        start = max(start, x)
        if end <= start:
            continue
        kind = OWN[mark.kind][0]
        touches = start == x and kind is before is categories.COMPUTE
        block = kind.rows(end - start, words.get(mark.kind, ()), high, parted=touches)
        lines = [(*line, Span(" " * (start - x)), *part) for line, part in zip(lines, block, strict=True)]
        x, before = end, kind
    return lines


def _collectives(marks: Sequence[Mark], span_s: float, width: int, *, high: bool) -> Line:
    """A bar per collective, its label in its middle; `STOOD` where the rank stood still meanwhile.

    Where no blank row parts the lanes, bars are not as `high` as a cell: they would touch the next lane.
    """
    stood = [(m.t0, m.t1, STOOD[m.kind]) for m in marks if m.kind in STOOD]
    row: list[Span] = [Span(" ")] * width
    owner, on = [-1] * width, [categories.HIDDEN] * width
    bars = sorted((m for m in marks if m.kind not in OWN), key=lambda m: m.t0)
    for n, mark in enumerate(bars):
        start = min(_cell(mark.t0, span_s, width), width - 1)
        end = min(max(start + 1, _cell(mark.t1, span_s, width)), width)
        for x in range(start, end):
            t = (x + 0.5) / width * span_s
            on[x] = next((kind for a, b, kind in stood if a <= t < b), categories.HIDDEN)
            row[x] = on[x].run(1) if high else Span("▀", Style(on[x].ink))
            owner[x] = n
    for n, mark in enumerate(bars):
        label = cells.clean(mark.label)
        # Bars may overlap: a label is written only where all of it stands on its own bar.
        own = [x for x in range(width) if owner[x] == n]
        whole = bool(own) and own[-1] - own[0] + 1 == len(own)
        if label and whole and cells.width(label) == len(label) <= len(own):
            for x, letter in enumerate(label, own[0] + (len(own) - len(label)) // 2):
                style = Style(on[x].label, on[x].ground or on[x].ink) if high else Style(on[x].ink)
                row[x] = Span(letter, style._replace(bold=True))
    return merged(row)


def _cell(t: float, span_s: float, width: int) -> int:
    return round(min(1.0, max(0.0, t / span_s)) * width)


def _why_empty(snapshot: Snapshot) -> str:
    if snapshot.world > MOST and snapshot.state == "running" and any(row.step_s for row in snapshot.rows):
        return f"shown for up to {MOST} ranks"
    waits = snapshot.state in ("launching", "running")
    return "drawn once every rank has reported a step" if waits else "no step was reported by every rank"
