"""Memory and one step of each strategy as bars, for the screen of an estimate and its block on a slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from runtime.estimate.formulas.memory import Memory
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request
from runtime.estimate.strategies import Strategy
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.figures import categories
from tui.figures.categories import Kind

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


def _behind(width: int) -> int:
    return _WIDE[1] if width >= _WIDE[0] else _NARROW


def _room(width: int) -> int:
    """Cells of the longest bar."""
    return max(4, width - _NAME - _behind(width))


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


def memory_rows(rows: Sequence[Strategy], width: int, close: bool = False) -> list[Line]:
    """A bar for each strategy, all to one scale, the limit a mark in it. `close`: low ones, for rows without
    a blank one between."""
    scale, mark = _scale(rows, width)
    block = _low if close else _block
    return [
        (*_name(row), *_bar(row.estimate.memory, scale, _room(width), mark, block), *_verdict(row, width))
        for row in rows
    ]


def _scale(rows: Sequence[Strategy], width: int) -> tuple[float, int | None]:
    """Bytes of the longest bar, and the cell behind the limit in it; None: no limit is known."""
    limit = rows[0].estimate.limit
    scale = max(max(row.estimate.memory.total for row in rows), limit or 0)
    return scale, round(_room(width) * limit / scale) if limit else None


def limit_mark(rows: Sequence[Strategy], width: int) -> Line:
    """The mark of the limit alone, for a row between two bars."""
    mark = _scale(rows, width)[1]
    at = None if mark is None else min(mark, _room(width)) - 1
    return () if at is None or at < 0 else (Span(" " * (_NAME + at)), Span("│", Style("bad", bold=True)))


def limit_line(rows: Sequence[Strategy], width: int) -> Line:
    """The word of the limit, above its mark."""
    limit = rows[0].estimate.limit
    title = (Span("memory on one GPU", DIM),)
    mark = _scale(rows, width)[1]
    if not limit or mark is None:
        return title
    said = f"limit {engineering(limit, 'B')}"
    at = _NAME + mark
    gap = max(1, min(at, width - cells.width(said)) - cells.line_width(title))
    return (*title, Span(" " * gap), Span(said, BAD))


def _name(row: Strategy) -> Line:
    style = BOLD if row.chosen else TEXT
    return cells.fit((Span("▸ " if row.chosen else "  ", Style("accent")), Span(row.name, style)), _NAME)


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


def _verdict(row: Strategy, width: int) -> Line:
    e = row.estimate
    word, short, style = {
        True: ("fits", "✓", GOOD),
        False: ("does not fit", "✗", BAD),
        None: ("", "", DIM),
    }[e.fits]
    size = Span(f" {engineering(e.memory.total, 'B')} ", BOLD if row.chosen else TEXT)
    return cells.fit((size, Span(word if width >= _WIDE[0] else short, style)), _behind(width))


def step_rows(rows: Sequence[Strategy], width: int, close: bool = False) -> list[Line]:
    """A step of each: compute, idle of a pipeline, communication that nothing hides, which is hatched."""
    compute, idle = _step_kinds(close)
    room = _room(width)
    steps = [row.estimate.time.step for row in rows if row.estimate.time]
    scale = max(steps, default=0.0)
    lines: list[Line] = []
    for row in rows:
        time = row.estimate.time
        if time is None:
            lines.append((*_name(row), Span("no GPU is named", DIM)))
            continue
        parts = [(compute, time.compute), (idle, time.idle), (HATCHED, time.exposed_s)]
        drawn = categories.time_bar(parts, scale, room)
        blank = room - cells.line_width(drawn)
        said = f" {engineering(time.step, 's')} · {time_mfu(row):.1%}"
        said += " MFU" if width >= _WIDE[0] else ""
        style = DIM if row.estimate.fits is False else BOLD if row.chosen else TEXT
        lines.append(
            (*_name(row), *drawn, *cells.fit((Span(" " * blank), Span(said, style)), blank + _behind(width)))
        )
    return lines


def _step_kinds(close: bool) -> tuple[Kind, Kind]:
    if not close:
        return categories.COMPUTE, IDLE
    return categories.COMPUTE._replace(glyph=LOW, ground="background"), IDLE._replace(ground="background")


def thick(lines: Sequence[Line], pitch: int, between: Line = ()) -> list[Line]:
    """Bars for a screen with room, `pitch` rows from one to the next, the last of these `between`; words
    stand in the middle of the others."""
    drawn: list[Line] = []
    for line in lines:
        bar = [tuple(map(_wordless, line))] * (pitch - 2) if pitch > 2 else []
        middle = len(bar) // 2
        drawn += [*bar[:middle], line, *bar[middle:], *([between] if pitch > 1 else [])]
    return drawn


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


def step_legend(width: int, rows: Sequence[Strategy] = (), close: bool = False) -> Line:
    """The colours of a step's parts, in words; of the chosen of `rows` also how much communication is hidden,
    where there is room to say so."""
    legend = categories.time_legend(width, (*_step_kinds(close), HATCHED))
    time = next((row.estimate.time for row in rows if row.chosen), None)
    if time is None or not time.communication_s:
        return legend
    share = 1 - time.exposed_s / time.communication_s
    said = f" communication: {share:.0%} of {engineering(time.communication_s, 's')} is hidden"
    return (*legend, Span(said, DIM)) if cells.line_width(legend) + cells.width(said) <= width else legend
