"""Words with their styles, links and short formulas, as spans."""

from __future__ import annotations

from collections.abc import Sequence

from slides import deck
from slides.deck import Inlines
from slides.drawing.cells import clean, line_width, wrap
from slides.drawing.superscripts import on_screen
from slides.drawing.text import PLAIN, Line, Span, Style

_DIM = Style("dim")
_WHOLE_FORMULA = 18  # narrower than any column


def unwrapped(content: Inlines, base: Style = PLAIN) -> list[Line]:
    """Unwrapped lines, one more for each hard break. `base` is for words without a style of their own."""
    lines: list[list[Span]] = [[]]
    for part in on_screen(content):
        if part.hard_break:
            lines.append([])
        if part.text or part.image:
            lines[-1] += _inline(part, base)
    return [tuple(line) for line in lines]


def _inline(part: deck.Inline, base: Style) -> Sequence[Span]:
    style = part.style
    if style.ink == PLAIN.ink:
        style = style._replace(ink=base.ink, bold=style.bold or base.bold)
    if part.math:
        from slides.math import layout as math_layout

        formula = math_layout.inline(part.text)
        # A short formula is read as one word, and no line breaks in it.
        blank = "\u00a0" if line_width(formula) <= _WHOLE_FORMULA else " "
        return [Span(text.replace(" ", blank), style if own == PLAIN else own) for text, own in formula]
    if part.image:
        return [Span("▣ ", _DIM), Span(clean(part.text) or "picture", style._replace(ink="dim", italic=True))]
    if part.href:
        from slides.drawing.links import target

        ink = "accent" if style.ink == base.ink else style.ink
        style = style._replace(ink=ink, underline=True, link=target(part.href))
    return [Span(clean(part.text), style)]


def wrapped(content: Inlines, width: int, base: Style = PLAIN) -> list[Line]:
    """Return running text as lines of at most `width` cells."""
    return [line for whole in unwrapped(content, base) for line in wrap(whole, width)]
