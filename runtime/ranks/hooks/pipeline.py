"""Follows a pipeline of `torch.distributed.pipelining` on a rank: each micro-batch on each stage.

Every schedule computes through three methods of a stage. They are wrapped here, the one place that names
them, also where a subclass overrides them. A torch without them loses the spans, nothing else.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import wraps
from typing import Any

from runtime.ranks.fail_safe import harmless

MODULE, BASE = "torch.distributed.pipelining.stage", "_PipelineStageBase"
SCHEDULES, SCHEDULE, LOSS = (
    "torch.distributed.pipelining.schedules",
    "_PipelineSchedule",
    "_maybe_compute_loss",
)
FORWARD, BACKWARD, WEIGHT = "forward_one_chunk", "backward_one_chunk", "backward_weight_one_chunk"
METHODS = (FORWARD, BACKWARD, WEIGHT)
Tell = Callable[[str, float, float, int, int, int], None]  # kind, t0, t1, stage, micro-batch, chunk
Phase = Callable[[str], AbstractContextManager[None]]
now = time.monotonic


class Pipelines:
    """Follows the stages of this process. `tell` gets each span, `phase` is entered while it lasts."""

    def __init__(self, tell: Tell, phase: Phase) -> None:
        self._tell, self._phase = tell, phase
        self._followed = self.seen = False  # `seen`: a stage has computed
        self._inside = False

    def follow(self) -> None:
        """Follow the stages, once the script has imported pipelining; before that and again: do nothing.

        Importing it for a script that has no pipeline would cost that script a second.
        """
        base = getattr(sys.modules.get(MODULE), BASE, None)
        if self._followed or base is None:
            return
        self._followed = True
        for stage_type in _with_subclasses(base):
            for name in METHODS:
                if name in vars(stage_type):
                    setattr(stage_type, name, self._timed(name, vars(stage_type)[name]))
        schedule = getattr(sys.modules.get(SCHEDULES), SCHEDULE, None)
        if hasattr(schedule, LOSS):
            setattr(schedule, LOSS, self._in_forward(getattr(schedule, LOSS)))

    def _in_forward(self, plain: Callable[..., Any]) -> Callable[..., Any]:
        """Time the loss of a micro-batch as part of its stage's forward, whose activations it adds to."""

        @wraps(plain)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self._phase("forward"):
                return plain(*args, **kwargs)

        return within

    def _timed(self, name: str, plain: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(plain)
        def timed(stage: Any, /, *args: Any, **kwargs: Any) -> Any:
            if self._inside:  # an override calls what it overrides
                return plain(stage, *args, **kwargs)
            self._inside = self.seen = True
            try:
                with self._phase("forward" if name == FORWARD else "backward"):
                    _caught_up(stage)  # what arrives is waited for before the piece, not within
                    t0 = now()
                    result = plain(stage, *args, **kwargs)
                    _caught_up(stage)
                    t1 = now()
            finally:
                self._inside = False
            with harmless("tell a piece of a pipeline"):
                index = int(stage.stage_index)
                chunk = index // int(stage.group_size)
                # The number of the micro-batch comes first, by place or under a name of the method's own.
                number = args[0] if args else next(iter(kwargs.values()))
                self._tell(_kind(name, kwargs), t0, t1, index, int(number), chunk)
            return result

        return timed


def _caught_up(stage: Any) -> None:
    """Wait for the GPU of a stage, if it has one: its thread only queues what the GPU does later."""
    with harmless("wait for the GPU of a stage"):
        device = getattr(stage, "device", None)
        if getattr(device, "type", "") == "cuda":
            sys.modules["torch"].cuda.current_stream(device).synchronize()


def _kind(method: str, kwargs: dict[str, Any]) -> str:
    """Return the letter of `figures.Piece.kind`."""
    if method == FORWARD:
        return "F"
    if method == WEIGHT:
        return "W"
    return "B" if kwargs.get("full_backward", True) else "I"


def _with_subclasses(base: type[Any]) -> Iterator[type[Any]]:
    yield base
    for derived in type.__subclasses__(base):
        yield from _with_subclasses(derived)
