"""Ranks broken on purpose: the panel names the victim, nothing is left, and nobody is stuck.

In CI three harms on three demos; every harm on every demo, and a hundred launches in a row, under `soak`:
seven minutes on two idle cores, nine where three other processes want them.
"""

from __future__ import annotations

import asyncio

import pytest
from live_run import BLOCK, Live, demo, launch
from waiting import until

from runtime.catalog.registry import DEMOS, Launchable, check
from runtime.launch.processes import Own
from runtime.protocol.figures import RankRow
from runtime.protocol.messages import Break, Harm
from runtime.supervision.failures import stall_reason
from runtime.supervision.run import OVER
from runtime.supervision.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
VICTIM = 1
SMALL = {"width": 32, "layers": 1, "seq": 16, "batch": 2}


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    """A rank that stands is noticed earlier than in a class."""
    monkeypatch.setattr(stall_reason, "STALL_S", 1.5)


def long(name: str, ranks: int = 2) -> Launchable:
    """A demo that trains until it is stopped, as small as it can be."""
    known = {param.name: param for param in DEMOS[name].params}
    ends = [known[key] for key in ("steps", "repeats", "rounds") if key in known]
    endless = {param.name: f"{min(1e6, param.high or 1e6):.0f}" for param in ends}
    if name == "failover":  # here its end by one of us is the end
        endless |= {"kill_rank": "-1", "restarts": "0"}
    for smaller in (SMALL, {key: SMALL[key] for key in ("width", "seq")}, {}):
        size = {key: str(value) for key, value in smaller.items() if key in known}
        for number in (1,) if known["ranks"].default == 1 else (ranks, 4):
            checked = check(name, {"ranks": str(number), **size, **endless})
            if isinstance(checked, Launchable):
                return checked
    raise AssertionError(checked)


def victim(live: Live) -> RankRow:
    return live.shown.rows[VICTIM]


async def suffers(live: Live, harm: Harm, *, must_show: bool = True) -> None:
    """Do it, and see what it does. `must_show`: the demo shows that a collective was skipped, by replicas
    that differ or a run that stands; one without collectives, or with shards of one size, does not."""
    before = live.steps[VICTIM]
    match harm:
        case "slow":
            live.harm(VICTIM, "slow", 150)
            await until(lambda: victim(live).harm == "slowed 150 ms", "its row says so")
            assert f"rank {VICTIM} slowed 150 ms" in live.shown.bent
            await until(lambda: (victim(live).step_s or 0) >= 0.15, "slower steps")
            assert victim(live).state not in ("dead", "ended")
        case "stop":
            live.harm(VICTIM, "stop")
            await until(lambda: f"rank {VICTIM} has been silent" in live.shown.warning, "the victim is named")
            assert f"rank {VICTIM} was stopped on purpose (SIGSTOP)" in live.shown.warning
            if must_show:
                await until(
                    lambda: all(r.waits == str(VICTIM) for r in live.shown.rows if r.rank != VICTIM),
                    "the others say for whom they wait",
                )
            stood = live.steps[VICTIM]
            live.harm(VICTIM, "go on")
            await until(lambda: live.steps[VICTIM] > stood, "it goes on")
            assert (victim(live).harm, live.run.state) == ("", "running")
        case "kill":
            live.harm(VICTIM, "kill")
            await live.ended()
            assert live.run.state == "failed"
            assert live.run.why.startswith(f"rank {VICTIM} was killed on purpose (SIGKILL) (after step ")
            assert [row.state for row in live.shown.rows].count("dead") == 1
            assert victim(live).state == "dead"
            assert victim(live).harm == "killed"
        case "desync":
            live.harm(VICTIM, "desync")
            sentence = f"rank {VICTIM} was made to skip a collective on purpose"
            seen = f"{sentence} is said, {live.run.state}"
            assert victim(live).harm == "skipped a collective"
            if must_show:
                await until(lambda: shows_desync(live, sentence), seen)
            else:
                await asyncio.sleep(1.0)
        case "seed":
            live.harm(VICTIM, "seed")
            await until(lambda: victim(live).harm == "another seed", "its row says so")
            await until(lambda: live.steps[VICTIM] > before + 12 or live.run.state in OVER, "a sampled step")
        case "oom":
            live.harm(VICTIM, "oom")
            await live.ended()
            assert live.run.state == "failed"
            assert live.run.why.startswith(f"rank {VICTIM} was refused memory on purpose: ")
            assert "can't allocate memory" in live.run.why
        case "disk":
            live.harm(VICTIM, "disk")
            await until(lambda: live.steps[VICTIM] > before + 2 or live.run.state in OVER, "it goes on")
            assert victim(live).harm == "files up to 64 KiB"
        case "go on":
            raise AssertionError("no harm")


