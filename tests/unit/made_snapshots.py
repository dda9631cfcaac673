"""Snapshots for the tests of the views: drawn, not measured, but consistent as a store's are."""

from __future__ import annotations

import math
import random
from typing import Any

from msgspec.structs import replace

from runtime.protocol.figures import (
    Curve,
    Earlier,
    Mark,
    Named,
    OpRow,
    Playback,
    RankRow,
    Recovery,
    Steering,
    XRay,
)
from runtime.protocol.messages import Snapshot
from runtime.recordings import files
from runtime.recordings.recording import load
from runtime.recordings.replay import Replay
from slides.scenes.library.collectives.chunks import buffers, own
from slides.scenes.library.collectives.ring import gather, scatter

BASE = Snapshot(
    block="ddp",
    run="r1",
    generation=0,
    demo="ddp",
    params={"ranks": "4", "steps": "200"},
    state="running",
    why="",
    world=4,
    badge="LIVE CPU",
    bent=("4 ranks on 2 cores",),
    backend="gloo",
    device="cpu",
    ran_s=12.4,
    budget_s=30.0,
    steps=200,
)


def lane(slow: float, exposed: float, span: float) -> tuple[Mark, ...]:
    """One rank's step in seconds: `slow` stretches its computing, it then waits so that all end together."""
    fwd, bwd, opt = 0.011 * slow, 0.030 * slow, 0.006
    done = span - opt
    last = done - exposed
    return (
        Mark("forward", 0.0, fwd),
        Mark("backward", fwd, fwd + bwd),
        *((Mark("wait", fwd + bwd, last),) if last > fwd + bwd + 1e-9 else ()),
        Mark("exposed", max(last, fwd + bwd), done),
        Mark("optimizer", done, span),
        Mark("all-reduce", 0.022, 0.028, "b0"),
        Mark("all-reduce", 0.031, 0.037, "b1"),
        Mark("all-reduce", last, done, "b2"),
    )


def running(
    world: int = 4, *, slow_rank: int = 2, step: int = 128, seed: int = 0, **changes: Any
) -> Snapshot:
    """A DDP run in the middle, `slow_rank` later than the others into its collectives."""
    noise = random.Random(seed)
    exposed, opt = 0.005, 0.006
    speeds = [noise.uniform(0.9, 1.0) for _ in range(world)]
    if 0 <= slow_rank < world:
        speeds[slow_rank] = 1.45
    span = 0.041 * max(speeds) + exposed + opt
    lanes = tuple(lane(speed, exposed, span) for speed in speeds) if world <= 16 else ()
    rows = []
    for rank, speed in enumerate(speeds):
        busy = 0.041 * speed
        rows.append(
            RankRow(
                rank=rank,
                node=rank * 2 // world if world > 1 else 0,
                pid=1000 + rank,
                state="backward" if rank % 2 == 0 else "all-reduce",
                step=step,
                loss=2.153 + 0.0001 * rank + (noise.uniform(-0.05, 0.05) if seed else 0.0),
                tokens_s=512 / span,
                step_s=span,
                data=0.0006,
                compute=busy - 0.012 - 0.0006,
                hidden=0.012,
                exposed=exposed,
                wait=span - busy - exposed - opt,
                optimizer=opt - 0.0004,
                other=0.0004,
                late_s=0.041 * (speed - 0.95),
                params=3_475_000 * 4 // 2,
                grads=3_475_000 * 4 // 2,
                optimizer_bytes=3_475_000 * 4,
                activations=13_200_000,
                checksum="a1b2c3",
                checksum_step=120,
                grad_norm=0.8231,
                grad_norm_step=120,
                seq=3 * step,
                payload=13_900_000,
                wire=round(27_860_000 * (world - 1) / world),
                theory=round(27_800_000 * (world - 1) / world),
                links={(rank + 1) % world: round(27_860_000 * (world - 1) / world)} if world <= 16 else {},
            )
        )
    slowest = max(rows, key=lambda row: row.late_s or 0.0)
    curves = []
    for rank in range(min(world, 8)) if world <= 8 else (-1, -2, -3):
        walk = random.Random(rank + 7)
        steps = list(range(step + 1))
        losses = [
            2.0
            + 3.6 * math.exp(-s / 45)
            + walk.uniform(-0.06, 0.06)
            + (0.0 if rank >= 0 else 0.1 * (-rank - 2))
            for s in steps
        ]
        curves.append(Curve(rank, steps, losses))
    made = replace(
        BASE,
        world=world,
        bent=(f"{world} ranks on 2 cores",) if world > 2 else (),
        rows=tuple(rows),
        curves=tuple(curves),
        timeline=lanes,
        timeline_s=span if lanes else None,
        slowest=slowest.rank,
        slowest_by_s=slowest.late_s,
        collectives=3,
        collective_bytes=13_900_000,
        collective_op="all-reduce",
        payload=13_900_000,
        wire=rows[0].wire,
        theory=rows[0].theory,
        overlap=0.632,
        equal=True,
        equal_step=120,
    )
    return replace(made, **changes)


