"""Which lines of a code block are lit, one set after the other: `{1-3|5|all}`."""

from __future__ import annotations

import re

from slides.problems import Mistake, quoted

MOST_FRAMES = 99
_RANGE = re.compile(r"([0-9]{1,7})(?:\s*-\s*([0-9]{1,7}))?", re.ASCII)
_EXAMPLE = "Write line numbers of this block, its frames separated by `|`: `{1-3|5|all}`."


def focus(spec: str, count: int) -> tuple[frozenset[int], ...]:
    """Return the line sets of `1-3|5|all` for a block of `count` lines; the empty set is all lines.

    Raises:
        Mistake: it is no such list, or names a line the block does not have.
    """
    frames = spec.split("|")
    if len(frames) > MOST_FRAMES:
        raise Mistake(f"{len(frames)} frames of code focus", f"At most {MOST_FRAMES}.")
    return tuple(line_set(frame.strip(), spec, count) for frame in frames)


def line_set(frame: str, spec: str, count: int) -> frozenset[int]:
    """Return the lines of `1-3,5`, a part of `spec`; the empty set is all lines. Raises `Mistake`."""
    if frame in ("all", "*"):
        return frozenset()
    lines: set[int] = set()
    for part in frame.split(","):
        match = _RANGE.fullmatch(part.strip())
        if not match:
            raise Mistake(f"{quoted('{' + spec + '}')} is not code focus", _EXAMPLE)
        low, high = int(match[1]), int(match[2] or match[1])
        if not 1 <= low <= high <= count:
            held = "1 line" if count == 1 else f"{count} lines"
            raise Mistake(
                f"the code focus {quoted(part.strip())} is not within this block of {held}", _EXAMPLE
            )
        lines.update(range(low, high + 1))
    return frozenset(lines)
