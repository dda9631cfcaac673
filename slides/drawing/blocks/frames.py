"""A ruled frame around lines, with a title in its upper edge."""

from __future__ import annotations

from collections.abc import Sequence

from slides.drawing.cells import clip_text, fit, width
from slides.drawing.text import Line, Span, Style

# Narrower than this the frame would leave no room for what is in it.
NARROWEST = 12


def boxed(lines: Sequence[Line], cells: int, style: Style, title: str = "") -> list[Line]:
    """`lines` (clipped to cells - 4) in a frame exactly `cells` wide, ruled and titled in `style`."""
    inner = cells - 4
    label = f" {clip_text(title, inner - 3)} " if title else ""
    rule = "─" * (inner + 1 - width(label))
    left, right = Span("│ ", style), Span(" │", style)
    return [
        (Span("╭─", style), Span(label, style._replace(bold=True)), Span(rule + "╮", style)),
        *((left, *fit(line, inner), right) for line in lines),
        (Span("╰" + "─" * (inner + 2) + "╯", style),),
    ]
