"""Measures a rank, step by step, and sends it as events: time, bytes, memory, gradients.

The probe (`probe.py`) says when a step begins and ends where the script calls it, and
`hooks/training_without_probe.py` where it does not.
"""

from __future__ import annotations

import os
import sys
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from runtime.protocol.events import (
    MAX_SHARD_RANKS,
    Beat,
    Boot,
    Changed,
    Check,
    Event,
    Gpu,
    Group,
    Hello,
    Links,
    Memory,
    Moments,
    Shards,
    Span,
    Step,
    Wire,
)
from runtime.ranks.fail_safe import harmless, on_purpose, silent
from runtime.ranks.rank_orders import Orders
from runtime.ranks.sensors.script_line import ScriptLine

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from runtime.ranks.hooks.collective_hooks import CollectiveHooks
    from runtime.ranks.hooks.collective_waits import Collectives
    from runtime.ranks.hooks.pipeline import Pipelines
    from runtime.ranks.sender import Sender
    from runtime.ranks.sensors.gpu_sensors import GpuSensors
    from runtime.ranks.sensors.gpu_timing import DeviceTime
    from runtime.ranks.sensors.gradient_norm import Norm
    from runtime.ranks.sensors.memory import Ledger
    from runtime.ranks.sensors.tcp_counters import Sockets

PHASES = ("data", "forward", "backward", "optimizer")
SAMPLE_EVERY = 10  # steps between two weighings and checksums: the same steps on every rank
now = time.monotonic
AnyOfThem = TypeVar("AnyOfThem", bound=Event)


def partition(wall: float, phases: Mapping[str, float]) -> dict[str, float]:
    """Return the five parts of a step of `wall` seconds: the measured phases, and `other` for the rest."""
    parts = {name: phases.get(name, 0.0) for name in PHASES}
    return parts | {"other": wall - sum(parts.values())}


def sampled(step: int) -> bool:
    """Whether memory and parameters are looked at in this step."""
    return step <= 1 or step % SAMPLE_EVERY == 0


