"""Glyphs that are parts of a cell, by the dots that are inked: dot `n`, counted from left to right and down,
is bit `1 << n`."""

from __future__ import annotations

QUADRANTS = " ▘▝▀▖▌▞▛▗▚▐▜▄▙▟█"
"""Of 2 x 2 dots."""

SEXTANTS = "".join(
    " " if n == 0 else "▌" if n == 21 else "▐" if n == 42 else "█" if n == 63
    else chr(0x1FB00 + n - 1 - (n > 21) - (n > 42))
    for n in range(64)
)  # fmt: skip
"""Of 2 x 3 dots (Unicode 13)."""
