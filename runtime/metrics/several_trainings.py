"""Keeps the losses of trainings that a script does one after the other."""

from __future__ import annotations

from collections.abc import Sequence

from runtime.metrics.loss_curves import Losses, last_loss, middle_curve
from runtime.metrics.run_warnings import Caveats
from runtime.protocol.events import Step
from runtime.protocol.figures import Earlier


class Trainings:
    """`losses` of the training in progress, and in `past` those of the ones before it, the newest first."""

    def __init__(self, world: int, caveats: Caveats) -> None:
        self.losses = Losses(world)
        self.past: list[Earlier] = []
        self._world, self._caveats = world, caveats
        self._newest = 0
        self._ending: Losses | None = None  # of the one before: not every rank is through with it

    def begin(self, training: int) -> None:
        """Begin another training, with curves of its own."""
        self._ending, self.losses, self._newest = self.losses, Losses(self._world), training
        self._keep_end(self._ending)

    def reported(self, step: Step) -> None:
        """Take in a rank's step."""
        if step.loss is None:
            return
        if step.training == self._newest:
            self.losses.reported(step.rank, step.step, step.loss)
        elif step.training == self._newest - 1 and self._ending is not None:
            self._ending.reported(step.rank, step.step, step.loss)
            self._keep_end(self._ending)

    def settled(self, number: int, steps: Sequence[Step]) -> None:
        """Take in a settled step; `steps` are the ranks' reports of it."""
        self.losses.settled(number, _losses_of(self._newest, steps))
        if self._ending is not None and (late := _losses_of(self._newest - 1, steps)):
            self._ending.settled(number, late)
            self._keep_end(self._ending)

    def _keep_end(self, losses: Losses) -> None:
        """Keep the last losses of the training before, as far as ranks reported them."""
        curve, label = middle_curve(losses.curves()), f"training {self._newest}"
        if curve is not None:
            self.past = [Earlier("", label, curve), *(old for old in self.past if old.label != label)]
            self._caveats.ended(self._newest - 1, last_loss(losses.curves()))


def _losses_of(training: int, steps: Sequence[Step]) -> list[float]:
    return [step.loss for step in steps if step.loss is not None and step.training == training]
