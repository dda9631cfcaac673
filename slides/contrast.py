"""Contrast of two colours, and whether the words of a theme have enough of it on their ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

READABLE, LEGIBLE = 4.5, 3.0  # contrast on its ground of text, and of large words (WCAG AA)
WORDS = ("text", "heading", "dim", "accent", "good", "warning", "bad", "code")


def luminance(colour: str) -> float:
    """Return the relative luminance of `#rrggbb`, 0 to 1 (WCAG 2.2, definition of relative luminance)."""
    parts = (int(colour[n : n + 2], 16) / 255 for n in (1, 3, 5))
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2, definition of contrast ratio)."""
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def unreadable(colours: Mapping[str, str]) -> Iterator[tuple[str, float, float]]:
    """Yield the words of a theme's `colours` with too little contrast on its background: the name of their
    colour, the contrast that they have, and the least that they need."""
    for ink in WORDS:
        least = READABLE if ink == "text" else LEGIBLE
        if (found := contrast(colours[ink], colours["background"])) < least:
            yield ink, found, least
