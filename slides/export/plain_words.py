"""Blocks as plain words, a line for each thing said: for search, for machines, for labels of drawings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from slides import deck
from slides.deck import AnyBlock, Inlines
from slides.drawing.blocks.charts import charts
from slides.drawing.cells import clean
from slides.drawing.layout import layout_blocks
from slides.drawing.superscripts import in_words
from slides.drawing.text import Line, plain
from slides.export import scene_steps

_WIDE = 400  # cells: nothing that is drawn by the layout is wrapped


def text(blocks: Iterable[AnyBlock]) -> str:
    """All that is to be read on a slide, without marks, styles and the keys of its questions."""
    return "\n".join(line for block in blocks for line in _lines(block))


def inline(content: Inlines) -> str:
    """The words of one paragraph, heading or cell."""
    from slides.math import layout

    parts = []
    for part in in_words(content):
        if part.hard_break:
            parts.append(" ")
        parts.append(plain(layout.inline(part.text)) if part.math else clean(part.text))
    return " ".join("".join(parts).split())


def drawn(lines: Sequence[Line]) -> str:
    """The words within a drawing, without its shapes."""
    words = " ".join(plain(line) for line in lines)
    return " ".join(word for word in words.split() if any(c.isalnum() for c in word))


def _lines(block: AnyBlock) -> list[str]:
    match block:
        case deck.Heading() | deck.Paragraph():
            found = [inline(block.content)]
        case deck.List():
            found = [line for item in block.items for line in text(item.blocks).split("\n")]
        case deck.Quote():
            found = text(block.blocks).split("\n")
        case deck.Table():
            found = [" | ".join(map(inline, row)) for row in (block.head, *block.rows)]
        case deck.Code(states=states) if states:
            found = [line for one in states for line in _lines(replace(one, states=()))]
        case deck.Code():
            lines = block.source.split("\n")
            signs = block.diff or [""] * len(lines)  # of a diff they say what was taken out and what put in
            found = [clean(f"{sign}{line}") for sign, line in zip(signs, lines, strict=False)]
        case deck.Image():
            found = [clean(block.alt)]
        case deck.Columns():
            found = [line for column in block.columns for line in text(column).split("\n")]
        case deck.Rule():
            found = []
        case deck.Chart():
            found = [line.strip() for line in charts.told(block)]
        case deck.Scene():
            found = scene_steps.words(block)
        case deck.Box():
            problem = block.problem
            found = [
                clean(f"{problem.message}. {problem.mend}"),
                *(clean(row) for row in block.raw.split("\n")),
            ]
        case _:
            found = [plain(line).rstrip() for line in layout_blocks((block,), 10_000, _WIDE)]
    return [line for line in found if line]
