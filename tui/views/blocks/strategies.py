"""`::: strategies model=llama3-8b gpu=h100 gpus=64` on a slide: each way to split it, and what was found."""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request
from runtime.estimate.sliders import SLIDERS
from runtime.estimate.strategies import AS_GIVEN
from runtime.estimate.strategy_table import Row, table
from runtime.protocol.figures import Comparison, Strategy
from slides.drawing import cells
from slides.drawing.large.letters import letters
from slides.drawing.text import Line, Span, Style
from tui.views.parts.estimate_bars import COMPUTED, Say, subject
from tui.views.parts.estimate_sliders import slider_line
from tui.views.parts.headline import headline

HEAD, DIM, TEXT, BOLD = Style("heading"), Style("dim"), Style(), Style(bold=True)
CHOSEN = Style("accent", bold=True)  # of a row in letters, which have no sign for it
_GAP = 2
_WHEN = 30  # cells from which there is a column of when to use it
_INDENT = 4  # cells before the same in letters
_DEMOS = {"dp": "DP", "ddp": "DDP", "fsdp": "FSDP", "hsdp": "HSDP", "tensor": "TP", "pipeline": "PP"}
_STAGES = {"1": "ZeRO-1", "2": "ZeRO-2", "3": "FSDP"}
_LEFT = ("strategy", "", "to write")  # heads of columns of words
_COMPUTED = 5  # columns, names and verdicts among them


def table_lines(
    asked: Request,
    width: int,
    slider: str,
    measured: Comparison | None,
    room: int = 0,
    say: Say = str,
) -> list[Line]:
    """The table at `width` cells; where there is no room, columns go from the right. Its figures are in
    letters, or its rows apart, where that needs less than the `room` there is."""
    rows, here = [_said(row, say) for row in table(asked)], _here(measured)
    head = Span(subject(asked), HEAD)
    new = (Span(f"  + {say('new')}", TEXT),) if any(row.new for row in rows) else ()
    lines: list[Line] = [(head, Span(f"  sequence {asked.layout.seq}, {say(COMPUTED)}", DIM), *new)]
    if cells.line_width(lines[0]) > width:
        lines = [(head, Span(f"  {say(COMPUTED)}", DIM), *new)]
    turned = next((one for one in SLIDERS if one.key == slider), None)
    if turned is not None:
        lines.append(slider_line(turned, asked, min(width, 60), chosen=True))
    body = _small(rows, here, width, say)
    told = _in_letters(rows, here, width, say, told=True)
    ways = (
        told,
        [row for row in told if row != ()],
        _in_letters(rows, here, width, say),
        _spaced(body),
    )
    lines += next((way for way in ways if way and len(lines) + len(way) + 2 <= room), body)
    if measured is not None and here:
        runs = f"{measured.ranks} ranks, medians of {measured.runs} runs each"
        words = (
            f"here: measured on this machine with the demos' own small model, {runs}; all else is computed"
        )
        lines += cells.wrap((Span(say(words), Style("good")),), width)
    return [cells.clip(line, width) for line in lines]


def _small(rows: list[Row], here: dict[str, Strategy], width: int, say: Say) -> list[Line]:
    """The table with its heads, a row a line."""
    lines: list[Line] = []
    columns = _columns(rows, here, say)
    least = width - (_WHEN if width >= 2 * _WHEN else 0)
    if sum(_wide(column) for column in columns) > least:
        columns = [_short(column, say) for column in columns if column.of != "to write"]
    while len(columns) > 2 and sum(_wide(column) for column in columns) > least:
        columns.pop(-1)
    left = width - sum(_wide(column) for column in columns)
    for n in range(len(rows) + 1):
        line: Line = tuple(span for column in columns for span in _cell(column, n))
        wrapped = cells.wrap(_when(rows, n, say), left) if left >= _WHEN else [()]
        lines.append((*line, *wrapped[0]))
        lines += [(Span(" " * (width - left)), *more) for more in wrapped[1:]]
    return lines


def _spaced(lines: list[Line]) -> list[Line]:
    return [row for line in lines for row in ((), line)][1:]


def _in_letters(
    rows: list[Row], here: dict[str, Strategy], width: int, say: Say, *, told: bool = False
) -> list[Line]:
    """The table with its figures in letters, when to use each beside them in words, or below them in letters
    too if `told`; empty without room for all that is computed."""
    *figures, write = _columns(rows, here, say)
    reasons = [headline(_reason(rows, n, say), width - _INDENT) for n in range(len(rows))] if told else []
    if not all(reasons):
        return []
    while len(figures) >= _COMPUTED:
        drawn = [_drawn(column) for column in figures]
        wide = [max(map(cells.width, (column.head, *(line for rows in texts for line in rows))))
                for column, texts in zip(figures, drawn, strict=True)]  # fmt: skip
        left = width - sum(wide) - _GAP * len(wide)
        if all(all(texts) for texts in drawn) and left >= _WHEN:
            break
        figures.pop()
    else:
        return []
    heads = [Span((f"{one.head:<{n}}" if one.of in _LEFT else f"{one.head:>{n}}") + " " * _GAP, DIM)
             for one, n in zip(figures, wide, strict=True)]  # fmt: skip
    lines: list[Line] = [
        (*heads, *((Span(say("when to use it: below each"), DIM),) if told else _when(rows, 0, say)))
    ]
    for n in range(len(rows)):
        words = [*(cells.wrap(_reason(rows, n, say), left)[:2] if not told else [()])]
        words += [(Span(write.body[n][0], DIM),), (), ()]
        for at in range(3):
            line = [_placed(column.of, column.body[n], texts[n][at], room)
                    for column, texts, room in zip(figures, drawn, wide, strict=True)]  # fmt: skip
            lines.append((*line, *words[at]))
        lines += [*((Span(" " * _INDENT), *row) for row in reasons[n]), ()] if told else []
    return lines


