"""The layouts of a slide: where its blocks stand. Each is drawn by `draw`, whatever the layout.

A layout that has the height places its blocks in it; without one they stand at the top, so that a slide can
be measured. A slide that its layout does not suit (a quote without a quote) is set from top to bottom.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Literal

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock, Inlines, Slide
from slides.drawing import room_page
from slides.drawing.blocks.inlines import unwrapped
from slides.drawing.blocks.titles import in_letters
from slides.drawing.cells import line_width, pad
from slides.drawing.draw_protocol import Draw
from slides.drawing.large import three_rows
from slides.drawing.large.large_titles import LETTERS
from slides.drawing.large.letters import ROWS, Size, letters
from slides.drawing.layout_choice import layout_of
from slides.drawing.page_width import WIDE_PAGE
from slides.drawing.text import PLAIN, Line, Span, Style
from slides.drawing.text_size import NORMAL, Mode
from slides.reading_order import blocks as walk
from slides.reading_order import has_chart, has_scene

_HEADING, _ACCENT, _DIM = Style("heading", bold=True), Style("accent"), Style("dim")
_SIZES: tuple[Size, ...] = ("full", "narrow")
_SUBTITLE_WORDS, _QUOTE_WORDS = 64, 60
_GUTTER = 4  # cells between two columns
_NARROWEST_COLUMN = 20
_LONG_LINE = WIDE_PAGE // 2  # cells of a line that a page has no room for in letters of two cells each
PICTURE_PART = 0.6  # of the height, for a picture among words
_TALL = ("title", "section", "big number", "quote", "image")
# Others stand in the middle of the screen: a wide page may reach further to the right than to the left.
_WIDE = ("section", "image", "two columns", "code")

Extent = Literal["", "wide", "edge", "whole"]
"""Cells that a slide may use: the measure of a text, more than that to the right, all there are to the right
(for lines that no page has room for in letters), or the whole width."""


def extent(slide: Slide) -> Extent:
    """Which of them a slide has."""
    if has_scene(slide.blocks):
        return "whole"
    if room_page.needs_width(slide.blocks, _LONG_LINE):
        return "edge"
    wide = room_page.may_stand_beside(slide) or has_chart(slide.blocks)
    wide = wide or any(isinstance(block, deck.Columns | deck.Estimate) for block in slide.blocks)
    return "wide" if wide or layout_of(slide) in _WIDE else ""


def is_tall(slide: Slide) -> bool:
    """Whether its look depends on the height; where a demo's panel takes its part of that, only a chart's."""
    kinds = {type(block) for block in walk(slide.blocks)}
    if has_scene(slide.blocks):
        return deck.Demo not in kinds
    if deck.Chart in kinds:
        return True
    made = any(isinstance(block, deck.Code) and block.gives == "picture" for block in walk(slide.blocks))
    return deck.Demo not in kinds and (made or layout_of(slide) in _TALL or deck.Image in kinds)


def placed(slide: Slide, step: int, width: int, height: int, part: int, mode: Mode, draw: Draw) -> list[Line]:
    """The lines of the slide in its layout; `height` 0 where it is not known. Of that, `part` is seen."""
    if has_scene(slide.blocks):
        from slides.drawing.scene_page import scene_page

        return scene_page(slide.blocks, width, part, mode, draw)
    place = _PLACE.get(layout_of(slide))
    composed = room_page.suits(width, height, mode)
    if composed and place is _two_columns:
        columns = _in_two_columns(slide.blocks, min(width, WIDE_PAGE), mode, draw)
        slide, place = (replace(slide, blocks=tuple(columns)), None) if columns else (slide, place)
    if composed and place is _code and mode is NORMAL:
        page = room_page.composed(slide, step, width, height, part, draw)
        if len(page) <= part:
            return page
    cells = min(width, WIDE_PAGE) if place is _code else width
    lines = place(slide.blocks, step, cells, part, mode, draw) if place else None
    if lines is not None:
        return lines
    if composed:
        return room_page.composed(slide, step, width, height, part, draw, mode=mode)
    return draw(slide.blocks, width, rows=part if has_chart(slide.blocks) else int(part * PICTURE_PART))


# -- parts ---------------------------------------------------------------------------------------------------


def large(
    content: Inlines, width: int, mode: Mode, sizes: tuple[Size, ...], style: Style, most: int = 2
) -> list[Line] | None:
    """A heading in at most so many rows of letters; None where they do not fit or none are wanted."""
    return None if mode.whole else in_letters(content, width, sizes, style, most)


def _largest(
    content: Inlines, width: int, mode: Mode, height: int, style: Style, sizes: tuple[Size, ...] = _SIZES
) -> list[Line] | None:
    """The same in the first size in which it is no higher than `height`, 0 where that is not known."""
    for size in sizes:
        drawn = large(content, width, mode, (size,), style)
        if drawn and (not height or len(drawn) <= height):
            return drawn
    return None


def _headed(blocks: Sequence[AnyBlock]) -> tuple[deck.Heading | None, list[AnyBlock]]:
    """The first heading, and all that is left without it."""
    for n, block in enumerate(blocks):
        if isinstance(block, deck.Heading):
            return block, [*blocks[:n], *blocks[n + 1 :]]
    return None, list(blocks)


def _shown(lines: list[Line], block: AnyBlock, step: int) -> list[Line]:
    return lines if step >= block.at else [()] * len(lines)


def _plain(block: deck.Heading | deck.Paragraph, width: int, draw: Draw) -> list[Line]:
    """The words of a heading as bold lines, without its rule."""
    return draw([deck.Heading(3, block.content, line=block.line, at=block.at)], width)


def _centred(lines: Sequence[Line], width: int) -> list[Line]:
    """Lines moved together to the middle: they keep their places to each other."""
    before = max(0, (width - max(map(line_width, lines), default=0)) // 2)
    return [(Span(" " * before), *line) if line and before else line for line in lines]


def _each_centred(lines: Sequence[Line], width: int) -> list[Line]:
    return [line for one in lines for line in _centred([one], width)]


def _middle(lines: list[Line], height: int, part: float = 0.42) -> list[Line]:
    """`lines` in the height: what is in the very middle seems too low."""
    return [*[()] * int(max(0, height - len(lines)) * part), *lines]


def _below(blocks: Sequence[AnyBlock], width: int, words: int, draw: Draw) -> list[Line]:
    """What stands under a title, in the middle: words line by line, anything else as it is."""
    lines: list[Line] = []
    for block in blocks:
        prose = isinstance(block, deck.Paragraph)
        drawn = _balanced(block, min(width, words), draw) if prose else draw([block], width)
        centred = _each_centred if prose else _centred
        lines += [*([()] if lines and drawn else []), *centred(drawn, width)]
    return lines


def _balanced(block: AnyBlock, width: int, draw: Draw) -> list[Line]:
    """The lines of a paragraph about equally long: no word stands alone under the others."""
    drawn = draw([block], width)
    narrower = bisect_left(range(1, width), True, key=lambda cells: len(draw([block], cells)) <= len(drawn))
    return draw([block], 1 + narrower) if drawn else drawn


# -- the layouts ---------------------------------------------------------------------------------------------

Lines = list[Line] | None


def _title(blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw) -> Lines:
    heading, rest = _headed(blocks)
    if heading is None:
        return None
    below = _below(rest, width, width if mode.enlarged else _SUBTITLE_WORDS, draw)
    below = [*([()] if below else []), *below]
    rule = _centred([(Span("━" * min(width, 24), _ACCENT),)], width)
    room = height and max(1, height - len(below) - 3)
    title = _bold_rows(heading, width, room, mode)
    if title:
        below = _subtitled(rest, width, room - len(title), draw) or below
    else:
        drawn = _largest(heading.content, width - 4, mode, room, _HEADING)
        title = _rows_centred(drawn, width) if drawn else _each_centred(_plain(heading, width, draw), width)
        title += [()] * bool(drawn)
    lines = _shown([*title, *rule], heading, step)
    return _middle([*lines, *below], height)


def _bold_rows(heading: deck.Heading, width: int, height: int, mode: Mode) -> list[Line]:
    """The title of a talk as large as a room's screen has it, a row of letters below the other; none on a
    smaller one."""
    if mode.whole or mode.copied or width < LETTERS[0] or height < LETTERS[1] // 2:
        return []
    drawn = in_letters(heading.content, width - 4, ("large",), _HEADING, 2) or []
    rows = [drawn[n : n + ROWS["large"]] for n in range(0, len(drawn), ROWS["large"])]
    lines = [line for row in rows for line in (*_centred(row, width), ())]
    return lines if len(lines) <= height else []


def _subtitled(blocks: Sequence[AnyBlock], width: int, spare: int, draw: Draw) -> list[Line] | None:
    """What stands under such a title or number: its first words in small letters, then who and when, in
    letters too where these have room; None where they are others, or have no room."""
    if not blocks or not all(isinstance(block, deck.Paragraph) for block in blocks):
        return None
    first, *rest = blocks
    assert isinstance(first, deck.Paragraph)
    rows = _low_rows(first.content, width - 4, 3)
    if not rows or spare < 4 * len(rows):
        return None
    head = [line for row in rows for line in ((), *_centred(row, width))]
    if not rest:
        return head
    drawn = [
        _low_rows(block.content, width - 4, 1, slim=True)
        for block in rest
        if isinstance(block, deck.Paragraph)
    ]
    large = [line for found in drawn for row in found for line in ((), *_centred(row, width))]
    if all(drawn) and len(head) + 1 + len(large) <= spare:
        return [*head, (), *large]
    return [*head, (), (), *_below(rest, width, _SUBTITLE_WORDS, draw)]


def _low_rows(content: Inlines, width: int, most: int, *, slim: bool = False) -> list[list[Line]]:
    """Words in small letters, `slim` ones in a dim ink, in rows about equally long; none where they are more
    than so many rows."""
    said = unwrapped(content, _DIM if slim else PLAIN)
    longest = max((three_rows.longest_word(line, slim=slim) for line in said), default=0)
    if (
        longest > width
        or any(part.math or part.image for part in content)
        or not three_rows.has_letters(said)
    ):
        return []

    def at(cells: int) -> list[Line]:
        return three_rows.text(said, cells, tight=True, slim=slim)

    drawn = at(width)
    if len(drawn) > three_rows.TIMES:
        cells = range(longest, width)
        drawn = at(longest + bisect_left(cells, True, key=lambda n: len(at(n)) <= len(drawn)))
    rows = [drawn[n : n + three_rows.TIMES] for n in range(0, len(drawn), three_rows.TIMES)]
    return rows if len(rows) <= most else []


def _rows_centred(lines: list[Line], width: int) -> list[Line]:
    """Rows of letters, 4 lines each."""
    return [line for n in range(0, len(lines), 4) for line in _centred(lines[n : n + 4], width)]


def _section(blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw) -> Lines:
    heading, rest = _headed(blocks)
    if heading is None:
        return None
    below = draw(rest, width)
    below = [*([()] if below else []), *below]
    room = height and max(1, height - len(below) - 2)
    sizes: tuple[Size, ...] = ("large", *_SIZES) if width >= LETTERS[0] else _SIZES
    drawn = _largest(heading.content, width, mode, room, _HEADING, sizes)
    title = drawn or _plain(heading, width, draw)
    widest = max(map(line_width, title), default=0)
    rule: Line = (Span("━" * min(width, max(widest, 12)), _ACCENT),)
    lines = _shown([*title, *[()] * bool(drawn), rule], heading, step)
    return _middle([*lines, *below], height, 0.36)


def _big_number(
    blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw
) -> Lines:
    """The first heading, else the first paragraph, as large as it goes."""
    number: AnyBlock | None
    number, rest = _headed(blocks)
    if number is None and rest and isinstance(rest[0], deck.Paragraph):
        number, *rest = rest
    if not isinstance(number, deck.Heading | deck.Paragraph):
        return None
    below = _below(rest, width, width if mode.enlarged else _SUBTITLE_WORDS, draw)
    below = [*([()] if below else []), *below]
    ink = Style("accent", bold=True)
    drawn = _largest(
        number.content, width, mode, height and max(1, height - len(below)), ink, ("double", *_SIZES)
    )
    lines = _shown(_centred(drawn or _plain(number, width, draw), width), number, step)
    if drawn and not (mode.whole or mode.copied) and width >= LETTERS[0] and height >= LETTERS[1]:
        below = _subtitled(rest, width, height - len(lines), draw) or below
    return _middle([*lines, *below], height)


def _quote(blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw) -> Lines:
    """The quote in the middle under a large mark; words after it say whose it is."""
    at = next((n for n, block in enumerate(blocks) if isinstance(block, deck.Quote)), None)
    if at is None:
        return None
    quote = blocks[at]
    assert isinstance(quote, deck.Quote)
    mark = 8 if width >= 40 and not mode.whole else 0
    words = min(width if mode.enlarged else _QUOTE_WORDS, width - mark)
    lettered = _in_low_letters(quote, width - mark, height, mode)
    said = lettered or [_leaning(line) for line in draw(quote.blocks, words)]
    if mark:
        signs = letters("“", 8, ("full",)) or []
        said += [()] * (2 - len(said))
        said = [
            (Span((signs[n] if n < 2 else "").ljust(mark), _ACCENT), *line) for n, line in enumerate(said)
        ]
        said = _shown(said, quote, step)
    broad = max(map(line_width, said), default=0)
    whose: list[Line] = []
    for block in blocks[at + 1 :]:
        if isinstance(block, deck.Paragraph):
            rows = _low_rows(block.content, broad, 1) if lettered and 3 * len(said) < 2 * height else []
            drawn = rows[0] if rows else draw([block], words)
            whose += [(), *(pad(line, broad, align="right") if line else line for line in drawn)]
        else:
            whose += [(), *draw([block], words)]
    before = draw(blocks[:at], width)
    body = _centred([*said, *whose], width)
    room = height - len(before)
    return [*before, *([()] if before else []), *_middle(body, room)]


def _in_low_letters(quote: deck.Quote, width: int, height: int, mode: Mode) -> list[Line]:
    """A short quote on a room's screen; nothing of a longer one, or elsewhere."""
    short = len(quote.blocks) == 1 and isinstance(quote.blocks[0], deck.Paragraph)
    if mode is not NORMAL or not short or width < LETTERS[0] - 8 or height < LETTERS[1]:
        return []
    first = quote.blocks[0]
    assert isinstance(first, deck.Paragraph)
    rows = _low_rows(first.content, width, 4)
    return [line for n, row in enumerate(rows) for line in (*[()] * bool(n), *row)]


