"""`::: estimate model=llama3-8b gpu=h100` on a slide: strategies side by side, computed while it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any

from runtime.estimate.advice import advice, binding
from runtime.estimate.keys import MODELS, meant
from runtime.estimate.model_by_name import preset
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Refused, Request, read, request
from runtime.estimate.sliders import SLIDERS
from runtime.estimate.strategies import Strategy, strategies
from runtime.estimate.strategy_table import only_of_a_table
from runtime.protocol.figures import Comparison
from slides.deck import Box, Estimate
from slides.drawing import cells
from slides.drawing.large.letters import ROWS, glyphs
from slides.drawing.text import Line, Span, Style
from slides.problems import Problem, one_line
from tui.views.parts import estimate_bars as bars
from tui.views.parts.estimate_sliders import slider_column, slider_line

HEAD, DIM = Style("heading"), Style("dim")
CLOSE = (90, 6)  # cells below which lines are saved, and so many strategies: 80x24 has 18 rows under a title
PITCHES = (4, 3, 2)  # rows from a bar to the next on a screen with room: those of its letters
FEWEST = 4  # strategies beside each other, where rows are too few for all
BESIDE = (100, 42)  # cells from which sliders stand beside the bars, and how many they have


def asked(block: Estimate) -> Request:
    """What a block asks for. Refused: it cannot be, or it names a file (a deck reads none)."""
    values = read(block.words)
    if not block.table:
        only_of_a_table(values)
    model = preset(str(values.get("model", "")))
    if model and model not in MODELS:
        raise Refused(f"there is no model {model[:40]!r}", meant(model, MODELS))
    if block.table and "gpus" in values:
        values = _spread(values)
    for key in ("collective", "gpus"):
        if key in values:
            raise Refused(f"{key}= has no place on a slide", "`teachrun estimate` prints it")
    return request(values)


def _spread(values: dict[str, Any]) -> dict[str, Any]:
    """`gpus=` of a table as ranks of data parallelism, beside what else is split."""
    split = prod(values.get(key, 1) for key in ("tp", "pp", "cp"))
    gpus = values["gpus"]
    if "dp" in values:
        raise Refused("gpus and dp say the same thing", "give one of them")
    if gpus % split:
        near = " or ".join(str(n) for n in (gpus // split * split, (gpus // split + 1) * split) if n)
        raise Refused(f"gpus={gpus} is not a multiple of tp x pp x cp = {split}", f"write gpus={near}")
    return {key: value for key, value in values.items() if key != "gpus"} | {"dp": gpus // split}


def trouble(block: Estimate, file: str) -> Problem | None:
    """What is wrong with a block's words."""
    try:
        if block.duel:
            from tui.views.blocks import duel

            duel.read(block.words)
        else:
            asked(block)
    except Refused as refused:
        mend = one_line(refused.mend)
        return Problem(
            block.file or file, block.line, one_line(refused.why), f"{mend[:1].upper()}{mend[1:]}."
        )
    return None


def estimate_lines(
    block: Estimate,
    file: str,
    width: int,
    slider: str = "",
    measured: Comparison | None = None,
    room: int = 0,
    say: bars.Say = str,
) -> list[Line]:
    """The block at `width` cells; a labelled box where its words cannot be followed. `slider` is the key of
    the one that is turned: then all of them stand beside the bars, or it alone above. `measured` is what a
    comparison has found in this class, for a table; `room` the rows there are, 0 where it is as high as it
    needs to be: on a screen with more of them bars are thicker and rows of a table in
    letters. `say` puts the program's words into the deck's language."""
    if (problem := trouble(block, file)) is not None:
        from slides.drawing.layout import layout_blocks

        return layout_blocks((Box(problem, raw=" ".join(block.words), line=block.line),), 0, width)
    if block.duel:
        from tui.views.blocks.duel import duel_lines

        if room <= 0:
            return duel_lines(block.words, width, slider, say=say)
        return first_with_room(
            (
                duel_lines(block.words, width, slider, pitch, told=told, say=say)
                for told, pitches in ((True, _in_letters()), (False, (*PITCHES, 1)))
                for pitch in pitches
            ),
            room,
        )
    what = asked(block)
    if block.table:
        from tui.views.blocks.strategies import table_lines

        return table_lines(what, width, slider, measured, room, say)
    rows = strategies(what)
    if room <= 0:
        return _bars(what, rows, width, slider, 1, say)
    lines = first_with_room(_ways(what, rows, width, slider, say), room)
    fewer = len(rows)
    while room < len(lines) and fewer > FEWEST:
        fewer -= 1
        lines = _bars(what, bars.most_of(rows, fewer), width, slider, 1, say)
    return lines


def first_with_room(ways: Iterable[list[Line]], room: int) -> list[Line]:
    """The first of several ways to draw a block that `room` rows hold, else the last."""
    lines: list[Line] = []
    for lines in ways:
        if len(lines) < room - 1:
            break
    return lines


