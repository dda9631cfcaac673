"""A real stage forks real ranks; what they say is complete, and nothing of them outlives it."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from stage_host import Receiver, StageHost, alive, wait_gone

from runtime.launch.parent_death import descendants
from runtime.protocol.events import Beat, Boot, Check, Collective, Done, Fault, Group, Hello, Memory, Step

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

ENDLESS = ("--steps", "100000")


@pytest.fixture
def own_stage(tmp_path: Path) -> Iterator[StageHost]:
    """A stage that the test may kill."""
    host = StageHost(tmp_path)
    assert host.ready().fork_ok
    yield host
    host.close()


def wait_for(what: Callable[[], object], timeout_s: float = 120) -> None:
    deadline = time.monotonic() + timeout_s
    while not what():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.01)


def script(folder: Path, body: str) -> str:
    path = folder / "script.py"
    path.write_text("import os, time\nrank = int(os.environ['RANK'])\n" + body)
    return str(path)


def test_four_ranks_train_and_say_everything(stage: StageHost, receiver: Receiver) -> None:
    pids = stage.fork("whole", receiver, "--steps", "12").pids
    exits = stage.exits("whole")
    assert {r: (e.code, e.signal) for r, e in exits.items()} == dict.fromkeys(range(4), (0, None))
    assert [exits[r].pid for r in range(4)] == list(pids)
    wait_for(lambda: len(receiver.of(Done)) == 4)

    for rank in range(4):
        [hello] = receiver.of(Hello, rank)
        assert (hello.run, hello.world, hello.local_rank, hello.pid) == ("whole", 4, rank, pids[rank])
        assert [b.phase for b in receiver.of(Boot, rank)] == [
            "start",
            "import",
            "rendezvous",
            "build",
            "train",
        ]
        steps = receiver.of(Step, rank)
        assert [s.step for s in steps] == list(range(12))
        for step in steps:
            parts = step.data + step.forward + step.backward + step.optimizer + step.other
            assert parts == pytest.approx(step.t - step.t0, abs=1e-9)
            assert step.other >= 0 and step.tokens == 8 * 64
        assert [m.step for m in receiver.of(Memory, rank)] == [0, 1, 10]
        assert receiver.of(Beat, rank)[-1].drops == 0
        [group] = receiver.of(Group, rank)
        assert group.ranks == [0, 1, 2, 3]
        [done] = receiver.of(Done, rank)
        assert done.code == 0 and done.result["loss"] == pytest.approx(steps[-1].loss)
    assert 5 < sum(s.loss or 0 for s in receiver.of(Step) if s.step == 0) / 4 < 6.2  # about ln 256

    assert receiver.of(Fault) == []
    assert "step   10  loss" in stage.printed("whole")


def test_replicas_stay_equal_and_see_different_data(stage: StageHost, receiver: Receiver) -> None:
    stage.fork("equal", receiver, "--steps", "11")
    stage.exits("equal")
    wait_for(lambda: len(receiver.of(Done)) == 4)
    for step in (0, 1, 10):
        checks = [c for c in receiver.of(Check) if c.step == step]
        assert len(checks) == 4 and len({c.checksum for c in checks}) == 1
        assert len({c.grad_norm for c in checks}) == 1  # averaged: the same gradient everywhere
    assert len({c.checksum for c in receiver.of(Check)}) == 3  # and they do move
    assert len({s.loss for s in receiver.of(Step) if s.step == 0}) == 4


def test_every_rank_tells_the_same_collectives(stage: StageHost, receiver: Receiver) -> None:
    stage.fork("seqs", receiver, "--steps", "6", "--bucket_mb", "0.25")
    stage.exits("seqs")
    wait_for(lambda: len(receiver.of(Done)) == 4)
    told = [[(c.seq, c.op, c.bytes, c.step) for c in receiver.of(Collective, r)] for r in range(4)]
    assert all(sorted(t) == sorted(told[0]) for t in told)
    assert sorted(s for s, *_ in told[0]) == list(range(len(told[0])))
    assert {c.op for c in receiver.of(Collective) if c.step == -1} >= {"broadcast"}
    last = [c for c in receiver.of(Collective, 0) if c.step == 5 and c.op == "all-reduce"]
    assert len(last) > 2 and sum(c.bytes for c in last) == 4 * 469_504
    for step in receiver.of(Step):
        mine = [c for c in receiver.of(Collective, step.rank) if c.step == step.step and c.op == "all-reduce"]
        assert sum(c.exposed for c in mine) <= step.backward + 1e-9
        assert all(c.t_done is not None and c.t_issue <= c.t_done <= step.t for c in mine)


def test_a_slow_rank_is_slow_and_the_others_stand_waiting(stage: StageHost, receiver: Receiver) -> None:
    stage.fork("slow", receiver, "--steps", "8", "--slow_rank", "2", "--slow_ms", "400")
    stage.exits("slow")
    wait_for(lambda: len(receiver.of(Done)) == 4)

    def median(values: list[float]) -> float:
        return sorted(values)[len(values) // 2]

    def exposed(rank: int) -> float:
        steps = [[c.exposed for c in receiver.of(Collective, rank) if c.step == n] for n in range(2, 8)]
        return median([sum(s) for s in steps])

    forward = [median([s.forward for s in receiver.of(Step, r) if s.step >= 2]) for r in range(4)]
    assert forward[2] >= 0.4
    for other in (0, 1, 3):
        # Of the 0.4 s a loaded machine may take much: the others compute longer, and stand waiting less.
        assert forward[2] - forward[other] > 0.1
        assert exposed(other) - exposed(2) > 0.1


def test_a_second_run_while_the_first_goes_on_and_a_kill_of_one(stage: StageHost, receiver: Receiver) -> None:
    first = stage.fork("first", receiver, *ENDLESS, world=2)
    second = stage.fork("second", receiver, *ENDLESS, world=2, generation=3)
    wait_for(lambda: {s.run for s in receiver.of(Step)} == {"first", "second"})
    stage.kill("first")
    exits = stage.exits("first", world=2)
    assert {(e.code, e.signal) for e in exits.values()} == {(None, signal.SIGKILL)}
    assert wait_gone(first.pids) == [] and alive(second.pids) == list(second.pids)
    assert {h.generation for h in receiver.of(Hello) if h.run == "second"} == {3}
    stage.kill("second", generation=3)
    stage.exits("second", world=2)


def test_a_rank_that_raises(stage: StageHost, receiver: Receiver, tmp_path: Path) -> None:
    body = "def work():\n    if rank == 1:\n        raise ValueError('too few\\nbuckets')\nwork()\n"
    path = script(tmp_path, body)
    stage.fork("raises", receiver, script=path, world=2)
    exits = stage.exits("raises", world=2)
    assert (exits[0].code, exits[1].code) == (0, 1)
    wait_for(lambda: len(receiver.of(Done)) == 2)
    [fault] = receiver.of(Fault)
    assert (fault.rank, fault.what, fault.root) == (1, "ValueError: too few", f"{path}:5")
    log = stage.printed("raises", 1)
    assert "raise ValueError" in log and "runpy" not in log and "runner.py" not in log
    assert [d.code for d in receiver.of(Done, 1)] == [1]


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ("import sys; sys.exit()", 0),
        ("import sys; sys.exit(7)", 7),
        ("import sys; sys.exit('no data')", 1),
        ("def f(:", 1),
        ("import nowhere_to_be_found", 1),
        ("os._exit(9)", 9),
    ],
)
def test_exit_codes(stage: StageHost, receiver: Receiver, tmp_path: Path, body: str, code: int) -> None:
    run = f"exit {body}"
    stage.fork(run, receiver, script=script(tmp_path, body), world=1)
    assert stage.exits(run, world=1)[0].code == code


def test_a_script_finds_its_arguments_its_folder_and_no_input(
    stage: StageHost, receiver: Receiver, tmp_path: Path
) -> None:
    (tmp_path / "beside.py").write_text("HERE = 'beside'\n")
    body = """
