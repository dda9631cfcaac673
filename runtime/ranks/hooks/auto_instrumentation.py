"""What a script would tell the probe, heard from torch instead: for scripts that do not know us.

The script stays as it is; where its training passes through torch, a wrapper listens.

**Step.** From the end of one step of the optimizer to the end of the next, all micro-batches in between
included; the first begins with the first thing that looks like training. Of several optimizers one beats time
(`leading`), and what the others do belongs to the step in progress. A step that AMP's scaler skips is none. A
script that makes no optimizer and changes its parameters by hand, or sends its gradients to who has one, ends
a step with what follows a backward: the next fetch or forward. Learning rate schedulers count as `other`, and
so does everything else that happens between two optimizer steps: evaluating (without gradients), saving,
printing.

**Loss.** The sum of the numbers that `backward` was called on in the step, unscaled: that is what the step
descends; several at once count where each has the same weight. An optimizer that has its gradients made in a
closure (LBFGS) may do so many times: what it finds first is the loss at the begin of the step. Under a
pipeline's schedule: the mean of the micro-batches where it scales gradients, else the sum.

**Memory.** The model is the outermost modules called in training that hold parameters of the optimizer.
Checksums are compared only where copies are promised, in DDP over all ranks.

**Tokens** are not known. A script that calls the probe itself (`step`, `phase`, `watch`, `loss`, `boot`) is
listened to no longer.
"""

from __future__ import annotations

import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from runtime.ranks.fail_safe import Around, harmless, mishaps, silent
from runtime.ranks.hooks.leading_optimizer import LeadingOptimizer
from runtime.ranks.import_hooks import when_imported

if TYPE_CHECKING:
    from torch import Tensor, nn

    from runtime.ranks.probe import Probe

MOST_LATE = 8  # steps whose loss may still be on its way from the device
now = time.monotonic


class Clock:
    """Each moment belongs to one phase: entering one stops the one around it until it is left again."""

    def __init__(self) -> None:
        self.phase = "other"
        self._since = now()
        self._spent: dict[str, float] = {}

    def switch(self, phase: str) -> str:
        """From now on it is `phase`; returns what it was."""
        t = now()
        self._spent[self.phase] = self._spent.get(self.phase, 0.0) + (t - self._since)
        before, self.phase, self._since = self.phase, phase, t
        return before

    def lap(self, t: float) -> dict[str, float]:
        """Seconds of each phase since the last lap, until `t`, which is now."""
        self._spent[self.phase] = self._spent.get(self.phase, 0.0) + (t - self._since)
        self._since = t
        spent, self._spent = self._spent, {}
        return spent


