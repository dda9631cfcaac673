"""A pipeline schedule as its grid: what each rank does when, and how many activations it holds meanwhile.

A clock goes over the grid. Costs are those of a micro-batch on everything a rank has, so that schedules with
one stage a rank and with several are on one scale; transfers are free. The orders and both shares of idle
time are `slides.scenes.schedules`'.
"""

from __future__ import annotations

import math

from slides.scenes import schedules
from slides.scenes.scene import MOST_STEPS, Param, Scene, Values
from slides.scenes.schedules import Piece, Schedule, Wanted
from slides.scenes.shapes import AnyShape, Axis, Box, Label, Path, State

LEFT, RIGHT = 13.0, 134.0  # of the grid
_HELD, _END = 139.0, 159.0  # of what is held, beside it
_TOP, _FLOOR = 7.0, 47.0
_INKS = {"F": "forward", "B": "backward", "I": "backward", "W": "weight"}
_WORDS = {"F": "forward", "B": "backward", "I": "input gradients", "W": "weight gradients"}
_IDEAS = {
    "gpipe": "All forwards, then all backwards. Every micro-batch is held until its backward.",
    "1f1b": "A backward goes as soon as there is one, so that few micro-batches are held at a time.",
    "interleaved": "Each rank has several smaller stages: the pipeline fills sooner, and sends more often.",
    "zero-bubble": "Backward is cut in halves: the gradients of the weights wait for a gap to fill.",
    "zbv": "Halved backwards, and two stages a rank laid out as a V: its last stage is where its first is.",
}


def wanted(values: Values) -> Wanted:
    """Return the schedule that is asked for, with as many stages a rank as it needs where nobody says."""
    name, chunks = str(values["schedule"]), int(values["chunks"])
    return Wanted(
        name,
        int(values["ranks"]),
        int(values["micro_batches"]),
        chunks or (2 if name in ("interleaved", "zbv") else 1),
        float(values["forward"]),
        float(values["backward"]),
    )


def held(lane: tuple[Piece, ...], clock: float) -> int:
    """Return how many pieces' activations a rank holds: forward has begun, backward has not ended."""
    begun = sum(piece.kind == "F" and piece.begin < clock for piece in lane)
    return begun - sum(piece.kind in "BW" and piece.end <= clock for piece in lane)


def clocks(values: Values) -> list[float]:
    """Return the time of each step."""
    asked = wanted(values)
    tick = float(values["tick"]) or (asked.forward + asked.backward) / asked.chunks
    span = schedules.worked_out(asked).span
    count = math.ceil(round(span / tick, 6))
    if count >= MOST_STEPS:
        return [0.0] * (count + 1)  # the scene says that these are too many
    return [*(n * tick for n in range(count)), span]


def state(step: int, values: Values) -> State:
    """Return the grid until the time of this step."""
    asked = wanted(values)
    found = schedules.worked_out(asked)
    clock = clocks(values)[step]
    ranks, chunks = len(found.lanes), asked.chunks
    unit = (RIGHT - LEFT) / found.span
    pitch = (_FLOOR - _TOP) / ranks
    high = min(0.6 * pitch, 6.5)
    most = max(found.live)
    shapes: list[AnyShape] = [
        Label(id="held", at=(_END, 3), text="activations held", short="held", anchor="right", ink="dim")
    ]
    for rank, lane in enumerate(found.lanes):
        top = _TOP + rank * pitch + (pitch - high) / 2
        shapes.append(
            Box(id=f"rank{rank}", at=(0, top), size=(LEFT - 2, high), text=f"rank {rank}", short=f"{rank}",
                ink="heading", edge="background", hollow=True)
        )  # fmt: skip
        lane_at, lane_size = (LEFT, top), (RIGHT - LEFT, high)
        shapes.append(Box(id=f"lane{rank}", at=lane_at, size=lane_size, ink="panel", layer=-1, whole=True))
        shapes += [_box(piece, rank, top, high, unit, clock) for piece in lane if piece.begin < clock]
        shapes += _kept(held(lane, clock), found.live[rank], most, rank, chunks, top, high)
    x = LEFT + clock * unit
    line = ((x, _TOP), (x, _FLOOR + 2))
    shapes += [
        Path(id="clock", points=line, ink="accent", layer=1),
        Axis(
            id="time",
            start=(LEFT, _FLOOR + 2),
            end=(RIGHT, _FLOOR + 2),
            low=0.0,
            high=found.span,
            ink="dim",
        ),
    ]
    if clock >= found.span:
        shapes.append(Label(id="idle", at=(LEFT, 58), text=_idle(found), anchor="left", ink="text"))
    lead, caption = _told(found, clock, asked)
    halves = asked.name in ("zero-bubble", "zbv")
    legend = [(_INKS[kind], _WORDS[kind]) for kind in ("FIW" if halves else "FB")]
    return State(tuple(shapes), lead, caption, legend=tuple(legend), apart=pitch)


