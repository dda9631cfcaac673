"""The room: two machines with two devices each, and what one step of training keeps on each of them.

Volumes are proportional to bytes: a block's parameters, gradients, Adam's two moments and activations have
the same height and, where they are whole, the same width; their depth is their bytes. A shard is the part of
the width that its rank owns.

Data parallelism keeps everything on every rank. ZeRO cuts, one after the other, optimizer state, gradients
and parameters into one shard a rank (Rajbhandari et al. 2020, ZeRO, section 5). FSDP is the last of these: a
block is gathered just before it is needed, and freed. HSDP does this inside a machine, and averages between
them. By tensor it is the same, put together otherwise (`machine_room/by_tensor.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from slides.scenes.machine_room import by_tensor, pieces, seen_from_above
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Camera, Label, Number, Packet, Path, State

RANKS = 4
MACHINES = "AB"
STRATEGIES = ("ddp", "zero1", "zero2", "fsdp", "hsdp")
DEPTH = 0.42  # of the parameters of a block: the depth of all else follows from its bytes
WIDTH, HEIGHT, FLOOR_TO_FLOOR = 1.5, 0.4, 0.58
ROWS = {"params": -1.5, "activations": -0.55, "grads": 0.3, "optimizer": 1.1}  # z of the front of each kind

Kind = str


class Moment(NamedTuple):
    """What happens in one step: `phase` rest, gather, forward, backward, reduce or update, at a block."""

    phase: str
    block: int = 0


class Piece(NamedTuple):
    """The part of one block's tensors that a rank holds: `owner`'s shard of `shards`, 1 shard being all.

    `arriving`: it has been fetched ahead of its use. `busy`: it is at work.
    """

    kind: Kind
    block: int
    owner: int
    shards: int
    gathered: bool = False
    arriving: bool = False
    busy: bool = False


def moments(strategy: str, blocks: int) -> list[Moment]:
    """Return what happens in each step of one training step."""
    found = [Moment("rest")]
    if strategy in ("fsdp", "hsdp"):
        found.append(Moment("gather"))
    found += [Moment("forward", block) for block in range(blocks)]
    found += [Moment("backward", block) for block in reversed(range(blocks))]
    return [*found, Moment("reduce"), Moment("update")]


def shards(strategy: str, kind: Kind) -> int:
    """Return among how many ranks a kind of tensor is divided; 1: every rank has all of it."""
    if kind == "activations" or strategy == "ddp":
        return 1
    if strategy == "hsdp":
        return RANKS // len(MACHINES)
    cut = {"zero1": ("optimizer",), "zero2": ("optimizer", "grads")}.get(strategy)
    return RANKS if cut is None or kind in cut else 1


def held(strategy: str, blocks: int, moment: Moment, rank: int) -> list[Piece]:
    """Return everything that `rank` holds at this moment."""
    found: list[Piece] = []
    phase, now = moment
    for block in range(blocks):
        parts = shards(strategy, "params")
        busy = (phase in ("forward", "backward") and block == now) or phase == "update"
        found.append(Piece("params", block, rank % parts, parts, busy=busy))
        whole = (phase in ("forward", "backward", "gather")) and block == now
        ahead = (phase == "forward" and block == now + 1) or (phase == "backward" and block == now - 1)
        if parts > 1 and (whole or ahead):
            others = (owner for owner in range(parts) if owner != rank % parts)
            found += [Piece("params", block, owner, parts, True, ahead, busy) for owner in others]
        parts = shards(strategy, "optimizer")
        found.append(Piece("optimizer", block, rank % parts, parts, busy=phase == "update"))
        if _active(moment, block, blocks):
            found.append(Piece("activations", block, 0, 1, busy=busy))
        parts = shards(strategy, "grads")
        if phase == "backward" and block == now and parts > 1:
            found += [
                Piece("grads", block, owner, parts, owner != rank % parts, busy=True)
                for owner in range(parts)
            ]
        elif (phase == "backward" and block >= now) or phase in ("reduce", "update"):
            found.append(
                Piece("grads", block, rank % parts, parts, busy=phase == "backward" and block == now)
            )
    return found


def _active(moment: Moment, block: int, blocks: int) -> bool:
    """Whether the activations of `block` are kept: from its forward until its backward."""
    if moment.phase == "forward":
        return block <= moment.block
    return moment.phase == "backward" and block <= moment.block


def megabytes(pieces: list[Piece], values: Values) -> float:
    """Return the MB of `pieces`: parameters and gradients as many as a block has, Adam twice as many."""
    return sum(_megabytes(piece.kind, values) / piece.shards for piece in pieces)


def _megabytes(kind: Kind, values: Values) -> float:
    block = float(values["block_mb"])
    return {"optimizer": 2 * block, "activations": block * float(values["activations"])}.get(kind, block)


# -- the picture --------------------------------------------------------------------------------------------


def _middle(rank: int) -> float:
    """The middle of a rank's device, along x."""
    return -3.5 + 7.0 * (rank // 2) - 1.3 + 2.6 * (rank % 2)


def _id(piece: Piece, rank: int, back: bool) -> str:
    again = ".again" if piece.gathered and back and piece.kind == "params" else ""
    return f"{piece.kind}{piece.block}.{piece.owner}of{piece.shards}@{rank}{again}"


def _owner(piece: Piece, rank: int) -> int:
    """The rank that owns a gathered piece: in the same machine, where it is divided among that."""
    return rank // piece.shards * piece.shards + piece.owner if piece.shards < RANKS else piece.owner


def _box(piece: Piece, rank: int, values: Values, back: bool) -> Box:
    depth = DEPTH * _megabytes(piece.kind, values) / float(values["block_mb"])
    left = _middle(rank) - WIDTH / 2 + WIDTH * piece.owner / piece.shards
    home = ""
    if piece.gathered:
        own = piece._replace(gathered=False, arriving=False)
        home = _id(own, _owner(piece, rank), False)
    return Box(
        id=_id(piece, rank, back),
        ink=piece.kind,
        edge="background",
        at=(left, 0.2 + FLOOR_TO_FLOOR * piece.block, ROWS[piece.kind]),
        size=(WIDTH / piece.shards, HEIGHT, depth),
        alpha=0.3 if piece.arriving else 0.7 if piece.gathered else 1.0,
        glow=0.0 if not piece.busy else 0.3 if piece.gathered else 0.5,
        comes_from=home if piece.kind == "params" else "",
        goes_to=home if piece.kind == "grads" else "",
    )


def _stage(values: Values) -> list[AnyShape]:
    """The floor, machines, devices and links: what is always there."""
    found: list[AnyShape] = []
    for n in range(-5, 6):
        ends = ((n * 1.6, -0.3, -5.0), (n * 1.6, -0.3, 5.0))
        found += [Path(id=f"floor.x{n}", points=ends, ink="line", layer=-9)]
    for n in range(-3, 4):
        ends = ((-8.0, -0.3, n * 1.6), (8.0, -0.3, n * 1.6))
        found += [Path(id=f"floor.z{n}", points=ends, ink="line", layer=-9)]
    for machine, name in enumerate(MACHINES):
        x = (_middle(2 * machine) + _middle(2 * machine + 1)) / 2
        found.append(
            Box(
                id=f"machine{machine}",
                at=(x - 2.75, -0.28, -2.15),
                size=(5.5, 0.2, 4.6),
                ink="panel",
                edge="line",
                layer=-8,
            )
        )
        found.append(Label(id=f"name{machine}", at=(x, -0.28, -3.5), text=f"machine {name}", ink="dim"))
    for rank in range(RANKS):
        x = _middle(rank)
        found.append(
            Box(
                id=f"device{rank}",
                at=(x - 1.1, -0.08, -1.85),
                size=(2.2, 0.1, 4.1),
                ink="select",
                edge="faint",
                layer=-7,
            )
        )
    for machine in range(len(MACHINES)):
        link = _link(2 * machine, 2 * machine + 1)
        found += [Path(id=f"fast{machine}", points=link, ink="hidden", width=0.14, layer=-6)]
    found.append(Path(id="wire", points=_link(1, 2), ink="exposed", width=0.05, layer=-6))
    return found


def _link(a: int, b: int) -> tuple[tuple[float, float, float], ...]:
    return ((_middle(a) + 0.75, 0.05, -1.8), (_middle(b) - 0.75, 0.05, -1.8)) if a < b else (
        (_middle(a) - 0.75, 0.05, -1.8), (_middle(b) + 0.75, 0.05, -1.8))  # fmt: skip


def _packets(strategy: str, moment: Moment, ink: str, step: int) -> list[AnyShape]:
    """What is on the wires: a piece to each neighbour; in HSDP gradients cross between the machines."""
    size = 0.2 if ink == "params" or shards(strategy, "grads") > 1 else 0.26
    return [
        Packet(
            id=f"packet{step}.{ink}.{a}to{b}",
            ink=ink,
            points=_link(a, b),
            size=(size, size, size),
            along=0.62 if ink == "params" else 0.4,
            layer=1,
        )
        for a, b in _pairs(strategy, ink)
    ]


def _pairs(strategy: str, ink: str) -> list[tuple[int, int]]:
    """From which rank to which something goes."""
    pairs = [(0, 1), (1, 0), (2, 3), (3, 2)]
    if strategy != "hsdp" or ink == "grads":
        pairs += [(1, 2), (2, 1)]
    return pairs


def state(step: int, values: Values) -> State:
    """Return step `step` of one training step in the room."""
    strategy, blocks = str(values["strategy"]), int(values["blocks"])
    steps = moments(strategy, blocks)
    moment = steps[step]
    lead, caption = _words(strategy, moment, blocks, values)
    if values["by"] == "tensor":
        owned = [held(strategy, blocks, moment, rank) for rank in range(RANKS)]
        colours = tuple((f"rank{rank}", f"on rank {rank}") for rank in range(RANKS))
        stacks = tuple(by_tensor.shapes(owned, blocks))
        flat = seen_from_above.by_tensor(owned, blocks, by_tensor.box)
        apart = seen_from_above.HIGH / seen_from_above.rows(1, blocks, RANKS)
        drawn = State(flat, lead, caption, legend=colours, apart=apart)
        return State(stacks, lead, caption, camera=by_tensor.CAMERA, legend=colours, plan=drawn)
    shapes = _stage(values)
    for rank in range(RANKS):
        pieces = held(strategy, blocks, moment, rank)
        shapes += [_box(piece, rank, values, moment.phase == "backward") for piece in pieces]
        held_mb = megabytes(pieces, values)
        figure = Number(
            id=f"rank{rank}", at=(_middle(rank), -0.1, -2.55), value=held_mb,
            decimals=int(held_mb < 99.95), before=f"rank {rank}  ", after=" MB", ink="heading", bold=True,
        )  # fmt: skip
        shapes.append(figure)
    for ink in _moving(strategy, moment, blocks):
        shapes += _packets(strategy, moment, ink, step)
    tallest = 0.2 + FLOOR_TO_FLOOR * blocks
    camera = Camera(12.0, 30.0, 14.2 + max(0.0, tallest - 2.6) * 2, (0.0, tallest / 2 - 0.75, -0.4))
    legend = (
        ("params", "parameters (pale: gathered)" if shards(strategy, "params") > 1 else "parameters"),
        ("activations", "activations"),
        ("grads", "gradients"),
        ("optimizer", "optimizer state"),
    )
    machine = RANKS // len(MACHINES)
    apart = seen_from_above.HIGH / seen_from_above.rows(machine, blocks)
    drawn = State(_plan(moment, values), lead, caption, legend=legend, apart=apart)
    return State(tuple(shapes), lead, caption, camera=camera, legend=legend, plan=drawn)


def _own(piece: pieces.Piece) -> Piece:
    parts = (piece.kind, piece.block, piece.owner, piece.shards)
    return Piece(*parts, piece.gathered, piece.arriving, piece.busy)


def _plan(moment: Moment, values: Values) -> tuple[AnyShape, ...]:
    """The same in a plane."""
    strategy, blocks = str(values["strategy"]), int(values["blocks"])
    holds = [held(strategy, blocks, moment, rank) for rank in range(RANKS)]
    sent = [(ink, a, b) for ink in _moving(strategy, moment, blocks) for a, b in _pairs(strategy, ink)]
    return seen_from_above.by_rank(
        holds,
        blocks,
        {kind: _megabytes(kind, values) / float(values["block_mb"]) for kind in ROWS},
        lambda rank: megabytes(holds[rank], values),
        lambda piece, rank: _box(_own(piece), rank, values, moment.phase == "backward"),
        sent,
        MACHINES,
    )


def _moving(strategy: str, moment: Moment, blocks: int) -> list[str]:
    """The kinds that are on the wires now."""
    phase, block = moment
    found = []
    if shards(strategy, "params") > 1 and (
        phase == "gather"
        or (phase == "forward" and block < blocks - 1)
        or (phase == "backward" and block > 0)
    ):
        found.append("params")
    if phase == "reduce" or (phase == "backward" and block < blocks - 1):
        found.append("grads")
    if phase == "update" and strategy in ("zero1", "zero2"):
        found.append("params")
    return found


def _words(strategy: str, moment: Moment, blocks: int, values: Values) -> tuple[str, str]:
    phase, block = moment
    cut = shards(strategy, "params")
    share = {2: "half", 4: "quarter"}.get(cut, "")
    others = {2: "the half it does not own", 4: "the three quarters it does not own"}.get(cut, "")
    if phase == "rest":
        if strategy == "ddp":
            return (
                "Before the step",
                "Every rank holds all parameters and all optimizer state: four times the same.",
            )
        if cut == 1:
            what = (
                "optimizer state"
                if strategy == "zero1"
                else "optimizer state, and will keep one of the gradients"
            )
            return "Before the step", f"Every rank holds all parameters, but only its quarter of the {what}."
        where = (
            "inside its machine; the other machine holds the same" if strategy == "hsdp" else "of every block"
        )
        return "Before the step", f"Every rank holds one {share} of parameters and optimizer state {where}."
    if phase == "gather":
        return (
            "Block 0 is gathered",
            f"Each rank fetches {others}; for a moment block 0 is whole on every rank.",
        )
    if phase == "forward":
        if cut == 1:
            return f"Forward through block {block}", "Its activations stay until backward comes back to them."
        ahead = f" Block {block + 1} is already on its way." if block < blocks - 1 else ""
        freed = f" Block {block - 1} is a shard again." if block else ""
        return f"Forward through block {block}", f"It is whole only while it computes.{freed}{ahead}"
    if phase == "backward":
        again = f"Block {block} is gathered again. " if cut > 1 else ""
        last = block + 1
        told = "" if last == blocks else f" Meanwhile those of block {last} are {_reduced(strategy)}."
        return (
            f"Backward through block {block}",
            f"{again}Its gradients appear, its activations can go.{told}",
        )
    if phase == "reduce":
        return (
            "The last gradients",
            f"Those of block 0 are {_reduced(strategy)}. Nothing is left to hide this behind.",
        )
    if strategy == "ddp":
        return "Optimizer step", "Every rank does the same update to the same parameters, so they stay equal."
    if cut == 1:
        return (
            "Optimizer step",
            "Every rank updates its quarter, then sends the new parameters to all others.",
        )
    return "Optimizer step", f"Every rank updates its own {share} and needs nobody for it."


def _reduced(strategy: str) -> str:
    if strategy == "hsdp":
        return "reduce-scattered inside each machine, then averaged between the two over the thin wire"
    if shards(strategy, "grads") > 1:
        return "reduce-scattered: every rank keeps the mean of its quarter"
    return "averaged over all ranks by an all-reduce"


SCENE = Scene(
    "room",
    "two machines, four devices: what a training step keeps where",
    steps=lambda values: len(moments(str(values["strategy"]), int(values["blocks"]))),
    state=state,
    params=(
        Param("strategy", "fsdp", "how the work is divided", choices=STRATEGIES),
        Param(
            "by", "rank", "what stands together: what a rank holds, or a tensor", choices=("rank", "tensor")
        ),
        Param("blocks", 4, "blocks of the model", 2, 6),
        Param("block_mb", 12.0, "MB of the parameters of a block", 0.1, 1e6),
        Param("activations", 1.0, "activations of a block, as a multiple of its parameters", 0.1, 3.0),
    ),
)
