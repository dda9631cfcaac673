"""What a rank holds within one sampled step: seen whenever autograd saves or needs a tensor."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from torch import Tensor

from runtime.ranks.hooks.phase_clock import now

MOST = 64  # of a step: of more every other one is left out
PARTS = 32  # of the most activations: a change by less is none


class Moment(NamedTuple):
    """Bytes held at a time, in seconds of the common clock."""

    t: float
    gathered: int
    activations: int
    grads: int


class Moments:
    """The moments of a step at which something changed, in order."""

    def __init__(self) -> None:
        self.seen: list[Moment] = []
        self._most = 0

    def note(self, gathered: int, activations: int, grads: Callable[[], int]) -> None:
        """Keep what is held now, if it has changed. `grads` is only asked then."""
        self._most = max(self._most, activations)
        last = self.seen[-1] if self.seen else None
        if last is not None and last.gathered == gathered:
            change = abs(activations - last.activations)
            if change * PARTS < self._most or not change:
                return
        self.end(gathered, activations, grads())

    def end(self, gathered: int, activations: int, grads: int) -> None:
        """Keep what is held now, whatever it is."""
        if len(self.seen) >= MOST:
            del self.seen[1::2]
        self.seen.append(Moment(now(), gathered, activations, grads))


def gradient_bytes(parameters: Iterable[Tensor], local: Callable[[Tensor], Tensor]) -> int:
    """Return the bytes of the gradients that are there, of a sharded one those of its slice."""
    total = 0
    for parameter in parameters:
        if parameter.grad is not None:
            grad = local(parameter.grad)
            total += grad.numel() * grad.element_size()
    return total
