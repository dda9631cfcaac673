"""`::: chart`: a table, or a CSV inside the block or beside the deck, as the numbers of a chart.

The first column names the bars, or is x of lines and points; each other column is a series. The numbers of
`values=` are those of a run, which come later.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from msgspec.structs import replace

from slides.deck import CHARTS, Chart
from slides.problems import Mistake, did_you_mean, one_line, quoted

KEYS = ("title", "unit", "limit", "x", "y", "log", "columns")
MOST_SERIES, MOST_BARS, MOST_POINTS = 16, 128, 100_000  # points of all series together
LARGEST = 1e100  # more is no measurement, and sums of it have no number
_BARS, _CURVES = ("bars", "stacked"), ("line", "scatter")
OF_RUN: dict[str, tuple[str, tuple[str, ...]]] = {
    "loss": ("Loss by step", _CURVES),
    "memory": ("Memory by what it holds", _BARS),
    "peak": ("Most memory at once", ("bars",)),
    "step": ("Where the time of a step goes", _BARS),
    "tokens": ("Tokens a second", ("bars",)),
    "bytes": ("Bytes of a step", ("bars",)),
}
"""Values of any run, their title, and the charts that show them; others are figures of the script's own."""
_BLANK = ("", "-", "–", "—")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_NO_PLACE = re.compile(r"[+-]?(?:nan|inf|infinity|∞)", re.IGNORECASE)
_EXAMPLE = "`::: chart stacked unit=GB` over a table, or `::: chart line loss.csv`"


class RowMistake(Mistake):
    """A mistake in one row of the numbers: 0 is the head."""

    def __init__(self, row: int, message: str, mend: str) -> None:
        super().__init__(message, mend)
        self.row = row


def kind_of(bare: Sequence[str]) -> str:
    """Return which chart is asked for.

    Raises:
        Mistake: None, or one that there is not.
    """
    if not bare:
        raise Mistake("`chart` of what kind? It is missing", f"Write {_EXAMPLE}.")
    if bare[0] not in CHARTS:
        near = did_you_mean(bare[0], CHARTS)
        mend = f"Did you mean `::: chart {near}`?" if near else f"There are {', '.join(CHARTS)}."
        raise Mistake(f"there is no chart {quoted(bare[0])}", mend)
    if len(bare) > 2:
        mend = 'Quote values with spaces: `title="two words"`.'
        raise Mistake(f"{quoted(bare[2])} is not `key=value`", mend)
    return bare[0]


def of_csv(text: str) -> list[list[str]]:
    """Return the rows of a CSV, parted by commas, semicolons or tabs, without blank ones.

    Raises:
        Mistake: It cannot be read, or has more rows than are drawn.
    """
    import csv  # the deck of a first slide has no such file

    head = text.lstrip("\ufeff\n").split("\n", 1)[0]
    mark = max(",;\t", key=head.count)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(text.lstrip("\ufeff").split("\n"), delimiter=mark):
            if any(cell.strip() for cell in row):
                rows.append([cell.strip() for cell in row])
            if len(rows) > MOST_POINTS + 1:
                raise _TOO_MANY_POINTS
    except csv.Error as why:
        raise Mistake(f"this is not CSV: {why}", "Save the numbers as lines of values with commas.") from None
    return rows


