"""A formula on one line: the air between neighbours, scripts in small letters, brackets where they bind."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from slides.drawing.cells import width
from slides.drawing.text import PLAIN, Span, Style, plain
from slides.math import symbols, tree
from slides.math.tree import Node

_BARS = ("|", "‖")


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


def gaps(items: Sequence[Node]) -> list[int]:
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


def linear(node: Node, tight: bool = False) -> list[Span]:
    """Spans on one line; `tight` leaves out the air around operators."""
    match node:
        case tree.Atom(text=text, bold=bold, unknown=unknown):
            return [Span(text, Style("dim") if unknown else PLAIN._replace(bold=bold))]
        case tree.Row(items):
            spans: list[Span] = []
            for gap, item in zip([0] * len(items) if tight else gaps(items), items, strict=True):
                spans += [Span(" " * gap), *linear(item, tight)] if gap else linear(item, tight)
            return spans
        case tree.Fraction(top, bottom, bar):
            over = linear(top, True) if _is_product(top) else _grouped(top, True)
            return [*over, Span("/" if bar else " over "), *_grouped(bottom, True)]
        case tree.Root(body, degree):
            sign = in_small_letters(degree, symbols.SUPERSCRIPTS) if degree else ""
            if sign is None and degree:
                sign = plain(linear(degree, True)) + " "
            return [Span(f"{sign}√"), *_grouped(body, tight)]
        case tree.Scripts(base, sub, sup, limits):
            if limits and not isinstance(base, tree.Atom):
                return _linear_limits(base, sub, sup)
            low = _linear_script(sub, symbols.SUBSCRIPTS, "_") if sub else []
            high = _linear_script(sup, symbols.SUPERSCRIPTS, "^") if sup else []
            return [*(linear(base) if _simple(base) else _grouped(base, tight)), *low, *high]
        case tree.Accent(body, name):
            text = accented(body, name)
            return [Span(text)] if text else [Span(f"{name}("), *linear(body, tight), Span(")")]
        case tree.Brace(body, _):
            return linear(body, tight)
        case tree.Fence(left, body, right):
            return [Span(left), *linear(body, tight), Span(right)]
        case tree.Grid(rows=rows):
            spans = []
            for n, row in enumerate(rows):
                spans += [Span("; ")] if n else []
                for m, cell in enumerate(row):
                    spans += [Span(" "), *linear(cell)] if m else linear(cell)
            return spans


def _linear_limits(base: Node, sub: Node | None, sup: Node | None) -> list[Span]:
    """A body with a remark over or under it: the remark in brackets."""
    remarks = [part for part in (sub, sup) if part is not None]
    return [*linear(base), *(s for part in remarks for s in (Span(" ["), *linear(part), Span("]")))]


def _linear_script(node: Node, letters: dict[str, str], sign: str) -> list[Span]:
    small = in_small_letters(node, letters)
    if small is not None:
        return [Span(small)]
    spans = linear(node, tight=True)
    return [Span(sign), *spans] if width(plain(spans)) == 1 else [Span(sign + "("), *spans, Span(")")]


def in_small_letters(node: Node, letters: dict[str, str]) -> str | None:
    """The node in the letters Unicode has for scripts, or None."""
    if not _is_flat(node):
        return None
    text = plain(linear(node, tight=True)).replace(" ", "")
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
    spans = linear(node, tight)
    if _simple(node) or plain(spans).isalnum():
        return spans
    return [Span("("), *spans, Span(")")]


def accented(body: Node, name: str) -> str:
    """One character with a combining mark, or "" where the body is more than that."""
    if isinstance(body, tree.Row) and len(body.items) == 1:
        body = body.items[0]
    if isinstance(body, tree.Atom) and width(body.text) == 1 and len(body.text) <= 2:
        return unicodedata.normalize("NFC", body.text + symbols.ACCENTS[name][0])
    return ""
