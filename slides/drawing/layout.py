"""Blocks to styled lines at a width: the only code that knows a size.

What a later step brings keeps its space as blank lines, so a slide has one height and never jumps. Lines are
never wider than asked for, at any width from 1 on, and no block can break a slide: one that fails is a box.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from slides import deck
from slides.deck import AnyBlock, Slide
from slides.drawing import room_page
from slides.drawing.author_layouts import large, placed
from slides.drawing.blocks import columns_side_by_side, plain_blocks
from slides.drawing.blocks.frames import NARROWEST, boxed
from slides.drawing.blocks.inlines import unwrapped, wrapped
from slides.drawing.cells import chop, clean, clip, line_width, wrap
from slides.drawing.text import Line, Span, Style, indented, plain
from slides.drawing.text_size import BIG, ENLARGED, NORMAL, WHOLE_WIDTH, Mode
from slides.problems import Problem
from slides.reading_order import has_chart

if TYPE_CHECKING:
    from slides.drawing.blocks.charts.chart_pixels import Plots
    from slides.scenes.on_slide import Pictures as Scenes

Special = Callable[[AnyBlock, int, int], "list[Line] | None"]
"""Lines for a block that others know how to draw at (step, width), or None for the plain rendering."""

Pictures = Callable[[deck.Image, int, int], "list[Line] | str"]
"""A picture in at most (columns, rows) cells, or why it cannot be shown now."""

_BULLETS = "•◦‣"
_HEADING, _ACCENT, _DIM = Style("heading", bold=True), Style("accent"), Style("dim")
_RULE = Style("line")
_NARROW_TEXT = 6  # an indent that leaves less room is left out
_PICTURE_ROWS = 24  # where the height is not known


class _At(NamedTuple):
    """What every block is laid out for; `depth` counts the lists around it."""

    step: int
    special: Special | None
    depth: int = 0
    mode: Mode = NORMAL
    pictures: Pictures | None = None
    rows: int = 0
    most: int = 0
    scenes: Scenes | None = None
    plots: Plots | None = None


def layout(
    slide: Slide,
    step: int,
    width: int,
    height: int = 0,
    *,
    part: int | None = None,
    most: int = 0,
    mode: Mode = NORMAL,
    special: Special | None = None,
    pictures: Pictures | None = None,
    scenes: Scenes | None = None,
    plots: Plots | None = None,
) -> list[Line]:
    """The lines of `slide` at `step` (from 0), none wider than `width` >= 1 cells.

    `height` is what there is of it, 0 where that is not known: where blocks stand, how large a title is and
    pictures grow depends on it. `part` of these rows are seen (a demo's panel has the others); 1 for a slide
    that is as high as it needs to be. With `most` no more lines are laid out than are needed for so many:
    a slide of 10,000 is drawn as it is scrolled.
    """
    if slide.size == "large" and mode == NORMAL:
        mode = BIG
    if room_page.enlarges(max(width, 1), height, mode):
        mode = ENLARGED
    at = _At(step, special, mode=mode, pictures=pictures, most=most, scenes=scenes, plots=plots)

    def draw(
        blocks: Sequence[AnyBlock], cells: int, *, rows: int = 0, mode: Mode | None = None
    ) -> list[Line]:
        return _blocks(blocks, at._replace(rows=rows, mode=mode or at.mode), max(cells, 1))

    lines = placed(slide, step, max(width, 1), height, height if part is None else part, mode, draw)
    return [clip(line, max(width, 1)) for line in lines]


def layout_blocks(
    blocks: Sequence[AnyBlock],
    step: int,
    width: int,
    pictures: Pictures | None = None,
) -> list[Line]:
    """The lines of `blocks` at `step`, one blank line between two blocks."""
    at = _At(step, None, mode=WHOLE_WIDTH, pictures=pictures)
    return _blocks(blocks, at, max(width, 1))


def _blocks(blocks: Sequence[AnyBlock], at: _At, width: int, *, tight: bool = False) -> list[Line]:
    lines: list[Line] = []
    above: AnyBlock | None = None
    shared = _shared(blocks, at, width)
    for block in blocks:
        if _enough(lines, at):
            break
        drawn = _block(block, at._replace(rows=shared) if shared and has_chart([block]) else at, width)
        if lines and drawn and not tight and not (at.depth and _held(above, block)):
            lines += [()] * _gap(above, block, at.mode)
        lines += drawn
        above = block if drawn else above
    return lines


def _held(above: AnyBlock | None, block: AnyBlock) -> bool:
    """Whether a block of an item is a list that belongs to the words right above it."""
    return isinstance(above, deck.Paragraph) and isinstance(block, deck.List) and block.tight


def _shared(blocks: Sequence[AnyBlock], at: _At, width: int) -> int:
    """Rows of each chart among blocks, what the others leave of those there are; 0: nothing to share."""
    if not at.rows or not has_chart(blocks):
        return 0
    words = [block for block in blocks if not has_chart([block])]
    taken = sum(len(_block(block, at, width)) for block in words) + at.mode.gap * (len(blocks) - 1)
    taken += at.rows > 20  # and a blank one at the foot
    return max(1, (at.rows - taken) // (len(blocks) - len(words)))


def _enough(lines: Sequence[Line], at: _At) -> bool:
    return 0 < at.most <= len(lines)


def _gap(above: AnyBlock | None, block: AnyBlock, mode: Mode) -> int:
    """Blank lines between two blocks; without any, two paragraphs would be one."""
    return max(mode.gap, isinstance(above, deck.Paragraph) and isinstance(block, deck.Paragraph))


def _block(block: AnyBlock, at: _At, width: int) -> list[Line]:
    shown = at.step >= block.at
    # A hidden block is laid out as it will first be shown: that is the space it keeps.
    now = at if shown else at._replace(step=block.at)
    try:
        if isinstance(block, deck.Code) and block.states:
            return _states(block, at, width)
        drawn = _large(block, now, width) if at.mode.enlarged else _drawn(block, now, width)
        drawn = [clip(line, width) for line in drawn]
        if block.side:
            drawn = _aligned(drawn, block, width, one_by_one=not at.mode.enlarged)
    except Exception as error:
        drawn = failed_block(block, error, width)
    return drawn if shown else [()] * len(drawn)


def _states(block: deck.Code, at: _At, width: int) -> list[Line]:
    """The code that a step shows in a place, as high as the highest that comes to stand there."""
    shown = block.state(max(at.step, block.at))
    whole = [_block(state, at._replace(step=max(at.step, state.at)), width) for state in block.states]
    drawn = whole[block.states.index(shown)]
    left = max(map(len, whole)) - len(drawn)
    if at.step < block.at:
        return [()] * (len(drawn) + left)
    return [*drawn, *[(Span(" " * width, Style(ground="panel")),)] * left]


def _aligned(lines: list[Line], block: AnyBlock, width: int, *, one_by_one: bool) -> list[Line]:
    """Words in the middle or at the right: each line of a paragraph, other lines as they stand together."""
    if isinstance(block, deck.Paragraph) and one_by_one:
        widths = [line_width(line) for line in lines]
    else:
        widths = [_widest(lines)] * len(lines)
    part = 2 if block.side == "center" else 1
    return [
        (Span(" " * ((width - cells) // part)), *line) if line and cells < width else line
        for line, cells in zip(lines, widths, strict=True)
    ]


def _drawn(block: AnyBlock, at: _At, width: int) -> list[Line]:
    drawn = at.special(block, at.step, width) if at.special else None
    return _DRAW[type(block)](block, at, width) if drawn is None else drawn


def _large(block: AnyBlock, at: _At, width: int) -> list[Line]:
    from slides.drawing.large.blocks_tripled import large_block

    ordinary = partial(_drawn, block, at._replace(mode=NORMAL))
    drawn = large_block(block, width, ordinary, at.mode)
    return _drawn(block, at, width) if drawn is None else drawn


def failed_block(block: AnyBlock, error: Exception, width: int) -> list[Line]:
    """The box in place of a block that cannot be drawn."""
    what = type(block).__name__.lower()
    reason = str(error) if isinstance(error, ValueError) else f"{type(error).__name__}: {error}"
    problem = Problem("", block.line, f"this {what} cannot be shown: {reason}", "Write it in another way.")
    return [clip(line, width) for line in plain_blocks.box(deck.Box(problem, line=block.line), width)]


# -- words --------------------------------------------------------------------------------------------------


def _paragraph(block: deck.Paragraph, at: _At, width: int) -> list[Line]:
    if at.mode.enlarged:
        from slides.drawing.large import three_rows

        return three_rows.text(unwrapped(block.content), width, tight=at.mode.tight, slim=at.mode.slim)
    return wrapped(block.content, min(width, at.mode.words))


def _heading(block: deck.Heading, at: _At, width: int) -> list[Line]:
    if at.mode.enlarged:
        from slides.drawing.large import three_rows

        # Of the title's size, but neither as bold nor of its colour.
        return three_rows.text(unwrapped(block.content, _ACCENT), width, tight=at.mode.tight)
    if (
        at.mode.letters
        and block.level < 3
        and (drawn := large(block.content, width, at.mode, ("narrow",), _HEADING, 2 if width >= 70 else 1))
    ):
        return drawn
    lines = wrapped(block.content, width, _HEADING if block.level < 4 else Style("dim", bold=True))
    if block.level == 1:
        lines.append((Span("━" * max(1, _widest(lines)), _ACCENT),))
    return lines


def _list(block: deck.List, at: _At, width: int) -> list[Line]:
    markers = [_marker(block, n, item.task, at.depth) for n, item in enumerate(block.items)]
    indent = max((len(marker.text) for marker in markers), default=0)
    indent *= 2 if at.mode.enlarged else 1
    inner = at._replace(depth=at.depth + 1)
    # Air is for the items of a slide; a list within one stays with it, unless blank lines part its own.
    as_written = at.mode.loose is None or (
        at.mode.loose and at.depth and (at.mode.tight or not at.mode.enlarged)
    )
    loose = not block.tight if as_written else at.mode.loose
    lines: list[Line] = []
    for marker, item in zip(markers, block.items, strict=True):
        if _enough(lines, at):
            break
        room = width - indent
        body = _blocks(item.blocks, inner, max(room, 1), tight=block.tight) or [()]
        if room < _NARROW_TEXT:
            body = _blocks(item.blocks, inner, width, tight=block.tight)
            body = [*wrap([marker], width), *body]
        elif at.mode.enlarged:
            from slides.drawing.large import three_rows

            body = _beside(three_rows.marker(marker, indent), body, indent)
        else:
            body = indented(body, marker._replace(text=marker.text.rjust(indent)), Span(" " * indent))
        if lines and loose:
            lines += [()] * (at.mode.gap if at.mode.enlarged else 1)
        lines += body if at.step >= item.at else [()] * len(body)
    return lines


def _beside(first: Sequence[Line], body: Sequence[Line], indent: int) -> list[Line]:
    rest: Line = (Span(" " * indent),)
    body = [*body, *[()] * (len(first) - len(body))]
    return [(*(first[n] if n < len(first) else rest), *line) for n, line in enumerate(body)]


def _marker(block: deck.List, index: int, task: bool | None, depth: int) -> Span:
    if task is not None:
        return Span("☑ ", Style("good")) if task else Span("☐ ", _DIM)
    if block.ordered:
        return Span(f"{block.start + index}. ", _ACCENT)
    return Span(_BULLETS[depth % len(_BULLETS)] + "  ", _ACCENT)


def _quote(block: deck.Quote, at: _At, width: int) -> list[Line]:
    if width - 2 < _NARROW_TEXT:
        return _blocks(block.blocks, at, width)
    bar = Span("▎ ", _ACCENT)
    return [(bar, *line) for line in _blocks(block.blocks, at, width - 2)]


def _table(block: deck.Table, at: _At, width: int) -> list[Line]:
    from slides.drawing.blocks.tables import table_lines

    head = [unwrapped(cell, _HEADING) for cell in block.head]
    rows = [[unwrapped(cell) for cell in row] for row in block.rows[: at.most or None]]
    return table_lines([head, *rows], block.align, width, whole=at.mode.whole, airy=at.mode.airy)


# -- code, math, pictures -----------------------------------------------------------------------------------


def _frame(block: AnyBlock, at: _At, frames: int) -> int:
    """Which of its own frames a block shows: one a step from the step that shows it on."""
    return min(max(at.step - block.at, 0), frames - 1)


def _code(block: deck.Code, at: _At, width: int) -> list[Line]:
    from slides.drawing.blocks.listing import listing

    frame = _frame(block, at, block.frames)
    if at.mode.whole:
        longest = max(map(len, block.source.split("\n")), default=0)
        wide = listing(block, frame, max(width, longest + 16), limit=at.most)
        return [chop(line, width)[0] for line in wide]
    lines = listing(block, frame, width, limit=at.most)
    if not at.mode.gap:  # the ground above and below the code is air too
        for n in (-1, 1, 0):
            if len(lines) > 1 and not plain(lines[n]).strip():
                del lines[n]
                if n >= 0:
                    break
    return lines


def _math(block: deck.Math, at: _At, width: int) -> list[Line]:
    from slides.math import layout as math_layout

    lines: list[Line] = list(math_layout.display(block.tex))
    if _widest(lines) > width:
        lines = [line for piece in math_layout.pieces(block.tex) for line in piece]
    if _widest(lines) > width:
        return wrap(math_layout.inline(block.tex), width)
    indent = min(4, (width - _widest(lines)) // 2)
    return [(Span(" " * indent), *line) for line in lines]


def _widest(lines: Sequence[Line]) -> int:
    return max(map(line_width, lines), default=0)


def _rule(block: deck.Rule, at: _At, width: int) -> list[Line]:
    return [(Span("─" * width, _RULE),)]


def _image(block: deck.Image, at: _At, width: int) -> list[Line]:
    """The picture, or a frame with its words: where nobody draws pictures, or with why this one is not."""
    cells = width
    if block.width:
        cells = max(2, min(width, round(block.width * width if block.width <= 1 else block.width)))
    drawn = at.pictures(block, cells, at.rows or _PICTURE_ROWS) if at.pictures else ""
    if not isinstance(drawn, str):
        return drawn
    words = [Span(clean(block.alt) or "picture", Style("dim", italic=True))]
    if width < NARROWEST:
        return wrap(words, width)
    cells = min(width, 60)
    why = wrap([Span(clean(drawn), _DIM)], cells - 4) if drawn else []
    return boxed([*wrap(words, cells - 4), *why], cells, _DIM, clean(block.path))


def _scene(block: deck.Scene, at: _At, width: int) -> list[Line]:
    from slides.scenes import on_slide

    frame = _frame(block, at, block.frames)
    return on_slide.lines(block, frame, width, at.rows, at.scenes, alone=at.mode.whole)


def _chart(block: deck.Chart, at: _At, width: int) -> list[Line]:
    from slides.drawing.blocks.charts import charts

    return charts.lines(block, width, at.rows, large=at.mode.enlarged, plots=at.plots)


def _columns(block: deck.Columns, at: _At, width: int) -> list[Line]:
    return columns_side_by_side.lines(block, width, lambda blocks, cells: _blocks(blocks, at, cells))


def _in_words(draw: Callable[..., list[Line]]) -> Callable[..., list[Line]]:
    """Draw a block for which a width is enough."""
    return lambda block, at, width: draw(block, width)


_DRAW: dict[type[AnyBlock], Callable[..., list[Line]]] = {
    deck.Heading: _heading,
    deck.Paragraph: _paragraph,
    deck.List: _list,
    deck.Quote: _quote,
    deck.Table: _table,
    deck.Code: _code,
    deck.Math: _math,
    deck.Rule: _rule,
    deck.Image: _image,
    deck.Columns: _columns,
    deck.Demo: _in_words(plain_blocks.demo),
    deck.Scene: _scene,
    deck.Estimate: _in_words(plain_blocks.estimate),
    deck.Exercise: _in_words(plain_blocks.exercise),
    deck.Chart: _chart,
    deck.Quiz: _in_words(plain_blocks.quiz),
    deck.Box: _in_words(plain_blocks.box),
}
