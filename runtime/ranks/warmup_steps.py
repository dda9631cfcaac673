"""What ranks do in their first step, done once in the stage before any is forked: the code is then warm.

Each rehearsal runs in a process group of one real rank and others that exist by name only. All that torch
worked out as that one rank is forgotten afterwards (`leftovers`); what stays is imported modules, looked up
operators and what torch knows of shapes alone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed import pipelining
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleOutput,
    RowwiseParallel,
    parallelize_module,
)
from torch.nn.parallel import DistributedDataParallel
from torch.optim import AdamW, Optimizer
from torch.utils.data import DataLoader, DistributedSampler

from runtime.demos.model import Sentences, TinyLM, next_token_loss
from runtime.ranks import warmup_cleanup
from runtime.ranks.hooks.collective_hooks import operators
from runtime.ranks.sensors.memory import Ledger

WORLD = 4
BATCH = 8


def rehearse(step: Callable[[], None], world: int = WORLD) -> None:
    """`step` among `world` ranks, of which only rank 0 exists. Raises what it raises.

    Afterwards a script without a seed draws the numbers it would draw alone; caches are full until
    `leftovers.forget`.
    """
    from torch.testing._internal.distributed.fake_pg import FakeStore

    with warmup_cleanup.put_back():
        dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=world)
        try:
            step()
        finally:
            dist.destroy_process_group()


def replicated() -> None:
    """DDP, its optimizer sharded or not, and a data loader; what the probe does about it."""
    operators()  # which the hooks of each rank ask for
    text = Sentences(2 * WORLD * BATCH)
    for zero in (False, True):
        model = DistributedDataParallel(TinyLM(layers=1), gradient_as_bucket_view=True)
        model.register_comm_hook(None, lambda _, bucket: _arrived(bucket.buffer()))
        parameters = model.parameters()
        optimizer = ZeroRedundancyOptimizer(parameters, AdamW) if zero else AdamW(parameters)
        _train(model, optimizer, DataLoader(text, BATCH, sampler=DistributedSampler(text)))


def _arrived(bucket: torch.Tensor) -> torch.futures.Future[torch.Tensor]:
    """The ranks that are not there reduce nothing: a bucket is its own average."""
    future: torch.futures.Future[torch.Tensor] = torch.futures.Future()
    future.set_result(bucket)
    return future


def sharded() -> None:
    """FSDP over all ranks."""
    _fully_sharded(init_device_mesh("cpu", (WORLD,)))


def hybrid() -> None:
    """FSDP in the rows of a mesh, replicas in its columns."""
    _fully_sharded(init_device_mesh("cpu", (2, WORLD // 2), mesh_dim_names=("replicate", "shard")))


def _fully_sharded(mesh: Any) -> None:
    model = TinyLM(256, 1, 16)
    for block in model.blocks:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh, reshard_after_forward=False)
    _train(model, AdamW(model.parameters()), [Sentences(1, 16).take(0, 1)])


def tensor() -> None:
    """Matrices cut by columns, then by rows."""
    mesh = init_device_mesh("cpu", (WORLD,), mesh_dim_names=("tensor",))
    model = TinyLM(layers=1)
    columns, rows, every = ColwiseParallel(), RowwiseParallel(), Replicate()
    shared = PrepareModuleOutput(output_layouts=every, desired_output_layouts=every, use_local_output=False)
    plan = {"norm1": shared, "q": columns, "k": columns, "v": columns, "o": rows, "up": columns, "down": rows}
    for block in model.blocks:
        parallelize_module(block, mesh, plan)
    _train(model, AdamW(model.parameters()), [Sentences(BATCH).take(0, BATCH)])
    cut: Any = model.blocks[0].get_submodule("up")
    cut.weight.full_tensor()


def pipelined() -> None:
    """A pipeline of one stage: its micro-batches, without a neighbour to hand them to."""
    model = TinyLM(32, 1, 32)
    stage = pipelining.PipelineStage(model, 0, 1, torch.device("cpu"))
    tokens, targets = Sentences(BATCH, 32).take(0, BATCH)
    pipelining.Schedule1F1B(stage, 2, next_token_loss).step(tokens, target=targets, losses=[])


def _train(model: nn.Module, optimizer: Optimizer, batches: Any) -> None:
    ledger = Ledger()
    ledger.watch(model, optimizer)
    for tokens, targets in batches:
        with ledger.activations():
            loss = next_token_loss(model(tokens), targets)
        loss.backward()
        ledger.weigh_gradients()
        optimizer.step()
        optimizer.zero_grad()
        ledger.bytes_by_kind()
        ledger.checksum()


# A name for people, the step, and how many ranks it takes for granted.
ALL: tuple[tuple[str, Callable[[], None], int], ...] = (
    ("a first step", replicated, WORLD),
    ("a first sharded step", sharded, WORLD),
    ("a first step on a mesh", hybrid, WORLD),
    ("a first step of cut matrices", tensor, WORLD),
    ("a first pipeline", pipelined, 1),
)
