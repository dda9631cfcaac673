"""Makes steps, losses and memory of what a script calls in torch, for scripts without the probe.

**Step.** From the end of one step of the optimizer to the end of the next, all micro-batches in between
included; the first begins with the first thing that looks like training. Of several optimizers one leads
(`leading_optimizer.py`), and what the others do belongs to the step in progress. A step that AMP's scaler
skips does not count. Where a script has no optimizer and changes its parameters by hand, or sends its
gradients elsewhere, a step ends with what follows a backward: the next fetch or forward. Learning rate
schedulers count as `other`, and so does everything else that happens between two optimizer steps: evaluating
(without gradients), saving, printing.

**Loss.** The sum of the numbers that `backward` was called on in the step, unscaled: that is what the step
descends; several at once count where each has the same weight. An optimizer that has its gradients made in a
closure (LBFGS) may do so many times: what it finds first is the loss at the begin of the step. Under a
pipeline's schedule: the mean of the micro-batches where it scales gradients, else the sum.

**Memory.** The model is the outermost modules called in training that hold parameters of the optimizer.
Checksums are compared only where copies are promised, in DDP over all ranks.

**Tokens** are not known.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from functools import wraps
from typing import TYPE_CHECKING, Any

from runtime.ranks.fail_safe import Around, silent
from runtime.ranks.hooks.leading_optimizer import LeadingOptimizer
from runtime.ranks.hooks.phase_clock import PhaseClock

if TYPE_CHECKING:
    from torch import Tensor, nn

    from runtime.ranks.measurements import Measurements

MOST_LATE = 8  # steps whose loss may still be on its way from the device
now = time.monotonic


class HeardTraining:
    """The steps of one script. Runs on the training thread; calls on other threads are ignored."""

    def __init__(self, probe: Measurements) -> None:
        self._probe = probe
        self._clock = PhaseClock()
        self.on = True
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

    # --- phases -----------------------------------------------------------------------------------------

    @silent("listen")
    def _hears(self) -> bool:
        return self.on and not self._inside and threading.get_ident() == self._thread

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
        """Time a pipeline stage's forward or backward; its modules are still recorded."""
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
        """Note a backward, which may be the last of its step where there is no optimizer."""
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
            if losses and torch.is_grad_enabled() and self.on:
                parts = len(losses) if schedule.scale_grads else 1
                self._add_loss(torch.stack([loss.detach().float() for loss in losses]).sum() / parts)

    @silent("hear of an optimizer")
    def _before_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> Any:
        if not self.on or threading.get_ident() != self._thread:
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
        """Wrap a closure in which the optimizer has the gradients computed."""

        @wraps(closure)
        def evaluate() -> Any:
            self._evaluations += 1
            return closure()

        return evaluate

    def _follow(self, optimizer: Any) -> None:
        """Begin another training: find anew what is trained."""
        self._optimizers, self._aside = [optimizer], None
        self._settled, self._watched_from = False, self._probe.at_step
        self._probe.another_training()

    def _set_aside(self) -> None:
        if self._loss is not None:
            self._aside = self._loss if self._aside is None else self._aside + self._loss
            self._loss = None

    @silent("hear of an optimizer")
    def _after_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if not self.on or threading.get_ident() != self._thread or not self._around:
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
        """Copy a loss from a device without waiting, and report it when it has arrived."""
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
        """Weigh memory after backward: nothing more is saved, and gradients exist until `zero_grad`."""
        self._sampling.close()
        self._watch()
        self._probe.weigh_gradients()

    def _watch(self) -> None:
        """Look for what is trained, in the first two steps: by then everything was called once."""
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
        """Count what autograd holds, from the first forward of a sampled step to its optimizer."""
        from torch._C._autograd import _top_saved_tensors_default_hooks

        ledger = self._probe.ledger_of_this_step()
        # Hooks nest. Where the script has set its own, ours could be taken off in their place.
        if ledger is not None and not self._sampled and _top_saved_tensors_default_hooks(True) is None:
            self._sampled = True
            self._sampling.enter_context(ledger.activations())


def _weight(root: Any, seed: Any) -> float | None:
    """Return the weight of each number of `root` in what `backward` descends; None: it is no loss.

    A gradient of ones is backward's own default. Other gradients come from elsewhere, such as the next stage
    of a pipeline, and what they are passed to here is no loss.
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