def _reason(rows: list[Row], n: int, say: Say) -> Line:
    """When to use strategy `n`, behind a sign where it is new."""
    return (*((Span("+ "),) if rows[n].new else ()), *_when(rows, n + 1, say))


def _drawn(column: Column) -> list[list[str]]:
    """Each cell of a column in letters; an empty list where it has none."""
    said = [
        text.lstrip("▸+ ").split()[:1] if text[:1] in "✓✗" else [text.lstrip("▸+ ")]
        for text, _ in column.body
    ]
    found = [letters("".join(words) or "–", 1000, ("low",), 1) or [] for words in said]
    return [[row.ljust(max(map(cells.width, rows))) for row in rows] for rows in found]


def _placed(head: str, cell: tuple[str, Style], row: str, room: int) -> Span:
    text, style = cell
    row, style = row if text.strip() else "", CHOSEN if style is BOLD else style
    return Span((row.ljust(room) if head in _LEFT else row.rjust(room)) + " " * _GAP, style)


def told_table(asked: Request) -> list[str]:
    """The table in sentences, for a class in lines."""
    said = []
    for row in table(asked):
        mark = " (as given)" if row.chosen and row.name != AS_GIVEN else " (new)" if row.new else ""
        if row.memory is None or row.traffic is None:
            said.append(f"{row.name}{mark}: {row.why}")
            continue
        fits = {True: ", fits", False: ", does not fit", None: ""}[row.fits]
        step = "" if row.step is None else f", a step {_of(row.step, 's')}"
        figures = f"{_of(row.memory, 'B')}{fits}{step}, {_of(row.traffic, 'B')} sent a step"
        said.append(f"{row.name}{mark}: {figures}; {row.when}")
    return said


class Column(NamedTuple):
    """Its cells below a head; `of`: what it has, the head in English."""

    of: str
    head: str
    body: list[tuple[str, Style]]


def _said(row: Row, say: Say) -> Row:
    return row._replace(complexity=say(row.complexity), when=say(row.when), why=say(row.why))


def _columns(rows: list[Row], here: dict[str, Strategy], say: Say) -> list[Column]:
    """Names, bytes, verdicts and seconds; what was measured behind them, where anything was."""
    styles = [BOLD if row.chosen else TEXT for row in rows]
    names = [f"{'▸ ' if row.chosen else '+ ' if row.new else '  '}{row.name}" for row in rows]
    found: list[tuple[str, list[tuple[str, Style]]]] = [
        ("strategy", list(zip(names, styles, strict=True))),
        ("memory", [(_of(row.memory, "B"), style) for row, style in zip(rows, styles, strict=True)]),
        ("", [_verdict(row, say) for row in rows]),
        ("step", [(_of(row.step, "s"), TEXT) for row in rows]),
        ("sent a step", [(_of(row.traffic, "B"), TEXT) for row in rows]),
    ]
    if here:
        of = [here.get(row.name.split()[0]) for row in rows]
        green = Style("good")
        found.append(("memory here", [(_of(one.memory_bytes if one else None, "B"), green) for one in of]))
        found.append(("step here", [(_of(one.step_s if one else None, "s"), green) for one in of]))
    found.append(("to write", [(row.complexity, DIM) for row in rows]))
    return [Column(of, say(of), body) for of, body in found]


def _short(column: Column, say: Say) -> Column:
    """With a mark for a verdict and fewer words in its head, so that what is sent has room at 80 cells."""
    if not column.of:
        return column._replace(body=[(text[:1], style) for text, style in column.body])
    return column._replace(head=say(column.of.removesuffix(" a step")))


def _of(value: float | None, unit: str) -> str:
    return "–" if value is None else engineering(value, unit)


def _verdict(row: Row, say: Say) -> tuple[str, Style]:
    if row.fits is None:
        return "", DIM
    if row.fits:
        return f"✓ {say('fits')}", Style("good")
    return f"✗ {say('does not')}", Style("bad")


def _wide(column: Column) -> int:
    return _GAP + max(cells.width(column.head), *(cells.width(text) for text, _ in column.body))


def _cell(column: Column, n: int) -> Line:
    """A cell of line `n` (0: the heads): words to the left, figures to the right."""
    text, style = (column.head, DIM) if n == 0 else column.body[n - 1]
    blank = " " * (_wide(column) - _GAP - cells.width(text))
    return (Span(text + blank if column.of in _LEFT else blank + text, style), Span(" " * _GAP))


def _when(rows: list[Row], n: int, say: Say) -> Line:
    if n == 0:
        return (Span(say("when"), DIM),)
    row = rows[n - 1]
    return (Span(row.why, DIM),) if row.why else (Span(row.when, TEXT),)


def _here(measured: Comparison | None) -> dict[str, Strategy]:
    """What was measured, by the name of its row; the first of several that are alike."""
    found: dict[str, Strategy] = {}
    for row in measured.rows if measured else ():
        name = _DEMOS.get(row.demo, "")
        if row.demo == "zero":
            stage = next((word[-1] for word in row.label.split() if word.startswith("stage=")), "")
            name = _STAGES.get(stage, "")
        if name and row.state == "done":
            found.setdefault(name, row)
    return found
