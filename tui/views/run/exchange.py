"""What every rank held before a collective and after it, and what the collective costs by size.

Drawn from figures a script gives of itself: "before" and "after" (a number a chunk), "collective" (its place
in `specs.collectives.OPS`), and where it says them "size", "time", "algbw" and "busbw", a number a size each,
and "alpha" and "bandwidth" B of time = alpha + size / B. Older recordings call B "beta"; in the course β is
1/B, as in the literature (Thakur et al. 2005).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from runtime.catalog.specs.communication.collectives import OPS
from runtime.protocol.figures import Named
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.parts import cell_grid
from tui.views.parts.frame import Column, columned, dash, fitting, framed

TEXT, DIM, HEAD, NEW = Style(), Style("dim"), Style("heading", bold=True), Style("accent", bold=True)
_LABEL = 6  # of a row: the rank
_BETWEEN = 5  # the two sides
_WIDEST = 9  # of a chunk's column
_LARGEST = 18  # the same, where chunks are coloured cells
_SIZE = 11  # a column of the cost
_Held = Sequence[tuple[float, ...]]
_ARROW = f"{'→':^{_BETWEEN}}"


def wanted(snapshot: Snapshot) -> bool:
    """Whether a run shows buffers before and after."""
    return snapshot.value("before") is not None


def rows_of(snapshot: Snapshot) -> int:
    """Lines it takes to show every rank and the cost."""
    if costs := _costs(snapshot):
        return 2 + len(costs)
    return 2 + snapshot.world + (1 + len(_cost(snapshot, 80)) if snapshot.value("time") else 0)


def exchange(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells."""
    if costs := _costs(snapshot):
        return _table(costs, width, height)
    before, after = (_ranks(snapshot.value(name)) for name in ("before", "after"))
    world = max(len(before), len(after))
    chunks = max([1, *(len(held) for held in (*before, *after))])
    side = max(1, (width - _LABEL - _BETWEEN) // 2)
    column = min(_WIDEST, max(1, side // chunks))
    longest = max([1, *(len(numbers.in_full(v)) for held in (*before, *after) for v in held)])
    if column <= longest:  # as many as can be read, and that there are more
        column = min(side, longest + 1)
    shown = max(1, min(chunks, side // column))

    cost = _cost(snapshot, width)
    below = [(), *cost] if cost else []
    large = cell_grid.size(world, height - 3 - len(below))
    roomy = min(_LARGEST, (width - _LABEL - _BETWEEN) // 2 // chunks)
    if large is not None and roomy >= longest + 3:
        named = (Span("buffers", DIM), *(Span(f"  {name}", HEAD) for name in _operation(snapshot)))
        return framed([named, (), *_cells(before, after, world, chunks, roomy, large), *below], width, height)
    room = height - 2 - (1 + len(cost) if cost and height >= 3 + world + len(cost) else 0)
    ranks = world if world <= room else max(0, room - 1)
    title = [Span("buffers", DIM), *(Span(f"  {name}", HEAD) for name in _operation(snapshot))]
    head = Span(
        f"{'rank':<{_LABEL}}{'before':>{shown * column}}{'':{_BETWEEN}}{'after':>{shown * column}}", DIM
    )
    lines: list[Line] = [tuple(title), (head,)]
    for rank in range(ranks):
        given, got = _held(before, rank), _held(after, rank)
        lines.append(
            (
                Span(f"{rank:<{_LABEL}}", HEAD),
                *_side(given, given, shown, column),
                Span(_ARROW, DIM),
                *_side(got, given, shown, column),
            )
        )
    if ranks < world and room > 0:
        lines.append((Span(f"{'':{_LABEL}}and {world - ranks} more ranks", DIM),))
    if room < height - 2:
        lines += [(), *cost]
    lines = lines[:height]
    return [cells.fit(line, width) for line in (*lines, *[()] * (height - len(lines)))]


def _cells(
    before: _Held, after: _Held, world: int, chunks: int, column: int, large: tuple[int, int]
) -> list[Line]:
    """Both sides as coloured cells, the numbers inside; what a rank did not have before stands out."""
    high, apart = large
    side = column * chunks
    lines: list[Line] = [
        (Span(f"{'rank':<{_LABEL}}{'before':^{side}}{'':{_BETWEEN}}{'after':^{side}}".rstrip(), DIM),)
    ]
    for rank in range(world):
        given, got = _held(before, rank), _held(after, rank)
        lines += [()] * (apart if rank else 0)
        left = cell_grid.row(Span(f"{rank:<{_LABEL}}", HEAD), _coloured(given, given, chunks), column, high)
        right = cell_grid.row(Span(_ARROW, DIM), _coloured(got, given, chunks), column, high)
        lines += [(*a, *b) for a, b in zip(left, right, strict=True)]
    return lines


def _coloured(held: Sequence[float], given: Sequence[float], chunks: int) -> list[cell_grid.Cell]:
    found = []
    for chunk in range(chunks):
        if chunk >= len(held):
            found.append(cell_grid.Cell(numbers.DASH if not held and chunk == 0 else "", ""))
            continue
        old = chunk < len(given) and given[chunk] == held[chunk]
        found.append(
            cell_grid.Cell(numbers.in_full(held[chunk]), *(cell_grid.QUIET if old else cell_grid.NEW))
        )
    return found


def _costs(snapshot: Snapshot) -> list[tuple[str, dict[str, float | None]]]:
    """Of a run that has gone through several collectives, at its end: what its result says of each."""
    result = next((row.result for row in snapshot.rows if row.result), None) or {}
    if snapshot.state in ("launching", "running"):
        return []
    found = []
    for op in OPS:
        own = {name: _known(result.get(f"{op}_{name}")) for name in ("alpha_s", *_RATES)}
        if own[_RATES[0]] is None:
            own[_RATES[0]] = _known(result.get(f"{op}_{_ONCE}_bytes_per_s"))
        if any(figure is not None for figure in own.values()):
            found.append((op.replace("_", "-"), own))
    return found if len(found) > 1 else []


_RATES = ("bandwidth_bytes_per_s", "busbw_bytes_per_s")
_ONCE = "beta"  # what older recordings call the bandwidth


def _known(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _table(costs: Sequence[tuple[str, dict[str, float | None]]], width: int, height: int) -> list[Line]:
    """What the buffers were passed around for: a row a collective, with the fit of its times."""
    alpha = [dash(numbers.ms(own["alpha_s"])) for _, own in costs]
    bandwidth, busbw = ([dash(_per_s(own[rate])) for _, own in costs] for rate in _RATES)
    columns = [
        Column("collective", [Span(op, HEAD) for op, _ in costs], right=False),
        Column("α, to get going", alpha, 1),
        Column("B, once it goes", bandwidth, 2),
        Column("busbw, largest size", busbw, 3),
    ]
    title = (Span("time = α + size / B", TEXT), Span(", fitted to the times of all sizes", DIM))
    lines = columned(fitting(columns, width))
    lines = [title, *[()] * (height >= len(lines) + 2), *lines] if height > len(lines) else lines
    return framed(lines, width, height)


def _per_s(rate: float | None) -> str:
    return numbers.DASH if rate is None else f"{numbers.size(rate)}/s"


def _side(held: Sequence[float], given: Sequence[float], shown: int, column: int) -> list[Span]:
    """A rank's chunks; what it did not have there before stands out. A dash where it holds nothing."""
    if not held:
        return [Span(f"{numbers.DASH:>{column}}" + " " * (column * (shown - 1)), DIM)]
    spans = []
    for chunk in range(shown):
        text = numbers.in_full(held[chunk]) if chunk < len(held) else ""
        if chunk == shown - 1 and len(held) > shown:
            text = "…"
        old = chunk < len(given) and chunk < len(held) and given[chunk] == held[chunk]
        spans.append(Span(f"{text:>{column}}", TEXT if old else NEW))
    return spans


def _cost(snapshot: Snapshot, width: int) -> list[Line]:
    """A column a size: time and bandwidth; below it what the times come to."""
    size, times, algbw, busbw = (_first(snapshot, name) for name in ("size", "time", "algbw", "busbw"))
    if not times:
        return []
    if len(size) != len(times):  # a barrier moves nothing
        return [(Span(f"{'time':<{_LABEL}}", DIM), Span(numbers.ms(times[0]), TEXT))]
    fits = max(1, min(len(size), (width - _LABEL) // _SIZE))
    kept = [round(i * (len(size) - 1) / max(1, fits - 1)) for i in range(fits)]
    rows: list[Line] = []
    for name, figures, style in (
        ("size", [numbers.size(int(size[i])) if math.isfinite(size[i]) else numbers.DASH for i in kept], DIM),
        ("time", [numbers.ms(times[i]) for i in kept], TEXT),
        ("algbw", [_rate(algbw, i) for i in kept], TEXT),
        ("busbw", [_rate(busbw, i) for i in kept], TEXT),
    ):
        cell = "".join(f"{text:>{_SIZE}}" for text in figures)
        rows.append((Span(f"{name:<{_LABEL}}", DIM), Span(cell, style)))
    alpha = _first(snapshot, "alpha")
    bandwidth = _first(snapshot, "bandwidth") or _first(snapshot, _ONCE)
    if alpha and bandwidth:
        fitted = f"time = {numbers.ms(alpha[0])} + size / {_rate(bandwidth, 0)}, fitted to what was measured"
        rows.append((Span(fitted, DIM),))
    return rows


# --- figures --------------------------------------------------------------------------------------------


def _ranks(named: Named | None) -> tuple[tuple[float, ...], ...]:
    return named.ranks if named is not None else ()


def _held(side: Sequence[tuple[float, ...]], rank: int) -> tuple[float, ...]:
    return side[rank] if rank < len(side) else ()


def _first(snapshot: Snapshot, name: str) -> tuple[float, ...]:
    """What the first rank that says it says: all of them agreed on it."""
    return next((said for said in _ranks(snapshot.value(name)) if said), ())


def _operation(snapshot: Snapshot) -> list[str]:
    said = _first(snapshot, "collective")
    if not said or not math.isfinite(said[0]) or not 0 <= int(said[0]) < len(OPS):
        return []
    return [OPS[int(said[0])].replace("_", "-")]


def _rate(rates: Sequence[float], i: int) -> str:
    return _per_s(rates[i] if i < len(rates) and math.isfinite(rates[i]) else None)
