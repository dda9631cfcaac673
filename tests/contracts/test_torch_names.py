"""Every name of torch that is used here without torch's promise to keep it, with what relies on it.

A test that fails after an upgrade of torch says which figure goes to a dash.
"""

from __future__ import annotations

import inspect
import os
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402

from runtime.ranks.collectives import WORDS, missing_names  # noqa: E402


def test_the_dispatchers_collectives_have_the_names_we_follow() -> None:
    assert missing_names() == []


def test_no_collective_of_this_torch_is_overlooked() -> None:
    known = {f"c10d::{name}" for name in WORDS} | {
        "c10d::monitored_barrier_",  # returns no work
        "c10d::check_for_nan",  # no communication
    }
    assert {n for n in torch._C._dispatch_get_all_op_names() if n.startswith("c10d::")} <= known


@pytest.mark.parametrize("name", WORDS)
def test_a_collective_names_its_group_and_peer(name: str) -> None:
    names = [a.name for a in getattr(torch.ops.c10d, name).default._schema.arguments]
    assert "process_group" in names
    if name == "send":
        assert "dst" in names
    if name == "recv_":
        assert "src" in names


def test_a_call_says_whether_it_is_asynchronous() -> None:
    """Else time inside a synchronous call, before it begins to wait, would pass for compute."""
    for name in ("all_reduce", "broadcast", "all_gather_into_tensor", "reduce_scatter_tensor", "all_to_all"):
        assert "async_op" in inspect.signature(getattr(dist, name)).parameters
    script = """
import tempfile, torch, torch.distributed as dist
from runtime.ranks.collectives import Collectives
told = []
Collectives(lambda **f: told.append(f), lambda **f: None, lambda: 0).install()
dist.init_process_group("gloo", store=dist.FileStore(tempfile.mktemp(), 1), rank=0, world_size=1)
t = torch.ones(1 << 22)
dist.all_reduce(t)
dist.reduce_scatter_tensor(torch.ones(1 << 22), t)
dist.all_gather_into_tensor(t, t.clone())
assert len(told) == 3, told
assert all(f["exposed"] == f["t_done"] - f["t_issue"] > 0 for f in told), told
work = dist.all_gather_into_tensor(t, t.clone(), async_op=True)
while len(told) < 4:  # told by its future
    pass
work.wait()
assert told[3]["exposed"] == 0, told
dist.destroy_process_group()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", script],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_boxed_works_and_groups_can_be_opened() -> None:
    from torch._C import _AutoDispatchBelowAutograd, _distributed_c10d

    assert callable(_AutoDispatchBelowAutograd)
    assert callable(_distributed_c10d.Work.unbox)
    assert callable(_distributed_c10d.ProcessGroup.unbox)
    assert hasattr(_distributed_c10d.ProcessGroup, "group_name")
    assert hasattr(_distributed_c10d.ProcessGroup, "group_desc")


def test_a_store_takes_a_listening_socket() -> None:
    assert "master_listen_fd" in (dist.TCPStore.__init__.__doc__ or "")


def test_a_plain_script_joins_the_store_of_an_agent() -> None:
    from torch.distributed import rendezvous as _  # noqa: F401

    source = inspect.getsource(sys.modules["torch.distributed.rendezvous"])
    assert "TORCHELASTIC_USE_AGENT_STORE" in source


def test_the_stage_can_rehearse() -> None:
    from torch.testing._internal.distributed.fake_pg import FakeStore

    assert callable(FakeStore)


def test_norms_of_many_tensors_at_once() -> None:
    norms = torch._foreach_norm([torch.tensor([3.0, 4.0]), torch.tensor([1.0])])
    assert [float(n) for n in norms] == [5.0, 1.0]


def test_the_weights_fsdp_has_gathered_can_be_seen() -> None:
    """Else `Memory.gathered` is a dash. Three ranks exist by name only, which changes no size."""
    script = """
import torch, torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.testing._internal.distributed.fake_pg import FakeStore
from runtime.ranks.gathered import Gathered
from runtime.ranks.memory import Ledger
dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=4)
model = torch.nn.Sequential(*(torch.nn.Linear(64, 64, bias=False) for _ in range(3)))
for layer in model:
    fully_shard(layer, mesh=init_device_mesh("cpu", (4,)))
fully_shard(model, mesh=init_device_mesh("cpu", (4,)))
ledger = Ledger()
ledger.watch(model, torch.optim.AdamW(model.parameters()))
x = torch.ones(2, 64, requires_grad=True)
with ledger.activations():
    loss = model(x).sum()
held = Gathered(model)
loss.backward()
seen = ledger.bytes_by_kind()
one = 4 * 64 * 64
assert seen["params"] == 3 * one // 4, seen
assert seen["gathered"] == 2 * one, seen  # a layer, and the buffer it came in or the next one
assert seen["activations"] == 3 * 4 * 2 * 64, seen  # the inputs, not the gathered weights
assert sum(held.now().values()) == 0  # nothing is left behind
del held._groups[0]._sharded_state  # under another name, in another torch
assert held.now() is None
"""
    done = subprocess.run(
        [sys.executable, "-P", "-W", "ignore", "-c", script],
        env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_zero_says_which_optimizer_has_its_share() -> None:
    from torch.distributed.optim import ZeroRedundancyOptimizer

    source = inspect.getsource(ZeroRedundancyOptimizer)
    assert "self.optim.step(" in source


def test_without_the_names_training_goes_on_and_nothing_is_told() -> None:
    """A torch that hides them costs the events, not the run."""
    script = """
import os, tempfile, torch, torch.distributed as dist
import torch._C._distributed_c10d as c10d
from runtime.ranks import collectives
collectives.WORDS = {"allreduce_": "all-reduce", "gone_": "gone"}
told = []
following = collectives.Collectives(lambda **f: told.append(f), lambda **f: None, lambda: 0)
if os.environ["HIDE"] == "operator":
    assert following.install() == ["c10d::gone_"]
else:
    del torch._C._AutoDispatchBelowAutograd
    assert len(following.install()) == 1
store = dist.FileStore(tempfile.mktemp(), 1)
dist.init_process_group("gloo", store=store, rank=0, world_size=1)
t = torch.ones(2)
dist.all_reduce(t)
dist.broadcast(t, 0)
assert t.tolist() == [1.0, 1.0]
print(len(told))
dist.destroy_process_group()
"""
    for hide, told in (("operator", "1"), ("guard", "0")):
        done = subprocess.run(
            [sys.executable, "-P", "-W", "ignore", "-c", script],
            env={**os.environ, "HIDE": hide, "OMP_NUM_THREADS": "1"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout.strip() == told
