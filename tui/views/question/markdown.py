"""Markdown of questions as lines, and the inks it is put into."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from slides.deck import AnyBlock, Image
from slides.drawing.text import Line, Span

_MAY_NAME_A_FILE = ("![", "```", "~~~", ":::", "<")
Pictures = Callable[[Image, int, int], "list[Line] | str"]  # of a block, cells and rows, or why there is none


def markdown(
    text: str, width: int, file: str = "", line: int = 1, pictures: Pictures | None = None
) -> list[Line]:
    """What begins on `line` of `file`: pictures are looked for beside it, and drawn by `pictures`."""
    from slides.drawing.large import letters

    if any(mark in text for mark in _MAY_NAME_A_FILE):  # which is another the next time it is read
        from slides.drawing.layout import layout_blocks
        from slides.reading.parse import parse_blocks

        return layout_blocks(parse_blocks(text, file, line), 0, max(1, width), pictures=pictures)
    return list(_drawn(text, max(1, width), file, line, letters.glyphs()))


@lru_cache(maxsize=2048)
def _drawn(text: str, width: int, file: str, line: int, glyphs: tuple[bool, bool]) -> tuple[Line, ...]:
    """Drawn once: a question tries its options in some twenty ways until one has room."""
    from slides.drawing.layout import layout_blocks

    return tuple(layout_blocks(_blocks(text, file, line), 0, width))


@lru_cache(maxsize=512)
def _blocks(text: str, file: str, line: int) -> tuple[AnyBlock, ...]:
    from slides.reading.parse import parse_blocks

    return parse_blocks(text, file, line)


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
