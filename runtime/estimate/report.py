"""An estimate as one JSON object: bytes, seconds, FLOPs. Keys are a contract; new ones may come, none
goes."""

from __future__ import annotations

from typing import Any

from runtime.estimate.advice import advice, binding
from runtime.estimate.cited_works import at
from runtime.estimate.estimate import Estimate
from runtime.estimate.explained_figures import assumed_efficiency, disagreements, terms
from runtime.estimate.formulas import flops, memory
from runtime.estimate.formulas.collective_times import (
    Link,
    bus_factor,
    crossover,
    hierarchical_s,
    one_by_one_s,
    pipelined_tree_s,
    ring_s,
    sent,
    tree_s,
)
from runtime.estimate.inputs.gpus import GPUS, START, Gpu
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Refused
from runtime.estimate.scaling import scaling
from runtime.estimate.strategy_table import table

COLLECTIVE = ("collective", "bytes", "ranks", "bandwidth", "latency", "gpu", "node", "node_bandwidth")
LAYOUT = ("seq", "batch", "micro_batches", "dp", "tp", "pp", "cp", "ep", "zero", "shard", "interleave",
          "schedule", "recompute", "flash", "sp", "fused_mlp", "offload")  # fmt: skip


def as_object(e: Estimate, *, explained: bool = False) -> dict[str, Any]:
    """Everything of an estimate; None stands for what was not given enough to know."""
    request, layout, subject = e.request, e.request.layout, e.request.subject
    model = subject.model
    training = model is None and "tokens" in request.values
    per_token = flops.per_token(subject, layout.seq).total
    held = memory.held(model, layout, request.precision.activation, stage=e.stage) if model else None
    found: dict[str, Any] = {
        "kind": "estimate",
        "model": model.name if model else None,
        "source": model.source if model else "given",
        "params": subject.total,
        "params_active": subject.active,
        "layout": layout_of(e),
        "precision": request.precision_name,
        "optimizer": request.optimizer,
        "gpu": request.gpu.title if request.gpu else None,
        "device": _device(request.gpu) if request.gpu else None,
        "memory": {name: getattr(e.memory, name) for name in ("parameters", "gradients", "optimizer",
        "states", "activations", "gathered", "overhead", "total")}
        | {"host": e.on_host, "limit": e.limit, "margin": request.margin, "stage": e.stage},
        "activations": {
            "per_layer": e.per_layer, "first_stage": e.first_stage,
            "layers": held.layers if held else None, "embedding": held.embedding if held else None,
            "head": held.head if held else None, "recomputed": held.recomputed if held else None,
        },
        "traffic": dict(e.traffic.by_strategy) | {"total": e.traffic.total, "links": e.traffic.by_link},
        "time": _time(e),
        "flops": per_token * request.values["tokens"] if training else e.flops,
        "flops_of": "training" if training else "step",
        "flops_hardware": e.flops + e.recomputed,
        "flops_per_token": per_token,
        "flops_parts": flops.per_token(subject, layout.seq)._asdict(),
        "flops_training": per_token * request.values["tokens"] if "tokens" in request.values else None,
        "flops_conventions": _conventions(e),
        "mfu": e.mfu,
        "hfu": e.hfu,
        "hfu_of_mfu": (e.flops + e.recomputed) / e.flops,
        "of": "measured step" if e.measured else "estimated step",
        "pipeline": e.pipeline._asdict() | {"live": list(e.pipeline.live)},
        "days": e.cost.days if e.cost else None,
        "device_hours": e.cost.device_hours if e.cost else None,
        "energy_kwh": e.cost.kilowatt_hours if e.cost else None,
        "money": e.cost.money if e.cost else None,
        "fits": e.fits,
        "binding": binding(e),
        "advice": advice(e),
        "largest_params": (
            memory.largest(request.precision, request.optimizer, layout, request.capacity)
            if request.capacity else None
        ),
        "assumptions": assumptions(e),
        "disagreements": disagreements(e),
    }  # fmt: skip
    if explained:
        found["explain"] = {
            term.name: {"value": term.value, "unit": term.unit, "formula": term.formula, "numbers":
            term.numbers, "source": term.source}
            for term in terms(e)
        }  # fmt: skip
    return found


