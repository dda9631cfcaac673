"""The figures that a script says of itself by `probe.value`, and the results its ranks ended with.

Where ranks differ there is a column for each, or a row where columns have no room; what all of them say alike
is said once. Figures whose numbers have labels stand in tables under these, or as bars where there is room.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, zip_longest
from typing import NamedTuple

from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import numbers
from tui.views.parts.frame import DIM, GAP, Column, columned, dash, fitting, framed, nothing, used
from tui.views.parts.headline import FROM, headline
from tui.views.parts.own_figures import SCALED, number, result, words
from tui.views.run.table import settled

HEAD, TEXT, BAR = Style("heading", bold=True), Style(), Style("accent", "accent")
_MOST = 16  # ranks side by side
_NARROW = 96  # cells of a panel on a terminal of 100 columns, in which ranks may have no room side by side
_SHOWN = 8  # numbers of a rank in a cell
_ACROSS = 46  # cells of a figure's bars, of which as many stand side by side as the width allows
_IN_THE_TABLE = ("loss", "steps")  # results that the panel says in their own place


class _Figure(NamedTuple):
    """`texts` has one for each rank, a dash where it did not say; `labels` are of the numbers in `said`."""

    name: str
    texts: list[str]
    said: tuple[tuple[float, ...], ...] = ()
    unit: str = ""
    labels: tuple[str, ...] = ()

    @property
    def alike(self) -> bool:
        return len(set(self.texts)) == 1


def rows_of(snapshot: Snapshot) -> int:
    """Lines it takes to show every figure, ranks side by side or not."""
    found = _figures(snapshot)
    blocks = [
        max(len(_by_rank(own, labels, width)) for width in (_NARROW, 10_000))
        for labels, own in _grouped(found, alike=False)
    ]
    blocks += [len(own) + bool(labels) for labels, own in _grouped(found, alike=True)]
    return sum(blocks) + max(0, len(blocks) - 1)


def values(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells: a row per figure."""
    found = _figures(snapshot)
    if not found:
        none = "this demo shows no buffers and sends no figures of its own"
        why = none if settled(snapshot) else "no rank has sent figures of its own yet"
        return nothing("buffers", why, width, height)
    blocks = [_by_rank(own, labels, width) for labels, own in _grouped(found, alike=False)]
    airy = [line for row in blocks[0] for line in (row, ())][:-1] if blocks else []
    for labels, own in _grouped(found, alike=True):
        left = height - sum(len(block) + 1 for block in blocks)
        if not labels:
            large = _in_letters(own, width)
            fits = width >= FROM[0] and height >= FROM[1] and 0 < len(large) <= left
            blocks.append(large if fits else _said_alike(own, width, max(1, left)))
        elif len(bars := _barred(own, labels, width)) <= left - _other(found):
            blocks.append(bars)
        else:
            blocks.append(_labelled(own, labels, width))
    if len(blocks) == 1 and 0 < len(airy) <= height:
        blocks = [airy]
    lines = [line for block in blocks for line in ((), *block)][1:]
    return framed(lines, width, height)


def _grouped(found: Sequence[_Figure], *, alike: bool) -> list[tuple[tuple[str, ...], list[_Figure]]]:
    """Figures with the same labels together, those without any first."""
    wanted = sorted((f for f in found if f.alike == alike), key=lambda figure: bool(figure.labels))
    if alike:  # tables and bars come before what is a word each
        wanted = [*(f for f in wanted if f.labels), *(f for f in wanted if not f.labels)]
    return [(labels, list(own)) for labels, own in groupby(wanted, key=lambda figure: figure.labels)]


