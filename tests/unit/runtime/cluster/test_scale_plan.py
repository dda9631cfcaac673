"""The paper plan: its page is what its module says, and its words grow and shrink as they should."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from runtime.cluster import scale_plan
from runtime.cluster.scale_plan import RANK_BYTES, RANKS_A_NODE, plans
from runtime.metrics.store import RunStore
from runtime.protocol import rank_decoder
from runtime.protocol.events import Collective, Event, Memory, Step

PAGE = Path(scale_plan.__file__).with_name("SCALE.md")


def test_the_page_has_the_table_that_the_module_prints() -> None:
    assert scale_plan.table() in PAGE.read_text("utf-8")


@pytest.mark.parametrize("ranks", [8, 1024, 16384])
def test_each_plan_sends_less_than_the_one_before(ranks: int) -> None:
    every, digest, line = plans(ranks)
    assert every.events == 20 * ranks  # as the benchmark has it
    assert every.bytes > digest.bytes > line.bytes
    assert every.connections == digest.connections == ranks / RANKS_A_NODE >= line.connections


def test_all_fits_for_a_thousand_and_sixteen_thousand_need_the_last_plan() -> None:
    assert [plan.fits for plan in plans(1024)] == [True, True, True]
    assert [plan.fits for plan in plans(16384)] == [False, False, True]


def later(event: Event, seconds: int) -> Event:
    """What a rank says so many seconds after `scale_plan.second`, in steps from 0 on."""
    if isinstance(event, Collective):
        return replace(event, step=event.step - 40 + 2 * seconds, seq=event.seq - 120 + 6 * seconds)
    return replace(event, step=event.step - 40 + 2 * seconds) if isinstance(event, Step | Memory) else event


def test_the_memory_of_the_plan_holds_what_the_host_keeps_of_a_rank() -> None:
    """The rest of it is the rank's part of a connection and of what waits to be compared and written."""
    world = 64

    def kept() -> RunStore:
        store = RunStore(world, 0.0)
        for at in range(20):
            said = [later(event, at) for event in scale_plan.second(range(world))]
            store.ingest_all(rank_decoder.decode(msgspec.msgpack.encode(said)), float(at))
        return store

    kept()  # what is made once for all runs
    tracemalloc.start()
    try:
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        store = kept()
        gc.collect()
        of_a_rank = (tracemalloc.get_traced_memory()[0] - before) / world
    finally:
        tracemalloc.stop()
    assert store.settled == 39  # it holds as much as it ever will
    assert 0.2 * RANK_BYTES < of_a_rank < RANK_BYTES
