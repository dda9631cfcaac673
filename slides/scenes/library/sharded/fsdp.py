"""FSDP on one sheet: a rank a row, a block a column, and below them the memory for parameters.

Every rank owns one slice of every block. A block is gathered just before it is used, used whole, and freed;
the next one is fetched meanwhile. What is gathered is a buffer beside the slice, so a rank holds at most its
slices and two blocks: the one in use and the one that comes (Zhao et al. 2023, PyTorch FSDP, sections 3.2.1
and 3.3.2). Of a block of S bytes over N ranks an all-gather or a reduce-scatter sends S (N-1)/N from each
rank; two of the first and one of the second make 3 S (N-1)/N a step, where data parallel sends 2 S (N-1)/N
(Rajbhandari et al. 2020, ZeRO, section 7).
"""

from __future__ import annotations

import math
from typing import NamedTuple

from slides.scenes.library.collectives.chunks import beside
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Axis, Box, Label, Path, State

_LEFT, _RIGHT = 16.0, 136.0  # of the blocks, and of the curve below them
_TOP, _ROWS = 6.0, 38.0  # y of the first rank, and what all of them have
_BLOCK = 0.48  # of what a rank has, the height of its blocks: gradients keep a row of cells under them
_UNDER = 4  # ranks up to which they do: of more each has one row of cells
_HIGH, _FLOOR = 46.0, 57.5  # y of the curve
GATHER, FORWARD, TURN, BACKWARD = "gather", "forward", "turn", "backward"


class Moment(NamedTuple):
    """What happens in a step: rest, gather, forward, turn, backward, reduce or update, at a block."""

    phase: str
    block: int = 0


class Transfers(NamedTuple):
    """The blocks that are gathered and those whose gradients are reduced, in one step."""

    gathered: tuple[int, ...]
    reduced: tuple[int, ...]


def mb(size: float, digits: int = 4) -> str:
    """Return so many digits of a figure in MB, or all before its point: nobody reads 1e+06."""
    return f"{size:.{digits}g}" if size < 10**digits - 0.5 else f"{size:.0f}"


def sizes(values: Values) -> list[float]:
    """Return the MB of each block."""
    return [float(word) for word in str(values["sizes"]).split(",")]


def moments(blocks: int) -> list[Moment]:
    """Return what happens in each step of one training step."""
    forward = [Moment(FORWARD, block) for block in range(blocks)]
    backward = [Moment(BACKWARD, block) for block in reversed(range(blocks))]
    turn = Moment(TURN, blocks - 1)
    return [Moment("rest"), Moment(GATHER), *forward, turn, *backward, Moment("reduce"), Moment("update")]


def transfers(moment: Moment, blocks: int) -> Transfers:
    """Return what goes over the wire: the next block while this one computes, the last one's gradients."""
    phase, block = moment
    if phase in (GATHER, TURN):
        return Transfers((block,), ())
    if phase == FORWARD:
        return Transfers((block + 1,) if block + 1 < blocks else (), ())
    if phase == BACKWARD:
        return Transfers((block - 1,) if block else (), (block + 1,) if block + 1 < blocks else ())
    return Transfers((), (0,) if phase == "reduce" else ())


def whole(moment: Moment, blocks: int) -> tuple[int, ...]:
    """Return the blocks that are whole on every rank or on their way, the one in use first."""
    phase, block = moment
    used = (block,) if phase in (GATHER, FORWARD, TURN, BACKWARD) else ()
    ahead = transfers(moment, blocks).gathered if phase in (FORWARD, BACKWARD) else ()
    return (*used, *ahead)


def held(moment: Moment, values: Values) -> float:
    """Return the MB of parameters on a rank: its slices, and the buffers of what is whole."""
    each = sizes(values)
    return sum(each) / int(values["ranks"]) + sum(each[block] for block in whole(moment, len(each)))


def bound(values: Values) -> float:
    """Return the most MB of parameters that a rank can hold: its slices and the two largest blocks."""
    return sum(sizes(values)) / int(values["ranks"]) + sum(sorted(sizes(values))[-2:])


def sent(until: int, values: Values) -> float:
    """Return the MB that a rank has sent with the transfers of the first `until` steps."""
    each, ranks = sizes(values), int(values["ranks"])
    total = 0.0
    for moment in moments(len(each))[:until]:
        gathered, reduced = transfers(moment, len(each))
        total += sum(each[block] for block in (*gathered, *reduced))
    return total * (ranks - 1) / ranks


