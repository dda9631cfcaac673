"""A page that uses the screen of a room: how large its title is, how much air its words have, what stands
beside them, and where all of it stands. On a small terminal it is set from top to bottom.

It has 60 % of the height or what it needs, and stands a little above the middle. As most slides need no more,
titles stay in their row from slide to slide.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock, Slide
from slides.drawing.draw_protocol import Draw
from slides.drawing.large.large_titles import LETTERS, enlarged_title, lettered_title
from slides.drawing.large.letter_size_choice import SPOKEN_PART, Set
from slides.drawing.large.letters import Size
from slides.drawing.page_width import TEXT_PAGE, WIDE_PAGE
from slides.drawing.text import Line
from slides.drawing.text_size import AIRY, BIG, COPIED, ENLARGED, NORMAL, ROOMY, SLIM, SPOKEN, Mode
from slides.reading_order import blocks as walk
from slides.reading_order import has_chart

LEAST = 88, 24  # columns and rows for a slide from which on it is composed
LEAST_ENLARGED = 76, 24  # from which on big text is in letters, all of it
PAGE_PART, ABOVE_PART = 0.6, 0.45  # of the height at least; of what is spare, over the page
DEMO_PART = 0.55  # of the height at most with a title in letters: the rest is for the panel
LEAST_OVER_PANEL = 36  # rows of a slide from which on a few words over a panel are in letters,
OVER_PANEL_PART = 0.39  # which have so much of them at most
MOST_GAP = 2  # rows more than one between title and words
LEAST_WORDS, LEAST_EXHIBIT, GUTTER = 40, 44, 4  # cells of words with something beside them
_WORDS = (deck.Paragraph, deck.List, deck.Quote, deck.Math)
_EXHIBITS = (deck.Code, deck.Image, deck.Chart)
_CHART_PART = 0.58  # of the width, for a chart beside words


def suits(width: int, height: int, mode: Mode) -> bool:
    """Whether slides of this size are composed; `height` 0 where it is not known."""
    if enlarges(width, height, mode):
        return True
    return mode in (NORMAL, COPIED) and width >= LEAST[0] and height >= LEAST[1]


def enlarges(width: int, height: int, mode: Mode) -> bool:
    """Whether a slide of this size is set in letters as a whole."""
    return mode in (BIG, ENLARGED) and width >= LEAST_ENLARGED[0] and height >= LEAST_ENLARGED[1]


def composed(
    slide: Slide, step: int, width: int, height: int, part: int, draw: Draw, *, mode: Mode = NORMAL
) -> list[Line]:
    """The lines of a slide that no layout places, for a screen with `height` rows for it, of which `part`
    are seen: its look depends on the former, its place on the latter."""
    title, body = _titled(slide.blocks)
    if enlarges(width, height, mode):
        page = _enlarged(title, body, step, width, height, draw)
        return _placed(page, page.needed, part)
    if (spoken := in_large_letters(slide, step, width, height, part, draw, mode=mode)) is not None:
        return spoken
    demos = any(isinstance(block, deck.Demo) for block in body)
    page_cells, width = width, _cells_of_lines(body, width)
    room = int(height * DEMO_PART) if demos else height
    kept = _most_of_questions(body, width)
    small = draw([title], width) if title else []
    # A question beside a panel needs the rows, and its title is not to grow when the panel comes.
    small_title = mode.copied or (kept and part < height)
    lettered = None if small_title else lettered_title(title, step, page_cells, height)
    first = lettered or small
    # A chart makes room for the panel; who asks what the slide needs (`part` is 1) hears of a share.
    rows = (part if part > 1 else room) if demos and part < height and has_chart(body) else height
    page = Set(small, [])
    manners = [(ROOMY, first), (AIRY, first), (NORMAL, first), (NORMAL, small)]
    for mode, heading in manners[demos:]:
        page = Set(heading, _body(body, width, rows - len(heading) - 1, mode, draw))
        if max(page.needed, len(heading) + kept) <= room:
            beneath = _with_words_in_letters(body, page_cells, draw) if lettered else []
            page = Set(heading, beneath) if 0 < Set(heading, beneath).needed <= room and beneath else page
            break
    return _placed(page, max(page.needed, len(page.title) + kept), part)


def _enlarged(
    title: deck.Heading | None, body: Sequence[AnyBlock], step: int, width: int, height: int, draw: Draw
) -> Set:
    """The page in big text, with as much air as the same words have without where there is room for that."""
    heading, rows = enlarged_title(title, step, width), int(height * 0.7)
    airy = Set(heading, draw(body, width, rows=rows, mode=SPOKEN))
    return airy if airy.needed <= SPOKEN_PART * height else Set(heading, draw(body, width, rows=rows))


def in_large_letters(
    slide: Slide, step: int, width: int, height: int, part: int, draw: Draw, *, mode: Mode = NORMAL
) -> list[Line] | None:
    """The same with all its words in letters; None where they have no room so."""
    title, body = _titled(slide.blocks)
    demos = any(isinstance(block, deck.Demo) for block in body)
    over_panel = part < height
    if mode.copied or (demos and over_panel and height < LEAST_OVER_PANEL):
        return None
    # Words make room for a demo's panel. For what code prints they keep their size where they leave it
    # room, else they are as large as it leaves room for; who asks what they need (`part` is 1) hears of
    # the least.
    ways = [(height, False), *([(part, True)] if 1 < part < height else [])]
    if demos and over_panel:
        ways = [(int(OVER_PANEL_PART * height), True)]
    for rows, fewer in ways if demos or part > 1 else ():
        spoken = _in_letters(title, body, step, width, rows, draw, over_panel=fewer)
        if spoken is not None and (demos or spoken.needed <= part):
            return _placed(spoken, spoken.needed, part)
    return None


def _in_letters(
    title: deck.Heading | None,
    body: Sequence[AnyBlock],
    step: int,
    width: int,
    height: int,
    draw: Draw,
    *,
    over_panel: bool = False,
) -> Set | None:
    """The page of a room's screen with its words in letters; None where they have no room."""
    from slides.drawing.large import letter_size_choice

    def heading(sizes: tuple[Size, ...]) -> list[Line] | None:
        return lettered_title(title, step, width, LETTERS[1] if over_panel else height, sizes)

    drawn = heading if title is not None else None
    return letter_size_choice.in_letters(body, width, height, draw, drawn, beside, over_panel=over_panel)


