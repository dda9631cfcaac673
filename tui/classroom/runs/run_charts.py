"""Charts of what a run measured: while it goes on, when it is over, and of one that was recorded.

    ::: chart stacked values=memory demo=sharded unit=GB

A snapshot becomes a table, which is read as one in a deck is: the first column names the bars or is x, each
other column is a series.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple

from msgspec.structs import replace

from quiz.answers import quantity
from runtime.metrics.loss_curves import HIGHEST, LOWEST, MEDIAN
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Snapshot
from slides.deck import AnyBlock, Chart, Demo, Slide
from slides.problems import Mistake, did_you_mean, quoted
from slides.reading import charts
from slides.reading_order import blocks as walk
from slides.reading_order import changed
from tui.deck.contents import Contents
from tui.figures import numbers
from tui.figures.categories import MEMORY, TIME, Kind
from tui.keys.table import key_of

_BYTES = ("payload", "wire", "theory")
_BANDS = {LOWEST: "lowest", MEDIAN: "median", HIGHEST: "highest"}


class Table(NamedTuple):
    """Numbers in base units, None where one is not known; `x` is what the first column is."""

    x: str
    series: tuple[str, ...]
    rows: list[tuple[str, tuple[float | None, ...]]]
    unit: str = ""


def slide_with(
    contents: Contents, index: int, snapshots: Mapping[str, Snapshot], *, keys: bool = False
) -> Slide:
    """A slide with what its charts of runs show now. `keys`: who looks can start a run."""

    def of(block: AnyBlock) -> AnyBlock:
        if not isinstance(block, Chart) or not block.run:
            return block
        return filled(block, contents, index, snapshots, keys=keys)

    slide = contents.slide(index)
    return replace(slide, blocks=changed(slide.blocks, of))


def demo_of(chart: Chart, contents: Contents, index: int) -> Demo | None:
    """The demo whose run a chart of slide `index` shows: the one it names, else the first of its slide."""
    from tui.classroom.answering.prediction import demo_named

    wanted = dict(chart.run).get("demo", "")
    return demo_named(contents, wanted) if wanted else next(iter(contents.demos(index)), None)


def demos_on(contents: Contents, index: int) -> list[Demo]:
    """The demos of a slide, and those elsewhere whose runs it shows in a chart."""
    charted = [
        block for block in walk(contents.slide(index).blocks) if isinstance(block, Chart) and block.run
    ]
    of_charts = (demo_of(chart, contents, index) for chart in charted)
    return [*contents.demos(index), *filter(None, of_charts)]


def trouble(chart: Chart, contents: Contents, index: int) -> Mistake | None:
    """Why a chart will never show a run."""
    if demo_of(chart, contents, index) is not None:
        return None
    if wanted := dict(chart.run).get("demo", ""):
        return Mistake(
            f"no demo of this deck is called {quoted(wanted)}", f"Write `::: demo NAME {{#{wanted}}}`."
        )
    return Mistake("there is no demo on this slide whose values it could show", "Write `demo=ID` of one.")


def filled(
    chart: Chart, contents: Contents, index: int, snapshots: Mapping[str, Snapshot], *, keys: bool = False
) -> Chart:
    """A chart with what is known now, or with why there is nothing in it."""
    if (never := trouble(chart, contents, index)) is not None:
        return replace(chart, source=f"{never.message}. {never.mend}")
    demo = demo_of(chart, contents, index)
    assert demo is not None
    snapshot = snapshots.get(demo.id)
    asked = " ".join((demo.name, *(f"{key}={value}" for key, value in demo.params.items())))
    if snapshot is None:
        here = any(one.id == demo.id for one in contents.demos(index))
        number = contents.label(next(n for n in range(len(contents)) if demo in contents.demos(n)))
        where = f"{key_of('demo')} starts it" if here and keys else "" if here else f"it is on slide {number}"
        return replace(chart, source=" · ".join(filter(None, (f"no run of {asked} yet", where))))
    try:
        return charts.filled(chart, *_written(chart, snapshot), source(snapshot))
    except Mistake as why:
        return replace(chart, source=f"{why.message}. {why.mend}")


def source(snapshot: Snapshot) -> str:
    """Which run the numbers are of, how it was made, and how far it has come."""
    played = snapshot.playback
    steps = [row.step for row in snapshot.rows if row.step is not None]
    of = f" of {snapshot.steps}" if snapshot.steps else ""
    return " · ".join(
        filter(
            None,
            (
                snapshot.badge,
                f"{snapshot.demo}, {snapshot.world} {'rank' if snapshot.world == 1 else 'ranks'}",
                f"made {played.made} on {played.machine}" if played is not None else "",
                *snapshot.bent,
                f"step {max(steps) + 1}{of}" if steps else "",
                "" if snapshot.state in ("running", "done") else snapshot.state,
            ),
        )
    )


def _written(chart: Chart, snapshot: Snapshot) -> tuple[list[list[str]], str]:
    """The numbers of a chart as a table of words, and their unit. Raises `Mistake`."""
    params = dict(chart.run)
    found = table(snapshot, params["values"])
    most = max((abs(value) for _, row in found.rows for value in row if value is not None), default=0.0)
    by, unit = numbers.scaled(most, found.unit)
    if wanted := params.get("unit", ""):
        if found.unit and quantity.measure(wanted)[0] != quantity.measure(found.unit)[0]:
            mend = f"Write `unit={unit}`, or leave it out."
            raise Mistake(f"{quoted(params['values'])} is not measured in {quoted(wanted)}", mend)
        by = quantity.measure(wanted)[1] / quantity.measure(found.unit)[1] if found.unit else 1.0
        unit = wanted
    elif "limit" in params and by != 1.0:
        raise Mistake("a limit of what was measured has no unit", f"Write `unit={unit}` beside it.")
    body = [[name, *("" if value is None else repr(value / by) for value in row)] for name, row in found.rows]
    return [[found.x, *found.series], *body], unit


def table(snapshot: Snapshot, values: str) -> Table:
    """What a run has measured of `values`.

    Raises:
        Mistake: It says nothing of that name, or nothing yet.
    """
    if values == "loss":
        found = _losses(snapshot)
    elif values in _OF_RANKS:
        series, of, unit = _OF_RANKS[values]
        found = _of_strategies(snapshot, values) or _of_ranks(snapshot, series, of, unit)
    else:
        found = _own(snapshot, values)
    if not any(value is not None for _, row in found.rows for value in row):
        over = snapshot.state not in ("launching", "running", "stopping")
        what = f"this run measured no {values}" if over else f"no {values} yet: the run has only begun"
        raise Mistake(what, "Steps with `probe.step` bring it." if over else "It comes with its first steps.")
    known = [n for n in range(len(found.series)) if any(row[n] for _, row in found.rows)] or [0]
    series = tuple(found.series[n] for n in known)
    rows = [(name, tuple(row[n] for n in known)) for name, row in found.rows]
    return found._replace(series=series, rows=rows)


def _losses(snapshot: Snapshot) -> Table:
    curves = [curve for curve in snapshot.curves if curve.steps]
    steps = sorted({step for curve in curves for step in curve.steps})
    at = [
        {step: _finite(loss) for step, loss in zip(curve.steps, curve.losses, strict=True)}
        for curve in curves
    ]
    names = tuple(_BANDS.get(curve.rank, f"rank {curve.rank}") for curve in curves)
    return Table("step", names, [(str(step), tuple(one.get(step) for one in at)) for step in steps])


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) and abs(value) <= charts.LARGEST else None


def _words(kinds: Sequence[Kind]) -> tuple[str, ...]:
    return tuple(kind.word for kind in kinds)


_Of = Callable[[RankRow], Sequence[float | None]]
_OF_RANKS: dict[str, tuple[tuple[str, ...], _Of, str]] = {
    "memory": (_words(MEMORY), lambda row: [row.held.get(kind.field) for kind in MEMORY], "B"),
    "peak": (("peak",), lambda row: [row.peak], "B"),
    "step": (_words(TIME), lambda row: [getattr(row, kind.field) for kind in TIME], "s"),
    "tokens": (("tokens/s",), lambda row: [row.tokens_s], ""),
    "bytes": (_BYTES, lambda row: [row.payload, row.wire, row.theory], "B"),
}


def _of_ranks(snapshot: Snapshot, series: tuple[str, ...], of: _Of, unit: str) -> Table:
    rows = [tuple(_finite(value) for value in of(row)) for row in snapshot.rows]
    return Table("rank", series, _by_rank(rows), unit)


def _by_rank(rows: Sequence[tuple[float | None, ...]]) -> list[tuple[str, tuple[float | None, ...]]]:
    """A row a rank; of more than there are bars the lowest, the median and the highest of each column."""
    if len(rows) <= charts.MOST_BARS:
        return [(f"rank {rank}", row) for rank, row in enumerate(rows)]
    columns = [[value for value in column if value is not None] for column in zip(*rows, strict=True)]
    return [
        (name, tuple(of(column) if column else None for column in columns))
        for name, of in (("lowest", min), ("median", median), ("highest", max))
    ]


_OF_STRATEGIES = {
    "peak": ("peak", "peak_bytes", "B"),
    "tokens": ("tokens/s", "tokens_s", ""),
    "step": ("step", "step_s", "s"),
}


def _of_strategies(snapshot: Snapshot, values: str) -> Table | None:
    """The same of the strategies of a comparison; None where the run is none, or has nothing of it."""
    if snapshot.comparison is None:
        return None
    found = snapshot.comparison.rows
    if values == "memory":
        series, unit = _words(MEMORY), "B"
        rows = [tuple(_finite(row.memory.get(kind.field)) for kind in MEMORY) for row in found]
    elif values == "bytes":
        series, unit = _BYTES, "B"
        rows = [tuple(map(_finite, (row.payload, row.wire, row.theory))) for row in found]
    else:
        name, field, unit = _OF_STRATEGIES[values]
        series, rows = (name,), [(_finite(getattr(row, field)),) for row in found]
    return Table("strategy", series, [(row.label, of) for row, of in zip(found, rows, strict=True)], unit)


def _own(snapshot: Snapshot, values: str) -> Table:
    """A figure of the script's own: of several numbers a row each, of one a row a rank."""
    named = snapshot.value(values)
    if named is None:
        names = [one.name for one in snapshot.values]
        every = (*charts.OF_RUN, *names)
        near = did_you_mean(values, every)
        mend = f"Did you mean `values={near}`?" if near else f"It has {', '.join(every)}."
        raise Mistake(f"this run says no {quoted(values)}", mend)
    count = max(map(len, named.ranks), default=0)
    if count <= 1:
        rows = [(_finite(said[0]) if said else None,) for said in named.ranks]
        return Table("rank", (named.name,), _by_rank(rows), named.unit)
    alike = len(set(named.ranks)) == 1
    ranks = named.ranks[:1] if alike else named.ranks[: charts.MOST_SERIES]
    labels = [named.labels[n] if n < len(named.labels) else str(n) for n in range(count)]
    return Table(
        "" if named.labels else "number",
        (named.name,) if alike else tuple(f"rank {rank}" for rank in range(len(ranks))),
        [
            (label, tuple(_finite(said[n]) if n < len(said) else None for said in ranks))
            for n, label in enumerate(labels)
        ],
        named.unit,
    )
