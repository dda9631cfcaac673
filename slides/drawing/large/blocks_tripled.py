"""Blocks that are no words, for the back rows: each cell by nine, where that tears nothing in two."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from slides import deck
from slides.deck import AnyBlock
from slides.drawing import room_page
from slides.drawing.blocks.frames import boxed
from slides.drawing.blocks.inlines import unwrapped
from slides.drawing.cells import line_width
from slides.drawing.large import three_rows
from slides.drawing.large.letter_size_choice import FITTED
from slides.drawing.large.letters import PARTS_OF_LETTERS
from slides.drawing.text import Line, Span, Style, plain
from slides.drawing.text_size import Mode

_HEADING = Style("heading", bold=True)
_GAP = 3  # cells between two columns of a table
_LEAST_CODE = 40  # cells of a listing, before it is in letters
_UNWRAPPED = 1 << 12  # cells that no line needs
_LEAST_QUESTION = 24  # cells, before they are enlarged


def large_block(
    block: AnyBlock, width: int, draw: Callable[[int], list[Line]], mode: Mode
) -> list[Line] | None:
    """The block at `width` cells, or None where it is drawn as others are. `draw(cells)` draws it in its own
    size."""
    if mode.words_only and isinstance(block, FITTED):
        return draw(width)
    if isinstance(block, deck.Demo):
        return three_rows.text(draw(width), width)
    if isinstance(block, deck.Exercise):
        return _framed(draw(_UNWRAPPED), width, mode.slim) or draw(width)
    if isinstance(block, deck.Table):
        return _table(block, width, mode) or draw(width)
    if not isinstance(block, deck.Quiz | deck.Code | deck.Math):
        return None
    cells = width // three_rows.TIMES
    if isinstance(block, deck.Quiz):
        return _question(draw, width, cells)
    if isinstance(block, deck.Code):
        if room_page.cells_of_code(block) <= cells and not mode.tight:
            return three_rows.block(draw(cells))
        return code_in_letters(block, width, draw, mode.slim) or draw(width)
    drawn = draw(width)
    return three_rows.block(drawn) if max(map(line_width, drawn), default=0) <= cells else drawn


def _question(draw: Callable[[int], list[Line]], width: int, cells: int) -> list[Line]:
    """A question, which may set itself in letters: these are large already, and torn where they are not."""
    whole = draw(width)
    if cells < _LEAST_QUESTION or _in_letters(whole):
        return whole
    narrow = draw(cells)
    return whole if _in_letters(narrow) else three_rows.block(narrow)


def _in_letters(lines: list[Line]) -> bool:
    return any(sign in PARTS_OF_LETTERS for line in lines for sign in plain(line))


def code_in_letters(
    block: deck.Code, width: int, draw: Callable[[int], list[Line]], slim: bool
) -> list[Line] | None:
    """A listing whose lines are in letters; the name of its file and the numbers keep their size. None
    where a line has no room so. `draw(cells)` draws it in its own size."""
    head = draw(width)[:1] if block.path or block.run else []
    # A narrower one has no margin. Without the blank row above it:
    _, *body = draw(max(_LEAST_CODE, room_page.cells_of_code(block)))[len(head) :]
    last = max((n for n, line in enumerate(body) if plain(line).strip()), default=-1)
    gutter = room_page.cells_before_code(block)
    drawn = three_rows.as_they_are(body[: last + 1], width, gutter=gutter, slim=slim)
    if drawn is None:
        return None
    # A step that shows fewer lines than another leaves the rows of letters for them.
    left = len(body) - last - 2
    return [*head, *drawn, *[(Span(" " * width, Style(ground="panel")),)] * (three_rows.TIMES * left)]


def _table(block: deck.Table, width: int, mode: Mode) -> list[Line] | None:
    """None where a word would be broken."""
    from slides.drawing.blocks.tables import narrowed, table_lines

    head = [unwrapped(cell, _HEADING) for cell in block.head]
    rows = [head, *([unwrapped(cell) for cell in row] for row in block.rows)]
    columns = range(len(block.align))
    slim = mode.slim
    natural = [max(_widest(three_rows.text(row[n], 1 << 12, slim=slim)) for row in rows) for n in columns]
    words = [
        max(three_rows.longest_word(line, slim=slim) for row in rows for line in row[n] or [()])
        for n in columns
    ]
    room = width - _GAP * (len(natural) - 1)
    if not natural or sum(words) > room:
        return None
    widths = narrowed(natural, room, words)
    cells: list[list[Sequence[Line]]] = [
        [
            three_rows.text(cell, cells, tight=mode.tight, slim=slim) or [()]
            for cell, cells in zip(row, widths, strict=True)
        ]
        for row in rows
    ]
    return table_lines(cells, block.align, width, whole=True, dense=mode.dense)


def _framed(lines: Sequence[Line], width: int, slim: bool) -> list[Line] | None:
    """A frame with its words in letters; None where one has no room so. `lines` are so wide that none of its
    lines was wrapped."""
    if len(lines) < 3 or len(lines[0]) < 2:  # not a frame
        return None
    (corner, title, *_), *inside, _ = lines
    words = [line[1:-1] for line in inside]
    room = width - 4
    if max(three_rows.longest_word(line, slim=slim) for line in words) > room:
        return None
    rows = [three_rows.text([line], room, tight=True, slim=slim) or [()] for line in words]
    return boxed([row for each in rows for row in each], width, corner.style, title.text.strip())


def _widest(lines: Sequence[Line]) -> int:
    return max(map(line_width, lines), default=1)
