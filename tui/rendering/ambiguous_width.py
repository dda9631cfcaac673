"""Letters whose width terminals dispute, and how the next one gets into its column all the same.

A vowel sign of Hindi takes no cell in kitty and one in xterm, a family of emoji takes two or eight. Where
such words end, at a gap or a line of a frame, the cursor is put where it belongs. Within words it is not:
what a terminal has drawn wider would be overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from slides.drawing.cells import width

# Scripts with signs that take cells in some terminals; joined emoji, flags, skins; letters of Korean joined.
_DISPUTED = re.compile(
    "[\u0900-\u0e00\u0e33\u0eb3\u0f00-\u11ff\u1700-\u17ff\u1900-\u1aff\u1b00-\u1c4f\u1cd0-\u1cff"
    "\ua800-\ua9ff\uaa00-\uabff\ud7b0-\ud7ff\u200d\ufe0e\ufe0f\U00011000-\U00011fff\U0001f1e6-\U0001faff]"
)
# Where columns are seen: a gap, a line or block that follows, the end.
_STOP = re.compile(" {2,}| *(?=[\u2500-\u259f])| *$")


def disputed(text: str) -> bool:
    """Tell whether terminals may disagree on the width of `text`."""
    if text.isascii():
        return False
    return _beside_pixels(text) if "\U0010eeee" in text else _DISPUTED.search(text) is not None


@lru_cache(512)  # in each frame of a picture the same, but for what it says
def _beside_pixels(text: str) -> bool:
    """The same: what stands for pixels never reaches the terminal with its marks."""
    from slides.pixel_cells import RUN

    return _DISPUTED.search(RUN.sub("", text)) is not None


def steps(texts: Sequence[str]) -> Iterator[tuple[int, str] | int]:
    """How to write a row: (number of a piece, text of it), or a column of the row to go to, from 0 on.

    A gap is written before the words it follows, for these may reach into it.
    """
    whole = "".join(texts)
    if not disputed(whole):
        yield from enumerate(texts)
        return
    column = at = 0
    for stop in _STOP.finditer(whole):
        words = list(_parts(texts, at, stop.start()))
        gap = list(_parts(texts, stop.start(), stop.end()))
        behind = column + sum(width(text) for _, text in words)
        end = behind + len(stop[0])
        if not disputed(whole[at : stop.start()]):
            yield from (*words, *gap)
        else:
            if gap:
                yield behind
                yield from gap
                yield column
            yield from words
            yield end
        column, at = end, stop.end()


def _parts(texts: Sequence[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """What of each piece lies between two places of the whole."""
    at = 0
    for n, text in enumerate(texts):
        if part := text[max(0, start - at) : max(0, end - at)]:
            yield n, part
        at += len(text)
