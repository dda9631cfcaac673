"""TeX formulas in terminal cells: `display` in two dimensions, `inline` on one line (`one_line.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from slides.drawing.cells import clean, line_width, pad, width
from slides.drawing.text import PLAIN, Line, Span, Style, plain
from slides.math import one_line, parser, symbols, tree
from slides.math.tree import Node

_BROKEN = Style("dim")
_WIDE_SPACE = symbols.SPACES["quad"]


@lru_cache(maxsize=1024)
def display(source: str) -> tuple[Line, ...]:
    """The formula as lines of one width each. Broken TeX is its own source in dim; never raises."""
    try:
        box = _box(parser.parse(source))
    except (parser.TexError, RecursionError):
        return _source(source)
    return tuple(box.lines) if box.width else _source(source)


@lru_cache(maxsize=256)
def pieces(source: str) -> tuple[tuple[Line, ...], ...]:
    """The formula cut at its wide spaces, each piece drawn as by `display`: for where it is too wide."""
    try:
        items = parser.parse(source).items
        cuts = [n for n, item in enumerate(items) if isinstance(item, tree.Atom) and item.text.isspace()]
        wide = [n for n in cuts if width(plain(one_line.linear(items[n]))) >= _WIDE_SPACE]
        parts = [items[a + 1 : b] for a, b in pairwise([-1, *wide, len(items)])]
        boxes = [_box(tree.Row(part)) for part in parts if part]
    except (parser.TexError, RecursionError):
        return (_source(source),)
    return tuple(tuple(box.lines) for box in boxes if box.width) or (_source(source),)


@lru_cache(maxsize=1024)
def inline(source: str) -> Line:
    """The formula on one line. Broken TeX is its own source in dim; never raises."""
    if source.isascii() and source.isalnum():
        return (Span(source, PLAIN),)
    try:
        line = tuple(one_line.linear(parser.parse(source)))
    except (parser.TexError, RecursionError):
        return tuple(span for line in _source(source) for span in line)
    return line or _source(source)[0]


def _source(source: str) -> tuple[Line, ...]:
    return tuple((Span(clean(line), _BROKEN),) for line in (source.strip() or "∅").splitlines())


# -- two dimensions -----------------------------------------------------------------------------------------


class _Box(NamedTuple):
    """Lines all `width` cells wide; `base` is the index of the one that sits on the line of writing."""

    lines: list[Line]
    base: int
    width: int

    @property
    def height(self) -> int:
        return len(self.lines)


def _flat(spans: Sequence[Span]) -> _Box:
    return _Box([tuple(spans)], 0, line_width(spans))


def _text(text: str) -> _Box:
    return _flat((Span(text),))


def _blank(cells: int, height: int = 1) -> list[Line]:
    return [(Span(" " * cells),) if cells else ()] * height


def _stack(boxes: Sequence[_Box], base: int, align: str = "center") -> _Box:
    """Boxes one below the other; `base` counts lines from the top."""
    cells = max(box.width for box in boxes)
    return _Box([pad(line, cells, align=align) for box in boxes for line in box.lines], base, cells)


def _beside(boxes: Sequence[_Box]) -> _Box:
    """Boxes side by side on one line of writing."""
    up = max((box.base for box in boxes), default=0)
    down = max((box.height - box.base for box in boxes), default=1)
    columns = [
        _blank(box.width, up - box.base) + box.lines + _blank(box.width, down - box.height + box.base)
        for box in boxes
    ]
    lines = [tuple(span for column in columns for span in column[n]) for n in range(up + down)]
    return _Box(lines, up, sum(box.width for box in boxes))


def _box(node: Node, tight: bool = False) -> _Box:
    match node:
        case tree.Row(items):
            boxes: list[_Box] = []
            for gap, item in zip([0] * len(items) if tight else one_line.gaps(items), items, strict=True):
                boxes += [_text(" " * gap), _box(item, tight)] if gap else [_box(item, tight)]
            return _beside(boxes) if boxes else _text("")
        case tree.Fraction(top, bottom, bar):
            above, below = _box(top), _box(bottom)
            rule = _text(("─" if bar else " ") * (max(above.width, below.width) + 2 * bar))
            return _stack([above, rule, below], above.height)
        case tree.Root(body, degree):
            return _root(_box(body), degree)
        case tree.Scripts(base, sub, sup, limits):
            return _limits(base, sub, sup) if limits else _scripts(base, sub, sup)
        case tree.Accent(body, name):
            if name != "underline" and not one_line.accented(body, name):
                return _over(_box(body), symbols.ACCENTS[name][1])
            return _flat(one_line.linear(node))
        case tree.Brace(body, over):
            box = _box(body)
            brace = _text(_brace(box.width, over))
            return _stack([brace, box], box.base + 1) if over else _stack([box, brace], box.base)
        case tree.Fence(left, body, right):
            box = _box(body)
            parts = (_fence(left, box), box, _fence(right, box))
            return _beside([part for part in parts if part.width])
        case tree.Grid():
            return _grid(node)
    return _flat(one_line.linear(node, tight))


def _over(box: _Box, mark: str) -> _Box:
    """A mark above several cells; a bar is as long as they are."""
    return _stack([_text(mark * (box.width if mark == "▁" else 1)), box], box.base + 1)


def _brace(cells: int, over: bool) -> str:
    left, middle, right = "╭┴╮" if over else "╰┬╯"
    if cells < 3:
        return "⏞" if over else "⏟"
    return left + middle.center(cells - 2, "─") + right


def _root(body: _Box, degree: Node | None) -> _Box:
    small = (
        (one_line.in_small_letters(degree, symbols.SUPERSCRIPTS) or plain(one_line.linear(degree, True)))
        if degree
        else ""
    )
    if body.height == 1:
        if body.width == 1:
            return _beside([_text(small + "√"), body])
        roof = _beside([_text(" " * width(small + "√")), _text("▁" * body.width)])
        return _stack([roof, _beside([_text(small + "√"), body])], 1)
    sign = width(small)
    lines: list[Line] = [(Span(" " * (sign + 1) + "┌" + "─" * (body.width + 1)),)]
    for n, line in enumerate(body.lines):
        last = n == body.height - 1
        left = f"{small}╲" if last else " " * (sign + 1)
        lines.append((Span(left + "│"), *line, Span(" ")))
    return _Box(lines, body.base + 1, body.width + sign + 3)


def _scripts(base: Node, sub: Node | None, sup: Node | None) -> _Box:
    """Scripts at the right: in small letters where Unicode has all of them, else raised and lowered."""
    body = _box(base)
    low = one_line.in_small_letters(sub, symbols.SUBSCRIPTS) if sub else ""
    high = one_line.in_small_letters(sup, symbols.SUPERSCRIPTS) if sup else ""
    if low is not None and high is not None and body.height == 1:
        return _beside([body, _text(low + high)])
    small = low is not None and high is not None
    above = (_text(high or "") if small else _box(sup, tight=True)) if sup else None
    below = (_text(low or "") if small else _box(sub, tight=True)) if sub else None
    cells = max(box.width for box in (above, below) if box)
    # Beside a tall base the scripts sit level with its first and last line, beside a low one outside it.
    rows = body.height if body.height > 1 else 1
    overlap = 1 if body.height > 1 else 0
    column = [pad(line, cells) for line in above.lines] if above else []
    raised = max(len(column) - overlap, 0)
    between = rows - overlap * (bool(above) + bool(below))
    if not above:
        between = rows - overlap * bool(below)
    column += _blank(cells, max(between, 0))
    column += [pad(line, cells) for line in below.lines] if below else []
    return _beside([body, _Box(column, raised + body.base, cells)])


def _limits(base: Node, sub: Node | None, sup: Node | None) -> _Box:
    body = _box(base)
    above = [_box(sup, tight=True)] if sup else []
    below = [_box(sub, tight=True)] if sub else []
    return _stack([*above, body, *below], body.base + sum(box.height for box in above))


# top, middle, bottom, filling
_TALL = {
    "(": "⎛⎜⎝⎜",
    ")": "⎞⎟⎠⎟",
    "[": "⎡⎢⎣⎢",
    "]": "⎤⎥⎦⎥",
    "{": "⎧⎨⎩⎪",
    "}": "⎫⎬⎭⎪",
    "⌊": "⎢⎢⎣⎢",
    "⌋": "⎥⎥⎦⎥",
    "⌈": "⎡⎢⎢⎢",
    "⌉": "⎤⎥⎥⎥",
    "|": "││││",
    "‖": "‖‖‖‖",
}
_TWO = {"{": "⎰⎱", "}": "⎱⎰"}


def _fence(sign: str, box: _Box) -> _Box:
    if not sign:
        return _text("")
    if box.height == 1 or sign not in _TALL:
        return _text(sign)
    top, middle, bottom, filling = tuple(_TALL[sign])
    if box.height == 2:
        glyphs = [*_TWO.get(sign, top + bottom)]
    else:
        inner = [filling] * (box.height - 2)
        inner[(box.height - 3) // 2] = middle
        glyphs = [top, *inner, bottom]
    return _Box([(Span(glyph),) for glyph in glyphs], box.base, width(sign))


def _grid(node: tree.Grid) -> _Box:
    boxes = [[_box(cell) for cell in row] for row in node.rows]
    columns = len(boxes[0])
    widths = [max(row[n].width for row in boxes) for n in range(columns)]
    rows: list[_Box] = []
    for row in boxes:
        parts: list[_Box] = []
        for n, box in enumerate(row):
            align = node.align[n % len(node.align)]
            if n:
                parts.append(_text(" " * node.gap))
            parts.append(
                box._replace(lines=[pad(line, widths[n], align=align) for line in box.lines], width=widths[n])
            )
        # Tall rows need air, or a denominator would touch the next numerator.
        rows.append(_beside(parts))
    airy = any(row.height > 1 for row in rows)
    spaced = [part for n, row in enumerate(rows) for part in ([_text("")] if airy and n else []) + [row]]
    height = sum(part.height for part in spaced)
    base = rows[0].base if len(rows) == 1 else (height - 1) // 2
    return _stack(spaced, base, "left")