def read(kind: str, params: dict[str, str], rows: Sequence[Sequence[str]]) -> Chart:
    """Return the chart of `rows`, the first of which names the columns. Its place is set by who knows it.

    Raises:
        RowMistake: A cell is not a number, or one that cannot be drawn.
        Mistake: A key or a value means nothing, there are no numbers, or more than can be drawn.
    """
    for key in params:
        if key not in KEYS:
            near = did_you_mean(key, KEYS)
            if key in ("file", "data", "csv", "src"):
                mend = f"Name the file alone: `::: chart {kind} {one_line(params[key])[:60]}`."
                raise Mistake(f"{quoted(key)} means nothing to a chart", mend)
            mend = f"Did you mean `{near}`?" if near else f"A chart has {', '.join(KEYS)}."
            raise Mistake(f"{quoted(key)} means nothing to a chart", mend)
    if not rows:
        raise Mistake("this chart has no numbers", f"Write {_EXAMPLE}.")
    unit = params.get("unit", "")
    limit, limit_label = _limit(params.get("limit", ""), unit)
    rows = _chosen(rows, params.get("columns", ""))
    head, body = rows[0], rows[1:]
    bars = kind in ("bars", "stacked")
    if len(head) < 2 or not body:
        raise Mistake(
            "this chart has no numbers" if not body else "this chart has one column only",
            "The first row names the columns; the first column is names or x, each other one a series.",
        )
    if len(head) - 1 > MOST_SERIES:
        mend = f'Choose them, `columns="{head[0]},{head[1]}"`, or make two charts of them.'
        raise Mistake(f"this chart has {len(head) - 1} series, and {MOST_SERIES} can be told apart", mend)
    if bars and len(body) > MOST_BARS:
        message = f"this chart has {len(body):,} bars, and at most {MOST_BARS} are drawn"
        raise Mistake(message, "Draw it as a `line`, or keep the rows that matter.")
    if len(body) * (len(head) - 1) > MOST_POINTS and not bars:
        raise _TOO_MANY_POINTS
    unplaced: list[tuple[int, int]] = []
    values = tuple(
        tuple(
            _value(_at(row, n), unit, place, head[n], unplaced=None if bars else unplaced, n=n)
            for n in range(1, len(head))
        )
        for place, row in enumerate(body, 1)
    )
    if not any(value is not None for row in values for value in row):
        raise Mistake("this chart has no numbers", "Write a number into a cell of its table.")
    labels = tuple(_at(row, 0) for row in body)
    xs = () if bars else _places(kind, labels, head[0])
    log = _log(kind, params.get("log", ""), labels, xs)
    for place, row in enumerate(values, 1):
        low = [value for value in row if value is not None and value <= 0] if "y" in log else []
        if low or ("x" in log and xs[place - 1] <= 0):
            raise RowMistake(place, *_NOT_ABOVE)
    if "y" in log and limit is not None and limit <= 0:
        raise Mistake(*_NOT_ABOVE)
    return Chart(
        kind,
        series=tuple(head[1:]),
        labels=labels,
        values=values,
        xs=xs,
        title=params.get("title", ""),
        unit=unit,
        limit=limit,
        limit_label=limit_label,
        x=params.get("x", head[0]),
        y=params.get("y", unit),
        log=log,
        unplaced=tuple(unplaced),
    )


def of_run(kind: str, params: dict[str, str]) -> Chart:
    """Return the chart of values of a run, which somebody who knows runs fills (`filled`).

    Raises:
        Mistake: A key or a value means nothing, or these values are no chart of that kind.
    """
    values = params["values"]
    known = (*KEYS, "values", "demo")
    for key in params:
        if key not in known:
            near = did_you_mean(key, known)
            mend = f"Did you mean `{near}`?" if near else f"Values of a run have {', '.join(known)}."
            raise Mistake(f"{quoted(key)} means nothing to a chart of a run", mend)
    if not values:
        raise Mistake("`values=` names nothing", f"There are {', '.join(OF_RUN)}, and what a script says.")
    title, kinds = OF_RUN.get(values, (values, CHARTS))
    if kind not in kinds:
        mend = f"Write `::: chart {kinds[0]} values={one_line(values)}`."
        raise Mistake(f"{quoted(values)} of a run is not drawn as {kind}", mend)
    if "limit" in params and "unit" not in params and values in ("memory", "peak", "step", "bytes"):
        unit = "ms" if values == "step" else "GB"
        raise Mistake("a limit of what was measured has no unit", f"Write `unit={unit}` beside it.")
    _limit(params.get("limit", ""), params.get("unit", ""))
    _log(kind, params.get("log", ""), (), ())
    return Chart(kind, (), (), (), title=params.get("title", title), run=tuple(params.items()))


def filled(chart: Chart, rows: Sequence[Sequence[str]], unit: str, source: str) -> Chart:
    """Return the chart of a run with its numbers; `source` says of which run they are.

    Raises:
        Mistake: As of `read`.
    """
    params = {key: value for key, value in chart.run if key not in ("values", "demo")}
    found = read(chart.kind, {**params, "title": chart.title, "unit": unit}, rows)
    place = {"line": chart.line, "file": chart.file, "at": chart.at, "frames": chart.frames}
    return replace(found, run=chart.run, source=source, **place)


_NOT_ABOVE = "only what is above 0 has a place on a logarithmic axis", "Leave it out, or leave out `log=`."


