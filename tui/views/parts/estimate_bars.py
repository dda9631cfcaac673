"""Memory and one step of each strategy as bars, for the screen of an estimate and its block on a slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from runtime.estimate.formulas.memory import Memory
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request
from runtime.estimate.strategies import Strategy
from slides.drawing import cells
from slides.drawing.large import three_rows
from slides.drawing.large.letters import ROWS, Size, letters
from slides.drawing.text import Line, Span, Style
from tui.figures import categories
from tui.figures.categories import Kind

COMPUTED = "computed, not measured"
Say = Callable[[str], str]  # puts the program's words into the deck's language
DIM, TEXT, BOLD = Style("dim"), Style(), Style(bold=True)
GOOD, BAD = Style("good"), Style("bad")
OVERHEAD = Kind("overhead", "driver", "driver", "wait", "░", "idle", "text")
IDLE = Kind("idle", "idle", "idle", "wait", "░", "idle", "text")
HATCHED = categories.EXPOSED._replace(glyph="╱", ground="background")
LOW = "▆"  # of a bar right below another: else all of them were one block
_OF_MEMORY = dict(zip(("parameters", "gradients", "optimizer", "activations", "gathered"), categories.MEMORY,
                      strict=False)) | {"overhead": OVERHEAD}  # fmt: skip
SPARE = ("PP", "HSDP")  # begins of names, in the order in which they go where there is no room for all
_NAME = 13  # cells of a strategy's name
_WIDE, _NARROW = (64, 24), 18  # cells behind a bar: so many from a width of 64 on, else few
_LEAST = 32  # cells of the longest bar beside letters


class Columns(NamedTuple):
    """Cells of the names, of the longest bar and of the figures behind it; `high`: the rows of letters of the
    first and the last, 1 where these are in none."""

    name: int
    bar: int
    behind: int
    high: int = 1

    @property
    def large(self) -> bool:
        """Whether names and figures are in letters."""
        return self.high > 1

    @property
    def words(self) -> bool:
        """Whether figures behind a bar have words beside them."""
        return self.behind == _WIDE[1]


class Row(NamedTuple):
    """A bar with its name and its figures: each one line, or several of letters."""

    name: list[Line]
    bar: Line
    figures: list[Line]


def columns(rows: Sequence[Strategy], width: int, pitch: int) -> Columns:
    """How wide all is, `pitch` rows from a bar to the next: with letters where that leaves room for them."""
    high = min(pitch, three_rows.TIMES)
    said = [line for row in rows for line in (_size(row), _time(row)) if line]
    names, figures = (
        [_letters((Span(row.name),), high) for row in rows],
        [_letters(one, high) for one in said],
    )
    if high > 1 and all((*names, *figures)):
        name, behind = max(map(_wide, names)) + 4, max(map(_wide, figures)) + 2
        if width - name - behind >= _LEAST:
            return Columns(name, width - name - behind, behind, high)
    behind = _WIDE[1] if width >= _WIDE[0] else _NARROW
    return Columns(_NAME, max(4, width - _NAME - behind), behind)


def _letters(line: Line, high: int) -> list[Line]:
    """The line in letters of so many rows; empty where there are none."""
    size: Size = "slim" if high >= three_rows.TIMES else "short_slim"
    drawn = [letters(text, 1 << 12, (size,), 1) for text, _ in line if text.strip()]
    if high < ROWS["short"] or not all(drawn):
        return []
    styles = [style for text, style in line if text.strip()]
    padded = [[row.ljust(max(map(len, rows)) + 2) for row in rows] for rows in drawn if rows]
    return [tuple(map(Span, row, styles)) for row in zip(*padded, strict=True)]


def _wide(rows: Sequence[Line]) -> int:
    return max(map(cells.line_width, rows), default=0)


def subject(asked: Request) -> str:
    """What is estimated, in words: `Llama 3 8B on 64 x H100`."""
    model = asked.subject.model
    name = model.name if model else f"{engineering(asked.subject.total, '')} parameters"
    return cells.clean(f"{name} on {asked.on}")


def most_of(rows: Sequence[Strategy], most: int) -> list[Strategy]:
    """At most so many strategies, in their order; the chosen one is always among them.

    First those go that a class misses least beside the others, then the last ones.
    """
    kept = list(rows)
    while len(kept) > max(1, most):
        others = [row for row in kept if not row.chosen]
        spare = (row for name in SPARE for row in others if row.name.startswith(name))
        kept.remove(next(spare, others[-1]))
    return kept


def memory_legend(width: int) -> Line:
    """The colours of memory's parts, in words."""
    return categories.memory_legend(tuple(_OF_MEMORY.values()), width)