def _cells_of_lines(body: Sequence[AnyBlock], width: int) -> int:
    """Cells for lines of one row. A question knows by itself how wide its own may be."""
    kinds = {type(block) for block in walk(tuple(body))}
    if deck.Quiz in kinds:
        return width
    wide = beside(body, width) is not None or needs_width(body)
    wide = wide or bool(kinds & {deck.Columns, deck.Chart, deck.Estimate})
    return min(width, WIDE_PAGE if wide else TEXT_PAGE)


def _placed(page: Set, needed: int, height: int) -> list[Line]:
    whole = max(needed, round(PAGE_PART * height))
    gap = 1 + max(0, min(MOST_GAP, int((whole - needed) * ABOVE_PART))) if page.title else 0
    if not page.title:
        whole = needed  # words alone stand in the middle by themselves
    above = int(max(0, height - whole) * ABOVE_PART)
    return [*[()] * above, *page.title, *[()] * (gap if page.body else 0), *page.body]


# -- the title -----------------------------------------------------------------------------------------------


def _titled(blocks: Sequence[AnyBlock]) -> tuple[deck.Heading | None, Sequence[AnyBlock]]:
    first = blocks[0] if blocks else None
    return (first, blocks[1:]) if isinstance(first, deck.Heading) and first.level < 3 else (None, blocks)


# -- what stands under it ------------------------------------------------------------------------------------


def _body(blocks: Sequence[AnyBlock], width: int, rows: int, mode: Mode, draw: Draw) -> list[Line]:
    """Words at the left and what they are about at the right, where that is no higher than both stacked."""
    stacked = draw(blocks, width, rows=rows if has_chart(blocks) else int(rows * 0.7), mode=mode)
    parts = beside(blocks, width)
    if parts is None:
        return stacked
    drawn = draw(parts, width, rows=rows, mode=mode)
    return drawn if len(drawn) <= max(rows, len(stacked)) else stacked


def _with_words_in_letters(blocks: Sequence[AnyBlock], width: int, draw: Draw) -> list[Line]:
    """An estimate, which has letters of its own where it has room, and the words around it in letters too;
    none for other blocks."""
    kinds = {type(block) for block in blocks}
    if deck.Estimate not in kinds or not kinds & set(_WORDS) or kinds - {deck.Estimate, *_WORDS}:
        return []
    lines: list[Line] = []
    for block in blocks:
        mode = NORMAL if isinstance(block, deck.Estimate) else SLIM
        lines += [*[()] * bool(lines), *draw([block], width, mode=mode)]
    return lines


