"""`interconnect`: parameters and key figures."""

from __future__ import annotations

import sys
from dataclasses import replace

from runtime.catalog.params import (
    DEMOS_DIR,
    LAUNCH_PARAMS,
    DemoSpec,
    Refusal,
    Value,
    Values,
    number,
    training,
)
from runtime.catalog.specs.sizes import even_shards, replicated, tinylm_block, tinylm_parameters

_USUAL: dict[str, Value] = {"ranks": 2, "nodes": 2, "link": "100mbit"}
_NEAR = 0.02  # beside gradients a step has some greetings


def _crossing(values: Values) -> dict[str, float]:
    """Bytes of a step between nodes, of all ranks together, as gloo sends them.

    A ring of W ranks that stand node by node has a link out of each of the N nodes, and every link of it
    carries the same: 2(W-1)/W of what is summed, (W-1)/W of what is gathered; PyTorch's gloo backend makes a
    reduce-scatter from an all-reduce. Hybrid sharding sums slices in W/N rings of a rank from each node:
    every link there crosses.
    """
    whole = 4 * tinylm_parameters(values)
    world, nodes = number(values["ranks"]), number(values["nodes"])
    blocks = 4 * number(values["layers"]) * tinylm_block(values)  # gathered again for backward
    around = nodes * (world - 1) / world
    return {
        "ddp": 2 * around * whole,
        "fsdp": around * (whole + blocks) + 2 * around * whole,
        "hsdp": 2 * (nodes - 1) * whole,
    }


def _memory(values: Values) -> dict[str, int]:
    """The most of the three ways, one after the other (`peak`): DDP's, with a whole model on every rank."""
    return {"peak": replicated(values)["peak"]}


def _expects(values: Values) -> dict[str, tuple[float, float]]:
    if number(values["nodes"]) == 1 or not even_shards(values, number(values["ranks"])):
        return {"same_loss": (1, 1)}
    if sys.platform != "linux":  # nobody counts
        return {"same_loss": (1, 1)}
    ranges = {
        f"{way}_crossing_bytes": (size * (1 - _NEAR), size * (1 + _NEAR))
        for way, size in _crossing(values).items()
    }
    return {"same_loss": (1, 1), **ranges}


def _unfit(values: Values) -> Refusal | None:
    nodes, ranks = number(values["nodes"]), number(values["ranks"])
    if nodes > 1 and ranks == nodes:
        return Refusal(f"{nodes} nodes of one rank have nobody to share with", f"write ranks={2 * nodes}")
    return None


SPEC = DemoSpec(
    "interconnect",
    "DDP, FSDP and hybrid sharding between two nodes: which sends least over the slow link",
    DEMOS_DIR / "interconnect.py",
    (
        *(replace(param, default=_USUAL.get(param.name, param.default)) for param in LAUNCH_PARAMS),
        *training(steps=8, layers=4, width=128, seq=16, batch=2),
    ),
    steps=lambda values: 3 * (1 + number(values["steps"])),
    unfit=_unfit,
    expects=_expects,
    memory=_memory,
    view="buffers",
    watch="hsdp sends the fewest bytes between nodes and fsdp the most; within a node it is not so",
    when="the links between nodes are slower than those inside: shard within a node, replicate across",
    stays="NCCL goes past the sockets whose bytes it counts",
)
