"""Rows that pictures of questions share: an answer beside its sign, why it is right or wrong, its block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from quiz.answer_key import fits
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style, plain
from tui.views.question.markdown import dimmed, headed, markdown

DIM, FAINT = Style("dim"), Style("faint")
HEAD, ACCENT = Style("heading", bold=True), Style("accent", bold=True)
GOOD, BAD = Style("good", bold=True), Style("bad", bold=True)
CHIP = Style("text", "select", bold=True)
TAKEN = Style("background", "accent", bold=True)
GROUND = "panel"  # of a block
LAST_ROOM = 14  # kept free at the right of an item for what the reveal says: nothing moves
_KEPT = "\ue000"  # stands for a no-break space
LEAST_WORDS = 16  # cells that an item has all the same, where there are so many


def row(lead: Line, text: str, width: int, bold: bool = False, dim: bool = False) -> list[Line]:
    """`lead` and Markdown beside it, with room at the right for a verdict."""
    indent = cells.line_width(lead)
    body = markdown(text, max(1, width - indent - LAST_ROOM, min(width - indent, LEAST_WORDS))) or [()]
    body = [headed(line) for line in body] if bold else [dimmed(line) for line in body] if dim else body
    return [(*lead, *body[0]), *((Span(" " * indent), *line) for line in body[1:])]


def explained(why: str, indent: int, width: int) -> list[Line]:
    """Why something is right or wrong, beside `indent` cells."""
    if not why:
        return []
    return [(Span(" " * indent), *dimmed(line)) for line in markdown(why, max(1, width - indent))]


def why(state: QuestionState | None, n: int) -> str:
    """What the reveal told of option `n`."""
    return state.explain[n] if state is not None and n < len(state.explain) else ""


def after_gap(lines: list[Line]) -> list[Line]:
    """With an empty line above, where there is something."""
    return [(), *lines] if lines else []


@lru_cache(512)
def plain_words(text: str) -> str:
    """Markdown as one line of plain words; what a no-break space keeps together stays so."""
    from slides.drawing.layout import layout_blocks
    from slides.reading.parse import parse_blocks

    blocks = parse_blocks(text.replace("\u00a0", _KEPT))  # a layout writes it as any other blank
    words = " ".join(plain(line) for line in layout_blocks(blocks, 0, 400)).split()
    return " ".join(words).replace(_KEPT, "\u00a0")


def commented(
    question: Question,
    revealed: QuestionState,
    text: Sequence[str],
    width: int,
    say: Callable[[str], str] = str,
) -> list[Line]:
    """What there is to say of typical answers; one that was given here stands out."""
    lines: list[Line] = []
    for one in revealed.comments:
        own = one.gap < len(text) and fits(question, one.text, text[one.gap])
        sign = Span("   ✓  " if one.right else "   ✗  ", (GOOD if one.right else BAD) if own else FAINT)
        gap = (Span(f"gap {one.gap + 1}: ", DIM),) if question.gaps else ()
        yours = (Span(f"  {say('your answer')}", DIM),) if own else ()
        said = Span(cells.clean(one.text), Style("text", bold=own))
        lines += [(), (sign, *gap, said, *yours), *explained(one.explain, 6, width)]
    return lines


def blocked(rows: Sequence[Line], width: int) -> list[Line]:
    """Rows as a block that stands off from the page: over a ground, exactly `width` cells."""
    fitted = (cells.fit(row, width, Style(ground=GROUND)) for row in rows)
    return [
        tuple(Span(text, look if look.ground else look.on(GROUND)) for text, look in row) for row in fitted
    ]
