"""A page that uses the screen of a room: how large its title is, how much air its words have, what stands
beside them, and where all of it stands. On a small terminal it is set from top to bottom.

It has 60 % of the height or what it needs, and stands a little above the middle. As most slides need no more,
titles stay in their row from slide to slide.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides import deck
from slides.deck import AnyBlock, Slide
from slides.drawing.blocks.titles import in_letters
from slides.drawing.cells import clean, line_width
from slides.drawing.density import AIRY, BIG, ENLARGED, NORMAL, ROOMY, SPOKEN, Mode
from slides.drawing.draw import Draw
from slides.drawing.large.letters import Size
from slides.drawing.scripts import on_screen
from slides.drawing.text import Line, Span, Style, plain
from slides.walk import blocks as walk
from slides.walk import has_chart

LEAST = 88, 24  # columns and rows for a slide from which on it is composed
LEAST_ENLARGED = 76, 24  # from which on big text is in letters, all of it
HALL = 104, 32  # from which on a few words are in letters as well as their title
LARGE_TITLE = 48  # rows from which on their title is in larger letters than titles of other slides
LETTER_ROWS = 4  # that an ordinary row of words takes at least in letters
HALL_PART = 0.75  # of the height at most, for those
LETTERS = 104, 28  # from which on its title may be in letters
PAGE_PART, ABOVE_PART = 0.6, 0.45  # of the height at least; of what is spare, over the page
DEMO_PART = 0.55  # of the height at most with a title in letters: the rest is for the panel
MOST_GAP = 2  # rows more than one between title and words
LEAST_WORDS, LEAST_EXHIBIT, GUTTER = 40, 44, 4  # cells of words with something beside them
_TITLE, _RULE = Style("heading", bold=True), Style("accent")
_WORDS = (deck.Paragraph, deck.List, deck.Quote, deck.Math)
_SPOKEN = (deck.Paragraph, deck.List, deck.Table, deck.Math)
_EXHIBITS = (deck.Code, deck.Image, deck.Chart)
_CHART_PART = 0.58  # of the width, for a chart beside words


class _Set(NamedTuple):
    """A page in one manner, before it has its place."""

    title: list[Line]
    body: list[Line]

    @property
    def needed(self) -> int:
        return len(self.title) + bool(self.title and self.body) + len(self.body)


def suits(width: int, height: int, mode: Mode) -> bool:
    """Whether slides of this size are composed; `height` 0 where it is not known."""
    if enlarges(width, height, mode):
        return True
    return mode is NORMAL and width >= LEAST[0] and height >= LEAST[1]


def enlarges(width: int, height: int, mode: Mode) -> bool:
    """Whether a slide of this size is set in letters as a whole."""
    return mode in (BIG, ENLARGED) and width >= LEAST_ENLARGED[0] and height >= LEAST_ENLARGED[1]


def composed(
    slide: Slide, step: int, width: int, height: int, part: int, draw: Draw, *, enlarged: bool = False
) -> list[Line]:
    """The lines of a slide that no layout places, for a screen with `height` rows for it, of which `part`
    are seen: its look depends on the former, its place on the latter."""
    title, body = _titled(slide.blocks)
    if enlarged:
        page = _Set(_enlarged_title(title, step, width), draw(body, width, rows=int(height * 0.7)))
        return _placed(page, page.needed, part)
    if part >= height and (spoken := _spoken(title, body, step, width, height, draw)) is not None:
        return _placed(spoken, spoken.needed, part)  # beside a panel words make room for it
    demos = any(isinstance(block, deck.Demo) for block in body)
    room = int(height * DEMO_PART) if demos else height
    kept = _most_of_questions(body, width)
    small = draw([title], width) if title else []
    # A question beside a panel needs the rows, and its title is not to grow when the panel comes.
    first = (None if kept and part < height else _title(title, step, width, height)) or small
    page = _Set(small, [])
    manners = [(ROOMY, first), (AIRY, first), (NORMAL, first), (NORMAL, small)]
    for mode, heading in manners[demos:]:
        page = _Set(heading, _body(body, width, height - len(heading) - 1, mode, draw))
        if max(page.needed, len(heading) + kept) <= room:
            break
    return _placed(page, max(page.needed, len(page.title) + kept), part)


def _spoken(
    title: deck.Heading | None, body: Sequence[AnyBlock], step: int, width: int, height: int, draw: Draw
) -> _Set | None:
    """A few words on the screen of a room, all of them in letters; None where they are more, or others. The
    line of a demo keeps its size: it says what a key starts."""
    words = [block for block in body if not isinstance(block, deck.Demo)]
    if width < HALL[0] or height < HALL[1] or not words or words != list(body[: len(words)]):
        return None
    if not all(isinstance(block, _SPOKEN) for block in walk(tuple(words))):
        return None
    ordinary = draw(words, width)
    if LETTER_ROWS * sum(any(sign.isalnum() for sign in plain(line)) for line in ordinary) > height:
        return None  # before it costs more to know it
    from slides.drawing.large.enlarged import has_letters

    if not has_letters(ordinary) or any(_stays_small(block, width, draw) for block in words):
        return None
    demos = body[len(words) :]
    large: tuple[Size, ...] = ("large",) if height >= LARGE_TITLE and not demos else ()
    sizes: tuple[Size, ...] = (*large, "bold", "low")
    heading = _title(title, step, width, height, sizes)
    if heading is None and title is not None:
        return None
    for mode in (SPOKEN, ENLARGED):
        spoken = draw(words, width, mode=mode)
        if demos:
            spoken += [(), (), *draw(demos, width)]
        page = _Set(heading or [], spoken)
        if page.needed <= HALL_PART * height:
            return page
    return None


def _stays_small(block: AnyBlock, width: int, draw: Draw) -> bool:
    """Whether there is no room for a table or a formula in letters."""
    if not isinstance(block, deck.Table | deck.Math):
        return False
    return draw([block], width, mode=ENLARGED) == draw([block], width)


def _placed(page: _Set, needed: int, height: int) -> list[Line]:
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


def _title(
    heading: deck.Heading | None,
    step: int,
    width: int,
    height: int,
    sizes: tuple[Size, ...] = ("bold", "low"),
) -> list[Line] | None:
    """In letters over a rule; None where they have no room or are not there."""
    if heading is None or width < LETTERS[0] or height < LETTERS[1]:
        return None
    drawn = in_letters(heading.content, width, sizes, _TITLE, 1) or (
        in_letters(heading.content, width, sizes[-2:], _TITLE, 2) if height >= LETTERS[1] + 8 else None
    )
    if drawn is None:
        return None
    rule: Line = (Span("━" * max(1, max(map(line_width, drawn))), _RULE),)
    return [*drawn, rule] if step >= heading.at else [()] * (len(drawn) + 1)


def _enlarged_title(heading: deck.Heading | None, step: int, width: int) -> list[Line]:
    """In bold letters, on as many rows as it needs."""
    if heading is None:
        return []
    spans = tuple(Span(clean(part.text), _TITLE) for part in on_screen(heading.content))
    from slides.drawing.large import enlarged

    drawn = enlarged.text([spans], width)
    rule: Line = (Span("━" * max(1, max(map(line_width, drawn), default=1)), _RULE),)
    return [*drawn, rule] if step >= heading.at else [()] * (len(drawn) + 1)


# -- what stands under it ------------------------------------------------------------------------------------


def _body(blocks: Sequence[AnyBlock], width: int, rows: int, mode: Mode, draw: Draw) -> list[Line]:
    """Words at the left and what they are about at the right, where that is no higher than both stacked."""
    stacked = draw(blocks, width, rows=rows if has_chart(blocks) else int(rows * 0.7), mode=mode)
    parts = beside(blocks, width)
    if parts is None:
        return stacked
    drawn = draw(parts, width, rows=rows, mode=mode)
    return drawn if len(drawn) <= max(rows, len(stacked)) else stacked


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
    if not all(isinstance(block, _WORDS) for n, block in enumerate(shown) if n != at):
        return None
    exhibit = shown[at]
    start = at - (at > 1 and _leads(shown[at - 1]))
    right, left = shown[start : at + 1], [*shown[:start], *shown[at + 1 :]]
    needs = cells_of_code(exhibit) if isinstance(exhibit, deck.Code) else LEAST_EXHIBIT
    most = width - GUTTER - LEAST_WORDS
    if needs > most or most < LEAST_EXHIBIT:
        return None
    part = _CHART_PART if isinstance(exhibit, deck.Chart) else 0.5
    share = min(most, max(needs, LEAST_EXHIBIT, int((width - GUTTER) * part)))
    columns = deck.Columns((width - GUTTER - share, share), (tuple(left), tuple(right)), line=shown[0].line)
    return [columns, *below]


def _leads(block: AnyBlock) -> bool:
    """A line that ends in a colon belongs to what follows it."""
    if not isinstance(block, deck.Paragraph):
        return False
    text = "".join(part.text for part in block.content).rstrip()
    return text.endswith(":") and len(text) <= LEAST_WORDS


def cells_of_code(block: deck.Code) -> int:
    """Cells that a listing needs so that no line of it is wrapped."""
    lines = block.source.split("\n")
    digits = len(str(block.first + len(lines))) + 2 if block.path or block.numbers else 0
    return max(map(len, lines), default=0) + digits + 2 * bool(block.diff) + 4


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
