"""The figures that a script says of itself by `probe.value`, and the results its ranks ended with.

Where ranks differ there is a column for each; what all of them say alike is said once.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from runtime.messages import Snapshot
from slides import cells
from slides.text import Line, Span, Style
from tui.views import numbers
from tui.views.frame import DIM, Column, columned, dash, fitting, framed, nothing

HEAD, TEXT = Style("heading", bold=True), Style()
_MOST = 16  # ranks side by side
_SHOWN = 8  # numbers of a rank in a cell
_IN_THE_TABLE = ("loss", "steps")  # results that the panel says in their own place
_UNITS = {"_s": "s", "_ms": "ms", "_bytes": "bytes"}  # by which the name of a result ends


class _Figure(NamedTuple):
    """`texts` has one for each rank, a dash where it did not say."""

    name: str
    texts: list[str]

    @property
    def alike(self) -> bool:
        return len(set(self.texts)) == 1


def rows_of(snapshot: Snapshot) -> int:
    """Lines it takes to show every figure."""
    found = _figures(snapshot)
    apart = sum(not figure.alike for figure in found)
    return len(found) + (apart > 0) + (0 < apart < len(found))


def values(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells: a row per figure."""
    found = _figures(snapshot)
    if not found:
        return nothing("buffers", "this demo shows no buffers and says no figures of its own", width, height)
    apart = [figure for figure in found if not figure.alike]
    same = [figure for figure in found if figure.alike]
    lines: list[Line] = []
    if apart:
        columns = [Column("", [Span(figure.name, DIM) for figure in apart], right=False)]
        columns += [
            Column(f"rank {rank}", [dash(figure.texts[rank]) for figure in apart], need=rank)
            for rank in range(len(apart[0].texts))
        ]
        lines = columned(fitting(columns, width))
    if same:
        lines += [()] * bool(lines)
        lines += _said_alike(same, width, max(1, height - len(lines)))
    if height > 2 * len(lines) and not same:
        lines = [line for row in lines for line in (row, ())][:-1]
    return framed(lines, width, height)


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
            text = Span(figure.texts[0], HEAD if figure.texts[0] != numbers.DASH else DIM)
            spans += cells.pad((Span(figure.name, DIM),), names + 2)
            spans += cells.pad((text,), texts + 4)
        lines.append(tuple(spans))
    return lines


def _figures(snapshot: Snapshot) -> list[_Figure]:
    """What was said while it ran, then what it ended with; a name said both ways counts once."""
    world = min(_MOST, len(snapshot.rows) or max((len(named.ranks) for named in snapshot.values), default=0))
    found: dict[str, _Figure] = {}
    for named in snapshot.values:
        said = [named.ranks[rank] if rank < len(named.ranks) else () for rank in range(world)]
        found[named.name] = _Figure(_words(named.name), [_numbers(of_rank, named.unit) for of_rank in said])
    for name in dict.fromkeys(key for row in snapshot.rows for key in row.result or {}):
        if name not in found and name not in _IN_THE_TABLE:
            texts = [_said(name, (row.result or {}).get(name)) for row in snapshot.rows[:world]]
            found[name] = _Figure(_words(name), texts)
    return list(found.values())


def _words(name: str) -> str:
    for ending in _UNITS:
        name = name.removesuffix(ending)
    return cells.clip_text(cells.clean(name).replace("_", " "), 32)


def _numbers(said: Sequence[float], unit: str) -> str:
    if not said:
        return numbers.DASH
    more = " …" if len(said) > _SHOWN else ""
    return "  ".join(_number(value, unit) for value in said[:_SHOWN]) + more


def _number(value: float, unit: str) -> str:
    """A figure in its unit: whole numbers stay whole, seconds and bytes are scaled."""
    match unit:
        case "s":
            return numbers.ms(value)
        case "ms":
            return numbers.ms(value / 1e3)
        case "bytes":
            return numbers.size(value)
        case "bytes/s":
            return f"{numbers.size(value)}/s"
    if math.isfinite(value) and value == int(value) and abs(value) < 1e7:
        text = str(int(value))
    else:
        text = numbers.figure(value)
    return f"{text} {cells.clean(unit)}" if unit else text


def _said(name: str, value: object) -> str:
    if value is None:
        return numbers.DASH
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return _number(value, next((unit for ending, unit in _UNITS.items() if name.endswith(ending)), ""))
    return cells.clip_text(cells.clean(str(value)), 24)