def _device(gpu: Gpu) -> dict[str, float | str]:
    """What a GPU's data sheet says: FLOP/s, bytes, bytes/s (of links one way), watts."""
    return {
        "bf16": gpu.bf16, "fp32": gpu.fp32, "fp8": gpu.fp8, "memory": gpu.memory,
        "memory_bandwidth": gpu.memory_bandwidth, "operations_a_byte": gpu.operations_a_byte,
        "link": gpu.inside, "network": gpu.network, "watts": gpu.watts, "source": gpu.source,
    }  # fmt: skip


def _conventions(e: Estimate) -> dict[str, dict[str, float | None]]:
    """FLOPs a token as other sources count them, of the training, and the MFU that each of them calls so."""
    request = e.request
    followed = flops.per_token(request.subject, request.layout.seq).total
    return {
        name: {
            "flops_per_token": found,
            "flops_training": found * request.values["tokens"] if "tokens" in request.values else None,
            "mfu": e.mfu * found / followed if e.mfu is not None else None,
        }
        for name, found in flops.conventions(request.subject, request.layout.seq).items()
    }


def layout_of(e: Estimate) -> dict[str, Any]:
    """The layout as the JSON has it."""
    layout = e.request.layout
    return {name: getattr(layout, name) for name in LAYOUT} | {"devices": layout.devices}


def strategy_rows(e: Estimate) -> list[dict[str, Any]]:
    """The strategy table: what the model, batch and devices of `e` cost under each way to split them, or
    why not."""
    return [
        {
            "name": row.name, "chosen": row.chosen, "fits": row.fits, "memory": row.memory,
            "traffic": row.traffic, "step_s": row.step, "complexity": row.complexity, "when": row.when,
            "why": row.why, "new": row.new,
        }
        for row in table(e.request)
    ]  # fmt: skip


def scaling_rows(e: Estimate) -> list[dict[str, Any]]:
    """From one data parallel rank to 16 384 devices: where each strategy begins and stops, and why."""
    rows = scaling(e.request)
    return [row._asdict() | {"points": [point._asdict() for point in row.points]} for row in rows]


def _time(e: Estimate) -> dict[str, Any]:
    time = e.time
    spent = e.communication if time is None else time.communication
    return {
        "compute_s": time.compute if time else None,
        "idle_s": time.idle if time else None,
        "communication_s": sum(spent.values()) if spent is not None else None,
        "exposed_s": time.exposed_s if time else None,
        "step_s": time.step if time else None,
        "tokens_per_s": e.request.layout.tokens / time.step if time else None,
        "communication": spent,
        "exposed": time.exposed if time else None,
    }


def assumptions(e: Estimate) -> list[str]:
    """What was put in that nobody measured."""
    found = ["every figure is computed, none is measured"]
    if e.time is not None:
        found.append(assumed_efficiency(e.request).removeprefix("assumption: "))
    if e.limit is not None:
        found.append(f"{e.request.margin:.0%} of memory is kept for fragmentation (margin=)")
    if e.request.gpu is not None:
        found.append("driver and communicators take 1 GiB each (overhead=)")
        if "latency" not in e.request.values:
            found.append(
                f"a message starts in {START[0] * 1e6:g} µs in a node and {START[1] * 1e6:g} µs "
                "between nodes (latency=)"
            )
    else:
        found.append("no gpu= was given: no limit, no time, one link for all")
    if e.request.layout.offload != "none":
        found.append(
            f"a device and its host exchange {engineering(e.request.host_bandwidth, 'B')}/s one way "
            "(host_bandwidth=); what the host's processor computes is not counted"
        )
    if e.request.subject.model is None:
        found.append("only the number of parameters is known: no activations, no gathered layers")
    return found