def may_stand_beside(slide: Slide) -> bool:
    """Whether a slide gets more than the measure of a text to have something beside its words."""
    _, body = _titled(slide.blocks)
    return beside(body, 1 << 10) is not None


def beside(blocks: Sequence[AnyBlock], width: int) -> list[AnyBlock] | None:
    """Blocks with all words in a left column, and one listing or picture with the line that leads to it in a
    right one; None where they are others, or it is too wide for a column."""
    last = next((n for n, block in enumerate(blocks) if isinstance(block, deck.Demo)), len(blocks))
    shown, below = list(blocks[:last]), list(blocks[last:])
    places = [n for n, block in enumerate(shown) if isinstance(block, _EXHIBITS)]
    if len(places) != 1 or len(shown) < 2 or any(isinstance(block, _EXHIBITS) for block in below):
        return None
    at = places[0]
    exhibit = shown[at]
    if not all(
        isinstance(block, _WORDS) or (isinstance(exhibit, deck.Chart) and _is_narrow(block))
        for block in shown
        if block is not exhibit
    ):
        return None
    start = at - (at > 1 and _leads(shown[at - 1]))
    end = at + 1 + (at + 1 < len(shown) and shown[at + 1].side == "center")  # its caption
    right, left = shown[start:end], [*shown[:start], *shown[end:]]
    if not left:
        return None
    needs = cells_of_code(exhibit) if isinstance(exhibit, deck.Code) else LEAST_EXHIBIT
    most = width - GUTTER - LEAST_WORDS
    if needs > most or most < LEAST_EXHIBIT:
        return None
    part = _CHART_PART if isinstance(exhibit, deck.Chart) else 0.5
    share = min(most, max(needs, LEAST_EXHIBIT, int((width - GUTTER) * part)))
    columns = deck.Columns((width - GUTTER - share, share), (tuple(left), tuple(right)), line=shown[0].line)
    return [columns, *below]


def _is_narrow(block: AnyBlock) -> bool:
    """Whether a block is a table that a column of words has room for."""
    return isinstance(block, deck.Table) and _cells_of_table(block) <= LEAST_WORDS


def _cells_of_table(block: deck.Table) -> int:
    """Cells that a table needs so that no cell of it is wrapped, about."""
    rows = [[sum(len(part.text) for part in cell) for cell in row] for row in (block.head, *block.rows)]
    widest: list[int] = [max(column) for column in zip(*rows, strict=False)]
    return sum(widest) + 3 * (len(block.align) - 1)


def needs_width(blocks: Sequence[AnyBlock], most: int = TEXT_PAGE) -> bool:
    """Whether a listing or a table has lines of more cells than `most`: the measure of a text wraps them."""
    return any(
        (isinstance(block, deck.Code) and cells_of_code(block) > most)
        or (isinstance(block, deck.Table) and _cells_of_table(block) > most)
        for block in blocks
    )


def _leads(block: AnyBlock) -> bool:
    """A line that ends in a colon belongs to what follows it."""
    if not isinstance(block, deck.Paragraph):
        return False
    text = "".join(part.text for part in block.content).rstrip()
    return text.endswith(":") and len(text) <= LEAST_WORDS


def cells_of_code(block: deck.Code) -> int:
    """Cells that a listing needs so that no line of it is wrapped, nor of one that takes its place."""
    if block.states:
        return max(map(cells_of_code, (replace(state, states=()) for state in block.states)))
    return max(map(len, block.source.split("\n")), default=0) + cells_before_code(block) + 2


def cells_before_code(block: deck.Code) -> int:
    """Those of the margin, of a line's number and of the sign of a change."""
    from slides.drawing.blocks import listing

    digits = listing.digits(block) + 2 if block.path or block.numbers else 0
    return 2 + digits + 2 * bool(block.diff)


def _most_of_questions(blocks: Sequence[AnyBlock], width: int) -> int:
    """Rows that questions may come to need when they are answered and explained, about: what stands over
    them keeps its size and place meanwhile."""
    rows = 0
    for block in walk(tuple(blocks)):
        if isinstance(block, deck.Quiz):
            texts = [text.strip() for text in block.body.split("\n") if text.strip()]
            options = sum(text.startswith(("- [", "- ")) for text in texts)
            rows += sum(1 + len(text) // max(20, width - 12) for text in texts) + options + 6
    return rows