import sys, beside
print(__name__, sys.argv[1:], beside.HERE, repr(sys.stdin.read()), os.getpgrp() == os.getpid())
"""
    stage.fork("finds", receiver, "--a", "b c", script=script(tmp_path, body), world=1)
    stage.exits("finds", world=1)
    said = stage.printed("finds")
    assert "__main__ ['--a', 'b c'] beside '' True" in said


def test_children_hold_nothing_of_the_stage(stage: StageHost, receiver: Receiver, tmp_path: Path) -> None:
    path = script(tmp_path, "time.sleep(30)\n")
    pids = stage.fork("holds", receiver, script=path, world=2).pids
    wait_for(lambda: len(receiver.of(Hello)) == 2)

    def sockets(pid: int) -> list[str]:
        links = [str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()]
        return [link for link in links if link.startswith("socket:")]

    wait_for(lambda: len(sockets(pids[1])) == 1)  # rank 1: its events, no more
    assert set(sockets(stage.process.pid)).isdisjoint(sockets(pids[0]) + sockets(pids[1]))
    stage.kill("holds")
    stage.exits("holds", world=2)


def test_a_killed_rank_is_told_with_its_signal(stage: StageHost, receiver: Receiver) -> None:
    pids = stage.fork("killed", receiver, *ENDLESS).pids
    wait_for(lambda: len(receiver.of(Step)) > 8)
    os.kill(pids[2], signal.SIGKILL)
    assert stage.until(lambda o: o in stage.found("killed").values() and o.rank == 2).signal == signal.SIGKILL
    stage.kill("killed")
    stage.exits("killed")
    assert wait_gone(pids) == []


def test_nobody_can_take_the_port_of_the_store(stage: StageHost, receiver: Receiver, tmp_path: Path) -> None:
    """The store's socket listens before any rank is there, and ranks of three generations meet at their own.

    They leave together: gloo lets a rank into its group while another still connects to it.
    """
    body = """