def launching(world: int = 4) -> Snapshot:
    rows = tuple(
        RankRow(rank=rank, node=0, pid=100 + rank, state="rendezvous" if rank else "build")
        for rank in range(world)
    )
    return replace(
        BASE,
        state="launching",
        world=world,
        ran_s=0.08,
        rows=rows,
        phases=(("fork", 0.021), ("start", 0.004), ("import", 0.003)),
    )


def failed() -> Snapshot:
    made = running()
    rows = [replace(row, state="idle", silent_s=0.4) for row in made.rows]
    rows[2] = replace(rows[2], state="dead")
    return replace(
        made,
        rows=tuple(rows),
        state="failed",
        why="rank 2 was killed by signal 9 (KILL)",
        logs=(
            "rank 0: Connection closed by peer [127.0.0.1]:40112",
            "rank 1: \x1b[31mRuntimeError\x1b[0m: reset",
        ),
    )


def ring(world: int = 4, transfer: int = 1, turn: int = 0, **changes: Any) -> Snapshot:
    """A ring all-reduce after `transfer` of round `turn`: what the scene's model says of it."""
    held = buffers(own(world, world), (*scatter(world), *gather(world)))[transfer + 1]
    weight = [10.0**rank if world <= 6 else rank + 1.0 for rank in range(world)]
    chunks = range(world)

    def named(name: str, ranks: list[list[float]]) -> Named:
        return Named(name, "", transfer, tuple(tuple(values) for values in ranks))

    unknown = dict.fromkeys(
        ["loss", "tokens_s", "params", "grads", "optimizer_bytes", "activations", "checksum", "checksum_step"]
    )
    made = running(world, demo="allreduce", steps=70, curves=(), equal=None, equal_step=None, **changes)
    return replace(
        made,
        bent=(*made.bent, "paused 500 ms"),
        rows=tuple(replace(row, **unknown, step=transfer) for row in made.rows),
        collectives=2,
        collective_bytes=8,
        payload=8,
        wire=4,
        theory=4,
        collective_op="transfers",
        overlap=0.0,
        values=(
            named(
                "buffer",
                [[(c + turn + 1) * sum(weight[r] for r in held[n][c]) for c in chunks] for n in chunks],
            ),
            named("summed", [[float(len(held[n][c])) for c in chunks] for n in chunks]),
            named("transfer", [[float(turn), float(transfer)]] * world),
            named("sent", [[float((n - transfer) % world)] if transfer >= 0 else [] for n in chunks]),
            *((named("difference", [[0.0]] * world),) if turn else ()),
        ),
    )


def full(world: int = 4, **changes: Any) -> Snapshot:
    """The same run with all that a host may know besides: last collectives, peaks, tails, kinds, a formula,
    earlier runs, launch phases."""
    made = running(world)
    rows = tuple(
        replace(row, last="all-reduce #385", peak=44_300_000 + 40_000 * row.rank) for row in made.rows
    )
    n = 3_475_000
    tails = tuple(
        tuple(f"step {step} loss {2.3 - step / 1000 + rank / 100:.4f}" for step in range(120, 129))
        for rank in range(world)
    )
    fields: dict[str, Any] = {
        "rows": rows,
        "tails": tails,
        "logs": tuple(f"rank {rank}: {tail[-1]}" for rank, tail in enumerate(tails[:8])),
        "ops": (
            OpRow("all-reduce", "world", world, 3.0, 13_900_000, 0.0138, 1.007e9, 1.51e9, "", made.theory),
        ),
        "bytes_by_op": {"all-reduce": 13_900_000},
        "formula": {"params": 2 * n, "grads": 2 * n, "optimizer_bytes": 4 * n},
        "earlier": (
            Earlier("r0", "ranks=2", _curve(3, 2.4, 30)),
            Earlier("r-1", "lr=0.01 ranks=2", _curve(5, 1.6, 70)),
        ),
        "phases": (
            ("stage", 0.002),
            ("fork", 0.021),
            ("start", 0.004),
            ("import", 0.003),
            ("rendezvous", 0.041),
            ("build", 0.038),
            ("first step", 0.112),
        ),
    }
    return replace(made, **{**fields, **changes})


