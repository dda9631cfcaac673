"""Collectives as functions and the time in which they are waited for, by names torch does not promise."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from alone import ALONE

torch = pytest.importorskip("torch")


def test_functional_collectives_are_seen_once_each_with_the_time_of_their_wait(
    alone: Callable[..., str],
) -> None:
    """From above autograd, inside it and below it, where tensor parallelism calls from."""
    out = alone("""
import torch.distributed._functional_collectives as fc
hooks.open()
begin()
world, n = dist.group.WORLD, 1 << 22
def value(tensor):  # as any use of the tensor does
    return tensor + 0
def at(t):
    value(fc.all_reduce(t, "sum", world))
    value(fc.all_gather_tensor(t, 0, world))
    value(fc.reduce_scatter_tensor(t, "sum", 0, world))
    value(fc.all_to_all_single(t, None, None, world))
    value(fc.broadcast(t, 0, world))
    for one in fc.all_reduce_coalesced([t, t], "sum", world):
        value(one)
t = torch.ones(n)
at(t)
with torch._C._AutoDispatchBelowAutograd():
    at(t)
x = torch.ones(n, requires_grad=True)
fc.all_reduce(x, "sum", world).sum().backward()
fc.all_to_all_single_autograd(x, None, None, world).sum().backward()
for f in told:
    assert f["t_issue"] < f["t_done"] and 0 <= f["exposed"] <= f["t_done"] - f["t_issue"], f
    assert f["op"] != "reduce-scatter" or f["exposed"] > 0, f  # has no future: the wait alone tells its end
assert following.counts() == (len(told), len(told))
assert not following._expected and not following._waiting
assert [f["seq"] for f in told] == list(range(len(told)))
print(*(f"{f['op']}:{f['bytes'] // (4 * n)}" for f in told))
""").split()
    once = ["all-reduce:1", "all-gather:1", "reduce-scatter:1", "all-to-all:1", "broadcast:1", "all-reduce:2"]
    assert out == [*once, *once, "all-reduce:1", "all-reduce:1", "all-to-all:1", "all-to-all:1"]


def test_standing_in_wait_tensor_for_a_late_rank_is_exposed(
    passes: Callable[..., str], tmp_path: Path
) -> None:
    """Rank 1 enters once rank 0 is about to need the result: rank 0 stands at least until then, at most until
    it has it."""
    script = (
        ALONE
        + """
import time
import torch.distributed._functional_collectives as fc
hooks.open()
rank = int(os.fork() == 0)
dist.init_process_group("gloo", store=dist.FileStore(os.environ["STORE"], 2), rank=rank, world_size=2)
assert fc.all_reduce(torch.ones(4), "sum", dist.group.WORLD).tolist() == [2.0] * 4  # imports what it needs
dist.barrier()
told.clear()
needed = os.environ["STORE"] + ".needed"
while rank == 1 and not os.path.exists(needed):
    time.sleep(0.001)
time.sleep(0.050 * rank)
entered = time.monotonic()
result = fc.all_reduce(torch.ones(4), "sum", dist.group.WORLD)
waits = time.monotonic()
if rank == 0:
    open(needed, "w").close()
assert result.tolist() == [2.0] * 4
line = f"{rank} {told[0]['exposed']} {entered} {waits} {time.monotonic()}\\n"
os.write(1, line.encode())  # in one piece: both ranks write to one pipe
dist.destroy_process_group()
assert rank == 1 or os.wait()[1] == 0
"""
    )
    told = sorted(line.split() for line in passes(script, STORE=str(tmp_path / "store")).splitlines())
    [(first, _, waits, done), (second, entered, _, left)] = [map(float, words[1:]) for words in told]
    assert entered - waits > 0.050 - 0.001
    assert entered - waits - 0.001 < first < done - waits + 0.001
    assert second < left - entered


def test_computing_before_a_functional_collective_is_needed_is_not_exposed(alone: Callable[..., str]) -> None:
    alone("""
import torch.distributed._functional_collectives as fc
hooks.open()
begin()
result = fc.all_reduce(torch.ones(1 << 20), "sum", dist.group.WORLD)
while not told:
    pass
assert result.sum() == 1 << 20
assert [f["exposed"] for f in told] == [0]
""")


def test_shapes_alone_are_passed_over(alone: Callable[..., str]) -> None:
    """A compiler looks at operators with tensors that have none of their data."""
    alone("""
from torch._subclasses.fake_tensor import FakeTensorMode
import torch.distributed._functional_collectives as fc
hooks.open()
begin()
with FakeTensorMode():
    assert fc.all_reduce(torch.ones(3), "sum", dist.group.WORLD).shape == (3,)
assert torch.ops._c10d_functional.all_reduce(torch.ones(3, device="meta"), "sum", "0").shape == (3,)
assert told == [] and following.counts() == (0, 0)
compiled = torch.compile(lambda x: fc.all_reduce(x * 2, "sum", dist.group.WORLD) + 1, backend="aot_eager")
assert compiled(torch.ones(3)).tolist() == [3.0] * 3
assert [f["op"] for f in told] == ["all-reduce"]
""")


def test_the_interpreter_is_free_while_a_collective_is_entered_and_waited_for(
    alone: Callable[..., str],
) -> None:
    """Else gloo's thread, which tells of ends in Python, and the training thread can wait for each other."""
    alone("""
import torch.distributed._functional_collectives as fc
hooks.open()
begin()
for _ in range(2000):
    works = [dist.all_reduce(torch.ones(8), async_op=True) for _ in range(8)]
    fc.all_reduce(torch.ones(8), "sum", dist.group.WORLD).wait()
    for work in works:
        work.wait()
while len(told) < 2000 * 9:
    pass
""")
