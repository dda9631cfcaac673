"""What does not fit: slides with more rows than a size has, lines of code that wrap, names without room.

Whoever knows how a screen draws a slide hands in its pages (`Page`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from slides.deck import Code, Deck, Scene, Slide
from slides.drawing.cells import width
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line
from slides.highlighting import highlight
from slides.problems import Problem, quoted
from slides.screen_size import Size


class Page(NamedTuple):
    """A slide as a screen shows it at one step: its lines, and the rows that are left for them.

    `when` says what else is on the screen, as it ends a sentence: `while ddp runs`.
    """

    step: int
    lines: Sequence[Line]
    rows: int
    when: str = ""


def overflow(deck: Deck, slide: Slide, pages: Iterable[Page], size: Size) -> Problem | None:
    """Return the problem of the first page of a slide that needs more rows than there are."""
    for page in pages:
        needed = needs(page.lines)
        if needed > page.rows:
            step = f" from step {page.step + 1} on" if page.step else ""
            when = f" {page.when}" if page.when else ""
            message = (
                f"slide {slide.index + 1}, {quoted(slide.title or slide.id)}, needs {needed} rows"
                f"{step}{when}, and at {size} has {page.rows}"
            )
            return Problem(deck.path, slide.line, message, "Split it with `---` or say less: it scrolls.")
    return None


def needs(lines: Sequence[Line]) -> int:
    """Rows up to the last in which something is seen: what a later step brings is blank."""
    seen = (n for n, line in enumerate(lines, 1) if any(_seen(span.text, span.style.ground) for span in line))
    return max(seen, default=0)


def _seen(text: str, ground: str) -> bool:
    return bool(text) and (bool(ground) or not text.isspace())


def wrapped(deck: Deck, block: Code, cells: int) -> Problem | None:
    """Return the problem of the longest line of code, if its block makes it wrap; else None."""
    block = replace(block, states=())  # of what takes its place is asked too
    lines = highlight.source_lines(block.source)
    longest = max(range(len(lines)), key=lambda n: width(lines[n]))
    size = width(lines[longest])
    endless = 2 * (cells + size)  # nothing is broken there
    if len(layout_blocks((block,), block.at, cells)) <= len(layout_blocks((block,), block.at, endless)):
        return None
    what = f"line {block.first + longest} of {block.path}" if block.path else "this line of code"
    message = f"{what} has {size} characters and wraps: its block has {cells} cells, margins included"
    line = block.line if block.path else block.line + 1 + longest
    return Problem(block.file or deck.path, line, message, "Break the line, or give the code more room.")


def unnamed(deck: Deck, block: Scene, step: int, picture: tuple[int, int], size: Size) -> Problem | None:
    """Return the problem of a scene that was written in the deck and loses names of boxes in a picture of so
    many columns and rows; else None."""
    if not block.body or block.script or block.name == "mermaid" or block.body.startswith("["):
        return None  # what was made by a program says itself what is short where
    from slides.scenes import on_slide
    from slides.scenes.painting import marks_of
    from slides.scenes.painting.word_over_picture import too_long

    lost = list(dict.fromkeys(too_long(marks_of(on_slide.of(block).state(step), *picture)[1], picture[0])))
    if not lost:
        return None
    names = ", ".join(map(quoted, lost[:3])) + (f" and {len(lost) - 3} more" if len(lost) > 3 else "")
    message = f"at {size} this scene has {picture[0]} columns, and its boxes no room for {names}"
    mend = "Give it more width (`::: columns 1,2`), shorter names, or fewer boxes in a row."
    return Problem(block.file or deck.path, block.line, message, mend)