# -- the picture --------------------------------------------------------------------------------------------


class _Place(NamedTuple):
    """Where a block's column is, and how wide."""

    left: float
    wide: float


def _places(each: list[float]) -> list[_Place]:
    """A column a block, as wide as its bytes."""
    gap = 4.0
    unit = (_RIGHT - _LEFT - gap * (len(each) - 1)) / sum(each)
    found, left = [], _LEFT
    for size in each:
        found.append(_Place(left, size * unit))
        left += size * unit + gap
    return found


def state(step: int, values: Values) -> State:
    """Return a step of one training step."""
    each, ranks = sizes(values), int(values["ranks"])
    steps = moments(len(each))
    moment = steps[step]
    places = _places(each)
    pitch = _ROWS / ranks
    shapes: list[AnyShape] = [Label(id="sent", at=(159, 3), text="sent", anchor="right", ink="dim")]
    for block, place in enumerate(places):
        middle = place.left + place.wide / 2
        at_work = moment.phase in (FORWARD, BACKWARD) and moment.block == block
        ink = "heading" if at_work else "dim"
        shapes.append(
            Label(id=f"block{block}", at=(middle, 3), text=f"block {block}", short=str(block), ink=ink)
        )
    for rank in range(ranks):
        top = _TOP + rank * pitch
        high = _BLOCK * pitch
        shapes.append(beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (_LEFT - 3, high)))
        for block, place in enumerate(places):
            shapes += _block(rank, block, place, top, pitch, ranks, moment, len(each))
        figure = f"{mb(sent(step + 1, values), 3)} MB"
        shapes.append(beside(f"sent{rank}", figure, "", (_RIGHT + 4, top), (20, high), "text"))
    shapes += _curve(step, steps, values)
    lead, caption = _words(moment, values)
    legend = (
        ("params", "parameters (pale: gathered)"),
        ("grads", "gradients" if ranks <= _UNDER else "gradients, on their parameters"),
    )
    return State(tuple(shapes), lead, caption, legend=legend, apart=pitch)


def _block(
    rank: int, block: int, place: _Place, top: float, pitch: float, ranks: int, moment: Moment, blocks: int
) -> list[AnyShape]:
    """A block on a rank: the place for all of it, the slices that are there, and gradients below or on
    them."""
    there = whole(moment, blocks)
    slice_ = place.wide / ranks
    high = _BLOCK * pitch
    below, thin = (high, 0.26 * pitch) if ranks <= _UNDER else (0.0, high)
    busy = there[:1] == (block,) and moment.phase in (FORWARD, BACKWARD)
    again = ".again" if moment.phase in (TURN, BACKWARD) else ""
    found: list[AnyShape] = [
        Box(
            id=f"place{block}@{rank}",
            at=(place.left, top),
            size=(place.wide, high),
            ink="panel",
            layer=-1,
            whole=True,
        )
    ]
    for owner in range(ranks):
        own = owner == rank
        if not own and block not in there:
            continue
        ahead = block in there[1:]
        found.append(
            Box(
                id=f"p{block}.{owner}@{rank}" + ("" if own else again),
                at=(place.left + owner * slice_, top),
                size=(slice_, high),
                ink="params",
                text=str(owner),
                alpha=1.0 if own else 0.35 if ahead else 0.7,
                glow=0.6 if busy or (own and moment.phase == "update") else 0.0,
                comes_from="" if own else f"p{block}.{owner}@{owner}",
            )
        )
    found += [
        Box(
            id=f"g{block}.{owner}@{rank}",
            at=(place.left + owner * slice_, top + below),
            size=(slice_, thin),
            ink="grads",
            text="" if ranks <= _UNDER else str(owner),
            whole=True,
            goes_to=f"g{block}.{owner}@{owner}",
            layer=1,
        )
        for owner in _graded(moment, block, rank, ranks)
    ]
    return found


def _graded(moment: Moment, block: int, rank: int, ranks: int) -> list[int]:
    """Whose slices of a block's gradients a rank holds: all as they come, its own once they are reduced."""
    phase, now = moment
    if phase == BACKWARD and block == now:
        return list(range(ranks))
    if (phase == BACKWARD and block > now) or phase in ("reduce", "update"):
        return [rank]
    return []