class AutoInstrumentation:
    """Listens to one script. All of it happens on the thread that trains, other threads pass unheard."""

    def __init__(self, probe: Probe) -> None:
        self.missing: list[str] = []  # names this torch does not have; each costs one figure
        self._probe = probe
        self._clock = Clock()
        self._on = True
        self._inside = False  # in a forward, backward or fetch: what they call is not looked at
        self._pipelined = False
        self._training = False
        self._t0 = 0.0
        self._thread = threading.get_ident()
        self._backends: dict[str, str] = {}  # of collectives, by kind of device
        self._optimized = False  # an optimizer was made: its steps are the script's
        self._went_back = False  # a backward was heard in this step
        self._leading = LeadingOptimizer()
        self._aside: Tensor | float | None = None  # the loss of steps that may be of another training
        self._watched_from = 0  # the first step of it
        self._evaluations = 0  # of a closure, in this step of the optimizer
        self._optimizers: list[Any] = []
        self._around: list[str] = []  # the phases that the optimizers at work have interrupted
        self._loss: Tensor | float | None = None
        self._scaled: tuple[Any, Any] | None = None  # a loss as AMP scaled it, and as it was
        self._modules: list[nn.Module] = []
        self._settled = False  # what is trained is known
        self._sampling = ExitStack()
        self._sampled = False  # in this step, so far
        self._late: deque[tuple[Any, Tensor, Callable[[float], None]]] = deque()

    def listen(self) -> None:
        """Begin, as soon as the script has imported torch."""
        when_imported("torch", self._tap_torch)
        when_imported("torch.distributed.pipelining.schedules", self._tap_schedules)
        os.register_at_fork(after_in_child=self.stop)  # a worker of a DataLoader does not train

    def leave(self, step: int) -> int:
        """The script speaks for itself; returns the number of the step before the one in progress, `step`."""
        self.stop()
        return step - self._training

    def stop(self) -> None:
        """Hear nothing from now on."""
        self._on = False
        self._sampling.close()
        self._modules.clear()

    def close(self) -> None:
        """The script has ended: tell the last step, where nothing was to end it, and losses on their way."""
        if self._on and self._went_back and not self._optimized:
            self._tell_step()
        while self._late:
            self._tell_oldest()

    # --- where torch is tapped ----------------------------------------------------------------------------

    def _tap_torch(self) -> None:
        if not self._on:
            return
        self._probe.instrument()
        for tap in (
            self._tap_optimizers,
            self._tap_backward,
            self._tap_modules,
            self._tap_loaders,
            self._tap_groups,
            self._tap_scaler,
            self._tap_hook_bans,
        ):
            try:
                tap()
            except Exception as error:  # a torch that has not what is tapped, or not like this
                self.missing.append(str(error))
                mishaps.note(f"listen to torch by {tap.__name__.removeprefix('_tap_')}", error)

    def _tap_optimizers(self) -> None:
        from torch.optim import optimizer

        plain = optimizer.Optimizer.__init__

        @wraps(plain)
        def make(made: Any, /, *args: Any, **kwargs: Any) -> None:
            self._optimized = True
            plain(made, *args, **kwargs)
            with harmless("hear of an optimizer"):
                self._leading.made(made)
                if self._leading.begun and not self._went_back and not self._around and self._hears():
                    # What was between two trainings is no part of a step.
                    self._t0 = now()
                    self._clock.lap(self._t0)

        optimizer.Optimizer.__init__ = make  # type: ignore[method-assign, assignment]
        optimizer.register_optimizer_step_pre_hook(self._before_optimizer)
        optimizer.register_optimizer_step_post_hook(self._after_optimizer)

    def _tap_backward(self) -> None:
        import torch

        plain = torch.autograd.backward

        @wraps(plain)
        def backward(tensors: Any, grad_tensors: Any = None, *args: Any, **kwargs: Any) -> None:
            if not self._hears():
                plain(tensors, grad_tensors, *args, **kwargs)
                return
            self._hear_roots(tensors, grad_tensors)
            collectives = None
            with self._passing("backward"):
                with harmless("follow a backward"):
                    collectives = self._probe.collectives
                    if collectives is not None:
                        collectives.backward_begins()
                try:
                    plain(tensors, grad_tensors, *args, **kwargs)
                finally:
                    if collectives is not None:
                        with harmless("follow a backward"):
                            collectives.backward_returned(now())
            self._hear_backward()

        torch.autograd.backward = backward

    def _tap_modules(self) -> None:
        import torch

        plain = torch.nn.Module.__call__
        compiling, gradients = torch.compiler.is_compiling, torch.is_grad_enabled

        @wraps(plain)
        def call(module: nn.Module, /, *args: Any, **kwargs: Any) -> Any:
            # The first test is all that the modules inside of a model pay.
            if self._inside or compiling() or not gradients() or not self._hears():
                return plain(module, *args, **kwargs)
            self._hear_module(module)
            with self._passing("forward"):
                return plain(module, *args, **kwargs)

        torch.nn.Module.__call__ = call  # type: ignore[method-assign]

    def _tap_loaders(self) -> None:
        import torch
        from torch.utils.data.dataloader import _BaseDataLoaderIter

        plain, gradients = _BaseDataLoaderIter.__next__, torch.is_grad_enabled

        @wraps(plain)
        def fetch(loader: Any) -> Any:
            if not gradients() or not self._hears():  # a loader that is read without gradients evaluates
                return plain(loader)
            with self._passing("data"):
                return plain(loader)

        _BaseDataLoaderIter.__next__ = fetch  # type: ignore[method-assign, assignment]

    def _tap_groups(self) -> None:
        import torch.distributed
        from torch.distributed import device_mesh, distributed_c10d

        plain = distributed_c10d.init_process_group

        @wraps(plain)
        def init_process_group(*args: Any, **kwargs: Any) -> None:
            if self._on:
                with harmless("tell of a rendezvous"):
                    self._probe.booting("rendezvous")
            plain(*args, **kwargs)
            if self._on:
                with harmless("tell what carries collectives"):
                    # Where nobody chose one, there is one for each kind of device: cpu:gloo,cuda:nccl
                    pairs = str(distributed_c10d.get_backend_config()).split(",")
                    self._backends = dict(pair.split(":", 1) for pair in pairs if ":" in pair)
                    self._probe.found(backend="/".join(dict.fromkeys(self._backends.values())))
                    self._probe.booting("build")

        for module in (torch.distributed, distributed_c10d, device_mesh):  # each has the name for itself
            module.init_process_group = init_process_group  # type: ignore[attr-defined]

    def _tap_scaler(self) -> None:
        from torch.amp.grad_scaler import GradScaler

        plain = GradScaler.scale

        @wraps(plain)
        def scale(scaler: Any, outputs: Any) -> Any:
            scaled = plain(scaler, outputs)
            self._scaled = (scaled, outputs)
            return scaled

        GradScaler.scale = scale  # type: ignore[method-assign, assignment]

    def _tap_hook_bans(self) -> None:
        """`torch.func` refuses to work while saved-tensor hooks are set: let go of ours first."""
        from torch.autograd import graph

        plain = graph.disable_saved_tensors_hooks

        @wraps(plain)
        def disable_saved_tensors_hooks(message: str) -> Any:
            with harmless("stop counting what autograd saves"):
                self._sampling.close()
            return plain(message)

        graph.disable_saved_tensors_hooks = disable_saved_tensors_hooks  # type: ignore[assignment]

    def _tap_schedules(self) -> None:
        from torch.distributed.pipelining import schedules

        if self._probe.pipelines is not None:
            self._probe.pipelines.follow()
        base = getattr(schedules, "_PipelineSchedule", None)
        plain = getattr(base, "_update_losses", None)
        if base is None or plain is None:
            self.missing.append("_PipelineSchedule._update_losses")
            return

        @wraps(plain)
        def update_losses(schedule: Any, *args: Any, **kwargs: Any) -> None:
            self._hear_microbatches(schedule)
            plain(schedule, *args, **kwargs)

        base._update_losses = update_losses

    # --- phases -----------------------------------------------------------------------------------------

    @silent("listen")
    def _hears(self) -> bool:
        return self._on and not self._inside and threading.get_ident() == self._thread

    def _passing(self, phase: str) -> AbstractContextManager[None]:
        return Around(f"time a {phase}", self._in_phase(phase))

    @contextmanager
    def _in_phase(self, phase: str) -> Iterator[None]:
        self._begin()
        if self._went_back and not self._optimized and phase != "backward":
            self._end_step()
        before = self._enter(phase)
        self._inside = True
        try:
            yield
        finally:
            self._inside = False
            self._enter(before)

    def _enter(self, phase: str) -> str:
        self._probe.passing(phase)
        return self._clock.switch(phase)

    def phase(self, name: str) -> AbstractContextManager[None]:
        """A pipeline's stage goes forward or backward; its modules are still looked at."""
        return Around(f"time a {name}", self._in_pipeline(name))

    @contextmanager
    def _in_pipeline(self, name: str) -> Iterator[None]:
        self._begin()
        before, self._pipelined = self._enter(name), True
        try:
            yield
        finally:
            self._enter(before)
            self._pipelined = False

    # --- what is heard ----------------------------------------------------------------------------------

    @silent("hear of a module")
    def _hear_module(self, module: nn.Module) -> None:
        if not self._settled and not any(module is known for known in self._modules):
            self._modules.append(module)
        self._sample()

    @silent("hear of a loss")
    def _hear_roots(self, tensors: Any, grad_tensors: Any) -> None:
        if self._pipelined:
            return  # the schedule knows how they belong together
        roots = tensors if isinstance(tensors, tuple | list) else (tensors,)
        seeds = grad_tensors if isinstance(grad_tensors, tuple | list) else (grad_tensors,) * len(roots)
        for root, seed in zip(roots, seeds, strict=False):
            weight = _weight(root, seed)
            if weight == 1.0 and root.numel() == 1:
                self._add_loss(root)
            elif weight is not None:
                self._add_loss(root.detach().sum() * weight)

    def _add_loss(self, root: Tensor) -> None:
        if self._evaluations > 1:
            return  # looked at on the way
        scaled, self._scaled = self._scaled, None
        if scaled is not None and scaled[0] is root:
            root = scaled[1]
        from runtime.ranks.sensors.tensor_storage import alone

        root = alone(root)
        # On a device a copy is ordered, and nobody waits for it.
        value = root.item() if root.device.type == "cpu" else root.clone()
        self._loss = value if self._loss is None else self._loss + value

    @silent("hear of a backward")
    def _hear_backward(self) -> None:
        """It may have been the last of its step, where no optimizer will tell."""
        if self._pipelined:
            return
        self._went_back = True
        if not self._optimized or self._evaluations == 1:
            self._weigh_step()

    @silent("hear of a pipeline's losses")
    def _hear_microbatches(self, schedule: Any) -> None:
        import torch

        with suppress(AttributeError):
            losses = list(schedule._internal_losses)
            if losses and torch.is_grad_enabled() and self._on:
                parts = len(losses) if schedule.scale_grads else 1
                self._add_loss(torch.stack([loss.detach().float() for loss in losses]).sum() / parts)

    @silent("hear of an optimizer")
    def _before_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        if not self._on or threading.get_ident() != self._thread:
            return None
        self._begin()
        role = self._leading.steps(optimizer) if not self._around else "joins"
        if role == "follows":
            self._follow(optimizer)
        elif role == "waits":
            self._set_aside()
        closure = args[1] if len(args) > 1 else kwargs.get("closure")
        if not self._settled and not self._around and not any(optimizer is o for o in self._optimizers):
            self._optimizers.append(optimizer)
        if optimizer is self._leading.leader and closure is None:
            self._weigh_step()
        self._around.append(self._enter("optimizer"))
        if closure is None:
            return None
        self._evaluations = 0
        if len(args) > 1:
            return (args[0], self._counted(closure), *args[2:]), kwargs
        return args, kwargs | {"closure": self._counted(closure)}

    def _counted(self, closure: Callable[[], Any]) -> Callable[[], Any]:
        """A closure in which the optimizer has the gradients made."""

        @wraps(closure)
        def evaluate() -> Any:
            self._evaluations += 1
            return closure()

        return evaluate

    def _follow(self, optimizer: Any) -> None:
        """Another training begins: what is trained has to be found anew."""
        self._optimizers, self._aside = [optimizer], None
        self._settled, self._watched_from = False, self._probe.at_step
        self._probe.another_training()

    def _set_aside(self) -> None:
        if self._loss is not None:
            self._aside = self._loss if self._aside is None else self._aside + self._loss
            self._loss = None

    @silent("hear of an optimizer")
    def _after_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not self._on or threading.get_ident() != self._thread or not self._around:
            return
        self._enter(self._around.pop())
        self._evaluations = 0
        if optimizer is self._leading.leader:
            self._leading.has_led()
            self._end_step()

    # --- steps ------------------------------------------------------------------------------------------

    def _begin(self) -> None:
        if not self._training:
            self._training = True
            self._next_step()

    def _next_step(self) -> None:
        self._t0 = self._probe.begin_step()
        self._clock.lap(self._t0)
        self._sampled = False

    def _end_step(self) -> None:
        self._tell_step()
        self._next_step()

    def _tell_step(self) -> None:
        t1, self._went_back = now(), False
        loss, self._loss = self._loss, None
        if self._aside is not None:
            loss, self._aside = self._aside + (0.0 if loss is None else loss), None
        tell = self._probe.step_told_by(self._t0, t1, self._clock.lap(t1), self._leading.nth)
        if loss is None or isinstance(loss, float):
            tell(loss)
        else:
            self._tell_later(loss, tell)
        self._probe.end_step()

    def _tell_later(self, loss: Tensor, tell: Callable[[float], None]) -> None:
        """A loss on a device: copied without waiting, told when it has arrived."""
        import torch

        if loss.device.type != "cuda":
            tell(loss.item())
            return
        copy = torch.empty((), dtype=loss.dtype, pin_memory=True)
        copy.copy_(loss, non_blocking=True)
        arrived = torch.cuda.Event()
        arrived.record()
        self._late.append((arrived, copy, tell))
        while self._late and (self._late[0][0].query() or len(self._late) > MOST_LATE):
            self._tell_oldest()

    def _tell_oldest(self) -> None:
        arrived, copy, tell = self._late.popleft()
        arrived.synchronize()
        tell(copy.item())

    # --- memory -----------------------------------------------------------------------------------------

    def _weigh_step(self) -> None:
        """Nothing more is saved for backward, and gradients are there, until `zero_grad`."""
        self._sampling.close()
        self._watch()
        self._probe.weigh_gradients()

    def _watch(self) -> None:
        """What is trained is looked for in the first two steps: by then everything was called once."""
        if self._settled:
            return
        from runtime.ranks.hooks.trained_modules import is_replica, model_of, optimizer_of

        model = model_of(self._modules, self._optimizers)
        first = next(model.parameters(), None)
        if first is None:
            return
        self._probe.found(device=str(first.device))
        if first.device.type in self._backends:
            self._probe.found(backend=self._backends[first.device.type])
        pipelines = self._probe.pipelines
        parts = pipelines is not None and pipelines.seen  # each rank has stages of its own
        self._probe.weigh(model, optimizer_of(self._optimizers), is_replica(model), parts)
        if self._probe.at_step > self._watched_from:
            self._settled = True
            self._modules.clear()

    def _sample(self) -> None:
        """From the first forward of a sampled step to its optimizer: count what autograd holds."""
        from torch._C._autograd import _top_saved_tensors_default_hooks

        ledger = self._probe.ledger_of_this_step()
        # Hooks nest. Where the script has set its own, ours could be taken off in their place.
        if ledger is not None and not self._sampled and _top_saved_tensors_default_hooks(True) is None:
            self._sampled = True
            self._sampling.enter_context(ledger.activations())


def _weight(root: Any, seed: Any) -> float | None:
    """How much each number of `root` counts in what `backward` descends; None: it is no loss.

    A seed of ones is what backward would take itself. Other gradients come from elsewhere, such as the next
    stage of a pipeline, and what they meet here is no loss.
    """
    numel = getattr(root, "numel", lambda: 0)()
    if seed is None:
        return 1.0 if numel == 1 else None
    if numel == 0 or getattr(seed, "numel", lambda: 0)() != numel:
        return None
    if seed.device.type != "cpu":
        return None  # to look at it would wait for the device
    low, high = (float(end) for end in seed.detach().aminmax())
    if root.dim() > 1 and low != 1.0:
        return None  # what a mean further on sends back to a whole layer
    return high if low == high and 0.0 < high <= 1.0 else None
