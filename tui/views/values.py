"""The figures that a script says of itself by `probe.value`, and the results its ranks ended with."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runtime.messages import Snapshot
from slides import cells
from slides.text import Line, Span, Style
from tui.views import numbers
from tui.views.frame import DIM, Column, columned, dash, fitting, framed, nothing

HEAD = Style("heading", bold=True)
_MOST = 16  # ranks side by side
_SHOWN = 6  # numbers of a rank in a cell


def values(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells: a row per figure, a column per rank."""
    table = [
        (f"{cells.clean(named.name)}{f' ({cells.clean(named.unit)})' if named.unit else ''}", named.ranks)
        for named in snapshot.values
    ]
    names = list(dict.fromkeys(key for row in snapshot.rows for key in row.result or {}))
    results = [
        (cells.clean(name), [_said((row.result or {}).get(name)) for row in snapshot.rows]) for name in names
    ]
    if not table and not results:
        return nothing("buffers", "this demo shows no buffers and says no figures of its own", width, height)
    ranks = min(_MOST, max([len(snapshot.rows), *(len(said) for _, said in table)]))
    columns = [Column("", [Span(name, DIM) for name, _ in (*table, *results)], right=False)]
    for rank in range(ranks):
        texts = [_numbers(said[rank]) if rank < len(said) else numbers.DASH for _, said in table]
        texts += [said[rank] if rank < len(said) else numbers.DASH for _, said in results]
        columns.append(Column(f"rank {rank}", [dash(text) for text in texts], need=rank))
    lines = columned(fitting(columns, width))
    if height > 2 * len(lines):
        lines = [line for row in lines for line in (row, ())][:-1]
    return framed(lines, width, height)


def _numbers(said: Sequence[float]) -> str:
    if not said:
        return numbers.DASH
    more = " …" if len(said) > _SHOWN else ""
    return " ".join(numbers.figure(value) for value in said[:_SHOWN]) + more


def _said(value: object) -> str:
    if value is None:
        return numbers.DASH
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else str(value)
    return cells.clip_text(cells.clean(str(value)), 24)
