"""Markdown of questions as lines, and the inks it is put into."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from slides.deck import AnyBlock, Image
from slides.drawing.text import Line, Span

Pictures = Callable[[Image, int, int], "list[Line] | str"]  # of a block, cells and rows, or why there is none


def markdown(
    text: str, width: int, file: str = "", line: int = 1, pictures: Pictures | None = None
) -> list[Line]:
    """What begins on `line` of `file`: pictures are looked for beside it, and drawn by `pictures`."""
    from slides.drawing.layout import layout_blocks
    from slides.reading.parse import parse_blocks

    # What is in no file names none: it is the same whenever it is read.
    found = parse_blocks(text, file, line) if file else _alone(text, line)
    return layout_blocks(found, 0, max(1, width), pictures=pictures)


@lru_cache(maxsize=512)
def _alone(text: str, line: int) -> tuple[AnyBlock, ...]:
    """Its blocks, read once: a question tries its options in some ten ways until one has room."""
    from slides.reading.parse import parse_blocks

    return parse_blocks(text, line=line)


def headed(line: Line) -> Line:
    """Plain text as a heading's; code and links keep their inks."""
    return tuple(
        Span(text, style._replace(ink="heading", bold=True)) if style.ink == "text" else Span(text, style)
        for text, style in line
    )


def dimmed(line: Line) -> Line:
    """The line with plain text in dim; what has a colour keeps it."""
    return tuple(
        Span(text, style._replace(ink="dim")) if style.ink == "text" else Span(text, style)
        for text, style in line
    )