def memory_rows(rows: Sequence[Strategy], of: Columns, close: bool = False, say: Say = str) -> list[Row]:
    """A bar for each strategy, all to one scale, the limit a mark in it. `close`: low ones, for rows without
    a blank one between."""
    scale, mark = _scale(rows, of)
    block = _low if close else _block
    return [
        Row(
            _name(row, of),
            _bar(row.estimate.memory, scale, of.bar, mark, block),
            _letters(_size(row), of.high) if of.large else [_verdict(row, of, say)],
        )
        for row in rows
    ]


def _scale(rows: Sequence[Strategy], of: Columns) -> tuple[float, int | None]:
    """Bytes of the longest bar, and the cell behind the limit in it; None: no limit is known."""
    limit = rows[0].estimate.limit
    scale = max(max(row.estimate.memory.total for row in rows), limit or 0)
    return scale, round(of.bar * limit / scale) if limit else None


def limit_mark(rows: Sequence[Strategy], of: Columns) -> Line:
    """The mark of the limit alone, for a row between two bars."""
    mark = _scale(rows, of)[1]
    at = None if mark is None else min(mark, of.bar) - 1
    return () if at is None or at < 0 else (Span(" " * at), Span("│", Style("bad", bold=True)))


def limit_line(rows: Sequence[Strategy], of: Columns, width: int, say: Say = str) -> Line:
    """The word of the limit, above its mark."""
    limit = rows[0].estimate.limit
    title = (Span(say("memory on one GPU"), DIM),)
    mark = _scale(rows, of)[1]
    if not limit or mark is None:
        return title
    said = f"{say('limit')} {engineering(limit, 'B')}"
    at = of.name + mark
    gap = max(1, min(at, width - cells.width(said)) - cells.line_width(title))
    return (*title, Span(" " * gap), Span(said, BAD))