def _box(piece: Piece, rank: int, top: float, high: float, unit: float, clock: float) -> AnyShape:
    """A piece, as far as it has come; every other is paler, those of a rank's later stages have a letter."""
    length = (min(piece.end, clock) - piece.begin) * unit
    return Box(
        id=f"{piece.kind}{piece.chunk}.{piece.microbatch}@{rank}",
        at=(LEFT + piece.begin * unit, top),
        size=(length, high),
        ink=_INKS[piece.kind],
        text=_name(piece),
        short="" if piece.chunk else str(piece.microbatch),  # that names the first stage's piece
        alpha=0.72 if piece.microbatch % 2 else 1.0,
        glow=0.6 if piece.begin < clock <= piece.end else 0.0,
    )


def _name(piece: Piece) -> str:
    """Its micro-batch, with a letter in the later stages of a rank: 3, 3b."""
    return f"{piece.microbatch}{_letter(piece)}"


def _letter(piece: Piece) -> str:
    return chr(ord("a") + piece.chunk) if piece.chunk else ""


def _kept(now: int, peak: int, most: int, rank: int, chunks: int, top: float, high: float) -> list[AnyShape]:
    """What a rank holds as a bar, within a place for the most it ever holds, and both as figures."""
    wide = _END - _HELD - 10.0
    count = f"{now / chunks:g}"
    # Parts of a micro-batch need more room; all of them as much, so that all ranks say both or none does.
    both = f"{count} of {peak}" if chunks == 1 else f"{now / chunks:.1f}/{peak / chunks:.1f}"
    room = (wide * peak / most, high)
    return [
        Box(id=f"room{rank}", at=(_HELD, top), size=room, ink="panel", layer=-1, whole=True),
        Box(id=f"kept{rank}", at=(_HELD, top), size=(max(wide * now / most, 1e-3), high), ink="activations",
            alpha=1.0 if now else 0.0, whole=True),
        Box(id=f"count{rank}", at=(_HELD + wide, top), size=(_END - _HELD - wide, high),
            text=both, short=count, ink="text", edge="background", hollow=True),
    ]  # fmt: skip


def _idle(found: Schedule) -> str:
    total, ideal = (f" = {formula}" for formula in found.formulas) if found.formulas else ("", "")
    return f"idle {100 * found.of_total:.1f} % of total{total}, {100 * found.of_ideal:.1f} % of ideal{ideal}"


def _told(found: Schedule, clock: float, asked: Wanted) -> tuple[str, str]:
    title = found.title[:1].upper() + found.title[1:]
    if clock <= 0:
        if asked.chunks == 1:
            return title, _IDEAS[asked.name]
        last = asked.microbatches - 1
        share = f" A stage holds 1/{asked.chunks} of the activations;"
        return title, f"{_IDEAS[asked.name]}{share} {last}b is micro-batch {last} in the second."
    lead = f"{title}, time {clock:g} of {found.span:g}"
    if clock >= found.span:
        most = ", ".join(f"{live / asked.chunks:g}" for live in found.live)
        total, ideal = 100 * found.of_total, 100 * found.of_ideal
        return lead, (
            f"{total:.2f} % of the total time is idle, {ideal:.2f} % of the ideal. "
            f"The most micro-batches held: {most}."
        )
    doing = [_doing(lane, clock) for lane in found.lanes]
    idle = [rank for rank, word in enumerate(doing) if not word]
    begun = any(piece.kind in "BI" and piece.begin < clock for lane in found.lanes for piece in lane)
    what = "" if begun else " The pipeline fills."
    if len(doing) > 4:
        return lead, f"{len(doing) - len(idle)} of {len(doing)} ranks work.{what}"
    told = " ".join(
        f"Rank {rank} {f'does {word}' if word else 'is idle'}." for rank, word in enumerate(doing)
    )
    return lead, f"{told}{what}"


def _doing(lane: tuple[Piece, ...], clock: float) -> str:
    """What a rank has just been at, "" for nothing."""
    now = next((piece for piece in lane if piece.begin < clock <= piece.end), None)
    return "" if now is None else f"{_WORDS[now.kind]} {_name(now)}"


def check(values: Values) -> str:
    """Return what is wrong with the values, or ""."""
    try:
        schedules.worked_out(wanted(values))
    except ValueError as why:
        return str(why)
    return ""


SCENE = Scene(
    "pipeline",
    "a pipeline schedule: who does what when, and what waits",
    steps=lambda values: len(clocks(values)),
    state=state,
    params=(
        Param("schedule", "1f1b", "in which order the ranks work", choices=schedules.NAMES),
        Param("ranks", 4, "ranks, one after the other", 2, 8),
        Param("micro_batches", 8, "micro-batches of a step", 1, 32),
        Param("chunks", 0, "stages on each rank; 0: as many as the schedule needs", 0, 4),
        Param("forward", 1.0, "time of a micro-batch's forward on a rank", 0.01, 50.0),
        Param("backward", 2.0, "time of its backward", 0.01, 50.0),
        Param("tick", 0.0, "time between two steps; 0: a forward and a backward of a stage", 0.0, 1000.0),
    ),
    check=check,
)
