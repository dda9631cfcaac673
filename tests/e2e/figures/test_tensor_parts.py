"""Which part of each tensor a rank has, against torch's own whole: the parts, put together where the ranks
say that they lie, are `DTensor.full_tensor()` and the unsharded model, number for number."""

from __future__ import annotations

from pathlib import Path

import pytest
from warm_python import WarmPython

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

SCRIPT = """
import os, torch, torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel
from runtime.ranks.sensors.memory import Ledger, local

WAY, WORLD = os.environ["WAY"], 4
rank = next((n for n in range(1, WORLD) if os.fork() == 0), 0)
dist.init_process_group("gloo", store=dist.FileStore(os.environ["STORE"], WORLD), rank=rank, world_size=WORLD)
torch.manual_seed(0)
# 10 and 3 rows do not divide by 4, and of 3 rows the last rank gets none.
model = nn.Sequential(nn.Linear(8, 12, bias=False), nn.GELU(), nn.Linear(12, 10), nn.Linear(10, 3))
whole = {name: p.detach().clone() for name, p in model.named_parameters()}
made = None
if WAY in ("tensor", "both"):
    names = {"mesh_dim_names": ("data", "tensor")}
    mesh = init_device_mesh("cpu", (2, 2), **names) if WAY == "both" else init_device_mesh("cpu", (4,))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel()}
    parallelize_module(model, mesh["tensor"] if WAY == "both" else mesh, plan)
    if WAY == "both":
        fully_shard(model, mesh=mesh["data"])
elif WAY in ("fsdp", "hsdp"):
    shape, names = ((4,), ("shard",)) if WAY == "fsdp" else ((2, 2), ("replicate", "shard"))
    fully_shard(model, mesh=init_device_mesh("cpu", shape, mesh_dim_names=names))
else:
    model = DistributedDataParallel(model)
    if WAY == "zero1":
        made = ZeroRedundancyOptimizer(model.parameters(), optimizer_class=torch.optim.AdamW, lr=0.0)
# With this rate the weights stay as they were made.
optimizer = made or torch.optim.AdamW(model.parameters(), lr=0.0, foreach=False)
ledger = Ledger()
ledger.watch(model, optimizer)
assert not any(state for *_, state in ledger.shards().tensors)  # before the first step there is none
model(torch.randn(8, 8)).square().mean().backward()
optimizer.step()
optimizer.zero_grad()
told, more = ledger.shards()
assert more == 0
own = getattr(optimizer, "optim", optimizer).state
sent, full = [], {}
parameters = dict(model.named_parameters())
for (name, shape, part, state), (long, p) in zip(told, parameters.items(), strict=True):
    if isinstance(p, DTensor):
        torch.testing.assert_close(p.full_tensor().detach(), whole[name], rtol=0, atol=0)
    average = own[p]["exp_avg"] if p in own else None
    if isinstance(average, DTensor):
        full[name] = average.full_tensor()
    average = None if average is None else local(average)
    sent.append((name, shape, part, local(p).detach().clone(), state, average))
if WAY == "zero1":
    optimizer.consolidate_state_dict(0)
    if rank == 0:
        states = optimizer.state_dict()["state"]
        full = {name: states[n]["exp_avg"] for n, (name, *_) in enumerate(told)}
every = [None] * WORLD
dist.all_gather_object(every, sent)
if rank == 0:
    for n, name in enumerate(whole):
        stored, stepped = (torch.full(whole[name].shape, float("nan")) for _ in range(2))
        who = []
        for r, ranks_own in enumerate(every):
            its, shape, part, tensor, state, average = ranks_own[n]
            assert its == name and shape == list(whole[name].shape), (its, name, shape)
            # A tensor that torch has not cut lies nowhere: here the script knows that it is a copy.
            place = part or [0] * len(shape) + shape
            half = len(place) // 2
            at = tuple(slice(a, a + size) for a, size in zip(place[:half], place[half:]))
            assert list(tensor.shape) == place[half:], (name, r, tensor.shape, place)
            stored[at] = tensor
            assert bool(state) == (average is not None), (name, r)
            if state:
                at = tuple(slice(a, a + size) for a, size in zip(state[:half], state[half:]))
                stepped[at] = average
            who.append("-" if not part else ",".join(map(str, part)))
        torch.testing.assert_close(stored, whole[name], rtol=0, atol=0)
        assert not stepped.isnan().any(), name
        if name in full:
            torch.testing.assert_close(stepped, full[name], rtol=0, atol=0)
        print(name, *who)
dist.barrier()
model = None
dist.destroy_process_group()
if rank == 0:
    assert all(os.wait()[1] == 0 for _ in range(WORLD - 1))
"""
# By hand: torch cuts in pieces of ceil(rows / ranks) rows, the last ranks get what is left.
EXPECTED = {
    "fsdp": {
        "2.weight": "0,0,3,12 3,0,3,12 6,0,3,12 9,0,1,12",
        "3.weight": "0,0,1,10 1,0,1,10 2,0,1,10 3,0,0,10",
    },
    "hsdp": {"3.bias": "0,2 2,1 0,2 2,1"},
    "tensor": {
        "0.weight": "0,0,3,8 3,0,3,8 6,0,3,8 9,0,3,8",
        "2.weight": "0,0,10,3 0,3,10,3 0,6,10,3 0,9,10,3",
        "3.weight": "- - - -",
    },
    # Columns and rows of tensor parallelism, each cut once more by FSDP along the rows.
    "both": {
        "0.weight": "0,0,3,8 6,0,3,8 3,0,3,8 9,0,3,8",
        "2.weight": "0,0,5,6 0,6,5,6 5,0,5,6 5,6,5,6",
    },
    "ddp": {"2.weight": "- - - -"},
    "zero1": {"2.weight": "- - - -"},
}


@pytest.mark.parametrize("way", EXPECTED)
def test_parts_put_together_where_they_are_told_to_lie_are_the_whole(
    warm_python: WarmPython, tmp_path: Path, way: str
) -> None:
    done = warm_python.run(SCRIPT, STORE=str(tmp_path / "store"), WAY=way)
    assert done.returncode == 0, done.stderr
    told = dict(line.split(" ", 1) for line in done.stdout.splitlines())
    assert len(told) == 5
    assert {name: told[name] for name in EXPECTED[way]} == EXPECTED[way]