def _name(row: Strategy, of: Columns) -> list[Line]:
    if of.large:
        drawn = _letters((Span(row.name, Style("accent") if row.chosen else TEXT),), of.high)
        signs = ("▸ " if row.chosen and n == len(drawn) // 2 else "  " for n in range(len(drawn)))
        return [(Span(sign, Style("accent")), *line) for sign, line in zip(signs, drawn, strict=True)]
    style = BOLD if row.chosen else TEXT
    return [cells.fit((Span("▸ " if row.chosen else "  ", Style("accent")), Span(row.name, style)), _NAME)]


def _bar(
    memory: Memory, scale: float, room: int, mark: int | None, block: Callable[[Kind, int, int], Line]
) -> Line:
    parts = [(kind, float(getattr(memory, name))) for name, kind in _OF_MEMORY.items()]
    at = room if mark is None else min(mark, room) - 1
    drawn: list[Span] = []
    for kind, count in categories.bar(parts, scale, room):
        drawn += block(kind, count, at - sum(len(span.text) for span in drawn))
    used = sum(len(span.text) for span in drawn)
    if used <= at < room:
        drawn += [Span(" " * (at - used)), Span("│", Style("bad", bold=True))]
        used = at + 1
    return (*drawn, Span(" " * (room - used)))


def _low(kind: Kind, count: int, at: int) -> Line:
    """The same lower than its row, behind the letter it begins with where there is room for one."""
    text = (kind.short[0] if count > 1 else "") + LOW * (count - (count > 1))
    style = Style(kind.ink, bold=True)
    if not 0 <= at < count:
        return (Span(text, style),)
    return (Span(text[:at], style), Span("│", Style("bad", bold=True)), Span(text[at + 1 :], style))


def _block(kind: Kind, count: int, at: int) -> Line:
    """`count` cells of a kind with its word, and the mark of the limit in cell `at`, where that is in them.

    The word stands in the longer part, so that the mark cuts none.
    """
    words = (kind.word, kind.short, kind.short[0])
    if not 0 <= at < count:
        return kind.block(count, words)
    left, right = at, count - at - 1
    mark = Span("│", Style("bad", kind.ground or kind.ink, bold=True))
    return (
        *kind.block(left, words if left >= right else ()),
        mark,
        *kind.block(right, words if right > left else ()),
    )


def _size(row: Strategy) -> Line:
    """Its bytes, and whether they fit, in few signs."""
    sign, style = {True: ("✓", GOOD), False: ("✗", BAD), None: ("", DIM)}[row.estimate.fits]
    return Span(f"{engineering(row.estimate.memory.total, 'B')} "), Span(sign, style)


def _verdict(row: Strategy, of: Columns, say: Say) -> Line:
    e = row.estimate
    word, short, style = {
        True: ("fits", "✓", GOOD),
        False: ("does not fit", "✗", BAD),
        None: ("", "", DIM),
    }[e.fits]
    size = Span(f" {engineering(e.memory.total, 'B')} ", BOLD if row.chosen else TEXT)
    return cells.fit((size, Span(say(word) if of.words else short, style)), of.behind)


def _time(row: Strategy) -> Line:
    """A step and the share of the peak in it."""
    time = row.estimate.time
    if time is None:
        return ()
    style = DIM if row.estimate.fits is False else TEXT
    return Span(f"{engineering(time.step, 's')} ", style), Span(f"{time_mfu(row):.0%}", DIM)


def step_rows(rows: Sequence[Strategy], of: Columns, close: bool = False, say: Say = str) -> list[Row]:
    """A step of each: compute, idle of a pipeline, communication that nothing hides, which is hatched."""
    compute, idle = _step_kinds(close)
    steps = [row.estimate.time.step for row in rows if row.estimate.time]
    scale = max(steps, default=0.0)
    found: list[Row] = []
    for row in rows:
        time = row.estimate.time
        if time is None:
            found.append(Row(_name(row, of), (Span(say("no GPU is named"), DIM),), [()]))
            continue
        parts = [(compute, time.compute), (idle, time.idle), (HATCHED, time.exposed_s)]
        drawn = categories.time_bar(parts, scale, of.bar)
        said = f" {engineering(time.step, 's')} · {time_mfu(row):.1%}" + (" MFU" if of.words else "")
        style = DIM if row.estimate.fits is False else BOLD if row.chosen else TEXT
        figures = _letters(_time(row), of.high) if of.large else [cells.fit((Span(said, style),), of.behind)]
        found.append(Row(_name(row, of), cells.pad(drawn, of.bar), figures))
    return found


def step_title(of: Columns, say: Say = str) -> Line:
    """What stands over them."""
    return (Span(say("one step, and its MFU" if of.large else "one step"), DIM),)


def _step_kinds(close: bool) -> tuple[Kind, Kind]:
    if not close:
        return categories.COMPUTE, IDLE
    return categories.COMPUTE._replace(glyph=LOW, ground="background"), IDLE._replace(ground="background")


def thick(rows: Sequence[Row], of: Columns, pitch: int, between: Line = ()) -> list[Line]:
    """Bars, `pitch` rows from one to the next; where that is more than one, the last of these is `between`,
    and words stand in the middle of the others."""
    drawn: list[Line] = []
    high = max(1, pitch - 1)
    middle = (high - 1) // 2
    for name, bar, figures in rows:
        empty: Line = tuple(map(_wordless, bar))
        for n in range(pitch):
            row = between if n >= high and pitch > 1 else bar if n == middle else empty
            at = n if of.large else n - middle
            drawn.append((*_cell(name, at, of.name), *cells.pad(row, of.bar), *_beside(figures, at, of)))
    return drawn


def _beside(figures: Sequence[Line], n: int, of: Columns) -> Line:
    blank = Span("  " if of.large else "")
    return (blank, *figures[n]) if 0 <= n < len(figures) else ()


def _cell(rows: Sequence[Line], n: int, width: int) -> Line:
    return cells.fit(rows[n] if 0 <= n < len(rows) else (), width)


def _wordless(span: Span) -> Span:
    """The same cells without their words: blocks and marks alone."""
    return Span(
        "".join(sign if sign in "█▓▒░│╱" else " " * cells.width(sign) for sign in span.text), span.style
    )


def time_mfu(row: Strategy) -> float:
    """Model FLOPs of a step over the peak of all devices in its time; a row that has a time."""
    e = row.estimate
    assert e.time is not None and e.request.gpu is not None
    peak = e.request.gpu.peak(e.request.precision.peak)
    return e.flops / (e.time.step * e.request.layout.devices * peak)


def step_legend(width: int, rows: Sequence[Strategy] = (), close: bool = False, say: Say = str) -> Line:
    """The colours of a step's parts, in words; of the chosen of `rows` also how much communication is hidden,
    where there is room to say so."""
    legend = categories.time_legend(width, (*_step_kinds(close), HATCHED))
    time = next((row.estimate.time for row in rows if row.chosen), None)
    if time is None or not time.communication_s:
        return legend
    share = 1 - time.exposed_s / time.communication_s
    words = f"communication: {share:.0%} of {engineering(time.communication_s, 's')} is hidden"
    said = f" {say(words)}"
    return (*legend, Span(said, DIM)) if cells.line_width(legend) + cells.width(said) <= width else legend
