"""What was measured for a prediction: a bar for every block, and the result on the axis of the answers."""

from __future__ import annotations

from collections.abc import Callable

from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.classroom.answering.prediction import Prediction, Spread, numbers, summary, unit_of
from tui.figures.numbers import DASH, figure, ms, size
from tui.views.question import axis, votes
from tui.views.question.large import SIZES, SLIM, letters_of, lines_in_letters, widest

Say = Callable[[str], str]  # puts the program's words into the deck's language
DIM, FAINT, HEAD = Style("dim"), Style("faint"), Style("heading", bold=True)
GOOD, RULE = Style("good", bold=True), Style("line")
MEASURED_ROWS, LARGE_ROWS = 10, 9  # that are kept for what is measured and why, with large letters
LEAST_ROWS = 3  # of these where answers are in letters so
_LEAST_HEAD = 40  # cells of what is said of a figure beside it
_WIDE = 100  # cells from which on a spread is explained
NAMES = {
    "step_s": "time of a step",
    "exposed_s": "exposed transfer of a step",
    "exposed_share": "exposed share of a step",
    "overlap": "share of the transfer that hides",
    "loss": "loss",
    "tokens_per_s": "tokens a second",
    "memory_bytes": "memory of a rank, the most of each kind added",
    "peak_bytes": "most memory of a rank at once",
    "rest_bytes": "memory between two steps, after zero_grad",
    "gradient_difference": "error of a gradient, over its largest number",
    "resumed_at": "first step after the restart",
    "read_by_several": "samples that several ranks read, of all",
    "fullest": "fullest expert, its tokens over the mean",
    "collective_bytes": "payload of a step, bytes a rank hands to collectives",
    "payload_bytes_step": "payload of a step, bytes a rank hands to collectives",
    "wire_bytes_step": "wire bytes of a step, those that left a rank's sockets",
    "theory_bytes_step": "theory of a step, bytes a rank has to send",
}


def ways(
    plan: Prediction,
    question: Question,
    state: QuestionState,
    width: int,
    *,
    going: str = "",
    hints: bool = True,
    large: bool = False,
    say: Say = str,
) -> list[list[Line]]:
    """How far the runs are, or what they gave: from much of it to the figure alone."""
    whole = measured(plan, question, state, width, going=going, hints=hints, large=large, say=say)
    if state.phase == "locked" and whole:
        rows = lines_in_letters([whole[-1][1:]], width)
        return [*([[(), *rows[0]]] if rows else []), whole]
    result = plan.measured(state) if whole and state.phase == "revealed" else None
    if result is None:
        return [whole]
    short = measured(plan, question, state, width, large=large, dots=not question.options, say=say)
    marked = []
    if large and question.options:
        marked = measured(plan, question, state, width, large=True, marks=True, say=say)
    return [*([marked] if marked else []), whole, short, _least(plan, state, result, width, say)]


