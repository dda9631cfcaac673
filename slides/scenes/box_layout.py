"""Where boxes in rows, the links between them and what goes along these stand on the plane of a scene."""

from __future__ import annotations

from collections.abc import Sequence

from slides.scenes.shapes import Box, Path, Point

WIDE, HIGH = 160.0, 60.0
XY = tuple[float, float]
_BELOW = 5.5  # units from a box to the middle of its note


def _pitch(rows: int) -> tuple[float, float]:
    """From row to row, and how high the boxes are."""
    pitch = HIGH / rows
    return pitch, min(14.0, 0.55 * pitch)


def below(rows: int) -> float:
    """Return how far the middle of its note is below a box: with a blank row between where there is one."""
    pitch, high = _pitch(rows)
    return min(_BELOW, (pitch - high) / 2)


def placed(rows: Sequence[Sequence[str]], inks: dict[str, str]) -> dict[str, Box]:
    """Return boxes by name, in rows over the whole plane, those of a row equally wide."""
    pitch, high = _pitch(len(rows))
    found: dict[str, Box] = {}
    for n, row in enumerate(rows):
        each = WIDE / len(row)
        wide = min(34.0, 0.72 * each)
        for place, name in enumerate(row):
            if name:
                at = ((place + 0.5) * each - wide / 2, (n + 0.5) * pitch - high / 2)
                found[name] = Box(id=f"box {name}", at=at, size=(wide, high), ink=inks[name], text=name)
    return found


def along(sent: Sequence[tuple[str, str, str]]) -> list[float]:
    """Return how far each is on its way: halfway, or side by side where two boxes send each other several."""
    between = [frozenset((a, b)) for a, b, _ in sent]
    found = []
    for n, (a, b, _) in enumerate(sent):
        share = (between[:n].count(between[n]) + 1) / (between.count(between[n]) + 1)
        found.append(share if a < b else 1 - share)
    return found


def past_note(share: float, ends: Sequence[Point], notes: Sequence[XY], wide: float) -> float:
    """Return how far something `wide` is on its way between `ends`: not upon the words under the upper box.

    Args:
        share: How far it would be.
        ends: Of the way.
        notes: The middle and the width of the words under the box at each end; a width of 0 is none.
        wide: Units.
    """
    (x0, y0), (x1, y1) = ends
    down = y1 > y0
    x, note = notes[0] if down else notes[1]
    if not note or y0 == y1 or abs(x0 + (x1 - x0) * share - x) > (note + wide) / 2:
        return share
    return 0.5 + share / 2 if down else share / 2


def middle(box: Box) -> XY:
    """Return the point in the middle of a box."""
    return box.at[0] + box.size[0] / 2, box.at[1] + box.size[1] / 2


def link(a: Box, b: Box, head: bool, noted: Sequence[bool]) -> Path:
    """Return a line between the edges of two boxes that face each other; one that is `noted` has words under
    it."""
    (ax, ay), (bx, by) = middle(a), middle(b)
    beside = abs(ay - by) < 1e-6
    half_a, half_b = (a.size[0] / 2, b.size[0] / 2) if beside else (a.size[1] / 2, b.size[1] / 2)
    if beside:
        sign = 1.0 if bx > ax else -1.0
        ends = ((ax + sign * half_a, ay), (bx - sign * half_b, by))
    else:
        sign = 1.0 if by > ay else -1.0
        # Past the words under a box, from the side that faces the other; straight on where both are above
        # each other, so that what comes from side by side arrives side by side.
        if noted[0] and sign > 0:
            ax += 0.42 * a.size[0] * (1.0 if bx >= ax else -1.0)
            bx = min(max(ax, bx - 0.42 * b.size[0]), bx + 0.42 * b.size[0])
        elif noted[1] and sign < 0:
            bx += 0.42 * b.size[0] * (1.0 if ax > bx else -1.0)
            ax = min(max(bx, ax - 0.42 * a.size[0]), ax + 0.42 * a.size[0])
        ends = ((ax, ay + sign * half_a), (bx, by - sign * half_b))
    return Path(id=f"link {a.id} {b.id}", points=ends, head=head, ink="dim")