def _other(found: Sequence[_Figure]) -> int:
    """Lines that must be left for what stands below the bars."""
    plain = sum(figure.alike and not figure.labels for figure in found)
    return -(-plain // 2) + 1 if plain else 0


# --- where ranks differ ---------------------------------------------------------------------------------


def _by_rank(own: Sequence[_Figure], labels: tuple[str, ...], width: int) -> list[Line]:
    ranks = range(len(own[0].texts))
    if labels:
        lines: list[Line] = []
        for figure in own:
            cut = [[number(n, figure.unit, unit=False) for n in said] for said in figure.said]
            columns = [Column("", [Span(f"rank {rank}", HEAD) for rank in ranks], right=False)]
            columns += [
                Column(label, [dash(row[n] if n < len(row) else numbers.DASH) for row in cut], need=n + 1)
                for n, label in enumerate(labels)
            ]
            unit = f", {figure.unit}" if figure.unit and figure.unit not in SCALED else ""
            lines += [()] * bool(lines)
            lines += [(Span(figure.name + unit, DIM),), *columned(fitting(columns, width))]
        return lines
    columns = [Column("", [Span(figure.name, DIM) for figure in own], right=False)]
    columns += [
        Column(f"rank {rank}", [dash(figure.texts[rank]) for figure in own], need=rank) for rank in ranks
    ]
    if used(columns) > width:
        columns = [Column("", [Span(f"rank {rank}", DIM) for rank in ranks], right=False)]
        columns += [
            Column(f.name, [dash(text) for text in f.texts], need=n) for n, f in enumerate(own, start=1)
        ]
    return columned(fitting(columns, width))


# --- what all say alike ---------------------------------------------------------------------------------


def _labelled(own: Sequence[_Figure], labels: tuple[str, ...], width: int) -> list[Line]:
    """A row a figure, a column a label."""
    columns = [Column("", [Span(figure.name, DIM) for figure in own], right=False)]
    rows = [[number(n, figure.unit, unit=False) for n in figure.said[0]] for figure in own]
    for n, label in enumerate(labels):
        texts = [row[n] if n < len(row) else numbers.DASH for row in rows]
        columns.append(Column(label, [dash(text, HEAD) for text in texts], need=n + 1))
    units = ["" if figure.unit in SCALED else figure.unit for figure in own]
    if any(units):
        columns.append(Column("", [Span(unit, DIM) for unit in units], need=len(labels) + 1, right=False))
    return columned(fitting(columns, width))


def _barred(own: Sequence[_Figure], labels: tuple[str, ...], width: int) -> list[Line]:
    """A bar for each number, figures side by side; those of one unit can be held against each other."""
    most: dict[str, float] = {}
    for figure in own:
        known = [abs(n) for n in figure.said[0] if math.isfinite(n)]
        key = figure.unit or figure.name
        most[key] = max([most.get(key, 0.0), *known])
    across = max(1, min(len(own), (width + GAP) // (_ACROSS + GAP)))
    each = min(64, (width - GAP * (across - 1)) // across)
    lines: list[Line] = []
    for start in range(0, len(own), across):
        row = own[start : start + across]
        drawn = [_bars(figure, labels, most[figure.unit or figure.name], each) for figure in row]
        lines += [()] * bool(lines)
        for parts in zip(*drawn, strict=True):
            joined: list[Span] = []
            for part in parts:
                joined += [*([Span(" " * GAP)] if joined else []), *cells.pad(part, each)]
            lines.append(tuple(joined))
    return lines


def _bars(figure: _Figure, labels: tuple[str, ...], most: float, width: int) -> list[Line]:
    said = figure.said[0]
    texts = [number(n, figure.unit) for n in said] + [numbers.DASH] * (len(labels) - len(said))
    name, text = max(map(cells.width, labels)), max(map(cells.width, texts))
    room = max(1, width - name - text - 2 * GAP - 2)
    lines: list[Line] = [(Span(figure.name, DIM),)]
    for n, (label, shown) in enumerate(zip(labels, texts, strict=True)):
        value = said[n] if n < len(said) and math.isfinite(said[n]) else 0.0
        length = max(1, round(room * (value / most))) if most > 0 and value > 0 else 0
        bar = (Span("█" * length, BAR), Span(" " * (room - length + GAP)))
        lines.append((Span(f"  {label:<{name + GAP}}", TEXT), *bar, dash(f"{shown:>{text}}", HEAD)))
    return lines


def _said_alike(same: Sequence[_Figure], width: int, height: int) -> list[Line]:
    """Names and values, in as many pairs of columns as the height asks for and the width allows."""
    names = max(cells.width(figure.name) for figure in same)
    texts = max(cells.width(figure.texts[0]) for figure in same)
    pair = names + 2 + texts + 4
    across = max(1, min(width // pair, -(-len(same) // height)))
    down = -(-len(same) // across)
    lines: list[Line] = []
    for row in range(down):
        spans: list[Span] = []
        for figure in same[row::down]:
            spans += cells.pad((Span(figure.name, DIM),), names + 2)
            spans += cells.pad((dash(figure.texts[0], HEAD),), texts + 4)
        lines.append(tuple(spans))
    return lines


def _in_letters(same: Sequence[_Figure], width: int) -> list[Line]:
    """The same for the last row of a room, each value below its name; empty where one has no letters."""
    drawn = [headline((dash(figure.texts[0], HEAD),), width) for figure in same]
    if not all(drawn):
        return []
    named = zip(same, drawn, strict=True)
    return [line for figure, rows in named for line in ((Span(figure.name, DIM),), *rows, ())][:-1]


# --- figures --------------------------------------------------------------------------------------------


def _figures(snapshot: Snapshot) -> list[_Figure]:
    """What was said while it ran, then what it ended with; what was said both ways counts once."""
    world = min(_MOST, len(snapshot.rows) or max((len(named.ranks) for named in snapshot.values), default=0))
    found: dict[str, _Figure] = {}
    spoken: dict[str, set[float]] = {}
    for named in snapshot.values:
        said = tuple(named.ranks[rank] if rank < len(named.ranks) else () for rank in range(world))
        labels = tuple(cells.clip_text(cells.clean(label), 16) for label in named.labels)
        if labels:  # a script may have named fewer than it says
            labels += ("",) * (max(map(len, said), default=0) - len(labels))
        unit = cells.clean(named.unit)
        found[named.name] = _Figure(words(named.name), _numbers(said, unit), said, unit, labels)
        spoken[named.name] = {number for of_rank in said for number in of_rank}
    for name in dict.fromkeys(key for row in snapshot.rows for key in row.result or {}):
        ended = [(row.result or {}).get(name) for row in snapshot.rows[:world]]
        if name in found or name in _IN_THE_TABLE or _told(name, ended, spoken):
            continue
        found[name] = _Figure(words(name), [result(name, value) for value in ended])
    return list(found.values())


def _told(name: str, ended: Sequence[object], spoken: dict[str, set[float]]) -> bool:
    """Is a result such as `ring_small_s` one of the numbers of the figure `ring`?"""
    return any(name.startswith(f"{said}_") and set(ended) <= known for said, known in spoken.items())


def _numbers(said: Sequence[Sequence[float]], unit: str) -> list[str]:
    """The numbers of each rank, those at the same place one below the other; a unit of the script's own is
    said once behind them."""
    rows = [
        [number(value, unit, unit=False) for value in of_rank[:_SHOWN]] + ["…"] * (len(of_rank) > _SHOWN)
        for of_rank in said
    ]
    wide = [max(map(len, filter(None, column))) for column in zip_longest(*rows)]
    behind = f" {unit}" if unit and unit not in SCALED else ""
    return [
        "  ".join(map(str.rjust, [*row, *[""] * (len(wide) - len(row))], wide)) + behind
        if row
        else numbers.DASH
        for row in rows
    ]