def _leaning(line: Line) -> Line:
    return tuple(Span(text, style._replace(italic=True)) for text, style in line)


def _image(blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw) -> Lines:
    """The first picture as large as it goes, under a heading in one line and over its caption."""
    at = next((n for n, block in enumerate(blocks) if isinstance(block, deck.Image)), None)
    if at is None:
        return None
    above = [*draw(blocks[:at], width), *([()] if at else [])]
    below = _below(blocks[at + 1 :], width, width if mode.enlarged else _SUBTITLE_WORDS, draw)
    room = max(4, height - len(above) - len(below) - bool(below)) if height else 0
    image = blocks[at]
    assert isinstance(image, deck.Image)
    picture = _centred(draw([replace(image, width=image.width or 1.0)], width, rows=room), width)
    spare = max(0, room - len(picture)) // 2 if height else 0
    return [*above, *[()] * spare, *picture, *([()] if below else []), *below]


def _two_columns(
    blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw
) -> Lines:
    columns = _in_two_columns(blocks, width, mode, draw)
    return None if columns is None else draw(columns, width, rows=height)


def _in_two_columns(blocks: Sequence[AnyBlock], width: int, mode: Mode, draw: Draw) -> list[AnyBlock] | None:
    """Under the heading two columns: parted by a rule or a heading, else of equal height."""
    if any(isinstance(block, deck.Columns) for block in blocks):
        return None
    title = 1 if blocks and isinstance(blocks[0], deck.Heading) else 0
    head, rest = blocks[:title], list(blocks[title:])
    each = (width - _GUTTER) // 2
    if len(rest) < 2 or each < _NARROWEST_COLUMN:
        return None
    ruled = next((n for n, block in enumerate(rest) if isinstance(block, deck.Rule)), None)
    headings = [n for n, block in enumerate(rest) if isinstance(block, deck.Heading)]
    if ruled is not None:
        left, right = rest[:ruled], rest[ruled + 1 :]
    elif len(headings) > 1 or (headings and headings[0]):
        cut = headings[len(headings) // 2] if headings[0] == 0 else headings[0]
        left, right = rest[:cut], rest[cut:]
    else:
        heights = [len(draw([block], each)) + mode.gap for block in rest]
        cut = min(range(1, len(rest)), key=lambda n: abs(sum(heights[:n]) - sum(heights[n:])))
        left, right = rest[:cut], rest[cut:]
    return [*head, deck.Columns((1, 1), (tuple(left), tuple(right)), line=rest[0].line)]


def _code(blocks: Sequence[AnyBlock], step: int, width: int, height: int, mode: Mode, draw: Draw) -> Lines:
    """The code over the whole width, right under a heading without a rule: as much of it as goes."""
    if not any(isinstance(block, deck.Code) for block in blocks):
        return None
    heading, rest = _headed(blocks)
    return [*(_plain(heading, width, draw) if heading else []), *draw(rest, width)]


_PLACE: dict[str, Callable[[Sequence[AnyBlock], int, int, int, Mode, Draw], Lines]] = {
    "title": _title,
    "section": _section,
    "two columns": _two_columns,
    "big number": _big_number,
    "quote": _quote,
    "image": _image,
    "code": _code,
}