def collective(values: dict[str, Any]) -> dict[str, Any]:
    """Times of one collective: keys `collective bytes ranks bandwidth latency`, or a GPU's own
    links. Refused: a key that says nothing of it, or one that it needs."""
    gpu = GPUS[values["gpu"]] if "gpu" in values else None
    if others := [key for key in values if key not in COLLECTIVE]:
        raise Refused(f"{others[0]}= says nothing of a collective alone", f"give {' '.join(COLLECTIVE)}")
    for key in ("bytes", "ranks", *(() if gpu else ("bandwidth",))):
        if key not in values:
            raise Refused(f"a collective needs {key}=", "give collective= bytes= ranks= bandwidth= latency=")
    op, size, ranks = values["collective"], values["bytes"], values["ranks"]
    node = int(values.get("node", gpu.node if gpu else ranks))
    near, far = (Link(gpu.inside, START[0]), Link(gpu.network, START[1])) if gpu else (Link(1.0, 0.0),) * 2
    slow = far if ranks > node else near
    slow = Link(values.get("bandwidth", slow.bandwidth), values.get("latency", slow.latency if gpu else 0.0))
    times: dict[str, Any] = {
        "ring_s": ring_s(op, size, ranks, *slow),
        "tree_s": tree_s(op, size, ranks, *slow),
        "pipelined_tree_s": pipelined_tree_s(op, size, ranks, *slow),
    }
    if op in ("broadcast", "reduce"):
        times["one_by_one_s"] = one_by_one_s(size, ranks, *slow)
    if ranks > node and ranks % node == 0 and (gpu or "node_bandwidth" in values):
        near = Link(values.get("node_bandwidth", near.bandwidth), near.latency if gpu else slow.latency)
        times["hierarchical_s"] = hierarchical_s(op, size, node, ranks // node, near, slow)
    ring = times["ring_s"]
    return {
        "kind": "collective", "collective": op, "bytes": size, "ranks": ranks, "bandwidth": slow.bandwidth,
        "latency": slow.latency, "time": times, "traffic": {"sent": sent(op, size, ranks)},
        "algorithm_bandwidth": size / ring if ring else None,
        "bus_bandwidth": size / ring * bus_factor(op, ranks) if ring else None,
        "ring_is_faster_from_bytes": crossover(op, ranks, *slow),
        "fits": None,
        "explain": {
            name: {"formula": formula, "source": source}
            for name, formula, source in _collective_terms(op)
            if name.removeprefix("time.") in times
        },
    }  # fmt: skip


def _collective_terms(op: str) -> tuple[tuple[str, str, str], ...]:
    part = "(n-1) a + (n-1)/n S/B"
    return (
        ("time.ring_s", _RING.get(op, part), f"{at('PATARASUK')}; {at('NCCL')}"),
        ("time.tree_s", _TREE.get(op, part.replace("(n-1) a", "ceil(log2 n) a")), at("THAKUR")),
        ("time.one_by_one_s", "(n-1) (a + S/B), each message after the other", at("COUNTED")),
        (
            "time.pipelined_tree_s",
            "the same rounds, the buffer once each way",
            "NCCL 2.4, double binary trees",
        ),
    )


_DOWN = "ceil(log2 n) (a + S/B)"
_PIECES = "(n-1) a + S/B, in small pieces"
_RING = {
    "all_reduce": "2 (n-1) a + 2 (n-1)/n S/B",
    "broadcast": _PIECES,
    "reduce": _PIECES,
    "send": "a + S/B",
}
_TREE = {
    "all_reduce": f"2 {_DOWN}",
    "broadcast": _DOWN,
    "reduce": _DOWN,
    "send": "a + S/B",
    "all_to_all": "ceil(log2 n) (a + S/2B)",
}
