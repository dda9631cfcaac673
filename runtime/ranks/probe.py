"""The probe a script calls: steps, phases, loss, model. One object, `probe`, at the end of this file.

    with probe.step(tokens=n):
        with probe.phase("forward"): ...
        with probe.phase("backward"): ...
        probe.loss(loss)

Without `TEACHRUN_SOCKET` in the environment every call returns at once and torch is not even imported. With
it the probe also measures (`measurements.py`): it follows every collective and weighs what it `watch`es.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING

from runtime.protocol.events import MAX_LABEL, MAX_VALUES, VERSION, Done, Fault, Hello, Lost, Step, Value
from runtime.ranks.fail_safe import Around, harmless, mishaps, silent
from runtime.ranks.measurements import PHASES, Measurements, partition

if TYPE_CHECKING:
    from torch import Tensor, nn
    from torch.optim import Optimizer

    from runtime.ranks.hooks.auto_instrumentation import AutoInstrumentation

now = time.monotonic
_PLAIN = (bool, int, float, str, type(None))
_nothing: AbstractContextManager[None] = nullcontext()


class Probe(Measurements):
    """What a script calls, on its training thread."""

    def __init__(self) -> None:
        super().__init__()
        self.listener: AutoInstrumentation | None = None  # speaks for a script that does not
        self._result: dict[str, bool | int | float | str | None] = {}

    # --- life -------------------------------------------------------------------------------------------

    @silent("connect")
    def start(self, environ: Mapping[str, str] = os.environ) -> None:
        """Connect to the host named in the environment; without one, or when connected, do nothing."""
        address = environ.get("TEACHRUN_SOCKET")
        if not address or self._sender is not None:
            return
        from runtime.ranks.event_encoding import CODEC
        from runtime.ranks.sender import Sender

        self._run = environ.get("TEACHRUN_RUN", "")
        self._generation = int(environ.get("TEACHRUN_GENERATION", "0"))
        self._rank = int(environ.get("RANK", "0"))
        self._hello = {
            "version": VERSION,
            "local_rank": int(environ.get("LOCAL_RANK", "0")),
            "node": int(environ.get("TEACHRUN_NODE", environ.get("GROUP_RANK", "0"))),
            "world": int(environ.get("WORLD_SIZE", "1")),
            "pid": os.getpid(),
            "device": environ.get("TEACHRUN_DEVICE", "cpu"),
            "backend": environ.get("TEACHRUN_BACKEND", "gloo"),
            "mono": now(),
            "wall": time.time(),
            "codec": CODEC,
        }
        self._sender = Sender(address, self._event(Hello, **self._hello), self.beat, self._orders.obey)
        mishaps.tell = lambda what, why: self._emit(Lost, what=what, why=why)
        self.booting("start")

    @silent("listen")
    def listen(self) -> None:
        """Instrument a script that does not call the probe
        (`runtime.ranks.hooks.auto_instrumentation`)."""
        if self._sender is not None:
            from runtime.ranks.hooks.auto_instrumentation import AutoInstrumentation

            self.listener = AutoInstrumentation(self)
            self.listener.listen()

    def close(self, code: int | None) -> None:
        """Report that this rank ends with `code` and send what is left (bounded); afterwards send nothing."""
        if self._sender is None:
            return
        if self.listener is not None:
            with harmless("tell the last step"):
                self.listener.close()
        with suppress(AttributeError, TypeError):
            self._result = {name: it for name, it in self._result.items() if isinstance(it, _PLAIN)}
        self._emit(Done, code=code, signal=None, result=self._result)
        sender, self._sender = self._sender, None
        sender.close()

    @property
    def active(self) -> bool:
        """Whether this rank has a host to send to."""
        return self._sender is not None

    # --- what a script says -----------------------------------------------------------------------------

    @silent("tell of a launch phase")
    def boot(self, phase: str) -> None:
        """Begin a launch phase (`events.BOOT_PHASES`)."""
        if self._sender is not None:
            self._by_hand()
            self.booting(phase)

    @silent("watch a model")
    def watch(self, model: nn.Module, optimizer: Optimizer | None = None, copies: bool = True) -> None:
        """Weigh the memory of model and optimizer every `SAMPLE_EVERY` steps. `copies`: every rank should
        hold the same parameters, which are then compared by checksum; else each has a part of its own."""
        if self._sender is not None:
            self._by_hand()
            self._on_device(next((p.device for p in model.parameters()), None))
            self.weigh(model, optimizer, copies, parts=not copies)

    def step(self, tokens: int = 0) -> AbstractContextManager[None]:
        """Measure the `with` block as one optimizer step, on `tokens` tokens of this rank."""
        if self._sender is None:
            return _nothing
        return Around("measure a step", self._measured_step(tokens))

    @silent("go on at a step")
    def resume(self, step: int) -> None:
        """Number the next step `step`: those before were done by an earlier generation."""
        if self._sender is not None:
            self._by_hand()
            self._step = step - 1

    def phase(self, name: str) -> AbstractContextManager[None]:
        """Time the `with` block as a part of the step, one of `PHASES`; times of the same phase add up."""
        if self._sender is None:
            return _nothing
        return Around(f"time the phase {name!r}", self._measured_phase(name))

    @silent("read a loss")
    def loss(self, loss: Tensor | float) -> None:
        """Report this step's loss; a tensor is read at the end of the step, so nothing waits earlier."""
        if self._sender is not None:
            self._by_hand()
            if not isinstance(loss, float | int):
                from runtime.ranks.sensors.tensor_storage import alone

                loss = alone(loss)
            self._loss = loss

    @silent("tell a value")
    def value(
        self, name: str, values: Sequence[float] | float, unit: str = "", labels: Sequence[str] = ()
    ) -> None:
        """Report a figure of the script's own: one number, or up to `MAX_VALUES` with labels of each."""
        if self._sender is not None:
            numbers = [values] if isinstance(values, float | int) else values
            kept = [float(v) for v in numbers][:MAX_VALUES]
            said = [str(label)[:MAX_LABEL] for label in labels][: len(kept)]
            self._emit(Value, name=name, unit=unit, step=self._step, values=kept, labels=said)

    @silent("tell a fault")
    def fault(self, what: str, root: str = "", refused: bool = False) -> None:
        """Report what went wrong, its cause (`file:line`) if known, and whether the script `refused` to go
        on. Returns once it is sent, or after a short time: it may be the last that is heard of this rank."""
        if self._sender is not None:
            self._emit(Fault, what=what, root=root, refused=refused)
            self._sender.flush()

    def result(self, **values: bool | int | float | str | None) -> None:
        """Keep results of this rank, to be sent with its last event."""
        self._result |= values

    now = staticmethod(now)

    def _by_hand(self) -> None:
        """Stop automatic instrumentation: the script calls the probe itself."""
        if self.listener is not None:
            self._step = self.listener.leave(self._step)
            self.listener = None

    def phase_of_pipeline(self, name: str) -> AbstractContextManager[None]:
        """Time a pipeline's stage, in the phases of automatic instrumentation if that is on."""
        return self.listener.phase(name) if self.listener is not None else self.phase(name)

    # --- measuring --------------------------------------------------------------------------------------

    @contextmanager
    def _measured_step(self, tokens: int) -> Iterator[None]:
        self._by_hand()
        t0 = self.begin_step()
        yield  # a step that raises is not one: no event
        # Reading the loss waits for the device, so it belongs to the step.
        loss = self._loss if self._loss is None or isinstance(self._loss, float | int) else self._loss.item()
        if self._device_time is not None:
            self._durations |= self._device_time.settle()
        t1 = now()
        self._count_wire()
        self._tell_moments()
        self._emit(Step, t1, step=self._step, t0=t0, loss=loss, tokens=tokens,
                   **partition(t1 - t0, self._durations))  # fmt: skip
        self.end_step()

    @contextmanager
    def _measured_phase(self, name: str) -> Iterator[None]:
        self._by_hand()
        if name not in PHASES:
            raise ValueError(f"a phase is one of {', '.join(PHASES)}, not {name!r}")
        before, self._phase = self._phase, name
        weighing = (
            self._ledger.activations()
            if name == "forward" and self._ledger is not None and self._samples()
            else _nothing
        )
        if name == "backward" and self._collectives is not None:
            self._collectives.backward_begins()
        if name == "optimizer" and self._pipelined:
            self.weigh_gradients()  # a schedule scales them after its last backward
        queued = self._device_time.begin() if self._device_time is not None else None
        t0 = now()
        try:
            with weighing:
                yield
        finally:
            t1 = now()
            self._phase = before if before in PHASES else "other"
            if self._device_time is not None and queued is not None:
                self._device_time.end(name, queued)
            else:
                self._durations[name] = self._durations.get(name, 0.0) + (t1 - t0)
            if name == "backward":
                self._backward_returned(t1)


# A launcher of somebody's own script has this file loaded under a private name (`runtime.ranks.bootstrap`): a
# script that asks for it by its own name talks to the same probe.
probe: Probe = getattr(sys.modules.get("_teachrun.ranks.probe"), "probe", None) or Probe()
probe.start()