import torch, torch.distributed as dist
time.sleep(0.1 * (2 - rank))
dist.init_process_group("gloo")
everyone = torch.tensor([int(os.environ["TEACHRUN_GENERATION"])])
dist.all_reduce(everyone)
assert everyone.item() == 3 * int(os.environ["TEACHRUN_GENERATION"])
dist.destroy_process_group()
"""
    late = script(tmp_path, body)
    for generation in range(3):
        stage.fork("late", receiver, script=late, world=3, generation=generation)
    for generation in range(3):
        exits = stage.exits("late", world=3, generation=generation)
        logs = "".join(stage.printed("late", rank, generation) for rank in exits)
        assert [exits[rank].code for rank in range(3)] == [0, 0, 0], logs


def test_a_rank_ends_while_gloo_still_calls_back(
    stage: StageHost, receiver: Receiver, tmp_path: Path
) -> None:
    """DDP, as the last to hold a group, would join the thread of gloo with the lock that it waits for."""
    body = """
import torch, torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
def hook(_, bucket):
    sent = dist.all_reduce(bucket.buffer(), async_op=True).get_future()
    arrived = sent.then(lambda done: done.value()[0])
    sent.add_done_callback(lambda _: time.sleep(0.5))  # after the reducer has got what it waits for
    return arrived
def main():
    dist.init_process_group("gloo")
    model = DistributedDataParallel(torch.nn.Linear(4, 4))
    model.register_comm_hook(None, hook)
    model(torch.ones(4)).sum().backward()
    dist.destroy_process_group()
main()
"""
    stage.fork("late callback", receiver, script=script(tmp_path, body), world=2)
    exits = stage.exits("late callback", world=2)
    assert {(e.code, e.signal) for e in exits.values()} == {(0, None)}


def keeper_of(stage: StageHost, ranks: tuple[int, ...]) -> int:
    [keeper] = set(descendants(stage.process.pid)) - set(ranks)
    return keeper


def test_a_rank_that_leaves_does_not_take_the_store_along(
    stage: StageHost, receiver: Receiver, tmp_path: Path
) -> None:
    """As under torchrun, where the agent keeps it. With the last rank it goes."""
    body = """
import torch.distributed as dist
from pathlib import Path
dist.init_process_group("gloo")
store = dist.distributed_c10d._get_default_store()
if rank == 0:
    store.set("first", str(os.getpid()))
dist.barrier()
if rank:
    first = Path("/proc") / store.get("first").decode()
    while first.exists():
        time.sleep(0.01)
    store.add("left behind", 1)
    assert store.add("left behind", 0) >= 1
"""
    pids = stage.fork("outlives", receiver, script=script(tmp_path, body), world=3).pids
    keeper = keeper_of(stage, pids)
    exits = stage.exits("outlives", world=3)
    logs = "".join(stage.printed("outlives", rank) for rank in exits)
    assert {(e.code, e.signal) for e in exits.values()} == {(0, None)}, logs
    assert wait_gone([keeper]) == []


def test_a_store_that_dies_is_told(stage: StageHost, receiver: Receiver) -> None:
    pids = stage.fork("storeless", receiver, *ENDLESS, world=2).pids
    keeper = keeper_of(stage, pids)
    os.kill(keeper, signal.SIGKILL)
    told = stage.until(lambda o: o in stage.found("storeless").values())
    assert (told.rank, told.pid, told.signal) == (-1, keeper, signal.SIGKILL)
    stage.kill("storeless")
    stage.exits("storeless", world=3)


def test_kill_9_of_the_stage_takes_every_rank_along(own_stage: StageHost, receiver: Receiver) -> None:
    """Those that train, and those that only begin to be."""
    old = own_stage.fork("orphans", receiver, *ENDLESS).pids
    wait_for(lambda: len(receiver.of(Step)) > 4)
    young = own_stage.fork("young", receiver, *ENDLESS).pids
    own_stage.process.kill()
    assert wait_gone([*old, *young]) == []


def test_a_host_that_hangs_up_ends_stage_and_ranks(own_stage: StageHost, receiver: Receiver) -> None:
    pids = own_stage.fork("hangup", receiver, *ENDLESS).pids
    wait_for(lambda: len(receiver.of(Step)) > 4)
    own_stage.socket.close()
    assert own_stage.process.wait(10) == 0
    assert wait_gone(pids) == []


def test_a_stalled_and_lost_listener_does_not_slow_training(stage: StageHost, receiver: Receiver) -> None:
    stage.fork("deaf", receiver, "--steps", "12", world=2)
    wait_for(lambda: receiver.of(Step))
    receiver.close()
    Path(receiver.path).unlink()
    exits = stage.exits("deaf", world=2)
    assert {e.code for e in exits.values()} == {0}
