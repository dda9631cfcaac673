"""Bytes a device sends in a step, by strategy, and over which link.

Devices are numbered as Megatron-LM does: tensor parallel ranks are neighbours, then context, then data (with
experts among them), and pipeline stages are farthest apart. A group whose ranks fit a node stays in it.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.formulas import memory
from runtime.estimate.formulas.memory import Subject
from runtime.estimate.formulas.states import Precision
from runtime.estimate.inputs.layout import Layout, stage_layers


class Call(NamedTuple):
    """Collectives of `size` bytes (the whole buffer) among `ranks`, every `stride`-th device.

    `strategy` names the strategy that needs them, `times` is how many of them a step has.
    """

    strategy: str
    op: str
    size: float
    ranks: int
    stride: int
    times: float


class ToHost(NamedTuple):
    """Bytes of a step between a device and its host: gradients `down`, updated weights `up`."""

    down: float
    up: float

    @property
    def total(self) -> float:
        """Bytes both ways."""
        return self.down + self.up


NOTHING = ToHost(0.0, 0.0)


def to_host(subject: Subject, layout: Layout, precision: Precision) -> ToHost:
    """ZeRO-Offload (section 4): 16-bit gradients of a device's share down, its weights up once a step; where
    weights wait there too, up for each gather of a micro-batch's forward and backward."""
    if layout.offload == "none":
        return NOTHING
    own = memory.share(subject, layout)
    share = own.dense / layout.shards + own.experts / max(1, layout.shards // layout.ep)
    times = 2 * layout.micro_batches if layout.offload == "all" else 1
    many = layout.micro_batches if layout.zero >= 2 else 1
    return ToHost(many * share * precision.gradient, times * share * precision.weight)


def calls(subject: Subject, layout: Layout, precision: Precision) -> list[Call]:
    """Every collective of a step that a device in the middle of the pipeline takes part in."""
    found = [*_of_states(subject, layout, precision)]
    if subject.model is not None:
        found += [*_of_layers(subject, layout, precision)]
    return [call for call in found if call.ranks > 1 and call.size > 0 and call.times > 0]


def _of_states(subject: Subject, layout: Layout, precision: Precision) -> list[Call]:
    """Gradients and weights: 2 P up to stage 2, 3 P with stage 3 (ZeRO, section 7).

    A stage that shards gradients reduces those of every micro-batch, stage 3 gathers weights for each.
    """
    own = memory.share(subject, layout)
    inner = layout.tp
    found = []
    for name, size, replicas, stride in (
        ("dp", own.dense, layout.replicas, inner),
        ("dp", own.experts, layout.replicas // layout.ep, inner * layout.ep),
    ):
        shards = min(replicas, max(1, layout.shards // (1 if stride == inner else layout.ep)))
        # Stage 3 gathers and reduces layer by layer: the same bytes, more messages to start.
        by_layer = subject.model is not None and layout.zero == 3 and shards > 1
        units = stage_layers(subject.model, layout) if by_layer and subject.model else 1
        gradient, weight = size * precision.gradient / units, size * precision.weight / units
        many = layout.micro_batches * units
        if layout.zero == 0 or shards == 1:
            found.append(Call(name, "all_reduce", gradient, replicas, stride, 1))
            continue
        found.append(Call(name, "reduce_scatter", gradient, shards, stride, many if layout.zero >= 2 else 1))
        found.append(Call(name, "all_gather", weight, shards, stride, 2 * many if layout.zero == 3 else 1))
        if shards < replicas:  # HSDP: slices are summed over groups
            groups = replicas // shards
            found.append(Call(name, "all_reduce", gradient / shards, groups, stride * shards, units))
    return found


def _of_layers(subject: Subject, layout: Layout, precision: Precision) -> list[Call]:
    """Activations: tensor, context, expert and pipeline parallel."""
    model = subject.model
    assert model is not None
    width, tokens, m = precision.activation, layout.local_tokens, layout.micro_batches
    layers = stage_layers(model, layout)
    block = tokens * model.hidden * width
    again = 1 if layout.recompute == "full" else 0
    found = []
    # Two all-reduces in a forward and two in a backward (Narayanan et al., section 3.2); with sequence
    # parallelism each is a reduce-scatter and an all-gather of the same bytes (Korthikanti et al., 4.2.2).
    times = layers * m * (4 + 2 * again)
    if layout.sp:
        found += [Call("tp", op, block, layout.tp, 1, times) for op in ("reduce_scatter", "all_gather")]
    else:
        found.append(Call("tp", "all_reduce", block, layout.tp, 1, times))
    # Keys and values go round once in a forward, and in a backward with their gradients.
    keys = tokens * (model.key_width + model.value_width) * width / layout.tp * layout.cp
    found.append(Call("cp", "all_gather", keys, layout.cp, layout.tp, layers * m * (3 + again)))
    if model.experts is not None:
        routed = layers * model.expert_layers / model.layers
        sent = block * model.experts.active / (layout.tp if layout.sp else 1)
        found.append(Call("ep", "all_to_all", sent, layout.ep, layout.tp, routed * m * (4 + 2 * again)))
    if layout.pp > 1:
        hops = boundaries(layout) * m
        size = block / (layout.tp if layout.sp else 1)
        found.append(Call("pp", "send", size, 2, layout.devices // layout.pp, hops))
    return found


def boundaries(layout: Layout) -> int:
    """Sends of a micro-batch of the busiest stage: activations on, gradients back, for each of its parts."""
    both = 2 * layout.interleave
    return both if layout.pp > 2 else both - 1


class Traffic(NamedTuple):
    """Bytes a device sends a step: by strategy, and by strategy and link."""

    by_strategy: dict[str, float]
    by_link: dict[str, dict[str, float]]

    @property
    def total(self) -> float:
        """Bytes a device sends in a step."""
        return sum(self.by_strategy.values())


def bytes_of(call: Call) -> float:
    """What a device sends in all of these calls."""
    from runtime.estimate.formulas.collective_times import sent

    return call.times * (call.size if call.op == "send" else sent(call.op, call.size, call.ranks))


def spread(call: Call, node: int) -> tuple[int, int]:
    """How many of a call's ranks stand in one node, and over how many nodes they go."""
    inside = min(call.ranks, max(1, node // call.stride))
    while call.ranks % inside:
        inside -= 1
    return inside, call.ranks // inside


def traffic(found: list[Call], node: int, host: ToHost = NOTHING) -> Traffic:
    """`node`: devices that share the fast link. `host`: what goes over the device's own link to its host."""
    by_strategy = dict.fromkeys(("dp", "tp", "pp", "cp", "ep"), 0.0)
    by_link: dict[str, dict[str, float]] = {"node": {}, "network": {}}
    for call in found:
        size = bytes_of(call)
        by_strategy[call.strategy] += size
        inside, nodes = spread(call, node)
        far = 0.0
        if nodes > 1:
            far = size if inside == 1 else size * _far_share(call, inside, nodes)
        for link, part in (("node", size - far), ("network", far)):
            if part:
                by_link[link][call.strategy] = by_link[link].get(call.strategy, 0.0) + part
    if host.total:
        by_strategy["host"] = host.total
        by_link["host"] = {"host": host.total}
    return Traffic(by_strategy, by_link)


def _far_share(call: Call, inside: int, nodes: int) -> float:
    """The share of a device's bytes that leaves its node, in two levels: parts of 1/inside between nodes."""
    n = inside * nodes
    if call.op == "all_to_all":
        return (n - inside) / (n - 1)
    return (nodes - 1) / nodes / inside / ((n - 1) / n)
