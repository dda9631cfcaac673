"""Terminal cells: how wide text is, and cutting it without tearing a character apart.

The measure is `rich.cells.cell_len`, which is also what the screen uses. It knows wide characters, combining
marks, emoji joined by ZWJ and variation selectors; so pieces are cut only between its graphemes, and the
widths of the pieces add up to the width of the whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from unicodedata import category

from rich.cells import cell_len, split_graphemes

from slides.drawing.clean_text import clean
from slides.drawing.text import PLAIN, Line, Span, Style, joined

__all__ = [
    "chop",
    "clean",
    "clip",
    "clip_text",
    "fit",
    "graphemes",
    "line_width",
    "pad",
    "room",
    "width",
    "wrap",
]

ELLIPSIS = "…"
_PIXELS = "\U0010eeee"  # begins a cell of `slides/pixel_cells.py`, which is loaded where there are any


def width(text: str) -> int:
    """Return how many cells `text` takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    return _pixels_wide(text) if _PIXELS in text else cell_len(text)


@lru_cache(512)  # hundreds in a row of a picture, which is measured several times in each frame
def _pixels_wide(text: str) -> int:
    from slides.pixel_cells import RUN

    return cell_len(RUN.sub(lambda run: " " * (len(run[0]) // 4), text))


def graphemes(text: str) -> list[str]:
    """The pieces of `text` that may not be torn apart; their widths add up to its width."""
    return [text[start:end] for start, end, _ in split_graphemes(text)[0]]


def room(text: str) -> int:
    """The most cells that a terminal gives `text`: some join signs and emoji to their letter, some do not."""
    if text.isascii():
        return len(text)
    apart = sum(1 if category(letter) == "Mc" else width(letter) for letter in text)
    return max(width(text), apart)


def line_width(line: Iterable[Span]) -> int:
    """Return how many cells wide a styled line is."""
    return sum([width(text) for text, _ in line])


def _head(text: str, cells: int) -> str:
    """The longest beginning of `text` that is at most `cells` wide and does not end inside a grapheme."""
    if text.isascii():
        return text[:cells]
    used = 0
    # Nobody writes 16 marks on a letter: the bound keeps a text of megabytes from being looked at whole.
    for start, _, size in split_graphemes(text[: 16 * cells + 16])[0]:
        if used + size > cells:
            return text[:start]
        used += size
    return text[: 16 * cells + 16]


def clip_text(text: str, cells: int) -> str:
    """`text` in at most `cells` cells, ending in … when something was cut off."""
    if width(text) <= cells:
        return text
    return _head(text, cells - 1) + ELLIPSIS if cells > 0 else ""


def clip(line: Line, cells: int) -> Line:
    """`line` in at most `cells` cells, ending in … when something was cut off."""
    if line_width(line) <= cells:
        return line
    room, kept = cells - 1, []
    for text, style in line:
        size = width(text)
        if size > room:
            if cells > 0:
                kept.append(Span(_head(text, room) + ELLIPSIS, style))
            break
        kept.append(Span(text, style))
        room -= size
    return tuple(kept)


def pad(line: Line, cells: int, style: Style = PLAIN, align: str = "left") -> Line:
    """`line` widened with blanks to `cells`; `align` is `left`, `right` or `center`."""
    missing = cells - line_width(line)
    if missing <= 0:
        return line
    before = {"right": missing, "center": missing // 2}.get(align, 0)
    after = missing - before
    return (
        *((Span(" " * before, style),) if before else ()),
        *line,
        *((Span(" " * after, style),) if after else ()),
    )


def fit(line: Line, cells: int, style: Style = PLAIN, align: str = "left") -> Line:
    """`line` in exactly `cells` cells."""
    return pad(clip(line, cells), cells, style, align)


# Chinese and Japanese break between any two characters, but a closing mark starts no line and an opening
# mark ends none. Korean breaks at spaces.
_CJK = (
    "\u2e80-\u2fff\u3005-\u3007\u3021-\u3029\u3031-\u30ff\u31f0-\u9fff"
    "\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff"
)
_OPEN = "（「『【〈《〔［｛"
_CLOSE = "）」』】〉》〕］｝、。，．・：；！？ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々\u3099\u309a"
_MARKS = "\u0300-\u036f\u3099\u309a\ufe00-\ufe0f"
_WORD = re.compile(" +|[^ ]+")


@cache
def _unbroken() -> re.Pattern[str]:
    """What may not be broken in Chinese and Japanese. Made when first needed: it takes 3 ms."""
    one = f"[{_CJK}][{_MARKS}]*|[^{_CJK}{_OPEN}{_CLOSE}]+"
    return re.compile(f"[{_OPEN}]*(?:{one})[{_CLOSE}]*|[{_OPEN}{_CLOSE}]+")


def _pieces(spans: Iterable[Span]) -> Iterable[tuple[bool, str, Style, bool]]:
    """(is a blank, text, style, a line may break before it) in order."""
    glued = False
    for text, style in spans:
        for match in _WORD.finditer(text):
            word = match.group()
            if word[0] == " ":
                yield True, word, style, True
                glued = False
            elif word.isascii() or max(word) < "\u2e80":
                yield False, word, style, not glued
                glued = True
            else:
                for n, piece in enumerate(_unbroken().findall(word)):
                    yield False, piece, style, not glued or n > 0
                    glued = True


def wrap(spans: Iterable[Span], cells: int) -> list[Line]:
    """Clean spans as lines of at most `cells` >= 1 cells, broken between words, long words between graphemes.

    Always at least one line, which is empty for empty text. Blanks at a break are dropped; a no-break space
    holds its neighbours together and is a plain blank in the result.
    """
    lines: list[Line] = []
    line: list[Span] = []
    used = 0
    blank: Span | None = None
    words: list[tuple[Span | None, list[Span], int]] = []
    for is_blank, text, style, may_break in _pieces(spans):
        if is_blank:
            blank = Span(text if blank is None else blank.text + text, style)
        elif may_break or not words:
            words.append((blank, [Span(text, style)], room(text)))
            blank = None
        else:
            before, parts, size = words[-1]
            parts.append(Span(text, style))
            words[-1] = (before, parts, size + room(text))
    for before, parts, size in words:
        gap = len(before.text) if before and line else 0
        if line and used + gap + size > cells:
            lines.append(joined(line))
            line, used, gap = [], 0, 0
        if gap and before:
            line.append(before)
            used += gap
        if size <= cells:
            line += parts
            used += size
            continue
        *full, last = chop(parts, cells)
        lines += full
        line = list(last)
        used = line_width(line)
    if line or not lines:
        lines.append(joined(line))
    if any("\u00a0" in span.text for line in lines for span in line):
        lines = [tuple(Span(text.replace("\u00a0", " "), style) for text, style in line) for line in lines]
    return lines


def chop(spans: Iterable[Span], cells: int) -> list[Line]:
    """`spans` cut at `cells` >= 1 wherever that falls, between graphemes; every blank is kept."""
    spans = [span for span in spans if span.text]
    if line_width(spans) <= cells:
        return [joined(spans)]
    pieces: list[list[Span]] = [[]]
    used = 0
    for text, style in spans:
        if text.isascii():
            begin = 0
            while begin < len(text):
                if used >= cells:
                    pieces.append([])
                    used = 0
                part = text[begin : begin + cells - used]
                pieces[-1].append(Span(part, style))
                used += len(part)
                begin += len(part)
            continue
        for start, end, size in split_graphemes(text)[0]:
            # A character wider than the whole line cannot be shown at all.
            part, size = (text[start:end], size) if size <= cells else (ELLIPSIS, 1)
            if used + size > cells:
                pieces.append([])
                used = 0
            pieces[-1].append(Span(part, style))
            used += size
    return [joined(piece) for piece in pieces]