def _log(kind: str, written: str, labels: Sequence[str], xs: Sequence[float]) -> str:
    """Which axes are logarithmic: "", "x", "y" or "xy".

    Raises:
        Mistake: There is no such axis, or it cannot be logarithmic.
    """
    axes = "".join(sorted(written.lower()))
    if axes not in ("", "x", "y", "xy"):
        raise Mistake(f"there is no axis {quoted(written)}", "Write `log=y`, `log=x` or `log=xy`.")
    if axes and kind in ("bars", "stacked"):
        message = "a bar is as long as its value, which it is not on a logarithmic axis"
        raise Mistake(message, "Draw it as a `line` or a `scatter`.")
    if "x" in axes and list(xs) == [float(n) for n in range(len(labels))] and _is_words(labels):
        raise Mistake(
            "words stand along x, and cannot be logarithmic", "Write numbers into the first column."
        )
    return axes


def _is_words(labels: Sequence[str]) -> bool:
    try:
        return any(_number(label, "", 0, "") is None for label in labels)
    except RowMistake:
        return True


def written(chart: Chart) -> list[str]:
    """Return the numbers of a chart as lines of CSV, from which they are read again."""
    rows = [["", *chart.series]]
    for label, row in zip(chart.labels, chart.values, strict=True):
        rows.append([label, *("" if value is None else repr(value) for value in row)])
    for row_, column in chart.unplaced:
        rows[row_][column] = "nan"
    return [",".join(map(_cell, row)) for row in rows]


def _cell(text: str) -> str:
    text = " ".join(text.split())
    return f'"{text.replace(chr(34), chr(34) * 2)}"' if re.search(r'[",;`~]', text) else text


def _at(row: Sequence[str], n: int) -> str:
    return row[n].strip() if n < len(row) else ""


_TOO_MANY_POINTS = Mistake(
    f"this chart has more than {MOST_POINTS:,} points", "Keep every tenth row, or the part that matters."
)


def _limit(written: str, unit: str) -> tuple[float | None, str]:
    """`80 one H100`: a number, and what it is."""
    if not written:
        return None, ""
    number, _, label = written.strip().partition(" ")
    try:
        value = _number(number, unit, 0, "limit")
    except RowMistake as why:
        raise Mistake(why.message, 'Write `limit=80` or `limit="80 one H100"`.') from None
    return value, label.strip().removeprefix(unit).strip() if unit else label.strip()


def _chosen(rows: Sequence[Sequence[str]], written: str) -> Sequence[Sequence[str]]:
    """The columns that are named, in that order; all where none is."""
    if not written:
        return rows
    head = [cell.strip() for cell in rows[0]]
    places = []
    for name in (part.strip() for part in written.split(",")):
        if name not in head:
            near = did_you_mean(name, head) or ", ".join(head[:8])
            raise Mistake(f"there is no column {quoted(name)}", f"Its columns are {near}.")
        places.append(head.index(name))
    return [[_at(row, n) for n in places] for row in rows]


def _number(written: str, unit: str, row: int, column: str) -> float | None:
    text = written.strip().replace("\u2212", "-").removesuffix("%")
    text = (text.removesuffix(unit) if unit else text).strip()
    if text in _BLANK:
        return None
    if _THOUSANDS.fullmatch(text):
        text = text.replace(",", "")
    try:
        value = float(text)
    except ValueError:
        raise RowMistake(
            row,
            f"{quoted(written)} in {quoted(column)} is not a number",
            "Write a number, or leave the cell empty.",
        ) from None
    if not math.isfinite(value) or abs(value) > LARGEST:
        message = f"{quoted(written)} in {quoted(column)} is not a number that can be drawn"
        raise RowMistake(row, message, "Leave the cell empty: a line is then broken there.")
    return value


def _value(
    written: str, unit: str, row: int, column: str, *, unplaced: list[tuple[int, int]] | None, n: int
) -> float | None:
    """A cell, `n` of its row; one that is nan or infinite is added to `unplaced`, where that is known."""
    try:
        return _number(written, unit, row, column)
    except RowMistake:
        if unplaced is None or not _NO_PLACE.fullmatch(written.strip()):
            raise
        unplaced.append((row, n))
        return None


def _places(kind: str, labels: Sequence[str], column: str) -> tuple[float, ...]:
    """Where rows stand along x: at their number; those of a line that are words one after the other."""
    found: list[float] = []
    for row, label in enumerate(labels, 1):
        try:
            value = _number(label, "", row, column)
        except RowMistake:
            if kind == "line" and row == 1:
                return tuple(float(n) for n in range(len(labels)))
            raise
        if value is None:
            raise RowMistake(row, f"{quoted(column)} is empty here, and it is x", "Write a number.")
        found.append(value)
    return tuple(found)
