"""`::: estimate model=llama3-8b gpu=h100` on a slide: strategies side by side, computed while it is shown."""

from __future__ import annotations

from functools import lru_cache

from runtime.estimate.advice import advice, binding
from runtime.estimate.keys import MODELS
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Refused, Request, meant, preset, read, request
from runtime.estimate.strategies import strategies
from slides.deck import Box, Estimate
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from slides.problems import Problem, one_line
from tui.views.parts import estimate_bars as bars

HEAD, DIM = Style("heading"), Style("dim")
COMPUTED = "computed, not measured"


def asked(block: Estimate) -> Request:
    """What a block asks for. Refused: it cannot be, or it names a file (a deck reads none)."""
    values = read(block.words)
    model = preset(str(values.get("model", "")))
    if model and model not in MODELS:
        raise Refused(f"there is no model {model[:40]!r}", meant(model, MODELS))
    for key in ("collective", "gpus"):
        if key in values:
            raise Refused(f"{key}= has no place on a slide", "`teachrun estimate` prints it")
    return request(values)


def trouble(block: Estimate, file: str) -> Problem | None:
    """What is wrong with a block's words."""
    try:
        asked(block)
    except Refused as refused:
        mend = one_line(refused.mend)
        return Problem(
            block.file or file, block.line, one_line(refused.why), f"{mend[:1].upper()}{mend[1:]}."
        )
    return None


@lru_cache(maxsize=32)
def estimate_lines(block: Estimate, file: str, width: int) -> list[Line]:
    """The block at `width` cells; a labelled box where its words cannot be followed."""
    if (problem := trouble(block, file)) is not None:
        from slides.drawing.layout import layout_blocks

        return layout_blocks((Box(problem, raw=" ".join(block.words), line=block.line),), 0, width)
    what = asked(block)
    rows = strategies(what)
    chosen = next(row for row in rows if row.chosen).estimate
    model, layout = what.subject.model, what.layout
    name = model.name if model else f"{engineering(what.subject.total, '')} parameters"
    gpu = f"{layout.devices} x {what.gpu.title}" if what.gpu else f"{layout.devices} devices"
    lines: list[Line] = [
        (Span(cells.clean(f"{name} on {gpu}"), HEAD), Span(f"  sequence {layout.seq}, {COMPUTED}", DIM)),
        bars.limit_line(rows, width),
        *bars.memory_rows(rows, width),
        bars.memory_legend(width),
    ]
    if chosen.time is not None:
        lines += [(), (Span("one step", DIM),), *bars.step_rows(rows, width), bars.step_legend(width)]
    levers = advice(chosen)
    said = [f"binds: {binding(chosen)}", *(levers[-1:] if chosen.fits else levers[:1])]
    for words in said:
        lines += cells.wrap((Span(cells.clean(words)),), width)
    return [cells.clip(line, width) for line in lines]
