"""Runs that go wrong, in every way a demo can, on a real stage: what is said, and that nothing is left."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import socket
from pathlib import Path
from typing import Any

import pytest

from runtime import paths
from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.launch.parent_death import descendants
from runtime.launch.processes import Own, gone
from runtime.supervision.failures import stall_reason
from runtime.supervision.run import Run
from runtime.supervision.supervisor import Supervisor

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]
# Every rank trains on; what is done before a step of one of them comes in between.
SCRIPT = """
import os, sys, time
import torch, torch.distributed as dist
from runtime.ranks.probe import probe
rank = int(os.environ["RANK"])
{before}
probe.boot("rendezvous")
dist.init_process_group("gloo")
for step in range({steps}):
    {within}
    with probe.step(tokens=1):
        with probe.phase("backward"):
            dist.all_reduce(torch.ones(1))
        probe.loss(1.0)
    time.sleep(0.01)
dist.destroy_process_group()
"""


def demo(
    home: Path, *, before: str = "", within: str = "", steps: int = 10**6, ranks: int = 3, **params: str
) -> Launchable:
    script = home / f"demo{len(list(home.glob('demo*')))}.py"
    script.write_text(SCRIPT.format(before=before, within=within or "pass", steps=steps))
    checked = registry.check("ddp", {"ranks": str(ranks), "steps": str(steps % 10**6 or 10**6), **params})
    assert isinstance(checked, Launchable)
    return Launchable("ddp", "", script, checked.params, checked.values, (), steps=checked.steps)


async def ended(run: Run, seconds: float = 90.0) -> Run:
    await asyncio.wait_for(run.over.wait(), seconds)
    assert await gone(run.ranks.values(), 3.0) == []
    assert run.left == 0
    return run


async def training(run: Run) -> None:
    async with asyncio.timeout(90):
        while run.store.settled < 3:
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("launcher", ["stage", "torchrun"])
async def test_who_starts_it_twice_at_once_has_one_run(
    supervisor: Supervisor, home: Path, launcher: str
) -> None:
    """The one that was there is stopped, and so is the first of the two: no ranks go on unseen."""
    first = await supervisor.launch("b", demo(home))
    await training(first)
    again = demo(home, launcher=launcher)
    second, third = await asyncio.gather(*(supervisor.launch("b", again) for _ in range(2)))
    assert (await ended(first)).state == (await ended(second)).state == "stopped"
    assert supervisor.runs["b"] is third
    await training(third)
    assert len({own.pid for own in third.ranks.values()}) == 3
    assert await supervisor.stop("b") == 0


async def test_done(supervisor: Supervisor, home: Path) -> None:
    run = await ended(await supervisor.launch("b", demo(home, steps=5)))
    assert (run.state, run.why) == ("done", "")
    assert [row.state for row in run.snapshot().rows] == ["done"] * 3


async def test_a_rank_raises(supervisor: Supervisor, home: Path) -> None:
    raises = "if rank == 1 and step == 7: raise ValueError('the data are gone')"
    run = await ended(await supervisor.launch("b", demo(home, within=raises)))
    assert (run.state, run.why) == ("failed", "rank 1: ValueError: the data are gone (after step 6)")
    assert run.snapshot().fault == run.why
    assert any("the data are gone" in line for line in run.snapshot().logs)


@pytest.mark.parametrize("code", [3, 0])  # with 0 as if all were well
async def test_a_rank_leaves_in_the_middle(supervisor: Supervisor, home: Path, code: int) -> None:
    leaves = f"if rank == 2 and step == 7: os._exit({code})"
    run = await ended(await supervisor.launch("b", demo(home, within=leaves)))
    assert run.state == "failed"
    assert run.why.startswith(f"rank 2 left with exit code {code} (after step")


@pytest.mark.parametrize(
    ("left", "why", "generations"),
    [
        ("sys.exit('no data on this node\\nask who has it')", "rank 1: no data on this node (before its", 1),
        ("sys.exit(3)", "rank 1 left with exit code 3", 2),
        ("raise ValueError('odd')", "rank 1: ValueError: odd", 2),
    ],
    ids=["refuses", "leaves", "raises"],
)
async def test_a_script_that_refuses_is_not_started_again(
    supervisor: Supervisor, home: Path, left: str, why: str, generations: int
) -> None:
    body = f"rank == 1 and {left}" if left.startswith("sys") else f"if rank == 1: {left}"
    asked = demo(home, before=body, ranks=2, restarts="1")
    run = await ended(await supervisor.launch("refuses", asked))
    assert (run.state, run.generation) == ("failed", generations)
    assert run.why.startswith(why), run.why
    assert len(run.recovered()) == generations - 1


async def test_a_rank_crashes(supervisor: Supervisor, home: Path) -> None:
    crash = "if rank == 0 and step == 7: os.kill(os.getpid(), 11)"
    run = await ended(await supervisor.launch("b", demo(home, within=crash)))
    assert run.state == "failed"
    assert run.why.startswith("rank 0 was killed by SIGSEGV (after step")


async def test_the_store_dies_with_whoever_keeps_it(supervisor: Supervisor, home: Path) -> None:
    run = await supervisor.launch("b", demo(home))
    await training(run)
    assert supervisor.stage.child is not None
    ranks = {own.pid for own in run.ranks.values()}
    [keeper] = set(descendants(supervisor.stage.child.pid)) - ranks
    os.kill(keeper, signal.SIGKILL)
    await ended(run)
    assert (run.state, run.why) == ("failed", "the store at which the ranks meet was killed by SIGKILL")


async def test_a_script_that_cannot_be_read(supervisor: Supervisor, home: Path) -> None:
    run = await ended(await supervisor.launch("b", demo(home, before="def (")))
    assert run.state == "failed"
    assert "SyntaxError" in run.why and run.why.endswith("(before its first step)")


async def test_a_hang_before_the_rendezvous_is_named_and_ended(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stall_reason, "FIRST_STEP_S", 1.0)
    run = await supervisor.launch("b", demo(home, before="if rank == 1: time.sleep(3600)"))
    async with asyncio.timeout(90):
        while not run.warning and run.state in ("launching", "running"):
            await asyncio.sleep(0.02)
    assert "no step after 1 s" in run.warning
    await ended(run)
    assert run.state == "failed"
    assert run.why.startswith("no step after 2 s: rank") and "rank 1 in import" in run.why


async def test_a_rank_that_computes_before_its_first_step_is_named_and_has_the_time_that_it_needs(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stall_reason, "FIRST_STEP_S", 0.5)
    slow = "if rank == 1:\n    while time.process_time() < began + 3.0: pass"
    run = await supervisor.launch("b", demo(home, before=f"began = time.process_time()\n{slow}"))
    warned: set[str] = set()
    async with asyncio.timeout(90):
        while run.store.settled < 3 and run.state in ("launching", "running"):
            warned.add(run.warning)
            await asyncio.sleep(0.02)
    assert (run.state, run.why) == ("running", "")  # it was over its limit six times
    assert any(told.startswith("no step after") and "rank 1 in import" in told for told in warned), warned
    await supervisor.stop("b")


async def test_a_stopped_rank_is_named_and_the_run_goes_on_when_it_does(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stall_reason, "STALL_S", 2.0)
    run = await supervisor.launch("b", demo(home))
    run.faulted = True  # somebody does this on purpose: only people end it
    await training(run)
    stopped: Own = run.ranks[2]
    stopped.kill(signal.SIGSTOP)
    async with asyncio.timeout(90):
        while "rank 2 has been silent" not in run.snapshot().warning:
            await asyncio.sleep(0.02)
    await asyncio.sleep(3.0)  # well over the limit at which an unfaulted run is ended
    assert run.state == "running"
    reached = run.store.reached
    stopped.kill(signal.SIGCONT)
    async with asyncio.timeout(90):
        while run.store.reached <= reached + 5:
            await asyncio.sleep(0.02)
    assert run.snapshot().warning == ""
    await supervisor.stop("b", "enough")
    assert ((await ended(run)).state, run.why) == ("stopped", "enough")


async def test_stopping_while_it_launches(supervisor: Supervisor, home: Path) -> None:
    for pause in (0.0, 0.001, 0.03, 0.1):
        run = await supervisor.launch("b", demo(home))
        await asyncio.sleep(pause)
        await supervisor.stop("b", "changed my mind")
        assert (await ended(run)).state == "stopped"


async def test_the_log_of_a_chatty_rank_stays_small_here(supervisor: Supervisor, home: Path) -> None:
    chatty = "print('\\x1b[2J' + 'x' * 3000); print('y' * 100_000)"
    run = await supervisor.launch("b", demo(home, within=chatty))
    await training(run)
    await supervisor.stop("b")
    assert 0 < sum(map(len, run.snapshot().logs)) < 40_000


async def test_without_torch_it_says_what_to_install(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.launch.fork_server_client.torch_installed", lambda: False)
    said: list[tuple[str, str]] = []
    bare = Supervisor(
        "bare", paths.rank_socket("bare"), on_stage=lambda status, detail: said.append((status, detail))
    )
    await bare.start()
    run = await ended(await bare.launch("b", demo(home)))
    assert run.state == "failed"
    assert run.why.startswith("PyTorch is not installed here: ")
    assert "torch<2.14,>=2.11" in run.why
    assert said[0][0] == "absent"
    assert await bare.close() == 0


async def test_without_a_free_port_it_says_so(
    supervisor: Supervisor, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bind = socket.socket.bind

    def refuse(self: socket.socket, address: Any) -> None:
        if isinstance(address, tuple):
            raise OSError(errno.EADDRINUSE, "Address already in use")
        bind(self, address)

    monkeypatch.setattr(socket.socket, "bind", refuse)
    run = await ended(await supervisor.launch("b", demo(home)))
    assert run.state == "failed"
    assert "no free port to meet at (Address already in use); `ss -s`" in run.why
