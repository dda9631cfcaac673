"""An estimate of a deck as a figure of a document: its bars, and the strategy table."""

from __future__ import annotations

from runtime.estimate.quantities import engineering
from runtime.estimate.strategies import strategies
from slides.deck import Estimate
from slides.export.block_outcomes import Drawing, Figure, Grid
from tui.views.blocks.estimate import COMPUTED, asked, estimate_lines, told, trouble

HEAD = ("strategy", "fits", "memory of a device", "sent a step", "step", "when")


def estimate_figure(block: Estimate, file: str, cells: int) -> Figure:
    """As the slide shows it, and in words for readers who cannot see the bars."""
    written = " ".join((block.name, *block.words))
    if (problem := trouble(block, file)) is not None:
        return Figure(written, words=(f"It cannot be computed: {problem.message}. {problem.mend}",))
    if block.duel:
        drawn = Drawing(f"{written}, {COMPUTED}", tuple(estimate_lines(block, file, cells)))
        return Figure(written, COMPUTED, words=tuple(told(block)[1:]), drawings=(drawn,))
    rows = strategies(asked(block))
    table = []
    for row in rows:
        e = row.estimate
        fits = {True: "yes", False: "no", None: "–"}[e.fits]
        step = engineering(e.time.step, "s") if e.time else "–"
        sizes = (engineering(e.memory.total, "B"), engineering(e.traffic.total, "B"))
        table.append((row.name, fits, *sizes, step, row.when))
    drawing = Drawing(f"{written}, {COMPUTED}", tuple(estimate_lines(block, file, cells)))
    return Figure(
        written,
        COMPUTED,
        grids=(Grid("strategies on as many devices", HEAD, tuple(table)),),
        drawings=(drawing,),
    )
