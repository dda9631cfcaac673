"""Layouts of a model on so many devices that fit, the shortest step first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from math import prod
from typing import NamedTuple

from runtime.estimate.estimate import Estimate, estimate, held, machine
from runtime.estimate.formulas import traffic
from runtime.estimate.formulas.step_time import step_time
from runtime.estimate.inputs.layout import Layout, Recompute, divisors, possible
from runtime.estimate.request import Refused, Request, counted
from runtime.estimate.strategies import LONG

BATCHES = (1, 2, 4, 8)
RECOMPUTE: tuple[Recompute, ...] = ("none", "selective", "full")
TRIES = 6  # larger numbers of devices that are looked at where none fits
STAGES = 8  # of a device, at most


class NothingFits(Refused):
    """No layout fits so many devices."""


class Plan(NamedTuple):
    """`tried` layouts, `fitting` of them, and the best."""

    tried: int
    fitting: int
    best: tuple[Estimate, ...]


def plan(request: Request, devices: int, most: int = 10) -> Plan:
    """Layouts on `devices` that fit, by estimated seconds of a step of `global_batch` sequences.

    What was given (`tp=8`) is kept; the rest is searched.

    Raises:
        Refused: no GPU was named, or no shape of a model.
        NothingFits: no layout can be split so, or none fits; it says what would.
    """
    device = machine(request)
    if device is None or request.capacity is None:
        raise Refused("a plan needs a GPU", "give gpu=NAME")
    if request.subject.model is None:
        raise Refused("a plan needs a model's shape", "give model=, or layers= hidden= heads=")
    limit = request.capacity * (1 - request.margin)
    found: list[tuple[float, Layout]] = []
    tried = fitting = 0
    for layout in _candidates(request, devices, device.node):
        for recompute in _recomputes(request, layout):
            tried += 1
            chosen = replace(layout, recompute=recompute)
            if held(request, chosen)[0].total > limit:
                continue
            fitting += 1
            calls = traffic.calls(request.subject, chosen, request.precision)
            host = traffic.to_host(request.subject, chosen, request.precision)
            found.append((step_time(request.subject, chosen, calls, device, host).step, chosen))
            break  # more recomputation only costs time
    if not found:
        if not tried:
            raise NothingFits(
                f"nothing that was given can be split over {devices} devices", _split(request, devices)
            )
        raise NothingFits(f"none of {tried} layouts fits {counted(devices)}", _more(request, devices, limit))
    found.sort(key=lambda pair: pair[0])
    return Plan(
        tried, fitting, tuple(estimate(replace(request, layout=layout)) for _, layout in found[:most])
    )


def _split(request: Request, devices: int) -> str:
    """What keeps devices from being shared out, with a number of them that can be."""
    asked = {key: int(request.values[key]) for key in ("tp", "pp", "cp") if key in request.values}
    least = prod(asked.values())
    words = " x ".join(f"{key}={value}" for key, value in asked.items())
    whole = request.values.get("global_batch")
    near = " or ".join(str(n) for n in (devices // least * least, (devices // least + 1) * least) if n)
    parts = [f"write gpus={near}, a multiple of {words}"] if devices % least else []
    if whole is not None:
        parts.append(f"global_batch={int(whole)} has to be a multiple of what is left for data parallelism")
    return "; ".join(parts) or "leave out dp, batch or ep, or write others"


def _more(request: Request, devices: int, limit: float) -> str:
    needed = sum(held(request, replace(request.layout, zero=0, dp=1, tp=1, pp=1))[0][:3])
    least = int(needed / limit) + 1
    why = f"the states alone need {least} devices of it; " if least > devices else ""
    device = machine(request)
    assert device is not None
    for enough in _larger(max(least, devices + 1)):
        for layout in _candidates(request, enough, device.node):
            chosen = replace(layout, recompute=_recomputes(request, layout)[-1])  # that holds least
            if held(request, chosen)[0].total <= limit:
                return f"{why}{enough} are enough: write gpus={enough}"
    return f"{why}allow more splitting (a larger global_batch, seq that divides), or a GPU with more memory"


def _larger(least: int) -> list[int]:
    """Some numbers of devices from `least` on that machines have: powers of two, and three times such."""
    sizes = sorted(n << k for n in (1, 3) for k in range(25))
    return [n for n in sizes if n >= least][:TRIES]


def _recomputes(request: Request, layout: Layout) -> tuple[Recompute, ...]:
    if "recompute" in request.values:
        return (layout.recompute,)
    return ("none", "full") if layout.flash else RECOMPUTE


def usual_batch(seq: int, devices: int, node: int) -> int:
    """Sequences of a step where nobody said: at least four million tokens, and one for each node of up to
    eight; the odd part of `devices` times a power of two, so that any share of them can be data parallel."""
    odd = devices // (devices & -devices)
    least = max(1, 4 * 2**20 // seq, devices // min(node, 8))
    return odd << max(0, (-(-least // odd) - 1).bit_length())


def _kept(request: Request, key: str, every: list[int]) -> list[int]:
    """What was given, or everything there is to try."""
    return [int(request.values[key])] if key in request.values else every


def _candidates(request: Request, devices: int, node: int) -> Iterator[Layout]:
    """Layouts to look at: tensor parallelism inside a node, stages that divide the layers."""
    model, values = request.subject.model, request.values
    assert model is not None
    base, uneven = request.layout, bool(values.get("uneven"))
    whole = int(values.get("global_batch", usual_batch(base.seq, devices, node)))
    by_device = divisors(devices)
    tps = _kept(request, "tp", [n for n in divisors(model.heads) if n <= min(node, devices)])
    pps = _kept(request, "pp", _stages(model.layers, min(64, devices), uneven))
    cps = _kept(request, "cp", [n for n in by_device if n <= 16] if base.seq >= LONG else [1])
    eps = _kept(request, "ep", divisors(model.experts.count) if model.experts else [1])
    batches, zeros = _kept(request, "batch", list(BATCHES)), _kept(request, "zero", [1, 2, 3])
    for tp, pp, cp in product(tps, pps, cps):
        split = tp * pp * cp
        if devices % split:
            continue
        dp = devices // split
        for ep, batch, zero in product(eps, batches, zeros):
            if whole % (dp * batch) or (zero == 3 and pp > 1 and "zero" not in values):
                continue  # stage 3 gathers for each micro-batch: beside a pipeline it is not used
            many = whole // (dp * batch)
            if many < pp and pp > 1:
                continue
            for stages in _interleaves(model.layers, pp, many, request):
                layout = replace(
                    base, dp=dp, tp=tp, pp=pp, cp=cp, ep=ep, batch=batch, micro_batches=many, zero=zero,
                    interleave=stages, sp=bool(values.get("sp", tp > 1)),
                )  # fmt: skip
                if possible(model, layout, uneven):
                    yield layout


def _stages(layers: int, most: int, uneven: bool) -> list[int]:
    """Stages that divide the layers, and where stages may differ powers of two as well."""
    found = {n for n in divisors(layers) if n <= most}
    if uneven:
        found |= {2**k for k in range(most.bit_length()) if 2**k <= min(most, layers)}
    return sorted(found)


def _interleaves(layers: int, pp: int, many: int, request: Request) -> list[int]:
    if "interleave" in request.values:
        return [int(request.values["interleave"])]
    uneven = bool(request.values.get("uneven"))
    if pp == 1 or many % pp or (layers % pp and not uneven):
        return [1]
    most = -(-layers // pp) if uneven else layers // pp
    return sorted({1, max(n for n in divisors(most) if n <= STAGES)})
