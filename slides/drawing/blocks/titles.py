"""Headings in letters made of blocks."""

from __future__ import annotations

from slides.deck import Inlines
from slides.drawing.large.letters import Size, letters
from slides.drawing.superscripts import on_screen
from slides.drawing.text import Line, Span, Style


def in_letters(
    content: Inlines, width: int, sizes: tuple[Size, ...], style: Style, most: int = 2
) -> list[Line] | None:
    """A heading in at most so many rows of letters; None where it does not fit, or has what no letters are
    there for."""
    if any(part.math or part.image for part in content):
        return None
    text = " ".join("".join(" " if part.hard_break else part.text for part in on_screen(content)).split())
    rows = letters(text, width, sizes, most)
    return [(Span(row, style),) if row else () for row in rows] if rows else None
