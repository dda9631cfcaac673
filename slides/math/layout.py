"""TeX formulas in terminal cells: `display` in two dimensions, `inline` on one line."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from slides.drawing.cells import clean, line_width, pad, width
from slides.drawing.text import PLAIN, Line, Span, Style, plain
from slides.math import parser, symbols, tree
from slides.math.tree import Node

_BROKEN = Style("dim")
_BARS = ("|", "‖")
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
        wide = [n for n in cuts if width(plain(_linear(items[n]))) >= _WIDE_SPACE]
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
        line = tuple(_linear(parser.parse(source)))
    except (parser.TexError, RecursionError):
        return tuple(span for line in _source(source) for span in line)
    return line or _source(source)[0]


def _source(source: str) -> tuple[Line, ...]:
    return tuple((Span(clean(line), _BROKEN),) for line in (source.strip() or "∅").splitlines())


# -- air between neighbours ---------------------------------------------------------------------------------


def _nucleus(node: Node) -> Node:
    """The node without what stands around it: scripts, accents, braces."""
    while isinstance(node, tree.Scripts | tree.Accent | tree.Brace):
        node = node.base if isinstance(node, tree.Scripts) else node.body
    return node


def _kinds(items: Sequence[Node]) -> list[tree.Kind]:
    atoms = [nucleus if isinstance(nucleus := _nucleus(item), tree.Atom) else None for item in items]
    kinds: list[tree.Kind] = [atom.kind if atom else "ord" for atom in atoms]
    # Bars in pairs are fences; a single one, as in p(x|y), is not.
    bars = [n for n, atom in enumerate(atoms) if atom and atom.text in _BARS and kinds[n] == "ord"]
    if len(bars) % 2 == 0:
        for nth, n in enumerate(bars):
            kinds[n] = "close" if nth % 2 else "open"
    return kinds


def _loose(node: Node) -> bool:
    return node.loose if isinstance(node, tree.Atom) else isinstance(node, tree.Scripts | tree.Accent)


def _gaps(items: Sequence[Node]) -> list[int]:
    """Blanks before each item, after TeX's table of spaces cut down to 0 or 1 cell."""
    kinds = _kinds(items)
    for n, kind in enumerate(kinds):
        before = kinds[n - 1] if n else "open"
        after = kinds[n + 1] if n + 1 < len(kinds) else "close"
        # A minus with nothing to subtract from is a sign.
        if kind == "bin" and (before in ("bin", "rel", "open", "punct", "op") or after in ("rel", "close")):
            kinds[n] = "ord"
    return [_gap(items[n - 1], kinds[n - 1], items[n], kinds[n]) if n else 0 for n in range(len(items))]


def _gap(left: Node, a: tree.Kind, right: Node, b: tree.Kind) -> int:
    if "space" in (a, b):
        return 0
    if "rel" in (a, b):
        return int(a != b)
    if "bin" in (a, b) or a == "punct":
        return 1
    if b in ("close", "punct") or a == "open":
        return 0
    if a == "op" or b == "op":
        return int(b != "open")
    if isinstance(right, tree.Fence) and right.left:
        return 0
    if isinstance(left, tree.Atom) and left.kind == "bin":
        return 0  # a sign
    if a == b == "ord":
        return int(_loose(left) or isinstance(left, tree.Fraction) or isinstance(right, tree.Fraction))
    return int(isinstance(left, tree.Fraction))


# -- one line -----------------------------------------------------------------------------------------------


