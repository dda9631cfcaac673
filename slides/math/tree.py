"""A formula as a tree: what `slides.math.parser` reads and `slides.math.layout` draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["ord", "op", "bin", "rel", "open", "close", "punct", "space"]


@dataclass(frozen=True, slots=True)
class Atom:
    """Text set as it is. A `loose` one keeps a blank from what follows it: η g, but 2x."""

    text: str
    kind: Kind = "ord"
    loose: bool = False
    bold: bool = False
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """Nodes side by side."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Fraction:
    """One node over another; without a bar it is a binomial's pair."""

    top: Node
    bottom: Node
    bar: bool = True


@dataclass(frozen=True, slots=True)
class Root:
    """A root; `degree` is None for a square root."""

    body: Node
    degree: Node | None


@dataclass(frozen=True, slots=True)
class Scripts:
    """`limits`: above and below the base in display, instead of at its right."""

    base: Node
    sub: Node | None
    sup: Node | None
    limits: bool = False


@dataclass(frozen=True, slots=True)
class Accent:
    """A mark over a node, `name` as in TeX without the backslash."""

    body: Node
    name: str


@dataclass(frozen=True, slots=True)
class Brace:
    """A brace over or under the body; its label comes as limits."""

    body: Node
    over: bool


@dataclass(frozen=True, slots=True)
class Fence:
    """`left` and `right` grow with the body; "" is no delimiter."""

    left: str
    body: Node
    right: str


@dataclass(frozen=True, slots=True)
class Grid:
    """Rows of cells; `align` is repeated over the columns, `gap` the blanks between two of them."""

    rows: tuple[tuple[Node, ...], ...]
    align: tuple[str, ...] = ("center",)
    gap: int = 2


Node = Atom | Row | Fraction | Root | Scripts | Accent | Brace | Fence | Grid
