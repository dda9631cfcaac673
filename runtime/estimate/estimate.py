"""One estimate: every figure of a request, each from the file that derives it."""

from __future__ import annotations

from dataclasses import dataclass

from runtime.estimate.formulas import activations, cost, flops, memory, traffic
from runtime.estimate.formulas.collective_times import Link
from runtime.estimate.formulas.memory import Memory
from runtime.estimate.formulas.pipeline_idle import Pipeline, pipeline
from runtime.estimate.formulas.step_time import Machine, StepTime, communication, step_time
from runtime.estimate.inputs.gpus import START
from runtime.estimate.inputs.layout import Layout
from runtime.estimate.request import Request


@dataclass(frozen=True, slots=True)
class Estimate:
    """Bytes of one device, seconds of one step of all devices. None: not enough was given to know it.

    `stage` is the one whose device is fullest. `measured` is true where a step time was given: `mfu` and
    `hfu` are then of that, not of the estimated one.
    """

    request: Request
    memory: Memory
    stage: int
    limit: float | None
    traffic: traffic.Traffic
    communication: dict[str, float] | None
    time: StepTime | None
    flops: float
    recomputed: float
    mfu: float | None
    hfu: float | None
    measured: bool
    step_s: float | None
    pipeline: Pipeline
    cost: cost.Cost | None

    @property
    def fits(self) -> bool | None:
        """Whether it is within the device less the margin; None without a device."""
        return None if self.limit is None else self.memory.total <= self.limit

    @property
    def on_host(self) -> float:
        """Bytes of this device's states that wait in the host's memory."""
        asked = self.request
        return memory.on_host(asked.subject, asked.layout, asked.precision, asked.optimizer, self.stage)

    @property
    def per_layer(self) -> float | None:
        """Bytes of a layer's activations for a micro-batch on a device; None where only `params` is known."""
        model = self.request.subject.model
        width = self.request.precision.activation
        return activations.per_layer(model, self.request.layout, width) if model else None

    @property
    def first_stage(self) -> float | None:
        """Bytes of activations on the first stage, which has most in flight; None as above."""
        model = self.request.subject.model
        width = self.request.precision.activation
        return activations.first_stage(model, self.request.layout, width) if model else None


def node_of(request: Request) -> int:
    """Devices that share the fast link; where no GPU is named there is one link, and all share it."""
    return int(request.values.get("node", request.gpu.node if request.gpu else request.layout.devices))


def links(request: Request) -> tuple[Link, Link, int] | None:
    """The link inside a node and between nodes, and devices in a node; None: nothing says how fast they are.

    `bandwidth` and `latency` are of the slowest link that the layout crosses.
    """
    gpu, values = request.gpu, request.values
    node = node_of(request)
    if gpu is None:
        if "bandwidth" not in values:
            return None
        far = Link(values["bandwidth"], values.get("latency", 0.0))
        return Link(values.get("node_bandwidth", far.bandwidth), far.latency), far, node
    near, far = Link(gpu.inside, START[0]), Link(gpu.network, START[1])
    crossed = far if request.layout.devices > node else near
    crossed = Link(values.get("bandwidth", crossed.bandwidth), values.get("latency", crossed.latency))
    near, far = (near, crossed) if request.layout.devices > node else (crossed, far)
    return Link(values.get("node_bandwidth", near.bandwidth), near.latency), far, node


def held(request: Request, layout: Layout) -> tuple[Memory, int]:
    """The fullest device of a layout, and its stage."""
    found, stage = memory.fullest(
        request.subject, layout, request.precision, request.optimizer, request.gpu is not None
    )
    if "overhead" in request.values:
        found = found._replace(overhead=float(request.values["overhead"]))
    return found, stage


def machine(request: Request) -> Machine | None:
    """None: no GPU was named."""
    found = links(request)
    if request.gpu is None or found is None:
        return None
    gpu, kind = request.gpu, request.precision.peak
    wide = gpu.peak("bf16") if kind == "fp8" and gpu.peak(kind) != gpu.peak("bf16") else 0.0
    return Machine(gpu.peak(kind), request.efficiency, *found, wide, request.host_bandwidth)


def estimate(request: Request) -> Estimate:
    """All figures of a training, by the formulas that `explain` cites; none of them is measured."""
    layout, subject = request.layout, request.subject
    found, stage = held(request, layout)
    calls = traffic.calls(subject, layout, request.precision)
    linked = links(request)
    device = machine(request)
    host = traffic.to_host(subject, layout, request.precision)
    time = step_time(subject, layout, calls, device, host) if device else None
    needed = flops.model_flops(subject, layout)
    again = flops.recomputed_flops(subject, layout)
    step = time.step if time else None
    values = request.values
    measured = "step_s" in values or "achieved" in values
    if "step_s" in values:
        step = values["step_s"]
    elif "achieved" in values:
        step = (needed + again) / layout.devices / values["achieved"]
    peak = request.gpu.peak(request.precision.peak) if request.gpu else None
    mfu = hfu = None
    if peak and step:
        mfu = flops.utilization(needed, step, layout.devices, peak)
        hfu = flops.utilization(needed + again, step, layout.devices, peak)
    whole = None
    if step and "tokens" in values:
        watts = request.gpu.watts if request.gpu else None
        whole = cost.cost(values["tokens"], layout.tokens / step, layout.devices, watts, values.get("price"))
    capacity = request.capacity
    return Estimate(
        request, found, stage, None if capacity is None else capacity * (1 - request.margin),
        traffic.traffic(calls, node_of(request), host),
        communication(calls, *linked) if linked else None,
        time, needed, again, mfu, hfu, measured, step, pipeline(layout), whole,
    )  # fmt: skip
