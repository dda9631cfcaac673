"""The room by tensor: whose piece of each block's parameters, gradients and optimizer state lies where.

A tensor is a stack of four layers, one for each rank that may hold it: what a rank does not hold is missing
from its layer. So a copy on every rank is a full stack, and shards are a staircase that covers the tensor
once. Pieces are where they lie in the tensor, as long as their part of it, and in the colours of their ranks.
"""

from __future__ import annotations

from collections.abc import Sequence

from slides.scenes.machine_room.pieces import Piece
from slides.scenes.shapes import AnyShape, Box, Camera, Label, Path

KINDS = (
    ("params", ("parameters", "params"), -2.1, 0.5),
    ("grads", ("gradients", "grads"), -0.2, 0.5),
    ("optimizer", ("optimizer state", "opt"), 1.7, 1.0),
)
"""Ink of `room.ROWS`, name, short name, z of its front, depth: Adam has twice the bytes of the parameters."""

# The x where the name of each kind begins: on the right, where the rows behind end before those in front, and
# beyond the stacks in front, which would lie under it.
_NAMES = {"params": 6.4, "grads": 7.8, "optimizer": 7.5}

LAYER, THICK, FOOT = 0.42, 0.34, 0.1
_WIDE = 12.4  # of all blocks


def shapes(held: Sequence[Sequence[Piece]], blocks: int) -> list[AnyShape]:
    """Return the stacks of all tensors; `held` are the pieces of each rank."""
    pitch = _WIDE / blocks
    wide = min(2.7, 0.84 * pitch)
    found: list[AnyShape] = []
    for block in range(blocks):
        middle = (block + 0.5) * pitch - _WIDE / 2
        found.append(
            Label(
                id=f"block{block}", at=(middle, 0.0, -2.9), text=f"block {block}", short=str(block), ink="dim"
            )
        )
        for kind, _, front, depth in KINDS:
            at, size = (middle - wide / 2 - 0.1, -0.05, front - 0.1), (wide + 0.2, 0.08, depth + 0.2)
            found.append(Box(id=f"place.{kind}{block}", at=at, size=size, ink="panel", edge="line", layer=-8))
    for kind, (name, short), front, depth in KINDS:
        at = (_NAMES[kind], 0.0, front + depth / 2)
        found.append(Label(id=f"kind.{kind}", at=at, text=name, short=short, anchor="left", ink="text"))
    for rank, pieces in enumerate(held):
        found += [
            box(piece, rank, wide, (piece.block + 0.5) * pitch - _WIDE / 2)
            for piece in pieces
            if piece.kind != "activations"
        ]
    return [*_floor(), *found]


def box(piece: Piece, rank: int, wide: float = 1.0, middle: float = 0.0) -> Box:
    """Return a piece of `rank` in the stack of a block that is `wide`, around `middle`."""
    _, _, front, depth = next(kind for kind in KINDS if kind[0] == piece.kind)
    part = wide / piece.shards
    own = f"{piece.kind}{piece.block}.{piece.owner}of{piece.shards}"
    return Box(
        id=f"{own}@{rank}",
        at=(middle - wide / 2 + piece.owner * part, FOOT + rank * LAYER, front),
        size=(part, THICK, depth),
        ink=f"rank{rank}",
        edge="background",
        alpha=0.3 if piece.arriving else 0.55 if piece.gathered else 1.0,
        glow=0.6 if piece.busy else 0.0,
    )


def _floor() -> list[AnyShape]:
    found: list[AnyShape] = []
    for n in range(-5, 6):
        ends = ((n * 1.6, -0.1, -4.0), (n * 1.6, -0.1, 4.0))
        found.append(Path(id=f"floor.x{n}", points=ends, ink="line", layer=-9))
    for n in range(-2, 3):
        ends = ((-8.0, -0.1, n * 1.6), (8.0, -0.1, n * 1.6))
        found.append(Path(id=f"floor.z{n}", points=ends, ink="line", layer=-9))
    return found


CAMERA = Camera(12.0, 32.0, 16.6, (1.2, 0.7, -0.2))
