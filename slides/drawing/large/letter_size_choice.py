"""A slide on the screen of a room: its words in letters, as large and as far apart as they have room for.

A picture, a chart or a listing stands beside or below them. What there is no room for in letters (a wide
table, a long listing) keeps its size among words that have them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock
from slides.drawing.blocks.inlines import unwrapped
from slides.drawing.cells import line_width
from slides.drawing.draw_protocol import Draw
from slides.drawing.large import three_rows
from slides.drawing.large.large_titles import LETTERS
from slides.drawing.large.letters import Size
from slides.drawing.text import Line, plain
from slides.drawing.text_size import DENSE, ENLARGED, PACKED, SLIM, SPOKEN, TIGHT, Mode
from slides.reading_order import blocks as walk
from slides.reading_order import has_chart

LARGE_TITLE = 48  # rows from which on a title is in larger letters where the words leave room
_TITLE: tuple[Size, ...] = ("bold", "low")
_WORDS = (deck.Paragraph, deck.List, deck.Quote)
FITTED = (deck.Table, deck.Math, deck.Code, deck.Exercise)  # in letters where there is room
_SHOWN = (deck.Image, deck.Chart)  # as high as their room
_KEPT = (deck.Rule, deck.Box)  # in their own size
_KNOWN = (*_WORDS, *FITTED, *_SHOWN, *_KEPT, deck.Columns, deck.Heading)
_CELLS_OF_ONE = 1.9  # cells of a letter and of what is between two, about
_LEAST_SHOWN = 10  # rows of a picture or a chart
_MOST_CODE = 300  # lines of a listing, of which no screen has all in letters
_CHART_PART = 0.92  # of the height, for a page with a chart: it is read better the higher it is
SPOKEN_PART = 0.75  # of the height at most, for a few words with air
_LEAST_COLUMN = 44  # cells of words in letters with something beside them

Title = Callable[[tuple[Size, ...]], "list[Line] | None"]
Beside = Callable[[Sequence[AnyBlock], int], "list[AnyBlock] | None"]


class _Manner(NamedTuple):
    """How words are set, the part of the height that they may have so, and how large their title is."""

    mode: Mode
    part: float
    title: tuple[Size, ...]


class Set(NamedTuple):
    """Title and words of a page."""

    title: list[Line]
    body: list[Line]

    @property
    def needed(self) -> int:
        """Rows of both, with one between them."""
        return len(self.title) + bool(self.title and self.body) + len(self.body)


def in_letters(
    body: Sequence[AnyBlock],
    width: int,
    height: int,
    draw: Draw,
    title: Title | None,
    beside: Beside,
    *,
    over_panel: bool = False,
) -> Set | None:
    """The page, or None where it has too many words for letters, or others than are known here. `title`
    draws its heading, None without one. `over_panel`: the rows are few, since
    the panel of a demo has the others."""
    words = [block for block in body if not isinstance(block, deck.Demo)]
    if (
        width < LETTERS[0]
        or (height < LETTERS[1] and not over_panel)
        or not words
        or words != list(body[: len(words)])
    ):
        return None
    if not all(isinstance(block, _KNOWN) for block in walk(words)):
        return None
    if any(isinstance(block, deck.Code) and block.source.count("\n") > _MOST_CODE for block in walk(words)):
        return None  # each of the tries below would draw all of it
    said = [block for block in words if not isinstance(block, (*_SHOWN, *_KEPT, deck.Code))]
    # The cells of a picture in a column are no words.
    pictured = any(isinstance(block, _SHOWN) for block in walk(said))
    ordinary = draw(said, width) if said and not pictured else []
    if _rows_at_least(ordinary, width) > height or not _has_letters(said, width, draw):
        return None  # before it costs more to know it
    demos = body[len(words) :]
    least = _CHART_PART if has_chart(words) and not demos else 0.0
    for small, parted, manner in _ways(words, height, bool(demos)):
        if small and over_panel:
            return None
        heading = title(manner.title) if title else []
        if heading is None:
            return None
        blocks = _in_columns(words, width, manner.mode, draw) if parted else words
        for foot in _feet(demos, width, manner.mode, draw, over_panel) if blocks else ():
            room = int(max(manner.part, least) * height) - len(heading) - bool(heading) - len(foot)
            for lines in _arranged(blocks or (), width, room, manner.mode, draw, beside, small):
                if len(lines) <= room:
                    return Set(heading, lines + foot)
    return None


def _has_letters(blocks: Sequence[AnyBlock], width: int, draw: Draw) -> bool:
    """Whether all words have letters. A formula may keep its size among them."""
    worded = [
        replace(block, at=0)  # those of a later step too
        for block in walk(blocks)
        if isinstance(block, deck.Paragraph | deck.Heading | deck.Table)
    ]
    return three_rows.has_letters(draw(worded, width) if worded else [])


def _feet(
    demos: Sequence[AnyBlock], width: int, mode: Mode, draw: Draw, over_panel: bool
) -> Iterator[list[Line]]:
    """What a key starts, under the words: in letters where these have air, and in one row."""
    if not demos:
        yield []
        return
    if mode in (SPOKEN, ENLARGED) and not over_panel:
        yield [*[()] * mode.gap, *draw(demos, width, mode=mode)]
    yield [*[()] * (1 if over_panel else 2), *draw(demos, width)]


def _ways(words: Sequence[AnyBlock], height: int, demos: bool) -> Iterator[tuple[bool, bool, _Manner]]:
    """Manners from the roomiest on, each as (whether a part may be small, whether a list is in two columns,
    manner): all of it in letters, all that has room for them, the words alone."""
    tables = any(isinstance(block, deck.Table) for block in walk(words))
    manners, packed = _manners(height, demos, tables), _Manner(PACKED, 1.0, _TITLE)
    said = any(isinstance(block, _WORDS) for block in walk(words))
    for small in (False, True) if said else (False,):
        yield from ((small, False, manner) for manner in manners)
        if not small:
            yield from ((small, True, manner) for manner in manners[1:3])
        yield small, False, packed
    if said and any(isinstance(block, FITTED) for block in walk(words)):
        for manner in (*manners, packed):
            yield True, False, manner._replace(mode=manner.mode._replace(words_only=True))


def _in_columns(words: Sequence[AnyBlock], width: int, mode: Mode, draw: Draw) -> Sequence[AnyBlock] | None:
    """The blocks with their one list in two columns of about one height; None where there are more."""
    lists = [block for block in words if isinstance(block, deck.List)]
    if len(lists) != 1 or len(lists[0].items) < 2:
        return None
    whole = lists[0]
    heights = [len(draw([replace(whole, items=(item,))], width // 2 - 2, mode=mode)) for item in whole.items]
    cut = min(range(1, len(heights)), key=lambda n: abs(sum(heights[:n]) - sum(heights[n:])))
    left = replace(whole, items=whole.items[:cut])
    right = replace(whole, items=whole.items[cut:], start=whole.start + cut)
    columns = deck.Columns((1, 1), ((left,), (right,)), line=whole.line)
    return [columns if block is whole else block for block in words]


def _manners(height: int, demos: bool, tables: bool) -> list[_Manner]:
    larger: tuple[Size, ...] = ("large",) if height >= LARGE_TITLE and not demos else ()
    return [
        _Manner(SPOKEN, SPOKEN_PART, (*larger, *_TITLE)),
        _Manner(ENLARGED, 0.85, (*larger, *_TITLE)),
        _Manner(TIGHT, 1.0, _TITLE),
        *([_Manner(DENSE, 1.0, _TITLE)] if tables else []),
        _Manner(SLIM, 1.0, _TITLE),
    ]


def _rows_at_least(lines: Sequence[Line], width: int) -> float:
    texts = [plain(line).split() for line in lines]
    return sum(3 * max(0.5, _CELLS_OF_ONE * len(" ".join(text)) / width) for text in texts if text)


def _arranged(
    blocks: Sequence[AnyBlock],
    width: int,
    rows: int,
    mode: Mode,
    draw: Draw,
    beside: Beside,
    small: bool,
) -> Iterator[list[Line]]:
    """The blocks below each other, and words beside what they are about; `small`: what has no room in
    letters keeps its size, else nothing is in the size of ordinary text."""
    shown = [block for block in walk(blocks) if isinstance(block, _SHOWN)]
    ways: list[tuple[Sequence[AnyBlock], int]] = []
    parts = beside(blocks, width)
    if not any(block in blocks for block in shown):  # none, or in an author's columns
        ways.append((blocks, rows))
    if parts is not None:
        ways.append((parts, rows - _rows_of_captions(parts, width, mode, draw)))
    if shown and all(block in blocks for block in shown):
        # A chart finds out by itself how much room the others leave.
        pictures = sum(isinstance(block, deck.Image) for block in shown)
        others = [block for block in blocks if not isinstance(block, deck.Image)]
        left = rows - len(draw(others, width, rows=rows, mode=mode)) - pictures if pictures else rows
        if left // max(1, pictures) >= _LEAST_SHOWN or not pictures:
            ways.append((blocks, left // max(1, pictures)))
    for way, most in ways if small else reversed(ways) if not shown else ways:
        if _readable(way, width, mode, draw, small):
            yield draw(way, width, rows=most, mode=mode)


def _rows_of_captions(blocks: Sequence[AnyBlock], width: int, mode: Mode, draw: Draw) -> int:
    """Rows of what stands in a column with a picture, which leaves these to it."""
    rows = 0
    for columns in blocks:
        for column in columns.columns if isinstance(columns, deck.Columns) else ():
            others = [block for block in column if not isinstance(block, _SHOWN)]
            if others and len(others) < len(column):
                rows = max(rows, len(draw(others, width // 2, mode=mode)) + mode.gap)
    return rows


def _readable(blocks: Sequence[AnyBlock], width: int, mode: Mode, draw: Draw, small: bool) -> bool:
    """Whether no word is wider than its column, and everything is in letters, or may be `small`."""
    for block in blocks:
        if isinstance(block, deck.Columns):
            shares = [max(share, 1) for share in block.widths]
            room = width - 4 * (len(shares) - 1)
            for share, column in zip(shares, block.columns, strict=False):
                cells = room * share // sum(shares)
                words = any(isinstance(inner, _WORDS) for inner in column)
                if (words and cells < _LEAST_COLUMN) or not _readable(column, cells, mode, draw, small):
                    return False
        elif isinstance(block, deck.List):
            if not all(_readable(item.blocks, width - 6, mode, draw, small) for item in block.items):
                return False
        elif isinstance(block, deck.Quote):
            if not _readable(block.blocks, width - 2, mode, draw, small):
                return False
        elif isinstance(block, deck.Paragraph | deck.Heading):
            if any(
                three_rows.longest_word(line, slim=mode.slim) > width for line in unwrapped(block.content)
            ):
                return False
        elif isinstance(block, FITTED) and not small and _stays_small(block, width, mode, draw):
            return False
    return True


def _stays_small(block: AnyBlock, width: int, mode: Mode, draw: Draw) -> bool:
    """Whether there is no room for a table, a formula or a listing in letters."""
    drawn = draw([block], width, mode=mode)
    return drawn == draw([block], width) or max(map(line_width, drawn), default=0) > width