def shows_desync(live: Live, sentence: str) -> bool:
    """Replicas differ, or the run stands, or torch has noticed: each way the victim is named."""
    if live.run.state == "failed":
        return sentence in live.run.why
    return live.shown.equal is False or sentence in live.shown.warning


@pytest.mark.parametrize("harm", ["slow", "kill", "desync"])
@pytest.mark.parametrize("name", ["ddp", "zero", "pipeline"])
async def test_matrix(supervisor: Supervisor, name: str, harm: Harm) -> None:
    live = await launch(supervisor, long(name))
    await live.trains()
    await suffers(live, harm)
    assert live.run.faulted
    await live.stop()
    assert live.run.state in OVER


@pytest.mark.parametrize("harm", ["stop", "seed", "oom", "disk"])
async def test_the_other_harms(supervisor: Supervisor, harm: Harm) -> None:
    live = await launch(supervisor, long("ddp"))
    await live.trains(12)
    await suffers(live, harm)
    if harm == "seed":
        await until(lambda: live.shown.equal is False, "replicas that are not equal")
    await live.stop()


async def test_the_last_collective_of_each_rank_is_told(supervisor: Supervisor) -> None:
    live = await launch(supervisor, long("ddp"))
    await live.trains()
    # A beat tells it, ten times a second: who is stopped before the first one cannot have told.
    await until(lambda: all("#" in row.last for row in live.shown.rows), "every rank has told of one")
    live.harm(VICTIM, "stop")
    await until(lambda: f"rank {VICTIM} has been silent" in live.shown.warning, "the victim is named")
    assert all("#" in row.last for row in live.shown.rows), [row.last for row in live.shown.rows]
    await live.stop()  # a stopped process ends like any other


async def test_slow_ends_and_a_run_that_goes_on_is_done(supervisor: Supervisor) -> None:
    live = await launch(supervisor, demo("ddp", ranks=2, steps=150, **SMALL))
    await live.trains()
    live.harm(VICTIM, "slow", 100)
    await live.trains(2)
    live.harm(VICTIM, "slow", 0)
    assert victim(live).harm == ""
    assert not any("slowed" in bent for bent in live.shown.bent)
    await live.ended()
    assert (live.run.state, live.run.faulted) == ("done", True)


async def test_what_cannot_be_broken_says_why(supervisor: Supervisor) -> None:
    live = await launch(supervisor, long("ddp"))
    await live.trains()
    for wish, why in (
        (Break("nowhere", 0, "kill"), "nothing runs here"),
        (Break(BLOCK, 7, "kill"), "rank 7 is not there to be broken"),
        (Break(BLOCK, 0, "slow", -1), "-1 ms is not a time to slow a step by"),
        (Break(BLOCK, 0, "oom", float("nan")), "nan bytes is not a limit"),
    ):
        refusal = supervisor.control.obey(wish)
        assert refusal is not None
        assert refusal.why == why
    assert not live.run.faulted
    await live.stop()


@pytest.mark.soak
@pytest.mark.parametrize("harm", ["slow", "stop", "kill", "desync", "seed", "oom", "disk"])
@pytest.mark.parametrize("name", list(DEMOS))
async def test_every_harm_on_every_demo(supervisor: Supervisor, name: str, harm: Harm) -> None:
    if (missing := DEMOS[name].missing) is not None:
        pytest.skip(missing.why)
    live = await launch(supervisor, long(name))
    if live.run.demo.ranks <= VICTIM:
        pytest.skip("it has one rank")
    await live.trains(1)
    await suffers(live, harm, must_show=False)
    await live.stop()


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_a_hundred_launches_in_a_row(supervisor: Supervisor) -> None:
    seen: list[Own] = []
    for turn in range(100):
        live = await launch(supervisor, long("ddp", ranks=4))
        await live.trains(1)
        seen += live.run.ranks.values()
        if turn % 3 == 0:
            live.harm(turn % 4, "kill")
            await live.ended()
        else:
            await live.stop()
    assert len(seen) == 400
    assert not any(own.alive for own in seen)
    await asyncio.sleep(0)
