"""A rank kills itself, the run goes on from its checkpoint, and learns what it would have learned."""

from __future__ import annotations

import pytest
from live_run import BLOCK, Heard, Live, demo
from waiting import until

from runtime.supervision.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SMALL = {"width": 32, "layers": 1, "seq": 16, "batch": 2, "ranks": 3}
STEPS, EVERY, KILL_AT = 20, 4, 10


async def play(supervisor: Supervisor, **params: object) -> Live:
    wanted = demo("failover", steps=STEPS, every=EVERY, **(SMALL | params))
    live = Live(supervisor, await supervisor.launch(BLOCK, wanted))
    await live.ended(120)
    return live


async def test_it_goes_on_where_the_checkpoint_was_and_learns_the_same(
    supervisor: Supervisor, heard: Heard
) -> None:
    whole = await play(supervisor, kill_rank=-1)
    assert (whole.run.state, whole.run.generation) == ("done", 1)
    live = await play(supervisor, kill_rank=1, kill_at=KILL_AT)
    assert (live.run.state, live.run.generation, live.run.why) == ("done", 2, "")
    assert {row.state for row in live.shown.rows} == {"done"}

    resumed = KILL_AT // EVERY * EVERY
    for rank in range(3):
        expected = heard.losses[whole.run.id, 1, rank]
        assert sorted(expected) == list(range(STEPS))
        told = len(heard.losses[live.run.id, 1, rank])
        assert sorted(heard.losses[live.run.id, 1, rank]) == list(range(told))
        # Who was not killed by itself may have been ended before it could tell of its last step.
        assert told == KILL_AT or (rank != 1 and told == KILL_AT - 1)
        again = heard.losses[live.run.id, 2, rank]
        assert sorted(again) == list(range(resumed, STEPS))
        assert again == pytest.approx({step: expected[step] for step in again}, rel=1e-6)

    # One curve, in which the lost steps are done again.
    for curve in live.shown.curves:
        assert curve.steps == list(range(STEPS))
    (recovery,) = live.shown.recoveries
    assert recovery.generation == 2
    assert recovery.what.startswith("rank 1 ")
    assert recovery.lost_steps == KILL_AT - resumed
    assert [name for name, _ in recovery.phases] == [
        "detected", "killed", "forked", "rendezvous", "loaded", "first step",
    ]  # fmt: skip
    assert all(seconds >= 0 for _, seconds in recovery.phases)
    assert "load" in dict(live.shown.phases)
    assert not live.run.scratch.exists()


async def test_a_rank_killed_by_hand_comes_back(supervisor: Supervisor) -> None:
    wanted = demo("failover", steps=1_000_000, every=EVERY, kill_rank=-1, **SMALL)
    live = Live(supervisor, await supervisor.launch(BLOCK, wanted))
    await live.trains(6)
    old = dict(live.run.ranks)
    live.harm(2, "kill")
    await until(lambda: live.run.generation == 2 and live.run.state == "running", "a second generation")
    await live.trains(2)
    assert not any(own.alive for own in old.values())
    (recovery,) = live.shown.recoveries
    assert recovery.what.startswith("rank 2 was killed on purpose (SIGKILL)")
    assert recovery.phases[0][0] == "detected"  # we know when it was killed: we did it
    assert {row.harm for row in live.shown.rows} == {""}  # the new one is whole
    # There was one restart: the next death is the last.
    live.harm(0, "kill")
    await live.ended()
    assert live.run.state == "failed"
    assert live.run.why.startswith("rank 0 was killed on purpose (SIGKILL)")
    assert not live.run.scratch.exists()


async def test_a_disk_that_is_full_fails_the_checkpoint(supervisor: Supervisor) -> None:
    wanted = demo("failover", steps=1_000_000, every=EVERY, kill_rank=-1, restarts=0, **SMALL)
    live = Live(supervisor, await supervisor.launch(BLOCK, wanted))
    await live.trains(2)
    live.harm(1, "disk", 1024)
    await live.ended()
    assert live.run.state == "failed"
    assert "rank 1 was kept from writing files over 1 KiB on purpose" in live.run.why
    assert "CheckpointException" in live.run.why


async def test_without_restarts_it_ends(supervisor: Supervisor) -> None:
    live = await play(supervisor, kill_rank=1, kill_at=3, restarts=0)
    assert (live.run.state, live.run.generation) == ("failed", 1)
    assert live.run.why.startswith("rank 1 ")
    assert live.shown.recoveries == ()


async def test_it_recovers_under_torchrun_too(supervisor: Supervisor, heard: Heard) -> None:
    """Its ranks say what those of the stage say."""
    live = await play(supervisor, kill_rank=1, kill_at=KILL_AT, launcher="torchrun", ranks=2)
    assert (live.run.state, live.run.generation) == ("done", 2)
    assert live.shown.recoveries[0].lost_steps == KILL_AT % EVERY
    for rank in range(2):
        assert sorted(heard.losses[live.run.id, 2, rank]) == list(range(KILL_AT // EVERY * EVERY, STEPS))
    assert {row.state for row in live.shown.rows} == {"done"} and live.shown.logs
