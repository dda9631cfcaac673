"""Notes on a run in words: a loss that is not a number, ranks that never communicate, several trainings in
one script."""

from __future__ import annotations

import math
from collections import Counter

from runtime.protocol.events import Collective, Step
from runtime.protocol.figures import Training

SURE = 3  # steps without any collective, after which ranks are said to do without


class Caveats:
    """Collects them for the ranks of one generation."""

    def __init__(self, world: int) -> None:
        self._world = world
        # By rank: since which step, and what it has been since, each once.
        self._broken: dict[int, tuple[int, tuple[str, ...]]] = {}
        self._said: set[int] = set()  # ranks that have told a loss
        self._communicates = False
        self._called: Counter[str] | None = Counter()  # by kind and all ranks, until there is a step
        self._begun: dict[int, int] = {}  # trainings but the first: at which step
        self._bytes = 0  # payload of `_called`
        self._over: dict[int, Training] = {}

    def collective(self, event: Collective) -> None:
        """Take in a collective: counted until the first step. A barrier is no communication."""
        self._communicates |= event.op != "barrier"
        if self._called is not None:
            self._called[event.op] += 1
            self._bytes += event.bytes

    def step(self, event: Step) -> None:
        """Take in a step; a loss that is not a number is remembered until the loss is one again."""
        self._called = None
        if event.loss is None:
            return
        self._said.add(event.rank)
        if math.isfinite(event.loss):
            self._broken.pop(event.rank, None)
        else:
            word = "NaN" if math.isnan(event.loss) else "infinite"
            since, words = self._broken.get(event.rank, (event.step, ()))
            self._broken[event.rank] = (since, words if word in words else (*words, word))

    def begins(self, training: int, step: int) -> bool:
        """Note a step's training; True if it is the first step of another one."""
        if training == 0 or training in self._begun:
            return False
        first = max((s for t, s in self._begun.items() if t < training), default=0)
        self._over[training - 1] = Training(first, step - first)
        self._begun[training] = step
        return True

    def ended(self, training: int, loss: float | None) -> None:
        """Set the last loss of a training that is over: the median of the ranks that reported it."""
        over = self._over.get(training)
        if over is not None:
            self._over[training] = Training(over.first_step, over.steps, loss)

    def trainings(self, newest: int, loss: float | None) -> tuple[Training, ...]:
        """Return each training of a script, the newest as far as it is; `()` if there is just one."""
        if not self._over:
            return ()
        first = max(self._begun.values())
        return (*self._over.values(), Training(first, newest + 1 - first, loss))

    def said(self, settled: int, *, sees_all: bool, over: bool = False) -> tuple[str, ...]:
        """Return the sentences; `settled` is the newest settled step, `sees_all`: no collective can have
        passed unseen, `over`: all ranks have ended."""
        found = []
        if self._broken:
            ranks = sorted(self._broken)
            since = min(step for step, _ in self._broken.values())
            words = sorted({", then ".join(words) for _, words in self._broken.values()})
            whose = "" if len(ranks) == len(self._said) else f" of rank{'s' * (len(ranks) > 1)} {_few(ranks)}"
            found.append(f"loss{whose} is {' or '.join(words)} since step {since}")
        if self._world > 1 and sees_all and not self._communicates and settled + 1 >= SURE:
            found.append("the ranks do not communicate: no collective so far, each trains alone")
        if over and self._called:
            each = ", ".join(f"{_mean(n / self._world)} {op}" for op, n in self._called.most_common())
            size = f"{_mean(self._bytes / self._world)} bytes"
            found.append(f"no step was seen; in the whole run a rank called on average {each}, of {size}")
        for training, step in sorted(self._begun.items()):
            found.append(f"training {training + 1} of this script began with step {step}")
        return tuple(found[:8])


def _mean(count: float) -> str:
    return f"{count:,.0f}" if count == int(count) else f"{count:,.1f}"


def _few(ranks: list[int]) -> str:
    return ", ".join(map(str, ranks[:6])) + (", …" if len(ranks) > 6 else "")
