"""How far something is, as a line of cells. Pure."""

from __future__ import annotations

from slides.drawing.text import Line, Span, Style

RULE = Style("line")


def progress(part: float, width: int) -> Line:
    """Draw a thin progress line, `part` (0 to 1) of it in the accent colour."""
    done = max(0, min(width, round(part * width)))
    return Span("━" * done, Style("accent")), Span("━" * (width - done), RULE)
