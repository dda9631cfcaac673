"""Snapshots for the tests of the views: drawn, not measured, but consistent as a store's are."""

from __future__ import annotations

import math
import random
from typing import Any

from msgspec.structs import replace

from runtime.messages import Curve, Mark, Named, RankRow, Snapshot
from slides.animations.ring import buffers

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
                seq=3 * step,
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
    """A ring all-reduce after `transfer` of round `turn`: what the animation's model says of it."""
    held = buffers(world)[transfer + 1]
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
        bent=(*made.bent, "padded 500 ms"),
        rows=tuple(replace(row, **unknown, step=transfer) for row in made.rows),
        collectives=2,
        collective_bytes=8,
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
