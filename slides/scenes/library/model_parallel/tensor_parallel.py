"""Tensor parallelism: a feed-forward block cut by columns, then by rows, with one all-reduce.

Shoeybi et al. 2019 (Megatron-LM), section 3 and figure 3: Y = GeLU(X A), Z = Y B. A is cut by columns, so
that GeLU needs nobody else's numbers; B by rows, so that each rank has a partial sum of Z and one all-reduce
adds them. f copies X forward and all-reduces its gradient backward; g does the opposite.
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import beside, exchange
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, State

_X, _A, _Y, _B, _Z, _SUM = 20.0, 46.0, 70.0, 94.0, 118.0, 143.0
_WIDE = 16.0


def state(step: int, values: Values) -> State:
    """Return the parts of all ranks after `step` of what happens to a block."""
    ranks = int(values["ranks"])
    row = 50.0 / ranks
    high = row * 0.72
    shapes: list[AnyShape] = []
    heads = ((_X, "X"), (_A, "A"), (_Y, "Y = GeLU(X A)"), (_B, "B"), (_Z, "Y B"), (_SUM, "Z"))
    for n, (left, text) in enumerate(heads):
        if n in _there(step):
            shapes.append(
                Label(
                    id=f"head{n}",
                    at=(left + _WIDE / 2, 3),
                    text=text,
                    short=text.partition(" ")[0],
                    ink="dim",
                )
            )
    for rank in range(ranks):
        top = 8.0 + rank * row
        shapes.append(beside(f"name{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (17.0, high)))
        part = _WIDE / ranks
        for n in _there(step):
            shapes += _matrix(n, rank, ranks, top, high, part, step)
    rows = [8.0 + rank * row + high / 2 for rank in range(ranks)]
    if step == 5:
        shapes += exchange("g", _Z + _WIDE, _SUM, rows)
    if step == 7:  # from right to left: the gradients of X
        shapes += exchange("f", _A, _X + _WIDE, rows)
    lead, caption = _words(step, ranks)
    return State(tuple(shapes), lead, caption, apart=row)


def _there(step: int) -> tuple[int, ...]:
    return (
        (0, 1, 3),
        (1, 3),
        (0, 1, 3),
        (0, 1, 2, 3),
        (0, 1, 2, 3, 4),
        (0, 1, 2, 3, 4, 5),
        (0, 1, 2, 3, 4, 5),
        (0, 1, 2, 3, 4, 5),
    )[step]


def _matrix(n: int, rank: int, ranks: int, top: float, high: float, part: float, step: int) -> list[AnyShape]:
    """The n-th matrix on a rank: whole, or its outline with the rank's part in it."""
    left, ink = (
        (_X, _A, _Y, _B, _Z, _SUM)[n],
        ("activations", "params", "activations", "params", "grads", "activations")[n],
    )
    name, busy = f"matrix{n}.{rank}", 0.7 * (n == {2: 0, 3: 2, 4: 4, 5: 5}.get(step, -1))
    if n in (1, 3) and step == 0:  # whole on every rank, as without tensor parallelism
        return [Box(id=name, at=(left, top), size=(_WIDE, high), ink=ink, text="whole", short="all")]
    if n in (1, 2):  # columns
        at, size = (left + rank * part, top), (part, high)
    elif n == 3:  # rows
        at, size = (left, top + rank * high / ranks), (_WIDE, high / ranks)
    else:
        words = {0: "all of X", 4: f"part {rank}", 5: "all of Z"}[n]
        return [
            Box(
                id=name,
                at=(left, top),
                size=(_WIDE, high),
                ink=ink,
                text=words,
                short=words[:3],
                glow=busy,
                comes_from=f"matrix{n - 1}.{rank}"
                if n == 4
                else f"matrix4.{(rank + 1) % ranks}"
                if n == 5
                else "",
            )
        ]
    return [
        Box(id=f"{name}.place", at=(left, top), size=(_WIDE, high), ink="panel", layer=-1, whole=True),
        Box(
            id=name,
            at=at,
            size=size,
            ink=ink,
            glow=busy,
            whole=n != 3,
            comes_from=f"matrix1.{rank}" if n == 2 else "",
        ),
    ]


def _words(step: int, ranks: int) -> tuple[str, str]:
    return (
        (
            "One block, whole",
            "Two matrices with a GeLU between them. On one device A and B would be here as they are.",
        ),
        ("Cut", f"A is cut by columns, B by rows: each rank keeps 1/{ranks} of either."),
        (
            "f: X to all",
            "Every rank needs all of X. Forward nothing is sent: they have it from the block before.",
        ),
        (
            "Columns",
            "Each rank computes its columns of Y. GeLU works number by number, so nobody waits for anybody.",
        ),
        (
            "Rows",
            f"With its rows of B each rank gets a matrix of full size, but one of {ranks} parts of the sum.",
        ),
        (
            "g: all-reduce",
            "The parts are added. The only communication of the forward pass, and nothing hides it.",
        ),
        ("Done", "Every rank has all of Z for the next block: as large as X, and kept by all of them."),
        (
            "Backward",
            "The other way round: g copies, f adds the gradients of X. Two all-reduces; four with attention.",
        ),
    )[step]


SCENE = Scene(
    "tensor-parallel",
    "tensor parallelism: columns, then rows, then one all-reduce",
    steps=lambda values: 8,
    state=state,
    params=(Param("ranks", 4, "ranks that share a block", 2, 4),),
)
