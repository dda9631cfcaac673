"""What one device holds, by kind, on the stage that holds the most."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from runtime.estimate.formulas import activations, parameters
from runtime.estimate.formulas.parameters import Share
from runtime.estimate.formulas.states import Precision, optimizer_bytes
from runtime.estimate.inputs.layout import Layout, stage_layers
from runtime.estimate.inputs.models import Model

CONTEXT = 1 << 30  # bytes a GPU's driver takes for a process: 0.5 to 2 GiB
COMMUNICATOR = 1 << 30  # bytes of NCCL's buffers and torch.distributed: 1 to 2 GiB
MARGIN = 0.05  # of a device's memory that fragmentation may make unusable
UNITS = 2  # layers gathered at once: the one in use and the one fetched ahead


class Memory(NamedTuple):
    """Bytes on one device. `states` and `total` are sums of the others."""

    parameters: float
    gradients: float
    optimizer: float
    activations: float
    gathered: float
    overhead: float

    @property
    def states(self) -> float:
        """Bytes of parameters, gradients and optimizer together."""
        return self.parameters + self.gradients + self.optimizer

    @property
    def total(self) -> float:
        """Bytes of everything on the fullest device."""
        return self.states + self.activations + self.gathered + self.overhead


class Subject(NamedTuple):
    """What is trained: a model, or only a number of parameters of which nothing else is known."""

    model: Model | None
    total: int
    active: int

    @classmethod
    def of(cls, model: Model) -> Subject:
        """What is trained, with its parameters counted."""
        return cls(model, parameters.total(model), parameters.active(model))


def share(subject: Subject, layout: Layout, *, first: bool = True, last: bool = False) -> Share:
    """Parameters of one device before states are sharded."""
    if subject.model is None:
        return Share(-(-subject.total // (layout.tp * layout.pp)), 0)
    layers = stage_layers(subject.model, layout)
    return parameters.on_stage(
        subject.model, first=first, last=last or layout.pp == 1, layers=layers, tp=layout.tp, ep=layout.ep
    )


def states(
    held: Share, precision: Precision, optimizer: str, layout: Layout, model: Model | None
) -> tuple[float, float, float]:
    """Bytes of parameters, gradients and optimizer (ZeRO, figure 1: stage 1 shards the last, 2 the last two).

    Experts stand on `ep` ranks already: what is left to share them is that many times fewer.
    """
    shards = layout.shards
    among = max(1, shards // layout.ep)

    def of(size: float, stage: int) -> float:
        if layout.zero < stage:
            return size * held.total
        return size * (held.dense / shards + held.experts / among)

    kept = optimizer_bytes(optimizer, precision, model)
    away = offloaded(layout)
    # DualPipe runs from both ends: a device has the weights of two stages (DeepSeek-V3, table 2).
    copies = 2 if layout.schedule == "dualpipe" and layout.pp > 1 else 1
    return (
        0.0 if "parameters" in away else copies * of(precision.weight, 3),
        0.0 if "gradients" in away else of(precision.gradient, 2),
        0.0 if "optimizer" in away else of(kept, 1),
    )


def offloaded(layout: Layout) -> tuple[str, ...]:
    """Which states wait in the host's memory: the optimizer, and gradients where they are sharded
    (ZeRO-Offload, section 4), or weights as well (DeepSpeed, offload_param)."""
    if layout.offload == "none":
        return ()
    kinds = ("optimizer", "gradients") if layout.zero >= 2 else ("optimizer",)
    return (*kinds, "parameters") if layout.offload == "all" else kinds


def on_host(subject: Subject, layout: Layout, precision: Precision, optimizer: str, stage: int) -> float:
    """Bytes of a device's states that wait in the host's memory."""
    own = share(subject, layout, first=stage == 0, last=stage == layout.pp - 1)
    here, everywhere = (
        sum(states(own, precision, optimizer, replace(layout, offload=how), subject.model))
        for how in (layout.offload, "none")
    )
    return everywhere - here


def gathered(subject: Subject, precision: Precision, layout: Layout) -> float:
    """Most bytes of whole weights and gradients beside the slices: two layers' weights and one's gradient.

    The upper bound of FSDP2 with layers as units and one of them fetched ahead; 0 where nothing is gathered.
    """
    if layout.zero < 3 or subject.model is None or (layout.shards == 1 and layout.offload != "all"):
        return 0.0
    model = subject.model
    found = parameters.layer(model)
    experts = found.experts / (layout.tp * layout.ep)
    if layout.shards // layout.ep <= 1:
        experts = 0.0  # whole already
    unit = found.split / layout.tp + found.whole + experts
    layers = min(UNITS, stage_layers(model, layout))
    return unit * (layers * precision.weight + precision.gradient)


def overhead(devices: int, on_gpu: bool) -> float:
    """Bytes beside all tensors, which no counter of torch shows."""
    if not on_gpu:
        return 0.0
    return CONTEXT + (COMMUNICATOR if devices > 1 else 0)


class Held(NamedTuple):
    """Activations of a device, by what they are of."""

    layers: float
    embedding: float
    head: float
    recomputed: float

    @property
    def total(self) -> float:
        """Parameters held on a device."""
        return sum(self)


def held(model: Model, layout: Layout, width: int, *, stage: int) -> Held:
    """Activations of the first (0) or the last stage."""
    per_layer = activations.per_layer(model, layout, width)
    layers = activations.in_flight(layout, stage) * stage_layers(model, layout) * per_layer
    return Held(
        layers,
        activations.embedding(model, layout, stage),
        activations.head(model, layout, width) if stage == layout.pp - 1 else 0.0,
        activations.recomputed(model, layout, width) if layout.recompute != "none" else 0.0,
    )


def on_stage(
    subject: Subject, layout: Layout, precision: Precision, optimizer: str, on_gpu: bool, stage: int
) -> Memory:
    """What a device of the first or the last stage holds."""
    first, last = stage == 0, stage == layout.pp - 1
    own = share(subject, layout, first=first, last=last)
    sizes = states(own, precision, optimizer, layout, subject.model)
    model = subject.model
    acts = held(model, layout, precision.activation, stage=stage).total if model else 0.0
    return Memory(*sizes, acts, gathered(subject, precision, layout), overhead(layout.devices, on_gpu))


def fullest(
    subject: Subject, layout: Layout, precision: Precision, optimizer: str, on_gpu: bool
) -> tuple[Memory, int]:
    """The fullest device, and its stage: the first holds most micro-batches, the last the logits."""
    stages = dict.fromkeys((0, layout.pp - 1))
    found = [(on_stage(subject, layout, precision, optimizer, on_gpu, stage), stage) for stage in stages]
    return max(found, key=lambda pair: pair[0].total)


def largest(precision: Precision, optimizer: str, layout: Layout, capacity: float) -> float | None:
    """Parameters whose states alone fill `capacity` bytes on each device (ZeRO, table 2); None: all of them
    are in the host's memory."""
    one = states(Share(1, 0), precision, optimizer, layout, None)
    return None if not any(one) else capacity / sum(one) * layout.tp * layout.pp
