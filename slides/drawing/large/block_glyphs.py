"""Glyphs that are parts of a cell, by the dots that are inked: dot `n`, counted from left to right and down,
is bit `1 << n`."""

from __future__ import annotations

from functools import cache

QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Of 2 x 2 dots."""

SEXTANTS = "".join(
    " " if n == 0 else "▌" if n == 21 else "▐" if n == 42 else "█" if n == 63
    else chr(0x1FB00 + n - 1 - (n > 21) - (n > 42))
    for n in range(64)
)  # fmt: skip
"""Of 2 x 3 dots (Unicode 13)."""


@cache
def edge(glyph: str, *, right: bool) -> frozenset[int]:
    """The rows of dots that are inked at this side of a cell, by sixths of its height; none of what is no
    such glyph."""
    for glyphs, high in ((QUADRANTS, 2), (SEXTANTS, 3)):
        if glyph in glyphs:
            n, each = glyphs.index(glyph), 6 // high
            inked = [row for row in range(high) if n >> (2 * row + right) & 1]
            return frozenset(part for row in inked for part in range(row * each, (row + 1) * each))
    return frozenset()
