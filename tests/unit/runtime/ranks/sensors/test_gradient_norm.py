"""The norm of a whole gradient, from the shares of ranks that each hold a part of it."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import DTensor, Placement, Replicate, Shard
from torch.testing._internal.distributed.fake_pg import FakeStore

from runtime.ranks.sensors.gradient_norm import norm


@pytest.fixture(autouse=True)
def no_group() -> Iterator[None]:
    yield
    if dist.is_initialized():
        dist.destroy_process_group()


def _share(rank: int, *placed: tuple[str | tuple[str, str], list[Placement]]) -> float:
    """The share of one rank of 2 x 2 in gradients of ones, 4 x 4, each placed so."""
    dist.init_process_group("fake", store=FakeStore(), rank=rank, world_size=4)
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("dp", "tp"))
    model = nn.Module()
    for n, (where, placements) in enumerate(placed):
        rows = 4 // 2 ** sum(placement.is_shard() for placement in placements)

        def piece(rows: int = rows, where: object = where, how: list[Placement] = placements) -> DTensor:
            return DTensor.from_local(torch.ones(rows, 4), mesh[where], how, run_check=False)

        parameter = nn.Parameter(piece())
        parameter.grad = piece()
        model.register_parameter(f"p{n}", parameter)
    share = norm(model, copies=False).share
    dist.destroy_process_group()
    assert share is not None
    return share


BOTH = (("dp", "tp"), [Shard(0), Shard(0)])


@pytest.mark.parametrize(
    "other",
    [
        ("dp", [Shard(0)]),  # cut by FSDP alone, beside blocks that are cut by columns, too
        ("tp", [Shard(0)]),
        ("dp", [Replicate()]),
        (("dp", "tp"), [Shard(0), Replicate()]),
        BOTH,
    ],
)
def test_what_lies_in_one_row_of_a_mesh_counts_once(
    other: tuple[str | tuple[str, str], list[Placement]],
) -> None:
    assert math.sqrt(sum(_share(rank, BOTH, other) for rank in range(4))) == pytest.approx(math.sqrt(32))


def test_stages_of_a_pipeline_each_on_a_mesh_of_their_own_add_up() -> None:
    only = ("dp", [Shard(0)])
    assert sum(_share(rank, only) for rank in range(4)) == pytest.approx(32)  # two stages of 16 ones
