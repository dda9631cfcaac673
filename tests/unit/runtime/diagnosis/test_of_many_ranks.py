"""Why a thousand ranks stand still is found in part of a second, looked for seldom, said in one line."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pytest
from made_steps import G, R, ddp_step

from runtime.catalog import registry
from runtime.diagnosis import run_diagnosis
from runtime.diagnosis.evidence import MOST_EDGES
from runtime.diagnosis.rank_rows import MOST_ROWS
from runtime.metrics.store import RunStore
from runtime.protocol.events import Beat, Hello
from runtime.supervision.failures import stall_watch
from runtime.supervision.run import Run

WORLD, STEPS = 1024, 16


def standing(*absent: int) -> RunStore:
    """All but one rank have stood in an all-reduce for ten seconds."""
    store = RunStore(WORLD, now=0.0)
    for step in range(STEPS):
        store.ingest_all(ddp_step(step, WORLD), now=100.0 + step)
    at, call = 100.0 + STEPS, f"all-reduce #{STEPS}"
    for rank in range(WORLD):
        store.ingest(Hello(R, G, rank, 0.0, 1, rank, 0, WORLD, 7, "cpu", "gloo", 0.0, 0.0, "msgpack"), at)
        entered = STEPS + (rank not in absent)
        waits = call if rank not in absent else ""
        where: dict[str, Any] = {"waits": waits, "group": "0", "since": at, "line": 7, "bytes": 4000}
        beat = Beat(
            R, G, rank, at, "backward", STEPS, entered, STEPS, 0, call, entered={"0": entered}, **where
        )
        store.ingest(beat, at + 9.9)
    return store


@pytest.mark.parametrize("absent", [[700], [700, 800], range(500)])
def test_a_look_at_a_thousand_ranks_takes_part_of_a_second(absent: Sequence[int]) -> None:
    store = standing(*absent)
    began = time.thread_time()
    found = run_diagnosis.why(store, 110.0 + STEPS, 10.0)
    # A loop that stands for seconds answers no screen. It took 25 s where each rank was looked at for each.
    assert time.thread_time() - began < 1.0
    assert found is not None
    assert str(absent[0]) in found.headline
    assert len(found.text) < 4000
    assert {row.rank for row in found.rows} & set(absent)
    # It is in every snapshot.
    assert len(found.rows) <= MOST_ROWS
    assert 0 < len(found.edges) <= MOST_EDGES


def test_an_expensive_look_is_not_taken_again_at_once() -> None:
    demo = registry.check("ddp", {"ranks": "2"})
    assert isinstance(demo, registry.Launchable)
    run = Run("b", demo)
    looked: list[float] = []

    def look(cost_s: float, now: float) -> None:
        def found() -> None:
            looked.append(now)
            until = time.thread_time() + cost_s
            while time.thread_time() < until:
                pass

        stall_watch.found_at_a_pace(run, "why", now, found)

    for tick in range(20):
        look(0.02, tick / 4)
    # 20 ms may be spent in 0.4 s; a busy machine makes it somewhat more.
    assert 4 < len(looked) <= 10
    looked.clear()
    run.looks.clear()
    for tick in range(20):
        look(0.0, tick / 4)
    assert len(looked) == 20
