"""Markdown of questions as lines, and the inks it is put into."""

from __future__ import annotations

from slides.text import Line, Span


def markdown(text: str, width: int) -> list[Line]:
    from slides.layout import layout_blocks
    from slides.parse import parse_blocks

    return layout_blocks(parse_blocks(text), 0, max(1, width))


def headed(line: Line) -> Line:
    """Plain text as a heading's; code and links keep their inks."""
    return tuple(
        Span(text, style._replace(ink="heading", bold=True)) if style.ink == "text" else Span(text, style)
        for text, style in line
    )


def dimmed(line: Line) -> Line:
    return tuple(
        Span(text, style._replace(ink="dim")) if style.ink == "text" else Span(text, style)
        for text, style in line
    )
