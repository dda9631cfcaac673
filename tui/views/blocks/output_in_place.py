"""What stands in the place of code that has run: what it printed, or the picture that it made. Both are
untrusted. Before, while it runs and after a failure the code stands there."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial

from msgspec.structs import replace

from slides import palette
from slides.deck import Box, Code, Image
from slides.drawing.blocks import image
from slides.drawing.blocks.listing import listing
from slides.drawing.large import three_rows
from slides.drawing.large.blocks_tripled import code_in_letters
from slides.drawing.layout import layout_blocks
from slides.drawing.text import Line, Span, Style
from slides.problems import Problem
from tui.classroom.runs.snippet_outputs import Heard
from tui.graphics.picture_cache import READING

MOST = 200  # lines of what was printed; all of them are in the pane
MEND = "Print a PNG or JPEG and nothing else, or write it to the file that $TEACHRUN_IMAGE names."
_NO_SVG = "An SVG is not drawn: save it as a PNG."
_SAID = 2000  # bytes of what was printed instead of a picture


def ran(block: Code, heard: Heard | None) -> bool:
    """Whether something else stands in its place now."""
    if heard is None or not block.gives:
        return False
    meant = block.fails and heard.output.state == "failed" and heard.output.code is not None
    return heard.output.state == "done" or (meant and block.gives == "output")


def token(block: Code, heard: Heard | None) -> Hashable:
    """What its look depends on, once something stands in its place."""
    return (heard.output.run, heard.first, len(heard)) if heard is not None and ran(block, heard) else None


def lines(
    block: Code,
    heard: Heard,
    above: Line,
    frame: int,
    width: int,
    picture: Callable[[Image, int], list[Line] | str],
    file: str,
    letters: bool = False,
) -> list[Line]:
    """What stands there, below the line `above`. `picture` draws what was made at a width, or says why not;
    `file` is the deck's. `letters`: what was printed may be in letters, where it is then no higher than the
    code was."""
    if block.gives == "output":
        rows = len(listing(block, frame, width)) if letters else 0
        return _panel(_printed(heard), above, width, rows)
    made = Image(f"\0{block.id}\0{heard.output.run}", f"what {block.lang} made", line=block.line)
    drawn = picture(made, width)
    if isinstance(drawn, list):
        return [above, (), *drawn]
    if drawn in ("", READING):
        return [above, *layout_blocks((replace(made, path=""),), 0, width, pictures=lambda *_: drawn)]
    problem = Problem(block.file or file, block.line, drawn, mend(heard.picture))
    box = layout_blocks((Box(problem, said(heard.picture), line=block.line),), 0, width)
    return [*listing(block, frame, width, above), (), *box]


def _printed(heard: Heard) -> str:
    rows = heard.rows(0, MOST)
    before = [f"… {heard.first:,} lines before"] if heard.first else []
    left = len(heard) - len(rows)
    after = [f"… {left:,} lines more"] if left else []
    return "\n".join((*before, *rows, *after)) or "(nothing was printed)"


def _panel(text: str, above: Line, width: int, rows: int) -> list[Line]:
    """The text on the ground of code, in letters where these need at most so many rows."""
    printed = Code("", text)
    small = listing(printed, 0, width, above)
    if three_rows.TIMES * (text.count("\n") + 1) + 2 > rows:
        return small
    draw = partial(listing, printed, 0)
    drawn = next(
        (found for slim in (False, True) if (found := code_in_letters(printed, width, draw, slim))), []
    )
    blank: Line = (Span(" " * width, Style(ground="panel")),)
    return [*small[: bool(above)], blank, *drawn, blank] if drawn else small


def unreadable(data: bytes) -> str:
    """Why these bytes cannot be shown as a picture; "" where they can."""
    try:
        image.picture(data, 8, 4, palette.THEMES["dark"])
    except image.Unreadable as why:
        return str(why)
    return ""


def mend(data: bytes) -> str:
    """What to do about bytes that are no picture."""
    if not image.available():
        return ""
    return _NO_SVG if b"<svg" in data[:_SAID] else MEND


def said(data: bytes) -> str:
    """The words that were printed instead of a picture, as far as they are words."""
    try:
        return data[:_SAID].decode("utf-8", "strict" if len(data) <= _SAID else "ignore")
    except UnicodeDecodeError:
        return ""
