"""Strategies side by side: the memory of a rank as a bar, the rest as figures, a line for each."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.protocol.figures import Comparison, Strategy
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories, numbers

DIM, TEXT = Style("dim"), Style()
_MARKS = {
    "waiting": ("·", Style("dim")),
    "running": ("▶", Style("accent", bold=True)),
    "done": ("✓", Style("good")),
    "failed": ("✗", Style("bad", bold=True)),
}
_GAP = 2
_BAR = (8, 40)  # least and most cells of a memory bar


class _Column:
    """A figure of every row, right-aligned below its word. `need`: how early it is dropped for room."""

    def __init__(self, head: str, texts: Sequence[tuple[str, Style]], need: int) -> None:
        self.head, self.texts, self.need = head, texts, need
        self.width = max(len(head), *(cells.width(text) for text, _ in texts))

    def cell(self, text: str, style: Style) -> Span:
        return Span(" " * (_GAP + self.width - cells.width(text)) + text, style)


def compare(snapshot: Snapshot, width: int, height: int) -> list[Line]:
    """Exactly `height` lines of at most `width` cells: the table, its legend, and when to use which."""
    table = snapshot.comparison
    if table is None or height < 1:
        return [cells.fit((Span("nothing is compared here", DIM),), width), *[()] * (height - 1)][:height]
    lines = [_title(table), *_table(table, width)]
    used = [kind for kind in categories.MEMORY if any(row.memory.get(kind.field) for row in table.rows)]
    if height > len(lines) + 1 and used and width > 24:
        lines += [(), (Span("memory of a rank: ", DIM), *categories.memory_legend(used, width - 18))]
    if any(row.payload for row in table.rows):
        for words in _bytes_said(table):
            wrapped = cells.wrap(words, width)
            lines += wrapped if height >= len(lines) + len(wrapped) else []
    said = [line for row in table.rows if row.when or row.why for line in _when(row, width)]
    if said and height > len(lines) + len(said):
        lines += [(), *said]
    lines = [cells.fit(line, width) for line in lines[:height]]
    return [*lines, *[()] * (height - len(lines))]


def _bytes_said(table: Comparison) -> list[Line]:
    """What the three counts of bytes are, and why the wire carries more than theory."""
    meant = "a step and rank: payload handed to the library, wire measured, theory least"
    return [
        (Span(meant, DIM),),
        *(
            (Span(f"{cells.clean(', '.join(of))}: ", Style("heading")), Span(cells.clean(words), DIM))
            for words, of in table.costs.items()
        ),
    ]


def _title(table: Comparison) -> Line:
    done, total = sum(row.runs for row in table.rows), table.runs * len(table.rows)
    words = (
        f"{table.ranks} ranks · {numbers.DASH if table.steps is None else table.steps} steps · medians of "
    )
    words += f"{table.runs} runs each, in turn"
    progress = "" if done == total else f" · {done} of {total} runs done"
    return (Span(words, DIM), Span(progress, Style("accent")))


def _table(table: Comparison, width: int) -> list[Line]:
    rows = table.rows
    label = min(max(cells.width(cells.clean(row.label)) for row in rows), max(10, width * 3 // 10))
    columns = _columns(rows)
    room = width - 2 - label
    while columns and room - sum(c.width + _GAP for c in columns) < _BAR[0] + _GAP:
        columns.remove(max(columns, key=lambda c: c.need))
    bar = min(_BAR[1], room - sum(c.width + _GAP for c in columns) - _GAP)
    most = max((row.memory_bytes or 0 for row in rows), default=0)
    head = [Span(" " * (2 + label), DIM)]
    if bar >= _BAR[0]:
        head.append(Span(f"  {'memory of a rank' if bar > 16 else 'memory':<{bar}}", DIM))
    head += [column.cell(column.head, DIM) for column in columns]
    lines: list[Line] = [tuple(head)]
    for number, row in enumerate(rows):
        glyph, style = _MARKS[row.state]
        name = Span(cells.clean(row.label), Style("heading", bold=row.state == "running"))
        spans = [Span(f"{glyph} ", style), *cells.fit((name,), label)]
        if bar >= _BAR[0]:
            values = [row.memory.get(kind.field, 0) for kind in categories.MEMORY]
            (drawn,) = categories.memory_bar(values, most, bar)
            spans += [Span("  "), *drawn, Span(" " * (bar - cells.line_width(drawn)))]
        spans += [column.cell(*column.texts[number]) for column in columns]
        lines.append(tuple(spans))
    return lines


def _columns(rows: Sequence[Strategy]) -> list[_Column]:
    def plain(texts: list[str]) -> list[tuple[str, Style]]:
        return [(text, TEXT if text != numbers.DASH else DIM) for text in texts]

    peak = any(row.peak_bytes is not None for row in rows)
    crossing = [numbers.size(row.crossing) for row in rows] if any(row.crossing for row in rows) else []
    spread = [
        "" if row.runs < 2 else f"{numbers.ms(row.step_low_s)}–{numbers.ms(row.step_high_s)}" for row in rows
    ]
    return [
        _Column("sum", plain([numbers.size(row.memory_bytes) for row in rows]), 2 if peak else 0),
        *([_Column("peak", plain([numbers.size(row.peak_bytes) for row in rows]), 0)] if peak else []),
        _Column("step", plain([numbers.ms(row.step_s) for row in rows]), 0),
        _Column("lowest–highest", [(text, DIM) for text in spread], 7),
        _Column("tokens/s", plain([numbers.rate(row.tokens_s) for row in rows]), 5),
        _Column("payload", plain([numbers.size(row.payload) for row in rows]), 2),
        _Column("wire", plain([numbers.size(row.wire) for row in rows]), 1),
        *([_Column("crossing", plain(crossing), 0)] if crossing else []),
        _Column("theory", plain([numbers.size(row.theory) for row in rows]), 2),
        _Column("exposed", plain([numbers.percent(row.exposed) for row in rows]), 4),
        _Column("loss", plain([numbers.loss(row.loss, 3) for row in rows]), 6),
        _Column("same", [_same(row.same) for row in rows], 3),
    ]


def _same(same: bool | None) -> tuple[str, Style]:
    if same is None:
        return numbers.DASH, DIM
    return ("✓", Style("good")) if same else ("differs", Style("warning"))


def _when(row: Strategy, width: int) -> list[Line]:
    """Why it failed, else when one would train so."""
    name = Span(f"{cells.clean(row.label)}: ", Style("heading"))
    text = Span(cells.clean(row.why), Style("bad")) if row.why else Span(row.when, TEXT)
    return cells.wrap((name, text), width)
