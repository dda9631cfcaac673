"""The room from above, flat: for a surface of characters, in which nothing in space can be read.

Machines stand side by side, the ranks of each one below the other. A rank has a row for each block; widths
are proportional to bytes: parameters, activations, gradients, Adam's two moments, from left to right. A shard
is the part of the width that its rank owns. By tensor a row has a block, and of each tensor the ranks' copies
one below the other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from slides.scenes.machine_room.pieces import Piece
from slides.scenes.shapes import AnyShape, Box, Label, Number, Packet, Path, Point

WIDE, HIGH = 160.0, 60.0
_KINDS = ("params", "activations", "grads", "optimizer")
_MACHINE, _BETWEEN, _GUTTER, _GAP = 74.0, 12.0, 18.0, 2.0  # widths in units
_MIDDLE = 0.48  # of a row, for words: the middle of two rows of cells is in neither
_UNIT = 8.0  # of the parameters of a block, at most

Named = Callable[[Piece, int], Box]
"""The box of a piece of a rank as it is in space: its id, ink, and whose place it comes from."""


def rows(ranks: int, blocks: int, copies: int = 0) -> int:
    """Return how many rows it has: by `ranks` of a machine, or with so many copies of a tensor."""
    return blocks * (copies + 1) + 1 if copies else ranks * (blocks + 2) + 1


def by_rank(
    held: Sequence[Sequence[Piece]],
    blocks: int,
    bytes_of: Mapping[str, float],
    total: Callable[[int], float],
    named: Named,
    moving: Sequence[tuple[str, int, int]],
    machines: str,
) -> tuple[AnyShape, ...]:
    """Return what each rank holds.

    Args:
        held: The pieces of each rank.
        blocks: Blocks of the model.
        bytes_of: The bytes of a block by kind, as multiples of its parameters'.
        total: The MB that a rank holds.
        named: See `Named`.
        moving: What is on the wires: (ink, from rank, to rank).
        machines: A letter for each machine.
    """
    each = len(held) // len(machines)  # ranks of a machine
    row = HIGH / rows(each, blocks)
    unit = min(_UNIT, (_MACHINE - _GUTTER - 3 * _GAP - 1) / sum(bytes_of[kind] for kind in _KINDS))

    def top(rank: int) -> float:
        """The upper edge of the row with the name of a rank."""
        return row * (1 + rank % each * (blocks + 2))

    def left(rank: int) -> float:
        return rank // each * (_MACHINE + _BETWEEN)

    found: list[AnyShape] = []
    for machine, letter in enumerate(machines):
        at = (left(machine * each), 0.4 * row)
        size = (_MACHINE, HIGH - 0.8 * row)
        found.append(Box(id=f"machine{machine}", at=at, size=size, ink="line", hollow=True))
        middle = (at[0] + _MACHINE / 2, 0.5 * row)
        found.append(Label(id=f"name{machine}", at=middle, text=f" machine {letter} ", ink="dim", layer=1))
    wire = _wire(left(0) + _MACHINE, left(each), HIGH / 2)
    found.append(Path(id="wire", points=wire, ink="exposed"))
    for rank, pieces in enumerate(held):
        x, y = left(rank) + 2.0, top(rank)
        found.append(
            Number(id=f"rank{rank}", at=(x, y + _MIDDLE * row), value=total(rank), decimals=1, anchor="left",
                   before=f"rank {rank}  ", after=" MB", ink="heading", bold=True)
        )  # fmt: skip
        for block in range(blocks):
            at = (x, y + (block + 1 + _MIDDLE) * row)
            name = Label(id=f"block{block}@{rank}", at=at, text=f"block {block}", anchor="left", ink="dim")
            found.append(name)
        starts, start = {}, x + _GUTTER - 2.0
        for kind in _KINDS:
            starts[kind], start = start, start + unit * bytes_of[kind] + _GAP
        for piece in pieces:
            part = unit * bytes_of[piece.kind] / piece.shards
            box = named(piece, rank)
            corner = (starts[piece.kind] + piece.owner * part, y + (piece.block + 1) * row)
            found.append(_flat(box, corner, (part, row)))
    for n, (ink, a, b) in enumerate(moving):
        if a // each == b // each:
            x = left(a) + _MACHINE - 4.0
            ends: tuple[Point, ...] = ((x, top(a) + 2 * row), (x, top(b) + 2 * row))
            if a > b:
                ends = tuple((px - 3.0, py) for px, py in ends)
        else:
            ends = wire if a < b else tuple(reversed(wire))
        found.append(
            Packet(id=f"packet{n}.{ink}", points=ends, size=(3.0, row), ink=ink, layer=1,
                   along=0.62 if ink == "params" else 0.35)
        )  # fmt: skip
    return tuple(found)


def _wire(x0: float, x1: float, y: float) -> tuple[Point, ...]:
    return (x0, y), (x1, y)


def by_tensor(held: Sequence[Sequence[Piece]], blocks: int, named: Named) -> tuple[AnyShape, ...]:
    """Return whose piece of each tensor lies where; the pieces of a rank have the ink of the rank."""
    kinds = (
        ("params", "parameters", 1.0),
        ("grads", "gradients", 1.0),
        ("optimizer", "optimizer state", 2.0),
    )
    row = HIGH / rows(1, blocks, len(held))
    unit = (WIDE - _GUTTER - 3 * 6.0) / 4
    found: list[AnyShape] = []
    starts, start = {}, _GUTTER
    for kind, words, size in kinds:
        starts[kind], wide = start, unit * size
        found.append(Label(id=f"kind.{kind}", at=(start + wide / 2, row / 2), text=words, ink="text"))
        start += wide + 6.0
    for block in range(blocks):
        y = row * (1 + block * (len(held) + 1))
        found.append(Label(id=f"block{block}", at=(1.0, y + _MIDDLE * row), text=f"block {block}",
                           short=str(block), anchor="left", ink="dim"))  # fmt: skip
    for rank, pieces in enumerate(held):
        for piece in pieces:
            if piece.kind not in starts:
                continue
            part = unit * (2.0 if piece.kind == "optimizer" else 1.0) / piece.shards
            y = row * (1 + piece.block * (len(held) + 1) + rank)
            box = named(piece, rank)
            found.append(_flat(box, (starts[piece.kind] + piece.owner * part, y), (part, row)))
    return tuple(found)


def _flat(box: Box, corner: Point, size: Point) -> Box:
    return Box(id=box.id, at=corner, size=size, ink=box.ink, alpha=box.alpha, glow=box.glow, whole=True,
               comes_from=box.comes_from, goes_to=box.goes_to)  # fmt: skip
