"""A table of a command in the width of the terminal: with less air, then without what is least of use."""

from __future__ import annotations

from collections.abc import Container, Sequence

Way = tuple[int, tuple[str, ...]]  # blanks between two columns, heads of the columns that are left out


def lines(
    body: Sequence[Sequence[str]], ways: Sequence[Way], most: int | None, left: Container[str] = ()
) -> list[str]:
    """Return rows below their heads (the first), in the first of `ways` that `most` cells have room for, or
    the last. The columns with the heads of `left` are set left."""
    heads = body[0]
    widths = [max(len(row[n]) for row in body) for n in range(len(heads))]
    for gap, out in ways:
        shown = [n for n, head in enumerate(heads) if head not in out]
        if most is None or sum(widths[n] for n in shown) + gap * (len(shown) - 1) <= most:
            break
    return [
        (" " * gap).join(f"{row[n]:{'<' if heads[n] in left else '>'}{widths[n]}}" for n in shown).rstrip()
        for row in body
    ]
