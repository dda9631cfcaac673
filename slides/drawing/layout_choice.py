"""Which layout a slide has: as its author said, else what suits its blocks."""

from __future__ import annotations

from slides import deck
from slides.deck import Slide

_PICTURE_ALONE = ([deck.Image], [deck.Heading, deck.Image])


def layout_of(slide: Slide) -> str:
    """The layout that its author chose; else `title` for a first slide of a title and some words, `section`
    for a heading alone, `image` for a picture with nothing but a heading, `quote` for a quote and at most
    whose it is, "" (from top to bottom) for others.
    """
    if slide.layout:
        return slide.layout
    if [type(block) for block in slide.blocks] in _PICTURE_ALONE:
        return "image"
    first, *rest = slide.blocks or (None,)
    if isinstance(first, deck.Quote) and all(isinstance(block, deck.Paragraph) for block in rest[:2]):
        return "quote" if len(rest) < 2 else ""
    if not isinstance(first, deck.Heading) or first.level > 2:
        return ""
    if not rest:
        return "section"
    words = slide.index == 0 and len(rest) <= 4 and all(isinstance(block, deck.Paragraph) for block in rest)
    return "title" if words and first.level == 1 else ""
