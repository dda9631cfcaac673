"""How large the title of a slide is: in letters of blocks over a rule where a screen has room for them."""

from __future__ import annotations

from slides import deck
from slides.drawing.blocks.titles import in_letters
from slides.drawing.cells import clean, line_width
from slides.drawing.large import three_rows
from slides.drawing.large.letters import Size
from slides.drawing.superscripts import on_screen
from slides.drawing.text import Line, Span, Style

LETTERS = 92, 24  # columns and rows for a slide from which on its title and its words may be in letters
_TITLE, _RULE = Style("heading", bold=True), Style("accent")


def lettered_title(
    heading: deck.Heading | None,
    step: int,
    width: int,
    height: int,
    sizes: tuple[Size, ...] = ("bold", "low"),
) -> list[Line] | None:
    """Return a title in letters over a rule; None where they have no room or are not there."""
    if heading is None or width < LETTERS[0] or height < LETTERS[1]:
        return None
    drawn = in_letters(heading.content, width, sizes, _TITLE, 1) or (
        in_letters(heading.content, width, sizes[-2:], _TITLE, 2) if height >= LETTERS[1] + 10 else None
    )
    if drawn is None and sizes[-1] == "low":
        drawn = _with_signs(heading, width)
    if drawn is None:
        return None
    rule: Line = (Span("━" * max(1, max(map(line_width, drawn))), _RULE),)
    return [*drawn, rule] if step >= heading.at else [()] * (len(drawn) + 1)


def _with_signs(heading: deck.Heading, width: int) -> list[Line] | None:
    """A title in one row of letters, in which what is no letter (an emoji) has its own size."""
    spans = tuple(Span(clean(part.text), _TITLE) for part in on_screen(heading.content))
    if any(part.math or part.image for part in heading.content) or not three_rows.has_letters([spans]):
        return None
    drawn = three_rows.text([spans], width)
    return drawn if len(drawn) == three_rows.TIMES else None


def enlarged_title(heading: deck.Heading | None, step: int, width: int) -> list[Line]:
    """Return a title in bold letters, on as many rows as it needs."""
    if heading is None:
        return []
    spans = tuple(Span(clean(part.text), _TITLE) for part in on_screen(heading.content))
    drawn = three_rows.text([spans], width)
    rule: Line = (Span("━" * max(1, max(map(line_width, drawn), default=1)), _RULE),)
    return [*drawn, rule] if step >= heading.at else [()] * (len(drawn) + 1)
