"""A code block as lines: numbers, focus, the signs of a diff, and which file the lines are from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from slides.deck import Code
from slides.drawing.cells import chop, clean, clip, line_width, pad
from slides.drawing.text import Line, Span, Style, plain
from slides.highlighting import highlight
from slides.reading.markdown import diffs

_NARROW_TEXT = 6
_PANEL = Style(ground="panel")
_SIGN = {
    "added": Span("+", Style("good", bold=True)),
    "removed": Span("-", Style("bad", bold=True)),
    "applied": Span("+", Style("good")),
}
Extents = list[tuple[int, int]]
_GROUND = {"added": "added", "removed": "removed"}


class _Row(NamedTuple):
    """One line of source as it is to be shown. `mark` is its number, "" for none."""

    mark: str
    look: str
    line: Line


def listing(block: Code, frame: int, width: int, label: Line = (), limit: int = 0) -> list[Line]:
    """The block in its state `frame`, `width` cells wide; `label` stands above it in place of the file.

    With a `limit` no more lines are drawn than are needed for so many.
    """
    rows, most, longest = _rows(block, frame)
    figures = longest if block.numbers or block.path else 0
    signed = 2 if block.diff else 0
    side = "  " if width >= 24 else ""
    gutter = figures + 2 if figures and width - figures - signed - 2 * len(side) - 2 >= _NARROW_TEXT else 0
    room = max(width - gutter - signed - 2 * len(side), 1)
    drawn: list[Line] = []
    if label or block.path:
        drawn.append(pad(clip(label, width), width, _PANEL) if label else _source_of(block, side, width))
    drawn.append((Span(" " * width, _PANEL),))
    for row in rows:
        if 0 < limit <= len(drawn):
            return drawn
        ground = "select" if row.look == "focused" else _GROUND.get(row.look, "panel")
        number = Style("text" if row.look == "focused" else "faint")
        for n, piece in enumerate(chop(row.line, room)):
            left = [Span(side)] if side else []
            if gutter:
                left.append(Span((row.mark if n == 0 else "↪").rjust(figures) + "  ", number))
            if signed:
                left += [_SIGN.get(row.look, Span(" ")), Span(" ")]
            spans = tuple(Span(text, style.on(style.ground or ground)) for text, style in (*left, *piece))
            drawn.append(pad(spans, width, Style(ground=ground)))
    drawn.append((Span(" " * width, _PANEL),))
    # A slide keeps its height: a step that shows fewer lines than another leaves room for them.
    return drawn + [(Span(" " * width, _PANEL),)] * (most - len(rows))


def digits(block: Code) -> int:
    """Of the highest number that stands before a line, in any of its states."""
    # A diff that shows a part of two files begins far from its `first`.
    return _changed(block, 0)[2] if block.diff else len(str(block.first + block.source.count("\n")))


def _rows(block: Code, frame: int) -> tuple[list[_Row], int, int]:
    """(what is shown in this state, rows of the state with the most, digits of the highest number of any)."""
    if block.diff:
        return _changed(block, frame)
    lines = highlight.highlight(block.lang, block.source)
    focus = block.focus[min(frame, len(block.focus) - 1)] if block.focus else frozenset()
    rows = [
        _Row(str(block.first + number - 1), *(_looked(line, number in focus) if focus else ("", line)))
        for number, line in enumerate(lines, 1)
    ]
    return rows, len(rows), len(str(block.first + len(rows) - 1))


def _looked(line: Line, focused: bool) -> tuple[str, Line]:
    return ("focused", line) if focused else ("dimmed", _dim(line))


def _dim(line: Line) -> Line:
    return tuple(Span(text, Style("dim", italic=style.italic)) for text, style in line)


# -- diffs --------------------------------------------------------------------------------------------------


def _changed(block: Code, frame: int) -> tuple[list[_Row], int, int]:
    found, lines, extents = _diff_lines(block.lang, block.source, block.diff, block.first)
    count = max((row.change for row in found), default=0)
    at = frame if block.stepwise else None
    whole = at in (0, count + 1)  # one version alone, in its colours
    focus = block.focus[min(frame, len(block.focus) - 1)] if block.focus else frozenset()
    rows: list[_Row] = []
    for index, look, number in diffs.shown(found, at, block.first):
        line = lines[index]
        if look == "fold":
            rows.append(_Row("⋯", look, _folded(found[index].left_out)))
            continue
        changed = look in ("added", "removed")
        lit = index + 1 in focus if focus else changed or whole
        if changed and index in extents:
            line = tuple(_marked(line, extents[index]))
        rows.append(_Row(str(number), look, line if lit else _dim(line)))
    # A slide never jumps: all states are as wide and as high as the largest.
    frames = range(count + 2) if block.stepwise else (None,)
    states = [[shown.number for shown in diffs.shown(found, n, block.first)] for n in frames]
    digits = max((len(str(number)) for numbers in states for number in numbers), default=0)
    return rows, max(map(len, states)), digits


@lru_cache(maxsize=64)
def _diff_lines(
    lang: str, source: str, signs: str, first: int
) -> tuple[tuple[diffs.Row, ...], tuple[Line, ...], dict[int, Extents]]:
    """Each line of a diff with the colours that it has in its own version, and where its words changed."""
    found = diffs.rows(source, signs, first)
    versions = {sign: iter(highlight.highlight(lang, diffs.version(source, signs, sign))) for sign in "+-"}
    lines: list[Line] = []
    for sign in signs:
        old = next(versions["-"], ()) if sign in " -" else ()
        new = next(versions["+"], ()) if sign in " +" else ()
        lines.append(old if sign == "-" else new)
    texts = [plain(line) for line in lines]
    extents: dict[int, Extents] = {}
    for one, other in diffs.pairs(found, texts):
        extents[one], extents[other] = diffs.words_changed(texts[one], texts[other])
    return tuple(found), tuple(lines), extents


def _marked(line: Line, extents: Sequence[tuple[int, int]]) -> Iterator[Span]:
    """The line with what lies within `extents` (characters) in bold and underlined."""
    at = 0
    for text, style in line:
        cuts = sorted({0, len(text), *(min(max(x - at, 0), len(text)) for pair in extents for x in pair)})
        for a, b in pairwise(cuts):
            hit = any(start <= at + a and at + b <= end for start, end in extents) and text[a:b].strip()
            yield Span(text[a:b], style._replace(bold=True, underline=True) if hit else style)
        at += len(text)


def _folded(count: int) -> Line:
    return (Span(f"{count} line{'s' * (count != 1)} not shown", Style("faint", italic=True)),)


# -- above it -----------------------------------------------------------------------------------------------


def _source_of(block: Code, side: str, width: int) -> Line:
    """Which file the lines are from, and its hash at the right: in the warning's ink where it has changed."""
    return headed((Span(f"{side}{clean(block.path)}", Style("dim")),), hashed(block), side, width)


def hashed(block: Code) -> Span:
    """Return the hash shown beside lines of a file, or that it differs from the one the author wrote down."""
    if block.pinned:
        return Span(f"changed: sha {clean(block.sha)}, not {clean(block.pinned)}", Style("warning"))
    return Span(f"sha {clean(block.sha)}" if block.sha else "", Style("faint"))


def headed(left: Line, right: Span, side: str, width: int) -> Line:
    """A line above the code: `right` is left out where both do not fit."""
    between = width - line_width((*left, right)) - len(side)
    spans = (*left, Span(" " * between), right, Span(side)) if between >= 2 else clip(left, width)
    return pad(tuple(Span(text, style.on("panel")) for text, style in spans), width, _PANEL)
