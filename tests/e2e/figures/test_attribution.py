"""Who is slow, who stands, who is to blame: with a known cause, in every way of training there is."""

from __future__ import annotations

from pathlib import Path

import pytest
from live_run import Live, demo, launch
from waiting import until

from runtime.supervision.failures import stall_reason
from runtime.supervision.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(240)]
THEIRS = Path(__file__).parents[2] / "scripts" / "theirs"
SMALL = {"width": 32, "seq": 16, "batch": 4}
# Small enough that what a loaded machine does to a step is little beside it.
SLOW_MS = 300.0
WAYS: dict[str, dict[str, object]] = {
    "ddp": {"layers": 2, "bucket_mb": 0.02},
    "zero": {"layers": 2, "stage": 2},
    "fsdp": {"layers": 3},
    "hsdp": {"layers": 3},
    "tensor": {"layers": 2},
    "pipeline": {"layers": 4, "schedule": "1f1b", "pad_ms": 2},
}

IN_CI = ("ddp", "fsdp", "pipeline")  # one each of what waits in backward, in forward, and for neighbours


@pytest.mark.parametrize("ranks", [(2,), pytest.param((0, 1, 3), marks=pytest.mark.soak)])
@pytest.mark.parametrize(
    "name", [one if one in IN_CI else pytest.param(one, marks=pytest.mark.soak) for one in WAYS]
)
async def test_each_rank_that_is_slowed_is_named(
    supervisor: Supervisor, name: str, ranks: tuple[int, ...]
) -> None:
    live = await launch(supervisor, demo(name, ranks=4, steps=100_000, **SMALL, **WAYS[name]))
    await live.trains(20)
    await until(
        lambda: (live.shown.slowest_by_s or 0) < SLOW_MS / 2000, "nobody is named while nobody is slow"
    )
    for rank in ranks:
        live.harm(rank, "slow", SLOW_MS)
        await until(lambda rank=rank: live.shown.slowest == rank, f"rank {rank} of {name} is named")
        await until(lambda: (live.shown.slowest_by_s or 0) > SLOW_MS / 2000, "and by about as much")
        others = [row for row in live.shown.rows if row.rank != rank]
        own = live.shown.rows[rank]
        # The others have waited for it, and it for nobody.
        assert all((row.wait or 0) > (own.wait or 0) for row in others), live.shown.rows
        live.harm(rank, "slow", 0)
    await live.stop()


@pytest.mark.parametrize(
    ("how", "rank"),
    # What is said of neighbours its own tests hold (`test_stall_reason`).
    [("fsdp", 2), *(pytest.param(*one, marks=pytest.mark.soak) for one in (("ddp", 0), ("pipeline", 1)))],
)
async def test_who_stands_is_named_and_what_the_others_wait_for(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch, how: str, rank: int
) -> None:
    monkeypatch.setattr(stall_reason, "STALL_S", 1.5)
    live = await launch(
        supervisor, demo(str(THEIRS / "stands.py"), ranks=3, args=f"--how {how} --rank {rank}")
    )
    waits = {"ddp": "in all-reduce #", "fsdp": "in all-gather #", "pipeline": "in receive #"}
    if how != "pipeline":
        others = ", ".join(str(other) for other in range(3) if other != rank)
        told = (f"ranks {others} wait for it",)
    else:  # its neighbours wait for it, who is farther waits for them
        told = (f"rank {rank - 1} ", f"rank {rank + 1} ")
    said = (f"rank {rank} is in forward, ", waits[how], *told)
    # The others come to where they wait one after the other, on a loaded machine seconds apart.
    await until(
        lambda: all(words in live.shown.warning for words in said),
        f"{said} is told, {live.run.state}: {live.shown.warning}",
    )
    await until(lambda: all(row.silent_s < 1 for row in live.shown.rows), "all are heard")
    assert "behind" not in live.shown.warning
    await live.stop()


@pytest.mark.parametrize("name", ["fsdp", "pipeline"])
async def test_who_was_made_to_skip_a_collective_is_blamed_first(supervisor: Supervisor, name: str) -> None:
    live = await launch(supervisor, demo(name, ranks=4, steps=100_000, **SMALL, **WAYS[name]))
    await live.trains()
    live.harm(1, "desync")
    said = "rank 1 was made to skip a collective on purpose"
    await until(lambda: blamed(live, said), f"{said}: {live.run.why or live.shown.warning}")
    await live.stop()


def blamed(live: Live, said: str) -> bool:
    """Failed with that as the first word; where the run only stands, the reason of a stall adds it."""
    return live.run.why.startswith(said) if live.run.state == "failed" else said in live.shown.warning