def measured(
    plan: Prediction,
    question: Question,
    state: QuestionState,
    width: int,
    *,
    going: str = "",
    hints: bool = True,
    large: bool = False,
    dots: bool = True,
    marks: bool = False,
    say: Say = str,
) -> list[Line]:
    """How far the runs are, and which block is `going`; from the reveal on what they gave, with its
    spread, the figure itself in `large` letters. `hints`: keys are named; `dots`: everybody's answers are
    on the axis; `marks`: what it is marked with is in letters."""
    if state.phase == "open":
        return []
    if state.phase == "locked":
        done = plan.done(state)
        if not done and not going:
            return []
        over = plan.next(state) is None
        shows = "measured, e shows it" if hints else f"{plan.of} runs measured"
        told = say(shows if over else f"{done} of {plan.of} runs measured")
        if going:
            told = _under_way(plan, state, going, say)
        return [(), (Span("▸ ", Style("accent", bold=True)), Span(told, HEAD if over else DIM))]
    if not state.samples:
        return []
    # Without an empty line between: all of it is to be seen at once, on 24 rows too.
    rule: Line = (Span("─" * width, RULE),)
    heads = [_head(plan, state, width, say), *(_blocks(plan, state, width) if plan.ratio else [])]
    result = plan.measured(state)
    if result is None and going:  # revealed before the runs were over
        return [rule, *_clipped(heads, width), (Span(_under_way(plan, state, going, say), DIM),)]
    if result is None:
        none: Line = (Span(f"{say('no figure came of it')}: {DASH}", Style("warning")),)
        return [rule, *_clipped(heads, width), none]
    told, how = _figure(plan, result, width, say)
    rows = letters_of(told, width, 1) if large else None
    caption: Line = (Span(told, GOOD), Span(f"   {how}", FAINT))
    what = cells.clean(f"{plan.blocks[0].id} / {plan.blocks[1].id}" if plan.ratio else plan.blocks[0].id)
    caption = (Span(f"{what}  ", DIM), *((Span(f" {how}", DIM),) if rows else caption))
    beside = width - widest([rows]) - 3 if rows and marks else width
    lines = [*heads, caption, *_axis(plan, question, state, result, beside, dots, marks, say)]
    lines = _with_letters(lines, rows, len(heads), width) if rows else lines
    return _clipped([rule, *lines], width)


def _least(plan: Prediction, state: QuestionState, result: Spread, width: int, say: Say) -> list[Line]:
    """The figure and what it is of, in few rows: in letters where these have room beside the words."""
    told, how = _figure(plan, result, 0, say)
    count = say(f"median of {result.count}") if result.count > 1 else how
    for letters in (*SIZES, *SLIM):
        rows = letters_of(told, width, 1, (letters,))
        left = width - widest([rows]) - 3 if rows else 0
        heads = [_head(plan, state, left, say, count), *(_blocks(plan, state, left) if plan.ratio else [])]
        if rows and left >= _LEAST_HEAD and max(map(cells.line_width, heads)) <= left:
            heads += [()] * (len(rows) - len(heads))
            drawn = (cells.pad(line, left + 3) for line in heads)
            return [(*line, Span(row, GOOD)) for line, row in zip(drawn, rows, strict=True)]
    return _clipped(
        [_head(plan, state, width, say, count), (Span(told, GOOD), Span(f"   {how}", FAINT))], width
    )


def _clipped(lines: list[Line], width: int) -> list[Line]:
    return [cells.clip(line, width) for line in lines]


def _under_way(plan: Prediction, state: QuestionState, going: str, say: Say) -> str:
    done = plan.done(state)
    return f"{say(f'run {min(done + 1, plan.of)} of {plan.of}')}: {cells.clean(plan.which(going))}"


def _with_letters(lines: list[Line], rows: list[str], below: int, width: int) -> list[Line]:
    """The figure in letters at the right of the first lines that have room for it, else after `below`."""
    start, drawn = width - widest([rows]), [(Span(row, GOOD),) for row in rows]
    for first in range(len(lines) - len(rows) + 1):
        beside = lines[first : first + len(rows)]
        if max(map(cells.line_width, beside)) + 3 <= start:
            joined = [(*cells.pad(line, start), *row) for line, row in zip(beside, drawn, strict=True)]
            return [*lines[:first], *joined, *lines[first + len(rows) :]]
    return [*lines[:below], *drawn, *lines[below:]]


