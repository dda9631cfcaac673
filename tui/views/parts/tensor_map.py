"""Whose part of each tensor lies where: a row a tensor, a bar for all of it, cut where the tensor is cut.

A part is as long as its share of the tensor, has the colour of the rank that stores it, and says which rank
that is; parts stand in their order within the tensor. Beside the parameters, the optimizer's state of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from runtime.protocol.figures import Part, PlacedTensor, Placement
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.frame import DIM

_GAP = 2
_HEADING, _TEXT = Style("heading"), Style("text")


def tensor_map(placement: Placement, world: int, equal: bool | None, width: int, height: int) -> list[Line]:
    """Return at most `height` lines of at most `width` cells.

    Args:
        placement: Where the parts lie.
        world: How many ranks there are.
        equal: Whether the parameters of all ranks have the same checksum; None is not known.
        width: Cells, at least 50.
        height: Rows; where they are too few, the largest tensors are shown.
    """
    room = height - 1
    rows, more = list(placement.tensors), placement.more
    if len(rows) + bool(more) > room:
        largest = sorted(rows, key=lambda row: -row.count * prod(row.shape))[: max(0, room - 1)]
        more += sum(row.count for row in rows if row not in largest)
        rows = [row for row in rows if row in largest]
    names = [_name(row) for row in rows]
    shapes = ["×".join(map(str, row.shape)) for row in rows]
    ways = [_way(row, world, equal) for row in rows]
    columns = [_width(["parameter", *names], width // 3), _width(["shape", *shapes], 16), _width(ways, 10)]
    stepped = any(row.states for row in rows)
    left = width - sum(columns) - _GAP * (len(columns) + stepped)
    bar = left // 2 if stepped else left
    heads = ["parameter", "shape", "cut", _fits(("who stores which part of it", "whose part"), bar)]
    if stepped:
        heads.append(_fits(("who has the optimizer's state of it", "optimizer's state", "state"), bar))
    widths = [*columns, bar, bar]
    lines: list[Line] = [_row([(Span(word, DIM),) for word in heads], widths)]
    for row, name, shape, way in zip(rows, names, shapes, ways, strict=True):
        parts: list[Line] = [(Span(name, _HEADING),), (Span(shape, _TEXT),), (Span(way, DIM),)]
        parts.append(_bar(row, [row.stored], bar, world))
        if stepped:
            parts.append(_bar(row, row.states, bar, world))
        lines.append(_row(parts, widths))
    if more:
        lines.append((Span(f"and {more} more tensor{'s' * (more > 1)}", DIM),))
    return [cells.clip(line, width) for line in lines[:height]]


def _name(row: PlacedTensor) -> str:
    name = cells.clean(row.name)
    return f"{name}  ×{row.count}" if row.count > 1 else name


def _way(row: PlacedTensor, world: int, equal: bool | None) -> str:
    """In which dimensions it is cut."""
    if not row.cut:
        return "copies" if equal and len(row.stored[0].ranks) == world > 1 else "not cut"
    cut = [n for n in range(len(row.shape)) if any(part.size[n] != row.shape[n] for part in row.stored)]
    if not cut:
        return "copies" if world > 1 else "whole"
    return f"dim {', '.join(map(str, cut))}"


def _bar(row: PlacedTensor, tensors: Sequence[Sequence[Part]], width: int, world: int) -> Line:
    """One bar of `tensors` side by side: of all of them where they are alike."""
    spans: list[Span] = []
    if not tensors:
        return (Span("not known", DIM),)
    for n, parts in enumerate(tensors):
        start, end = (round(width * at / len(tensors)) for at in (n, n + 1))
        spans += _parts(row, parts, end - start, world)
    return tuple(spans)


def _parts(row: PlacedTensor, parts: Sequence[Part], width: int, world: int) -> list[Span]:
    """The parts of one tensor; `·` where nobody has any."""
    whole = prod(row.shape) or 1
    spans: list[Span] = []
    done, at = 0, 0
    for n, part in enumerate(parts):
        done += prod(part.size) if part.size else whole
        # Each has a cell while there are as many as parts.
        end = max(min(round(width * done / whole), width - (len(parts) - 1 - n)), at + 1)
        if end > width:
            break
        spans += _part(part, end - at, world)
        at = end
    if at < width:
        spans.append(Span("·" * (width - at - 1) + " ", DIM))
    return spans


def _part(part: Part, width: int, world: int) -> list[Span]:
    """A part of that many cells; of several the last one is blank, which keeps it from the next."""
    every = len(part.ranks) == world > 1
    style = Style("background", "dim" if every else f"rank{part.ranks[0] % 8}", bold=True)
    who = " ".join(map(str, part.ranks))
    if every:
        words: tuple[str, ...] = ("every rank", "all", who)
    else:
        words = f"rank {who}" if len(part.ranks) == 1 else f"ranks {who}", who
    inside = width - (width > 1)
    word = next((word for word in words if cells.width(word) <= inside), "")
    before = (inside - cells.width(word)) // 2
    filled = Span(" " * before + word + " " * (inside - before - cells.width(word)), style)
    return [filled, Span(" ")] if width > 1 else [filled]


def _row(parts: Sequence[Line], widths: Sequence[int]) -> Line:
    found: list[Span] = []
    for n, (part, width) in enumerate(zip(parts, widths, strict=False)):
        found += [*([Span(" " * _GAP)] if n else []), *cells.fit(part, width)]
    return tuple(found)


def _width(words: Sequence[str], most: int) -> int:
    return min(max(map(cells.width, words), default=0), most)


def _fits(words: Sequence[str], width: int) -> str:
    return next((word for word in words if cells.width(word) <= width), "")
