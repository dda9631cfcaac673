"""Words of a question in letters made of blocks, for the back row."""

from __future__ import annotations

from collections.abc import Sequence

from slides.drawing import cells
from slides.drawing.large import three_rows
from slides.drawing.large.letters import ROWS, Size, letters
from slides.drawing.text import Line, Span, Style
from tui.views.question.answer_rows import blocked, plain_words
from tui.views.question.markdown import markdown

WIDE = 104  # cells of a question from which on answers are in letters that need most of a row
SIZES: tuple[Size, ...] = ("bold", "low")  # of three rows each
_BLOCKS = ("\n\n", "![", "$$", "```", "|", "\n- ", "\n> ")  # marks of what is no paragraph
_MOST_TEXT = 24  # rows of letters of a text: no screen has more
SLIM: tuple[Size, ...] = ("slim",)  # for answers of many words
SHORT: tuple[Size, ...] = ("short", "short_slim")  # of two rows each, where the terminal has glyphs for them


def at_most(rows: int, sizes: tuple[Size, ...]) -> tuple[Size, ...]:
    """Of these sizes, and of those of two rows, the ones that stand beside so many rows."""
    return tuple(size for size in (*sizes, *SHORT) if ROWS[size] <= rows)


def letters_of(text: str, width: int, most: int, sizes: tuple[Size, ...] = SIZES) -> list[str] | None:
    """A text in at most so many rows of letters; None where it does not fit, or has no such letters."""
    return letters(text, width, sizes, most)


def letters_of_all(
    texts: Sequence[str], width: int, beside: int = 0, most: int = 1, sizes: tuple[Size, ...] = SIZES
) -> list[list[str]] | None:
    """Each text in one row of letters, or at `most` so many, all of one size; None where one of them does
    not fit. The first `beside` of them stand in a column at the left of the others, and both together have
    that width."""
    for size in sizes:
        drawn = [letters(text, width, (size,), most) for text in texts]
        found = [rows for rows in drawn if rows is not None]
        left, right = found[:beside], found[beside:]
        if len(found) == len(texts) and (not beside or widest(left) + widest(right) <= width):
            return found
    return None


def paragraph(text: str, width: int) -> list[Line] | None:
    """Markdown of one paragraph in the narrowest letters; None where it is more, or has no such letters."""
    return next(iter(paragraphs(text, width)), None)


def paragraphs(text: str, width: int) -> list[list[Line]]:
    """The same in all ways that there are: in letters of three rows, and of two where the terminal has
    glyphs for them."""
    if not text.strip() or any(sign in text for sign in _BLOCKS):
        return []
    lines = markdown(text, 1 << 12)
    if not three_rows.has_letters(lines) or any(
        three_rows.longest_word(line, slim=True) > width for line in lines
    ):
        return []
    lower = letters_of(plain_words(text), width, _MOST_TEXT, SHORT[-1:])
    ways = [three_rows.text(lines, width, tight=True, slim=True)]
    return [*ways, inked(lower, Style())] if lower else ways


def lines_in_letters(
    lines: Sequence[Line], width: int, sizes: tuple[Size, ...] = (*SIZES, *SLIM)
) -> list[list[Line]] | None:
    """Each line in letters, in the colours of its parts, all of one size; None where one has no room so."""
    for size in sizes:
        found = [_line(line, size) for line in lines]
        drawn = [rows for rows in found if rows and cells.line_width(rows[0]) <= width]
        if len(drawn) == len(lines):
            return drawn
    return None


def _line(line: Line, size: Size) -> list[Line]:
    """A line in letters of this size, its blanks a cell wide; empty where a part has no such letters."""
    rows: list[Line] = [()] * ROWS[size]
    for text, style in line:
        if not text.strip():
            rows = [(*row, Span(text, style)) for row in rows]
            continue
        drawn = letters(text, 10_000, (size,), 1)
        if drawn is None:
            return []
        left, right = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
        wide = widest([drawn])
        placed = (" " * left + each.ljust(wide + right + 1) for each in drawn)
        rows = [(*row, Span(each, style)) for row, each in zip(rows, placed, strict=True)]
    return rows


def numbered(n: int, look: Style, rows: Sequence[Line], apart: int = 2, chip: int = 5) -> list[Line]:
    """Rows of answer `n`, counted from 0, behind its number in letters on a ground of its own."""
    digit = letters_of(str(n + 1), 8, 1, at_most(len(rows), SIZES)) or []
    digit += [""] * (len(rows) - len(digit))
    chips = (Span(f" {each.ljust(chip)} ", look) for each in digit)
    return [(number, Span(" " * apart), *row) for number, row in zip(chips, rows, strict=True)]


def at_middle(sign: Span, rows: Sequence[Line]) -> list[Line]:
    """Rows behind a sign of one cell's height that stands beside the middle one."""
    blank = Span(" " * cells.width(sign.text))
    return [(sign if n == len(rows) // 2 else blank, *row) for n, row in enumerate(rows)]


def inked(rows: Sequence[str], look: Style) -> list[Line]:
    """Rows of letters in one colour."""
    return [(Span(row, look),) for row in rows]


def stacked(blocks: Sequence[Sequence[Line]], width: int, apart: int) -> list[Line]:
    """Blocks below each other, each on a ground of its own, with empty rows between."""
    grounded = [blocked(block, width) for block in blocks]
    return [line for n, block in enumerate(grounded) for line in [*[()] * (n and apart), *block]]


def widest(drawn: Sequence[Sequence[str]]) -> int:
    """Cells that the widest of these texts takes."""
    return max((cells.width(row) for rows in drawn for row in rows), default=0)