def _curve(step: int, steps: list[Moment], values: Values) -> list[AnyShape]:
    """The parameters that a rank holds in each step until now, and what it never holds more than."""
    top = bound(values)
    full = 1.12 * top
    wide = (_RIGHT - _LEFT) / len(steps)

    def y(size: float) -> float:
        return _FLOOR - (_FLOOR - _HIGH) * size / full

    line = y(top) - 1.2  # just above: in cells a line is as thick as a row, and nothing may seem to cross it
    shard = sum(sizes(values)) / int(values["ranks"])
    ends = ((_LEFT - 2, _FLOOR), (_LEFT - 2, _HIGH))
    found: list[AnyShape] = [
        Axis(id="axis", start=ends[0], end=ends[1], low=0.0, high=full, unit="MB", ticks=3, ink="dim"),
        Path(id="bound", points=((_LEFT, line), (_RIGHT, line)), ink="warning", dashed=True, layer=1),
        Label(id="bound.text", at=(_RIGHT + 2, line), text=f"at most {mb(top)} MB", short=f"≤ {mb(top)} MB",
              anchor="left", ink="warning"),
    ]  # fmt: skip
    for n, moment in enumerate(steps[: step + 1]):
        left, size = _LEFT + n * wide, held(moment, values)
        box = (wide, y(0) - y(shard))
        found.append(Box(id=f"slices{n}", at=(left, y(shard)), size=box, ink="params"))
        if size > shard:
            more = (wide, y(shard) - y(size))
            found.append(Box(id=f"whole{n}", at=(left, y(size)), size=more, ink="params", alpha=0.55))
    figure = f"{mb(held(steps[step], values))} MB"
    found.append(beside("now", figure, "", (_RIGHT + 2, _FLOOR - 5), (22, 4), "heading"))
    return found


def _words(moment: Moment, values: Values) -> tuple[str, str]:
    each, ranks = sizes(values), int(values["ranks"])
    phase, block = moment
    last = block + 1 == len(each)
    size = f"{mb(each[block])} MB"
    if phase == "rest":
        part = sum(each) / ranks
        return (
            "A slice of every block",
            f"Each rank owns one slice in {ranks} of every block: {mb(part)} of {mb(sum(each))} MB.",
        )
    if phase == GATHER:
        return "Gather, just in time", f"Block 0 comes first: all slices of its {size} go to every rank."
    if phase == FORWARD:
        ahead = "" if last else f" Block {block + 1} is fetched meanwhile."
        freed = f" Block {block - 1} has been freed." if block else ""
        return f"Forward through block {block}", f"It is whole while it computes.{freed}{ahead}"
    if phase == TURN:
        return (
            "Forward turns into backward",
            f"Block {block} was freed like the others, so its {size} are gathered again.",
        )
    if phase == BACKWARD:
        ahead = f" Block {block - 1} is fetched." if block else ""
        told = "" if last else f" Those of block {block + 1} are reduced to slices."
        return f"Backward through block {block}", f"Its gradients come.{told}{ahead}"
    if phase == "reduce":
        return "The last gradients", "Those of block 0 are reduced. Behind this nothing is left to compute."
    total = sent(len(moments(len(each))), values)
    return (
        "Update",
        f"Each rank updates its slices. It sent {mb(total)} MB, 3 S (N-1)/N; data parallel would send "
        f"{mb(total * 2 / 3)}.",
    )


def check(values: Values) -> str:
    """Return what is wrong with the values, or ""."""
    words = str(values["sizes"]).split(",")
    try:
        each = [float(word) for word in words]
    except ValueError:
        return "sizes are numbers of MB with commas between: write sizes=12,12,12,12"
    if not 2 <= len(each) <= 8:
        return f"2 to 8 blocks are drawn, not {len(each)}: write sizes=12,12,12,12"
    if not all(math.isfinite(size) and 1e-3 <= size <= 1e6 for size in each) or max(each) > 20 * min(each):
        return (
            "a block has 0.001 to 1,000,000 MB, the largest at most 20 times the smallest: write sizes=12,12"
        )
    return ""


SCENE = Scene(
    "fsdp",
    "FSDP: shard, gather just in time, compute, free",
    steps=lambda values: len(moments(len(sizes(values)))),
    state=state,
    params=(
        Param("ranks", 4, "ranks that share", 2, 8),
        Param("sizes", "12,12,12,12", "MB of the parameters of each block, with commas between"),
    ),
    check=check,
)