def _head(plan: Prediction, state: QuestionState, width: int, say: Say, count: str = "") -> Line:
    """What was measured, where it is from and of how many runs, or `count` in place of these."""
    badges = list(dict.fromkeys(one.badge for one in state.samples if one.badge))
    live = bool(badges) and all(badge.startswith("LIVE") for badge in badges)
    bent = list(dict.fromkeys(word for one in state.samples for word in one.bent))
    counts = [len(values) for values in plan.values(state)]
    least, most = min(counts), max(counts)
    runs = f"{most} run{'s' if most != 1 else ''}{' each' if plan.ratio else ''}"
    runs = runs if least == most else f"{least} to {most} runs"
    said = [
        Span(f"   ● {' + '.join(badges) or DASH}", Style("good" if live else "warning", bold=True)),
        Span(f"   {count or say(runs)}", DIM),
    ]
    name = f"{say('measured')}: {say(NAMES.get(plan.figure, plan.figure))}"
    if cells.width(name) + cells.line_width(said) > width:  # where it is from is not what is cut
        name = name.partition(",")[0]
    spans = [Span(name, DIM), *said, *([Span(f"   {', '.join(bent)}", FAINT)] if bent else [])]
    return tuple(spans)


def _blocks(plan: Prediction, state: QuestionState, width: int) -> list[Line]:
    """A bar for every block: the median of its runs."""
    found = [(block, summary(values)) for block, values in zip(plan.blocks, plan.values(state), strict=True)]
    most = max((abs(one.middle) for _, one in found if one), default=0.0)
    names = max(cells.width(block.id) for block, _ in found)
    room = max(4, min(40, width - names - 26))
    lines: list[Line] = []
    for block, one in reversed(found):
        told = _base(plan.figure, one.middle) if one else DASH
        half = f" ± {_base(plan.figure, one.half)}" if one and one.half is not None else ""
        length = max(1, round(room * (abs(one.middle) / most))) if one and most else 0
        lines.append(
            (
                Span(f"{cells.clean(block.id):<{names}}  "),
                Span(f"{told}{half}".rjust(18), Style()),
                Span("  "),
                Span(votes.TOUCHING * length, Style("accent")),
            )
        )
    return lines


def _base(name: str, value: float | None) -> str:
    """A figure in base units as people read it."""
    unit = unit_of(name)
    return ms(value) if unit == "s" else size(value) if unit == "B" else figure(value)


def _rounded(half: float, middle: float) -> float:
    """A spread, or 0 where it is rounding beside its value: people read 3e-5 as if it meant something."""
    return 0.0 if half < 1e-4 and half < abs(middle) / 1000 else half


def _plain(value: float) -> str:
    """A spread as people write it: 0.003 and not 3e-3."""
    return f"{value:.1g}" if 1e-4 <= abs(value) < 0.1 else figure(value)


def _figure(plan: Prediction, result: Spread, width: int, say: Say) -> tuple[str, str]:
    """The measured value with its spread, and how it was arrived at."""
    unit = plan.unit
    spread = f" ± {_plain(_rounded(result.half, result.middle))}" if result.half is not None else ""
    ends = f"{figure(result.low)} to {figure(result.high)}"
    half = " ± half the interquartile range" if width >= _WIDE else ""
    how = say(f"median of {result.count}{half}, runs {ends}" if result.count > 1 else "one run")
    return f"{figure(result.middle)}{'' if unit == 'x' else ' '}{unit}{spread}", how


def _axis(
    plan: Prediction,
    question: Question,
    state: QuestionState,
    result: Spread,
    width: int,
    dots: bool,
    large: bool,
    say: Say,
) -> list[Line]:
    """The measured value with its spread, and everybody's answers on the same axis."""
    unit = plan.unit
    band = (result.low, result.high)
    if not question.options:
        before = axis.values(state.before[-1], unit) if state.before else []
        given = axis.values(state, unit)
        return axis.strip(given, band, unit, width, before=before, asked=question.axis, say=say)
    held = numbers(question, unit)
    ticks = [(value, str(n + 1)) for n, value in enumerate(held) if value is not None]
    if len(ticks) < 2:
        return []
    counted = state.votes
    given = [
        value
        for n, value in enumerate(held)
        if dots and value is not None and n < len(counted) and sum(counted) > 1
        for _ in range(counted[n])
    ]
    return axis.strip(given, band, unit, width, ticks, large=large, say=say)
