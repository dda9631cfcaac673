"""Words of a diagram as lines of cells, and boxes around them."""

from __future__ import annotations

import re
from html import unescape

from slides.drawing.cells import clean, clip_text, width
from slides.scenes.shapes import AnyShape, Box

MOST_LINES = 4  # of a box
WIDEST, NARROWEST = 24, 12  # cells of a line from which on it is broken: where there is room, and where not
_BREAK = re.compile(r"<br\s*/?>|\\n", re.IGNORECASE)
_MARKS = re.compile(r"</?[a-z]{1,10}>|`|\*\*")


def lines_of(text: str, most: int = WIDEST) -> list[str]:
    """Return the words of a box as lines, at least one."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        text = text[1:-1]
    found: list[str] = []
    for part in _BREAK.split(text):
        words = clean(unescape(_MARKS.sub("", part).replace("#quot;", '"'))).split()
        line = ""
        for word in words:
            if line and width(line) + 1 + width(word) > most:
                found.append(line)
                line = word
            else:
                line = f"{line} {word}".strip()
        found.append(line)
    return found[:MOST_LINES] or [""]


def box(
    name: str,
    lines: list[str],
    at: tuple[float, float],
    size: tuple[float, float],
    ink: str,
    framed: bool = True,
) -> list[AnyShape]:
    """Return a box with its lines of words in it, a unit being a cell; `framed`: they stand in a frame."""
    x, y = at
    wide, high = size
    if not framed:
        each = high / len(lines)
        return [
            Box(id=f"words {name} {n}", at=(x, y + n * each), size=(wide, each), ink=ink, text=line,
                short=clip_text(line, 5), layer=2)
            for n, line in enumerate(lines)
        ]  # fmt: skip
    found: list[AnyShape] = [Box(id=f"box {name}", at=at, size=size, ink="background", edge=ink, layer=1)]
    top = y + (high - len(lines)) / 2
    for n, line in enumerate(lines):
        found.append(
            Box(
                id=f"words {name} {n}",
                at=(x, top + n),
                size=(wide, 1.0),
                ink="background",
                text=line,
                layer=2,
            )
        )
    return found