def _linear(node: Node, tight: bool = False) -> list[Span]:
    """Spans on one line; `tight` leaves out the air around operators."""
    match node:
        case tree.Atom(text=text, bold=bold, unknown=unknown):
            return [Span(text, Style("dim") if unknown else PLAIN._replace(bold=bold))]
        case tree.Row(items):
            spans: list[Span] = []
            for gap, item in zip([0] * len(items) if tight else _gaps(items), items, strict=True):
                spans += [Span(" " * gap), *_linear(item, tight)] if gap else _linear(item, tight)
            return spans
        case tree.Fraction(top, bottom, bar):
            over = _linear(top, True) if _is_product(top) else _grouped(top, True)
            return [*over, Span("/" if bar else " over "), *_grouped(bottom, True)]
        case tree.Root(body, degree):
            sign = _small(degree, symbols.SUPERSCRIPTS) if degree else ""
            if sign is None and degree:
                sign = plain(_linear(degree, True)) + " "
            return [Span(f"{sign}√"), *_grouped(body, tight)]
        case tree.Scripts(base, sub, sup, limits):
            if limits and not isinstance(base, tree.Atom):
                return _linear_limits(base, sub, sup)
            low = _linear_script(sub, symbols.SUBSCRIPTS, "_") if sub else []
            high = _linear_script(sup, symbols.SUPERSCRIPTS, "^") if sup else []
            return [*(_linear(base) if _simple(base) else _grouped(base, tight)), *low, *high]
        case tree.Accent(body, name):
            text = _accented(body, name)
            return [Span(text)] if text else [Span(f"{name}("), *_linear(body, tight), Span(")")]
        case tree.Brace(body, _):
            return _linear(body, tight)
        case tree.Fence(left, body, right):
            return [Span(left), *_linear(body, tight), Span(right)]
        case tree.Grid(rows=rows):
            spans = []
            for n, row in enumerate(rows):
                spans += [Span("; ")] if n else []
                for m, cell in enumerate(row):
                    spans += [Span(" "), *_linear(cell)] if m else _linear(cell)
            return spans


def _linear_limits(base: Node, sub: Node | None, sup: Node | None) -> list[Span]:
    """A body with a remark over or under it: the remark in brackets."""
    remarks = [part for part in (sub, sup) if part is not None]
    return [*_linear(base), *(s for part in remarks for s in (Span(" ["), *_linear(part), Span("]")))]


def _linear_script(node: Node, letters: dict[str, str], sign: str) -> list[Span]:
    small = _small(node, letters)
    if small is not None:
        return [Span(small)]
    spans = _linear(node, tight=True)
    return [Span(sign), *spans] if width(plain(spans)) == 1 else [Span(sign + "("), *spans, Span(")")]


def _small(node: Node, letters: dict[str, str]) -> str | None:
    """The node in the letters Unicode has for scripts, or None."""
    if not _is_flat(node):
        return None
    text = plain(_linear(node, tight=True)).replace(" ", "")
    return "".join(letters[c] for c in text) if all(c in letters for c in text) else None


def _is_flat(node: Node) -> bool:
    if isinstance(node, tree.Row):
        return all(map(_is_flat, node.items))
    return isinstance(node, tree.Atom)


def _simple(node: Node) -> bool:
    """Binds as one thing without brackets."""
    if isinstance(node, tree.Row):
        return len(node.items) == 1 and _simple(node.items[0])
    if isinstance(node, tree.Scripts):
        return _simple(node.base)
    return isinstance(node, tree.Atom | tree.Fence | tree.Accent | tree.Root)


def _is_product(node: Node) -> bool:
    """Needs no brackets before a slash."""
    depth = 0
    for kind in _kinds(node.items) if isinstance(node, tree.Row) else ():
        depth += (kind == "open") - (kind == "close")
        if kind in ("bin", "rel") and not depth:
            return False
    return True


def _grouped(node: Node, tight: bool) -> list[Span]:
    spans = _linear(node, tight)
    if _simple(node) or plain(spans).isalnum():
        return spans
    return [Span("("), *spans, Span(")")]


def _accented(body: Node, name: str) -> str:
    """One character with a combining mark, or "" where the body is more than that."""
    if isinstance(body, tree.Row) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, tree.Atom) and width(body.text) == 1 and len(body.text) <= 2:
        return unicodedata.normalize("NFC", body.text + symbols.ACCENTS[name][0])
    return ""


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
            for gap, item in zip([0] * len(items) if tight else _gaps(items), items, strict=True):
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
            if name != "underline" and not _accented(body, name):
                return _over(_box(body), symbols.ACCENTS[name][1])
            return _flat(_linear(node))
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
    return _flat(_linear(node, tight))


def _over(box: _Box, mark: str) -> _Box:
    """A mark above several cells; a bar is as long as they are."""
    return _stack([_text(mark * (box.width if mark == "▁" else 1)), box], box.base + 1)


def _brace(cells: int, over: bool) -> str:
    left, middle, right = "╭┴╮" if over else "╰┬╯"
    if cells < 3:
        return "⏞" if over else "⏟"
    return left + middle.center(cells - 2, "─") + right


def _root(body: _Box, degree: Node | None) -> _Box:
    small = (_small(degree, symbols.SUPERSCRIPTS) or plain(_linear(degree, True))) if degree else ""
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
    low = _small(sub, symbols.SUBSCRIPTS) if sub else ""
    high = _small(sup, symbols.SUPERSCRIPTS) if sup else ""
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
