"""Seconds of a step: arithmetic, what is said on links, how much of that hides behind arithmetic, and idle
time.

Arithmetic runs at `efficiency` of the peak, which is an assumption and is shown as one. What hides: gradients
behind the backward of the last micro-batch and gathered weights behind all work, but never the last layer's,
which has nothing behind it; ring attention behind attention. Tensor and expert parallel collectives are
waited for, but for DualPipe's experts. A stage's sends hide but for those that fill and drain the pipeline.
"""

from __future__ import annotations

from typing import NamedTuple

from runtime.estimate.formulas import flops
from runtime.estimate.formulas.collective_times import Link, hierarchical_s
from runtime.estimate.formulas.memory import Subject
from runtime.estimate.formulas.pipeline_idle import pipeline
from runtime.estimate.formulas.traffic import Call, ToHost, spread
from runtime.estimate.inputs.layout import Layout, stage_layers

# Of the peak. With this the steps of arXiv 2205.05198, table 5, come out at 0.84, 1.00, 1.04 and 1.11 of
# what was measured on A100s (22B, 175B, 530B, 1T), and the 175B one with full recomputation at 0.99.
EFFICIENCY = 0.6
HOST = 32e9  # bytes/s one way between a device and its host: PCIe 4.0 x16, an assumption


class Machine(NamedTuple):
    """Peak FLOP/s of a device, the share of it that arithmetic reaches, links, and devices in a node.

    `wide_peak`: of what is computed in 16 bit beside fp8 matrices; 0: nothing is.
    """

    peak: float
    efficiency: float
    near: Link
    far: Link
    node: int
    wide_peak: float = 0.0
    host: float = HOST


class StepTime(NamedTuple):
    """Seconds. `step` is compute + idle + all `exposed`; `communication` is what is sent, hidden or not."""

    compute: float
    idle: float
    communication: dict[str, float]
    exposed: dict[str, float]

    @property
    def communication_s(self) -> float:
        """Seconds of all communication, hidden or not."""
        return sum(self.communication.values())

    @property
    def exposed_s(self) -> float:
        """Seconds of communication that nothing hides."""
        return sum(self.exposed.values())

    @property
    def step(self) -> float:
        """Seconds of a step: arithmetic, idle pipeline stages, exposed communication."""
        return self.compute + self.idle + self.exposed_s


def call_s(call: Call, near: Link, far: Link, node: int) -> float:
    """Seconds of all these calls, one after the other."""
    inside, nodes = spread(call, node)
    if call.op == "send":
        link = far if nodes > 1 else near
        return call.times * (link.latency + call.size / link.bandwidth)
    return call.times * hierarchical_s(call.op, call.size, inside, nodes, near, far)


def communication(found: list[Call], near: Link, far: Link, node: int) -> dict[str, float]:
    """Seconds by strategy."""
    spent: dict[str, float] = {}
    for call in found:
        spent[call.strategy] = spent.get(call.strategy, 0.0) + call_s(call, near, far, node)
    return spent


def step_time(
    subject: Subject, layout: Layout, found: list[Call], machine: Machine, host: ToHost | None = None
) -> StepTime:
    """A step of all devices. `host`: what goes to the host and back; what its processor computes is not
    known, and not counted."""
    needed = flops.model_flops(subject, layout)
    done = needed + flops.recomputed_flops(subject, layout)
    wide = min(done, flops.in_16_bit(subject, layout)) if machine.wide_peak else 0.0
    narrow = (done - wide) / machine.peak
    compute = (narrow + (wide / machine.wide_peak if wide else 0.0)) / layout.devices / machine.efficiency
    spent = communication(found, machine.near, machine.far, machine.node)
    exposed = dict(spent)
    layers = stage_layers(subject.model, layout) if subject.model else 1
    m = layout.micro_batches
    if "dp" in spent:
        last = 1 / layers / (m if layout.zero >= 2 else 1) if subject.model else 0.0
        exposed["dp"] = max(spent["dp"] * last, spent["dp"] - _behind(layout, compute))
    if "cp" in spent and subject.model is not None:
        parts = flops.per_token(subject, layout.seq)
        exposed["cp"] = max(0.0, spent["cp"] - compute * parts.attention / parts.total)
    if "ep" in spent and layout.schedule == "dualpipe" and layout.pp > 1:
        # Each half of a pair of chunks computes while the other's tokens travel (DeepSeek-V3, section 3.2.1).
        exposed["ep"] = max(0.0, spent["ep"] - compute)
    if "pp" in spent:
        one = spent["pp"] / (next(call.times for call in found if call.strategy == "pp"))
        exposed["pp"] = min(spent["pp"], 2 * (layout.pp - 1) * one)
    if host is not None and host.total:
        down, up = host.down / machine.host, host.up / machine.host
        spent["host"] = down + up
        behind = compute if layout.offload == "all" else 0.0
        exposed["host"] = max(0.0, down - _behind(layout, compute)) + max(0.0, up - behind)
    in_work = sum(exposed.get(name, 0.0) for name in ("tp", "cp", "ep"))
    idle = (compute + in_work) * pipeline(layout).idle_of_ideal
    return StepTime(compute, idle, spent, exposed)


def _behind(layout: Layout, compute: float) -> float:
    """Seconds of arithmetic that what data parallel ranks say can hide behind."""
    a_micro_batch = compute / layout.micro_batches
    backward = 2 / 3 if layout.recompute != "full" else 3 / 4
    if layout.zero == 0:
        return a_micro_batch * backward
    return compute if layout.zero >= 2 else a_micro_batch