def _in_letters() -> Iterator[int]:
    """The pitches that have room for letters beside each bar, on this terminal."""
    return (pitch for pitch in PITCHES if pitch >= ROWS["slim"] or glyphs()[1])


def _ways(
    what: Request, rows: Sequence[Strategy], width: int, slider: str, say: bars.Say
) -> Iterator[list[Line]]:
    """The bars from the roomiest way on: fewer of them in letters rather than all in rows of one."""
    few = bars.most_of(rows, FEWEST)
    yield from (_bars(what, rows, width, slider, pitch, say) for pitch in _in_letters())
    for pitch in _in_letters():
        if bars.columns(few, _right(width, _row(slider)), pitch).large:
            yield _bars(what, few, width, slider, pitch, say)
    yield from (_bars(what, rows, width, slider, pitch, say) for pitch in (*PITCHES, 1))


def _row(slider: str) -> int | None:
    """Which of the sliders is turned; None: none."""
    return next((n for n, one in enumerate(SLIDERS) if one.key == slider), None)


def _right(width: int, row: int | None) -> int:
    """Cells of the bars: what sliders beside them leave, where there are any."""
    return width - BESIDE[1] if row is not None and width >= BESIDE[0] else width


def _bars(
    what: Request, rows: Sequence[Strategy], width: int, slider: str, pitch: int, say: bars.Say
) -> list[Line]:
    """Memory and a step of each strategy, one below the other."""
    chosen = next(row for row in rows if row.chosen).estimate
    rows = bars.most_of(rows, CLOSE[1]) if width < CLOSE[0] else rows
    row = _row(slider)
    right = _right(width, row)
    of = bars.columns(rows, right, pitch)
    drawn: list[Line] = [
        bars.limit_line(rows, of, right, say),
        *bars.thick(bars.memory_rows(rows, of, pitch == 1, say), of, pitch, bars.limit_mark(rows, of)),
        bars.memory_legend(right),
    ]
    if chosen.time is not None:
        drawn += _step(rows, right, width < CLOSE[0], pitch, say)
    if row is not None and right < width:
        drawn = _joined(slider_column(what, row, BESIDE[1] - 2, max(len(drawn), len(SLIDERS))), drawn)
    elif row is not None:
        drawn.insert(0, slider_line(SLIDERS[row], what, min(width, 60), chosen=True))
    lines: list[Line] = [
        (Span(bars.subject(what), HEAD), Span(f"  sequence {what.layout.seq}, {say(bars.COMPUTED)}", DIM)),
        *drawn,
    ]
    levers = advice(chosen)
    said = [f"{say('binds')}: {say(binding(chosen))}"]
    said += [_lever(words, say) for words in (levers[-1:] if chosen.fits else levers[:1])]
    for words in said[:1] if row is not None and width < CLOSE[0] else said:
        lines += cells.wrap((Span(cells.clean(words)),), width)
    return [cells.clip(line, width) for line in lines]


def _lever(words: str, say: bars.Say) -> str:
    """What to change and, said word by word, what that gives."""
    change, colon, gives = words.partition(": ")
    return f"{say(change)}{colon}{', '.join(map(say, gives.split(', ')))}"


def _step(rows: Sequence[Strategy], width: int, close: bool, pitch: int, say: bars.Say) -> list[Line]:
    """One step of each strategy; `close`: its words share a line with the colours (80x24, under a title)."""
    of, low = bars.columns(rows, width, pitch), pitch == 1
    title, drawn = bars.step_title(of, say), bars.thick(bars.step_rows(rows, of, low, say), of, pitch)
    if close:
        return [(*title, Span("  "), *bars.step_legend(width, close=low)), *drawn]
    return [(), title, *drawn, bars.step_legend(width, rows, low, say)]


def told(block: Estimate) -> list[str]:
    """The block in sentences, for a class in lines."""
    if (problem := trouble(block, "")) is not None:
        return [f"{block.name} cannot be computed: {problem.message}. {problem.mend}"]
    if block.duel:
        from tui.views.blocks import duel

        return [f"{' '.join((block.name, *block.words))}; {bars.COMPUTED}", *duel.told(block.words)]
    said = [f"{' '.join((block.name, *block.words))}; {bars.COMPUTED}"]
    if block.table:
        from tui.views.blocks.strategies import told_table

        return [*said, *told_table(asked(block))]
    for row in strategies(asked(block)):
        e = row.estimate
        fits = {True: ", fits", False: ", does not fit", None: ""}[e.fits]
        step = f", a step {engineering(e.time.step, 's')}" if e.time else ""
        mark = " (as given)" if row.chosen else ""
        said.append(f"{row.name}{mark}: {engineering(e.memory.total, 'B')}{fits}{step}")
    return said


def _joined(left: list[Line], right: list[Line]) -> list[Line]:
    """Sliders and bars beside each other, a line between them."""
    rows = max(len(left), len(right))
    return [
        (
            *cells.fit(left[n] if n < len(left) else (), BESIDE[1] - 2),
            Span("│ ", Style("line")),
            *(right[n] if n < len(right) else ()),
        )
        for n in range(rows)
    ]
