"""A run is held, stepped and paced on real ranks: all stop before the same step, and nobody hangs."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
from live_run import demo, forked, launch
from waiting import until

from runtime.protocol.messages import Steer
from runtime.supervision.failures import stall_reason
from runtime.supervision.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
SMALL = {"width": 32, "layers": 1, "seq": 16, "batch": 2, "steps": 1_000_000}

SMALL_STAGES = {"width": 32, "seq": 16, "batch": 4, "steps": 1_000_000}


async def test_hold_step_and_go_on(supervisor: Supervisor) -> None:
    live = await launch(supervisor, demo("ddp", ranks=3, **SMALL))
    await live.trains()
    live.steer(0)
    step = await live.held()
    assert live.shown.steering is not None
    assert live.shown.steering.until == step
    await asyncio.sleep(0.5)
    assert live.steps == [step] * 3  # it stands
    for more in (1, 3):
        live.steer(more)
        step += more
        await until(lambda aim=step: live.steps == [aim] * 3, f"{more} more, {live.steps}")  # type: ignore[misc]
        assert await live.held() == step
    live.steer(None)
    await live.trains(5)
    assert live.shown.steering is not None
    assert not live.shown.steering.held
    assert (await live.stop()).state == "stopped"


async def test_ranks_that_run_ahead_of_each_other_stop_before_the_same_step(supervisor: Supervisor) -> None:
    # Stages of a pipeline begin a step while others still do the one before.
    live = await launch(supervisor, demo("pipeline", ranks=4, layers=4, pad_ms=2, **SMALL_STAGES))
    await live.trains(1)
    for _ in range(5):
        live.steer(0)
        await live.held()
        live.steer(None)
        await live.trains(1)
    await live.stop()


async def test_a_held_run_is_not_stalled_and_its_steps_are_not_longer(
    supervisor: Supervisor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stall_reason, "STALL_S", 0.6)
    live = await launch(supervisor, demo("ddp", ranks=2, **SMALL))
    await live.trains()
    live.steer(0)
    await live.held()
    await asyncio.sleep(2.0)  # over twice the time at which a stuck run would be ended
    assert (live.run.state, live.shown.warning) == ("running", "")
    live.steer(None)
    await live.trains()
    steps = [row.step_s for row in live.shown.rows]
    assert all(step is not None and step < 1.0 for step in steps)
    await live.stop()


async def test_a_run_held_before_its_first_step(supervisor: Supervisor) -> None:
    live = await launch(supervisor, demo("ddp", ranks=2, **SMALL))
    live.steer(0)
    step = await live.held()
    assert step < 20  # on a busy machine the ranks may be quicker than their order
    live.steer(2)
    await until(lambda: live.steps == [step + 2] * 2, "two steps")
    assert await live.held() == step + 2
    assert (await live.stop()).state == "stopped"  # also a held run ends


async def test_a_pace_is_the_least_time_of_a_step_and_is_declared(supervisor: Supervisor) -> None:
    live = await launch(supervisor, demo("ddp", ranks=2, **SMALL))
    await live.trains()
    live.steer(None, pace_s=0.3)
    await asyncio.sleep(1.0)  # each rank hears of it between two steps of its own
    began, first = time.monotonic(), live.run.store.settled
    await live.trains(4)
    # One step was under way, and one may have been on its way to us.
    assert live.run.store.settled - first <= (time.monotonic() - began) / 0.3 + 2
    assert "paced to 0.3 s a step" in live.shown.bent
    assert all(row.step_s is not None and row.step_s < 0.3 for row in live.shown.rows)
    live.steer(None)
    await live.trains(20)
    assert not any("paced" in bent for bent in live.shown.bent)
    await live.stop()


PLAIN = """
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
dist.init_process_group("gloo")
model = DistributedDataParallel(torch.nn.Linear(64, 64))
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
for step in range(100_000):
    model(torch.randn(8, 64)).pow(2).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


async def test_a_script_that_knows_nothing_of_us_is_held_too(supervisor: Supervisor, home: Path) -> None:
    script = home / "plain.py"
    script.write_text(PLAIN)
    live = await launch(supervisor, forked(demo(str(script), ranks=2)))
    await live.trains(3)
    live.steer(0)
    step = await live.held()
    await asyncio.sleep(0.5)
    assert live.steps == [step] * 2
    live.steer(2)
    await until(lambda: live.steps == [step + 2] * 2, f"two more than {step}, {live.steps}")
    live.steer(None)
    await live.trains(5)
    live.harm(1, "slow", 200)
    await until(lambda: (live.shown.rows[1].step_s or 0) >= 0.2, "slower steps")
    live.harm(1, "kill")
    await live.ended()
    assert live.run.why.startswith("rank 1 was killed on purpose (SIGKILL)"), live.run.why


async def test_what_cannot_be_held_says_why(supervisor: Supervisor) -> None:
    refused = supervisor.control.obey(Steer("no such block", 0))
    assert refused is not None
    assert refused.why == "nothing runs here"