class Measurements(ABC):
    """The figures of a rank's steps. Methods are called on the training thread, except `beat`."""

    def __init__(self) -> None:
        self._sender: Sender | None = None
        self._hello: dict[str, Any] = {}
        self._collectives: Collectives | None = None
        self._collective_hooks: CollectiveHooks | None = None  # torch calls them as long as they live
        self._ledger: Ledger | None = None
        self._pipelines: Pipelines | None = None
        self._sockets: Sockets | None = None
        self._grouped = False  # a group was heard of since the connections were looked for
        self._between_nodes = os.environ.get("GROUP_WORLD_SIZE", "1") != "1"
        self._orders = Orders()
        self._x_ray = ExitStack()  # open while the profiler looks at a step
        self._device_time: DeviceTime | None = None  # None: the CPU's own
        self._gauge: GpuSensors | None = None
        self._script_line = ScriptLine("")
        self._run, self._generation, self._rank = "", 0, 0
        self._began = 0  # the first step of this training
        self._step = -1  # the step in progress or last done; -1 before the first
        self._training = False
        self._shards_told = False  # which part of each tensor this rank has
        self._phase = "start"
        self._durations: dict[str, float] = {}
        self._loss: Tensor | float | None = None
        self._norm: Norm | None = None  # of the gradient

    @silent("follow collectives")
    def instrument(self) -> None:
        """Begin to follow collectives and weigh memory. Imports torch; a second call does nothing."""
        if self._sender is None or self._collectives is not None:
            return
        from runtime.ranks.hooks.collective_hooks import CollectiveHooks
        from runtime.ranks.hooks.collective_waits import Collectives
        from runtime.ranks.hooks.pipeline import Pipelines
        from runtime.ranks.sensors.memory import Ledger
        from runtime.ranks.sensors.tcp_counters import Sockets

        self._script_line = ScriptLine(sys.argv[0] if sys.argv else "")
        self._sockets = Sockets()
        self._ledger = Ledger()
        self._pipelines = Pipelines(self.span, self.phase_of_pipeline)
        self._collectives = Collectives(
            self._emit_collective, self._emit_group, lambda: self._step, lambda: self._orders.link
        )
        self._collective_hooks = CollectiveHooks(self._collectives)
        self._collective_hooks.open()

    def uninstrument(self) -> None:
        """Follow and weigh nothing any more, and leave torch as it was before `instrument`."""
        if self._collective_hooks is not None:
            self._collective_hooks.close()
        self._collectives = self._collective_hooks = self._ledger = None

    @abstractmethod
    def phase_of_pipeline(self, name: str) -> AbstractContextManager[None]:
        """Time a pipeline's stage that goes forward or backward."""

    @property
    def at_step(self) -> int:
        """The step in progress, or the last one; -1 before the first."""
        return self._step

    @property
    def collectives(self) -> Collectives | None:
        """What follows this rank's collectives; None before measuring begins."""
        return self._collectives

    @property
    def pipelines(self) -> Pipelines | None:
        """What times this rank's pipeline stages; None before measuring begins."""
        return self._pipelines

    def booting(self, phase: str) -> None:
        """Tell that a phase of the start begins: "rendezvous", "build", …"""
        self._phase = phase
        self._emit(Boot, phase=phase)

    def passing(self, phase: str) -> None:
        """Set the phase that beats report."""
        self._phase = phase

    def found(self, **placed: str) -> None:
        """Report the `backend` or `device` the script has chosen."""
        if any(self._hello.get(key) != value for key, value in placed.items()):
            self._hello |= placed
            self._emit(Hello, **self._hello)

    def changed(self, what: str, times: int) -> None:
        """Report what was changed under the script (`runtime.ranks.on_cpu.gpu_on_cpu`)."""
        self._emit(Changed, what=what, times=times)

    def weigh(self, model: nn.Module, optimizer: Any, copies: bool = True, parts: bool = False) -> None:
        """Weigh these from now on. `copies`: all ranks should hold the same; `parts`: each its own."""
        self.instrument()
        assert self._ledger is not None
        self._ledger.watch(model, optimizer, copies, parts)
        self._shards_told = False

    @silent("weigh gradients")
    def weigh_gradients(self) -> None:
        """Weigh the gradients now if this step is sampled."""
        if self._ledger is not None and self._samples():
            self._norm = self._ledger.weigh_gradients()

    def another_training(self) -> None:
        """Report that the step in progress is the first of another training."""
        self._began = max(0, self.at_step)

    def _samples(self) -> bool:
        return sampled(self._step - self._began)

    def ledger_of_this_step(self) -> Ledger | None:
        """Return the ledger if it has something to weigh in this step, else None."""
        ledger = self._ledger
        return ledger if ledger is not None and ledger.watching and self._samples() else None

    def step_told_by(
        self, t0: float, t1: float, phases: Mapping[str, float], training: int = 0
    ) -> Callable[[float | None], None]:
        """End the step in progress, from `t0` to `t1` with these seconds of phases; returns what reports it
        once its loss is known."""
        self._count_wire()
        self._tell_moments()
        step, parts = self._step, partition(t1 - t0, phases)
        return lambda loss: self._emit(
            Step, t1, step=step, t0=t0, loss=loss, tokens=0, **parts, training=training
        )

    def _on_device(self, device: torch.device | None) -> None:
        """Time phases and read sensors of the device that the model is on."""
        if device is None or device.type != "cuda":
            return
        from runtime.ranks.sensors import gpu_sensors
        from runtime.ranks.sensors.gpu_timing import DeviceTime

        self._device_time = DeviceTime()
        with suppress(OSError):
            index = gpu_sensors.visible_index(device.index or 0, os.environ.get("CUDA_VISIBLE_DEVICES"))
            self._gauge = gpu_sensors.GpuSensors(index)

    # --- a step ---------------------------------------------------------------------------------------------

    def begin_step(self) -> float:
        """Begin the next step; returns its start time in seconds."""
        self.instrument()
        if self._pipelines is not None:
            self._pipelines.follow()
        for deed in self._orders.before(self._step + 1, self.passing):
            from runtime.ranks import faults_on_order

            try:
                faults_on_order.do(deed, self._collectives, self._ledger)
            except Exception as error:
                on_purpose(error)
                raise
        if not self._training:
            self._training = True
            self.booting("train")
            self._count_wire()
        self._step += 1
        self._durations, self._loss, self._norm, self._phase = {}, None, None, "other"
        self._prepare_x_ray()
        t0 = now()
        self._orders.slowed.drag()
        return t0

    def end_step(self) -> None:
        """Do what comes between two steps, outside the time of both."""
        self._phase = "idle"
        with harmless("look at a step"):
            self._x_ray.close()
        if self._samples():
            self._look()

    def _prepare_x_ray(self) -> None:
        """Start the profiler for the step that begins if an x-ray was ordered; `end_step` stops it."""
        folder = self._orders.x_ray()
        if folder is None:
            return
        from runtime.ranks.sensors import profiler

        if folder:
            self._x_ray.enter_context(profiler.take(self._step, folder, self._emit_x_ray))
        else:
            self._emit_x_ray(**profiler.missed(self._step, "it began the step before it was asked to look"))

    @property
    def _pipelined(self) -> bool:
        return self._pipelines is not None and self._pipelines.seen

    def _backward_returned(self, t: float) -> None:
        if self._collectives is not None:
            self._collectives.backward_returned(t)
        if not self._pipelined:
            self.weigh_gradients()  # they live from here to `zero_grad` only

    @silent("count bytes on the wire")
    def _count_wire(self) -> None:
        """Send the bytes that have left by this rank's connections, before the step they belong to."""
        sockets = self._sockets
        if sockets is None:
            return
        if self._samples() or self._grouped:
            self._tell_links()
        self._grouped = False
        if sockets.ends:
            self._emit(Wire, step=self._step, sent=sockets.sent())

    @silent("tell what was held within a step")
    def _tell_moments(self) -> None:
        """Send what a sampled step held from moment to moment, before the step itself."""
        ledger = self.ledger_of_this_step()
        if ledger is not None and (seen := ledger.moments()):
            self._emit(
                Moments,
                step=self._step,
                at=[one.t for one in seen],
                gathered=[one.gathered for one in seen],
                activations=[one.activations for one in seen],
                grads=[one.grads for one in seen],
            )

    @silent("weigh memory")
    def _look(self) -> None:
        """Send bytes by kind and the checksum of the parameters after a sampled step, outside its time."""
        ledger = self._ledger
        if ledger is None or not ledger.watching:
            return
        self._emit(Memory, step=self._step, **ledger.bytes_by_kind())
        self._tell_shards(ledger)
        checksum, norm = ledger.checksum(), self._norm
        local, share = norm if norm is not None else (None, None)
        if checksum is not None or local is not None:
            self._emit(Check, step=self._step, checksum=checksum or "", grad_norm=local,
                       part=ledger.part() or "", share=share)  # fmt: skip

    @silent("tell which part of each tensor is here")
    def _tell_shards(self, ledger: Ledger) -> None:
        """Send it once the optimizer has its state, and before that what there is."""
        if self._shards_told or self._hello.get("world", 1) > MAX_SHARD_RANKS:
            return
        tensors, more = ledger.shards()
        self._shards_told = any(state for *_, state in tensors) or self._step - self._began > 0
        self._emit(Shards, tensors=tensors, more=more)

    def beat(self, drops: int) -> Beat:
        """Return a sign of life; called on the sender's thread."""
        read = self._gauge.due() if self._gauge is not None else None
        if read is not None:
            self._emit(Gpu, **read)
        following = self._collectives
        issued, done = following.counts() if following is not None else (0, 0)
        stands = following.standing() if following is not None else None
        return self._event(
            Beat,
            phase=self._phase,
            step=self._step,
            seq_issued=issued,
            seq_done=done,
            drops=drops,
            last=following.last if following is not None else "",
            heard=self._orders.heard,
            waits=f"{stands.op} #{stands.seq}" if stands is not None else "",
            group=stands.group if stands is not None else "",
            peer=stands.peer if stands is not None else -1,
            entered=following.entered() if following is not None else {},
            line=self._script_line.now(),
            bytes=stands.bytes if stands is not None else 0,
            since=(stands.wait_from or stands.t_issue) if stands is not None else 0.0,
        )

    @silent("tell a span")
    def span(
        self, kind: str, t0: float, t1: float, stage: int = 0, microbatch: int = -1, chunk: int = 0
    ) -> None:
        """Send a piece of work from `t0` to `t1`, both read with `probe.now()`."""
        if self._sender is not None:
            self._emit(
                Span,
                kind=kind,
                stage=stage,
                microbatch=microbatch,
                chunk=chunk,
                step=self._step,
                t0=t0,
                t1=t1,
            )

    # --- events -----------------------------------------------------------------------------------------

    def _event(self, kind: type[AnyOfThem], t: float | None = None, /, **fields: Any) -> AnyOfThem:
        when = now() if t is None else t
        return kind(run=self._run, generation=self._generation, rank=self._rank, t=when, **fields)

    def _emit(self, kind: type[Event], t: float | None = None, /, **fields: Any) -> None:
        sender = self._sender
        if sender is not None:
            sender.put(self._event(kind, t, **fields))

    def _emit_collective(self, **fields: Any) -> None:
        from runtime.protocol.events import Collective

        self._emit(Collective, **fields)

    def _emit_group(self, **fields: Any) -> None:
        self._grouped = True  # it has connections of its own
        self._emit(Group, **fields)
        if self._between_nodes:
            self._tell_links()  # before training goes on: the host may want some of them paced

    @silent("find connections")
    def _tell_links(self) -> None:
        """Send the ends of this rank's connections if they are news."""
        sockets = self._sockets
        if sockets is not None and sockets.look():
            self._emit(Links, ends=sockets.ends, why=sockets.why)

    def _emit_x_ray(self, **fields: Any) -> None:
        from runtime.protocol.events import XRay

        self._emit(XRay, **fields)
