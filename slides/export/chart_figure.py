"""A chart on a page: a drawing, and its numbers in words for readers who cannot see it."""

from __future__ import annotations

from html import escape

from slides.deck import Chart
from slides.drawing.blocks.charts import charts
from slides.drawing.cells import clean
from slides.export.drawings.svg import drawing

CELLS, ROWS = 88, 24


def figure(chart: Chart) -> str:
    """Return it as HTML, escaped."""
    label = "; ".join(line.strip() for line in charts.told(chart))[:4000]
    picture = drawing(charts.lines(chart, CELLS, ROWS), label)
    title = f"<figcaption>{escape(clean(chart.title))}</figcaption>" if chart.title else ""
    return f'<figure>{title}<div class="drawing" tabindex="0">{picture}</div></figure>'
