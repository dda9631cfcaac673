"""The same model, batch and devices under each way to split them: rows of a strategy table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from runtime.estimate.estimate import Estimate, estimate
from runtime.estimate.inputs.layout import Layout, possible
from runtime.estimate.request import Request

NODE = 8
LONG = 32768  # tokens from which a sequence is worth splitting
AS_GIVEN = "as given"


class Strategy(NamedTuple):
    """`chosen`: it is the layout that was asked for."""

    name: str
    complexity: str
    when: str
    estimate: Estimate
    chosen: bool


SAID = {
    AS_GIVEN: ("", "what was asked for"),
    "DP": ("one line", "never: DDP does it faster"),
    "DDP": ("one line", "all of it fits one device"),
    "ZeRO-1": ("one line", "the optimizer does not fit"),
    "ZeRO-2": ("one line", "nor do the gradients"),
    "FSDP": ("wrap each block", "nor the weights (sends 1.5 x)"),
    "HSDP": ("a mesh of two", "FSDP in a node, copies between"),
    "TP": ("a plan for each matrix", "a layer too large, a fast link"),
    "PP": ("stages, a schedule", "slow links, many micro-batches"),
    "CP": ("attention in a ring", "a sequence too long for one"),
    "EP": ("a router, all-to-all", "the experts do not fit"),
}


def strategies(request: Request) -> list[Strategy]:
    """The one asked for, and those beside it on as many devices; those that cannot be are left out."""
    found = []
    model = request.subject.model
    experts = model is not None and model.experts is not None
    for name, layout in _layouts(request.layout, experts):
        if not possible(model, layout, bool(request.values.get("uneven"))):
            continue
        complexity, when = SAID[name.split(",")[-1].split()[0].strip()]
        made = estimate(replace(request, layout=layout))
        found.append(Strategy(name, complexity, when, made, layout == request.layout))
    if not any(row.chosen for row in found):
        found.insert(0, Strategy(AS_GIVEN, *SAID[AS_GIVEN], estimate(request), True))
    return found


def _layouts(base: Layout, experts: bool) -> Iterator[tuple[str, Layout]]:
    whole = replace(base, shard=0)
    for zero, name in enumerate(("DDP", "ZeRO-1", "ZeRO-2", "FSDP")):
        yield name, replace(whole, zero=zero)
    if base.replicas > NODE:
        yield "HSDP", replace(whole, zero=3, shard=base.shard or NODE)
    if base.dp > 1 and base.dp % 2 == 0:
        # As many sequences a step on as many devices.
        half = replace(whole, dp=base.dp // 2, micro_batches=2 * base.micro_batches)
        yield f"FSDP, TP {2 * base.tp}", replace(half, zero=3, tp=2 * base.tp, sp=True)
        yield f"PP {2 * base.pp}", replace(half, zero=1, pp=2 * base.pp)
        if base.seq >= LONG or base.cp > 1:
            yield f"FSDP, CP {2 * base.cp}", replace(half, zero=3, cp=2 * base.cp)
    if experts and base.ep == 1 and base.replicas % NODE == 0:
        yield f"FSDP, EP {NODE}", replace(whole, zero=3, ep=NODE)
