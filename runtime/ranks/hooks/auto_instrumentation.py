"""Instruments scripts that do not call the probe, by wrapping what their training calls in torch.

The script is not changed; wrappers around torch's functions report to `training_without_probe.py`, which
makes steps of that. They fall silent once the script calls the probe itself (`step`, `phase`, `watch`,
`loss`, `boot`).
"""

from __future__ import annotations

import os
import time
from functools import wraps
from typing import TYPE_CHECKING, Any

from runtime.ranks.fail_safe import harmless, mishaps
from runtime.ranks.hooks.training_without_probe import HeardTraining
from runtime.ranks.import_hooks import when_imported

if TYPE_CHECKING:
    from torch import nn

    from runtime.ranks.measurements import Measurements

now = time.monotonic


class AutoInstrumentation(HeardTraining):
    """Instruments one script: wraps the functions of torch that its training calls."""

    def __init__(self, probe: Measurements) -> None:
        super().__init__(probe)
        self.missing: list[str] = []  # names this torch does not have; each costs one figure

    def listen(self) -> None:
        """Begin, as soon as the script has imported torch."""
        when_imported("torch", self._tap_torch)
        when_imported("torch.distributed.pipelining.schedules", self._tap_schedules)
        os.register_at_fork(after_in_child=self.stop)  # a worker of a DataLoader does not train

    def leave(self, step: int) -> int:
        """Stop, since the script calls the probe itself; returns the last step before the one in progress."""
        self.stop()
        return step - self._training

    def stop(self) -> None:
        """Report nothing from now on."""
        self.on = False
        self._sampling.close()
        self._modules.clear()

    def close(self) -> None:
        """Report, at the script's end, the last step if nothing has ended it, and pending losses."""
        if self.on and self._went_back and not self._optimized:
            self._tell_step()
        while self._late:
            self._tell_oldest()

    # --- where torch is tapped ----------------------------------------------------------------------------

    def _tap_torch(self) -> None:
        if not self.on:
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
            if self.on:
                with harmless("tell of a rendezvous"):
                    self._probe.booting("rendezvous")
            plain(*args, **kwargs)
            if self.on:
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
        """Remove our saved-tensor hooks before `torch.func` runs: it refuses to work while any are set."""
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