def _curve(seed: int, floor: float, slope: float) -> Curve:
    walk = random.Random(seed)
    steps = list(range(200))
    return Curve(0, steps, [floor + 3.2 * math.exp(-s / slope) + walk.uniform(-0.05, 0.05) for s in steps])


def mixed(**changes: Any) -> Snapshot:
    """FSDP: several kinds of collectives, weights gathered for a while, the formula off by a little."""
    made = full()
    rows = tuple(
        replace(row, params=868_750 * 4, grads=868_750 * 4, optimizer_bytes=868_750 * 8, gathered=5_210_000)
        for row in made.rows
    )
    kinds = {"b0": ("all-gather", "g0"), "b1": ("reduce-scatter", "s0"), "b2": ("reduce-scatter", "s1")}
    marks = tuple(
        tuple(
            replace(mark, kind=kinds[mark.label][0], label=kinds[mark.label][1]) if mark.label else mark
            for mark in lane
        )
        for lane in made.timeline
    )
    fields: dict[str, Any] = {
        "demo": "fsdp",
        "rows": rows,
        "timeline": marks,
        "collectives": 9,
        "collective_op": None,
        "collective_bytes": 20_850_000,
        "payload": 20_850_000,
        "wire": 26_100_000,
        "theory": 15_640_000,
        "costs": ("over gloo a reduce-scatter is an all-reduce inside: it sends twice the theory",),
        "bytes_by_op": {"all-gather": 6_950_000, "reduce-scatter": 13_900_000},
        "ops": (
            OpRow("all-gather", "world", 4, 5.0, 6_950_000, 0.0061, 1.139e9, 0.854e9, "", 5_210_000),
            OpRow("reduce-scatter", "world", 4, 3.0, 13_800_000, 0.0072, 1.917e9, 1.44e9, "", 10_350_000),
            OpRow("all-reduce", "world", 4, 1.0, 100_000, None, None, None, "", 150_000),
        ),
        "formula": {
            "params": 3_475_000,
            "grads": 3_475_000,
            "optimizer_bytes": 6_950_000,
            "gathered": 5_400_000,
        },
    }
    return replace(made, **{**fields, **changes})


def stalled() -> Snapshot:
    """Rank 2 was stopped on purpose; the others have entered the next all-reduce and wait."""
    made = full()
    waiting = {"state": "all-reduce", "last": "all-reduce #386", "silent_s": 0.1, "waits": "2"}
    rows = [replace(row, **waiting) for row in made.rows]
    away = {"state": "forward", "last": "all-reduce #385", "silent_s": 6.4, "waits": ""}
    rows[2] = replace(rows[2], **away, harm="stopped")
    return replace(made, rows=tuple(rows), warning="no step for 6 s: rank 2 has been silent in forward")


def recovered() -> Snapshot:
    phases = (
        ("detected", 0.012),
        ("killed", 0.034),
        ("forked", 0.041),
        ("rendezvous", 0.052),
        ("loaded", 0.061),
        ("first step", 0.148),
    )
    return full(generation=1, recoveries=(Recovery(1, "rank 2 was killed by signal 9 (KILL)", phases, 3),))


def looked_into() -> Snapshot:
    """An x-ray is there: another step than the newest, true peaks, a file."""
    made = full()
    peaks = tuple(45_100_000 + 100_000 * rank for rank in range(4))
    lanes = tuple(lane(1.2 if rank == 2 else 1.0, 0.008, 0.0632) for rank in range(4))
    trace = "~/.local/share/teachrun/runs/20261121-041003-ddp/xray-41.json.gz"
    return replace(made, xray=XRay("ready", "", 41, lanes, 0.0632, peaks, trace))


def replayed(at_s: float = 12.0, speed: float = 1.0) -> Snapshot:
    return full(badge="REPLAY", bent=(), playback=Playback("2026-11-21 04:10", "laptop", at_s, 30.0, speed))


def recorded(name: str) -> Snapshot:
    """A run that was really made and ships, at its end."""
    folder = next(folder for folder in files.shipped() if folder.name == name)
    found = load(folder)
    assert found is not None
    replay = Replay("block", found)
    replay.seek(1e6, 0.0)
    return replay.snapshot()


def steered(until: int | None = 128, pace_s: float = 0.0) -> Snapshot:
    return full(steering=Steering(until, pace_s))
