"""A formula as MathML, which browsers draw and screen readers read; its TeX goes along."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from html import escape
from itertools import groupby

from slides.drawing.cells import clean
from slides.math import parser, symbols, tree
from slides.math.tree import Node


def mathml(source: str, *, display: bool = False) -> str:
    """`<math>` of TeX; TeX that cannot be read is itself, as code."""
    try:
        body = _node(parser.parse(source))
    except (parser.TexError, RecursionError):
        return f"<code>{escape(clean(source))}</code>"
    block = ' display="block"' if display else ""
    note = f'<annotation encoding="application/x-tex">{escape(clean(source))}</annotation>'
    return f'<math{block} alttext="{escape(clean(source))}"><semantics>{body}{note}</semantics></math>'


def _node(node: Node) -> str:
    match node:
        case tree.Atom():
            return _atom(node)
        case tree.Row(items):
            return f"<mrow>{_items(items)}</mrow>"
        case tree.Fraction(top, bottom, bar):
            thin = "" if bar else ' linethickness="0"'
            return f"<mfrac{thin}>{_node(top)}{_node(bottom)}</mfrac>"
        case tree.Root(body, None):
            return f"<msqrt>{_node(body)}</msqrt>"
        case tree.Root(body, degree):
            assert degree is not None
            return f"<mroot>{_node(body)}{_node(degree)}</mroot>"
        case tree.Scripts(base, sub, sup, limits):
            return _scripts(base, sub, sup, limits)
        case tree.Accent(body, name):
            sign = symbols.ACCENTS[name][1]
            if name == "underline":
                return f'<munder accentunder="true">{_node(body)}<mo>_</mo></munder>'
            sign = "¯" if name in ("bar", "overline") else sign
            return f'<mover accent="true">{_node(body)}<mo>{escape(sign)}</mo></mover>'
        case tree.Brace(body, over):
            tag, sign = ("mover", "⏞") if over else ("munder", "⏟")
            return f'<{tag}>{_node(body)}<mo stretchy="true">{sign}</mo></{tag}>'
        case tree.Fence(left, body, right):
            return f"<mrow>{_fence(left)}{_node(body)}{_fence(right)}</mrow>"
        case tree.Grid(rows, align):
            return _grid(rows, align)


def _items(items: Sequence[Node]) -> str:
    """Digits that follow each other are one number."""
    parts = []
    for digits, group in groupby(items, key=_is_digit):
        if digits:
            parts.append(f"<mn>{''.join(item.text for item in group if isinstance(item, tree.Atom))}</mn>")
        else:
            parts += [_node(item) for item in group]
    return "".join(parts)


def _is_digit(node: Node) -> bool:
    return isinstance(node, tree.Atom) and (node.text.isdecimal() or node.text == ".")


def _atom(atom: tree.Atom) -> str:
    text = clean(atom.text)
    if atom.unknown:
        return f"<mtext>\\{escape(text)}</mtext>"
    if atom.kind == "space" or text.isspace():
        return f'<mspace width="{len(atom.text) / 4:g}em"/>' if text else "<mrow></mrow>"
    if not text:
        return "<mrow></mrow>"
    variant = ' mathvariant="bold"' if atom.bold else ""
    if text.replace(".", "").isdecimal():
        return f"<mn{variant}>{escape(text)}</mn>"
    if atom.kind == "op" and text.isalpha():
        return f"<mi>{escape(text)}</mi>"
    if atom.kind != "ord" or unicodedata.category(text[0])[0] in "PS":
        return f"<mo>{escape(text)}</mo>"
    if " " in text:
        return f"<mtext{variant}>{escape(text)}</mtext>"
    return f"<mi{variant}>{escape(text)}</mi>"


def _scripts(base: Node, sub: Node | None, sup: Node | None, limits: bool) -> str:
    parts = [("under" if limits else "sub", sub), ("over" if limits else "sup", sup)]
    given = [(name, script) for name, script in parts if script is not None]
    if not given:
        return _node(base)
    tag = "m" + "".join(name for name, _ in given)
    return f"<{tag}>{_node(base)}{''.join(_node(script) for _, script in given)}</{tag}>"


def _fence(sign: str) -> str:
    return f'<mo fence="true" stretchy="true">{escape(sign)}</mo>' if sign else ""


def _grid(rows: Sequence[Sequence[Node]], align: Sequence[str]) -> str:
    columns = max(map(len, rows), default=0)
    sides = " ".join(align[n % len(align)] for n in range(columns)) or "center"
    body = "".join(f"<mtr>{''.join(f'<mtd>{_node(cell)}</mtd>' for cell in row)}</mtr>" for row in rows)
    return f'<mtable columnalign="{sides}">{body}</mtable>'
