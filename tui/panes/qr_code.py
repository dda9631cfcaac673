"""A QR code in cells of text, by segno (the extra `phones`)."""

from __future__ import annotations

from functools import lru_cache

from slides.drawing.text import Line, Span, Style

QUIET = 2  # modules of light around the code, in cells as in rows
_INK = Style("#000000", "#ffffff")  # whatever the theme: cameras want dark on light


@lru_cache(maxsize=4)
def modules(text: str) -> tuple[tuple[bool, ...], ...]:
    """The QR code of a text as rows of dark (True) and light modules, with light around it; empty where its
    library is not installed."""
    try:
        import segno
    except ImportError:
        return ()
    found = segno.make(text, error="m", micro=False)
    rows = [[bool(module) for module in row] for row in found.matrix]
    wide = len(rows[0]) + 2 * QUIET
    blank = [False] * wide
    framed = [[False] * QUIET + row + [False] * QUIET for row in rows]
    return tuple(map(tuple, [blank] * QUIET + framed + [blank] * QUIET))


def cells_of(text: str, width: int, height: int) -> list[Line]:
    """The QR code in cells, as large as `width` and `height` allow: a module is two cells of a row, or half a
    cell. Empty where it does not fit."""
    rows = modules(text)
    if not rows or len(rows[0]) > width or (len(rows) + 1) // 2 > height:
        return []
    if 2 * len(rows[0]) <= width and len(rows) <= height:
        return [(Span("".join("██" if dark else "  " for dark in row), _INK),) for row in rows]
    halves = [*rows, (False,) * len(rows[0])] if len(rows) % 2 else list(rows)
    pairs = zip(halves[::2], halves[1::2], strict=True)
    return [(Span("".join(" ▄▀█"[2 * a + b] for a, b in zip(*pair, strict=True)), _INK),) for pair in pairs]
