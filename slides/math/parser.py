"""Reads TeX math. pylatexenc cuts the source into groups, macros and environments; arguments are ours."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Any

from slides.drawing.cells import clean, graphemes
from slides.math import symbols
from slides.math.tree import Accent, Atom, Brace, Fence, Fraction, Grid, Kind, Node, Root, Row, Scripts


class TexError(ValueError):
    """The source cannot be read as TeX."""


# What the source is cut into: a character, ("macro", name), ("group", tokens) or ("env", name, tokens).
Token = str | tuple[Any, ...]

_FENCED = {"pmatrix": "()", "bmatrix": "[]", "Bmatrix": "{}", "vmatrix": "||", "Vmatrix": "‖‖"}
_ALIGNED = ("aligned", "align", "align*", "split", "alignat", "eqnarray")
_GATHERED = ("gathered", "gather", "gather*", "equation", "equation*", "multline", "displaymath", "math")
_FRACTIONS = ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac")
_TEXTS = ("text", "textrm", "textit", "textnormal", "mbox", "hbox", "textsf", "texttt", "textbf")
_UPRIGHT = ("mathrm", "operatorname", "mathsf", "mathtt", "mathit", "rm")
_BOLD = ("mathbf", "boldsymbol", "bm", "bold", "pmb")
_SIZES = ("big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr", "Biggl", "Biggr")
_SILENT = (*_SIZES, "displaystyle", "textstyle", "scriptstyle", "nonumber", "notag", "middle", "bigm", "Bigm")
_DROPPED = ("label", "hspace", "vspace", "color", "phantom", "vphantom", "hphantom")
_MOST_CHARACTERS = 4_000
_COMMENT = re.compile(r"(?<!\\)%.*")


def parse(source: str) -> Row:
    """The tree of `source`. Raises TexError, or RecursionError where groups are nested beyond reason."""
    from pylatexenc.latexwalker import LatexWalker, LatexWalkerParseError
    from pylatexenc.macrospec import LatexContextDb, MacroSpec

    if len(source) > _MOST_CHARACTERS:
        raise TexError("a formula this long is not drawn")
    source = " ".join(_COMMENT.sub("", clean(line)) for line in source.splitlines())
    context = LatexContextDb()  # knows no macro, so that arguments are read in one place only: below
    context.set_unknown_macro_spec(MacroSpec("", ""))
    walker = LatexWalker(source, latex_context=context, tolerant_parsing=False)
    try:
        nodes = walker.get_latex_nodes(parsing_state=walker.make_parsing_state(in_math_mode=True))[0]
    except LatexWalkerParseError as error:
        raise TexError(str(error).partition("\n")[0]) from None
    return _Reader(_tokens(nodes)).whole()


def _tokens(nodes: Sequence[Any]) -> list[Token]:
    tokens: list[Token] = []
    for node in nodes:
        kind = type(node).__name__
        if kind == "LatexCharsNode":
            tokens += graphemes(node.chars)
        elif kind == "LatexMacroNode":
            tokens.append(("macro", node.macroname))
        elif kind == "LatexEnvironmentNode":
            tokens.append(("env", node.environmentname, _tokens(node.nodelist)))
        elif kind in ("LatexGroupNode", "LatexMathNode"):
            tokens.append(("group", _tokens(node.nodelist)))
        elif kind == "LatexSpecialsNode":
            tokens += list(node.specials_chars)
    return tokens


def _raw(token: Token) -> str:
    """The text of a token as an author of \\text wrote it."""
    if isinstance(token, str):
        return " " if token.isspace() or token == "~" else token
    if token[0] == "macro":
        name = token[1]
        if name in symbols.SPACES:
            return " " * symbols.SPACES[name]
        return (
            symbols.SIGNS.get(name) or symbols.LETTERS.get(name) or symbols.DELIMITERS.get(name) or str(name)
        )
    return "".join(map(_raw, token[-1]))


class _Reader:
    """Reads tokens from left to right."""

    def __init__(self, tokens: Sequence[Token]) -> None:
        self.tokens = tokens
        self.at = 0

    def whole(self) -> Row:
        return self._grid_or_row(gathered=True)

    def _grid_or_row(self, gathered: bool = False) -> Row:
        """A row, or the rows of a grid where the tokens hold \\\\ or &."""
        breaks = any(token == ("macro", "\\") or token == "&" for token in self.tokens)
        if not breaks:
            return self.row()
        return Row((Grid(self.cells(), ("right", "left") if "&" in self.tokens else ("left",), 1),))

    def cells(self) -> tuple[tuple[Node, ...], ...]:
        rows: list[list[Node]] = [[]]
        start = 0
        for n, token in enumerate([*self.tokens, ("macro", "\\")]):
            if token != "&" and token != ("macro", "\\"):
                continue
            rows[-1].append(_Reader(self._without_space(start, n)).row())
            start = n + 1
            if token != "&" and n < len(self.tokens):
                rows.append([])
        if len(rows) > 1 and rows[-1] == [Row(())]:
            rows.pop()  # a \\ at the very end begins no row
        columns = max(map(len, rows))
        return tuple(tuple(row + [Row(())] * (columns - len(row))) for row in rows)

    def _without_space(self, start: int, end: int) -> Sequence[Token]:
        """The tokens of one cell, less the [2pt] of a \\\\ before it and any \\hline."""
        tokens = [token for token in self.tokens[start:end] if token != ("macro", "hline")]
        if start and self.tokens[start - 1] == ("macro", "\\") and tokens[:1] == ["["] and "]" in tokens:
            return tokens[tokens.index("]") + 1 :]
        return tokens

    def row(self, until: str = "") -> Row:
        """Items up to the macro `until`, which stays; else to the end."""
        items: list[Node] = []
        while (token := self.peek()) is not None:
            if until and token == ("macro", until):
                return Row(tuple(items))
            if token in ("^", "_", "'", "’"):
                items.append(self.scripts(items.pop() if items else Atom("")))
            elif token in (("macro", "limits"), ("macro", "nolimits")):
                self.at += 1
                if items and isinstance(items[-1], Atom):
                    items[-1] = Scripts(items[-1], None, None, token[1] == "limits")
            else:
                node = self.item()
                if node is not None:
                    items.append(node)
        if until:
            raise TexError(f"\\{until} is missing")
        return Row(tuple(items))

    def peek(self) -> Token | None:
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if not (isinstance(token, str) and token.isspace()):
                return token
            self.at += 1
        return None

    def next(self) -> Token:
        token = self.peek()
        if token is None:
            raise TexError("an argument is missing")
        self.at += 1
        return token

    def argument(self) -> Node:
        """One group, one macro with its own arguments, or one character."""
        token = self.peek()
        if token in ("^", "_"):
            raise TexError(f"{token} where an argument should be")
        node = self.item() if token is not None else None
        if node is None:
            raise TexError("an argument is missing")
        return node

    def scripts(self, base: Node) -> Node:
        sub: Node | None = None
        sup: Node | None = None
        primes = ""
        while (token := self.peek()) in ("^", "_", "'", "’"):
            self.at += 1
            if token == "_" and sub is None:
                sub = self.argument()
            elif token == "^" and sup is None:
                sup = self.argument()
            elif token in ("'", "’"):
                primes += "′"
            else:
                raise TexError(f"two {token} on one base")
        if primes:
            sup = Row((Atom(primes), sup)) if sup is not None else Atom(primes)
        if isinstance(base, Scripts) and base.sub is None and base.sup is None:
            return Scripts(base.base, sub, sup, base.limits)
        limits = isinstance(base, Brace) or (isinstance(base, Atom) and base.text in symbols.LIMITS.values())
        return Scripts(base, sub, sup, limits)

    def item(self) -> Node | None:
        """The next item; None for what is not seen."""
        token = self.next()
        if isinstance(token, str):
            return _character(token)
        if token[0] == "group":
            row = _Reader(token[1])._grid_or_row()
            return row.items[0] if len(row.items) == 1 else row
        if token[0] == "env":
            return self.environment(token[1], token[2])
        return self.macro(str(token[1]))

    def macro(self, name: str) -> Node | None:
        if name in _SILENT or name == "\\":
            return None
        if name in _DROPPED:
            self.next()
            return None
        if name in _FRACTIONS:
            return Fraction(self.argument(), self.argument())
        if name in ("binom", "dbinom", "tbinom"):
            return Fence("(", Fraction(self.argument(), self.argument(), bar=False), ")")
        if name == "sqrt":
            return Root(degree=self.degree(), body=self.argument())
        if name in symbols.ACCENTS:
            return Accent(self.argument(), name)
        if name in ("underbrace", "overbrace"):
            return Brace(self.argument(), name == "overbrace")
        if name in ("overset", "stackrel"):
            above = self.argument()
            return Scripts(self.argument(), None, above, limits=True)
        if name == "underset":
            below = self.argument()
            return Scripts(self.argument(), below, None, limits=True)
        if name == "left":
            return self.fence()
        if name == "right":
            raise TexError("\\right without \\left")
        if name == "not":
            return Atom(unicodedata.normalize("NFC", _raw(self.next()) + "\u0338"), "rel")
        if name in ("textcolor", "colorbox"):
            self.next()
            return self.argument()
        if name in ("boxed", "mathop", "mathbin", "mathrel", "mathord", "smash"):
            return self.argument()
        if name == "tag":
            return Atom(f"   ({_raw(self.next())})")
        if name in _TEXTS:
            return Atom(_raw(self.next()), bold=name == "textbf")
        if name in _UPRIGHT or name in _BOLD:
            return self.letters(bold=name in _BOLD, operator=name == "operatorname")
        if name in symbols.ALPHABETS:
            return _lettered(self.argument(), symbols.ALPHABETS[name])
        return _symbol(name)

    def degree(self) -> Node | None:
        if self.peek() != "[":
            return None
        tokens = list(self.tokens[self.at + 1 :])
        if "]" not in tokens:
            raise TexError("] is missing")
        end = tokens.index("]")
        self.at += end + 2
        return _Reader(tokens[:end]).row()

    def fence(self) -> Node:
        left = self.delimiter()
        body = self.row(until="right")
        self.at += 1
        return Fence(left, body, self.delimiter())

    def delimiter(self) -> str:
        token = self.next()
        if isinstance(token, str):
            return {".": "", "<": "⟨", ">": "⟩"}.get(token, token)
        found = symbols.DELIMITERS.get(str(token[1])) if token[0] == "macro" else None
        if found is None:
            raise TexError("a delimiter is missing")
        return found

    def letters(self, *, bold: bool, operator: bool) -> Node:
        """Words set upright as one atom; what is not a word keeps its structure."""
        if self.peek() == "*":
            self.at += 1
        token = self.peek()
        text = _raw(token) if token is not None else ""
        if text and all(c.isalnum() or c in " -" for c in text):
            self.at += 1
            return Atom(text.strip(), "op" if operator else "ord", loose=len(text.strip()) > 1, bold=bold)
        return self.argument()

    def environment(self, name: str, tokens: Sequence[Token]) -> Node:
        if name in ("array", "subarray", "alignedat", "tabular") and tokens and tokens[0][0] == "group":
            tokens = tokens[1:]
        reader = _Reader(tokens)
        if name in _FENCED:
            return Fence(_FENCED[name][0], Grid(reader.cells()), _FENCED[name][1])
        if name in ("cases", "rcases"):
            return Fence("{", Grid(reader.cells(), ("left",)), "")
        if name.rstrip("*") in _ALIGNED or name in ("alignedat",):
            return Grid(reader.cells(), ("right", "left"), 1)
        if name in _GATHERED:
            return Grid(reader.cells())
        if name in ("matrix", "smallmatrix", "array", "subarray", "tabular"):
            return Grid(reader.cells())
        raise TexError(f"unknown environment {name}")


def _character(char: str) -> Atom:
    kind: Kind = "ord"
    if char in "=<>:":
        kind = "rel"
    elif char in "+-*/":
        # A slash needs no air.
        return Atom({"-": "−", "*": "∗"}.get(char, char), "ord" if char == "/" else "bin")
    elif char in ",;":
        kind = "punct"
    elif char in symbols.OPENING:
        kind = "open"
    elif char in symbols.CLOSING:
        kind = "close"
    elif char == "~":
        return Atom(" ", "space")
    elif char in symbols.RELATIONS.values():
        kind = "rel"
    elif char in symbols.BINARY.values():
        kind = "bin"
    return Atom(char, kind)


def _symbol(name: str) -> Atom:
    if name in symbols.LETTERS:
        # ΔW and Σx are read as one, η g as two.
        return Atom(symbols.LETTERS[name], loose=name[0].islower())
    if name in symbols.SIGNS:
        return Atom(symbols.SIGNS[name])
    if name in symbols.BINARY:
        return Atom(symbols.BINARY[name], "bin")
    if name in symbols.RELATIONS:
        return Atom(symbols.RELATIONS[name], "rel")
    if name in symbols.LIMITS:
        return Atom(symbols.LIMITS[name], "op")
    if name in symbols.OPERATORS:
        return Atom(symbols.OPERATORS[name], "op")
    if name in symbols.SPACES:
        return Atom(" " * symbols.SPACES[name], "space")
    if name in symbols.DELIMITERS:
        sign = symbols.DELIMITERS[name]
        return Atom(
            sign, "open" if sign in symbols.OPENING else "close" if sign in symbols.CLOSING else "ord"
        )
    found = clean(symbols.rare(name))
    return Atom(found or name, loose=True, unknown=not found)


def _lettered(node: Node, letters: dict[str, str]) -> Node:
    if isinstance(node, Atom):
        return Atom("".join(letters.get(c, c) for c in node.text), node.kind, node.loose)
    if isinstance(node, Row):
        return Row(tuple(_lettered(item, letters) for item in node.items))
    return node
