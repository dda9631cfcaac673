"""An estimate of a deck as a figure of a document: its bars, and the strategy table."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request
from runtime.estimate.strategies import strategies
from runtime.estimate.strategy_table import table
from slides.deck import Estimate
from slides.export.block_outcomes import Drawing, Figure, Grid
from tui.views.blocks.estimate import asked, estimate_lines, told, trouble
from tui.views.parts.estimate_bars import COMPUTED

HEAD = ("strategy", "fits", "memory of a device", "sent a step", "step", "when")


def estimate_figure(block: Estimate, file: str, cells: int) -> Figure:
    """As the slide shows it, and in words for readers who cannot see the bars."""
    written = " ".join((block.name, *block.words))
    if (problem := trouble(block, file)) is not None:
        return Figure(written, words=(f"It cannot be computed: {problem.message}. {problem.mend}",))
    if block.duel:
        drawn = Drawing(f"{written}, {COMPUTED}", tuple(estimate_lines(block, file, cells)))
        return Figure(written, COMPUTED, words=tuple(told(block)[1:]), drawings=(drawn,))
    grid = _of_table(asked(block)) if block.table else _of_bars(asked(block))
    drawing = Drawing(f"{written}, {COMPUTED}", tuple(estimate_lines(block, file, cells)))
    return Figure(
        written,
        COMPUTED,
        grids=(Grid("strategies on as many devices", HEAD, tuple(grid)),),
        drawings=(drawing,),
    )


def _of_bars(request: Request) -> list[tuple[str, ...]]:
    return [
        _row(row.name, e.fits, (e.memory.total, e.traffic.total, e.time.step if e.time else None), row.when)
        for row in strategies(request)
        for e in (row.estimate,)
    ]


def _of_table(request: Request) -> list[tuple[str, ...]]:
    return [
        _row(
            f"{row.name} (new)" if row.new else row.name,
            row.fits,
            (row.memory, row.traffic, row.step),
            row.why or row.when,
        )
        for row in table(request)
    ]


def _row(name: str, fits: bool | None, sizes: Sequence[float | None], when: str) -> tuple[str, ...]:
    said = ["–" if size is None else engineering(size, unit) for size, unit in zip(sizes, "BBs", strict=True)]
    return (name, {True: "yes", False: "no", None: "–"}[fits], *said, when)
