"""How long a device was at work: the CPU by a clock of its own, a GPU by marks in its queue.

A thread only queues work for a GPU: its own clock would tell how fast it does that.
"""

import time
from collections.abc import Callable
from typing import TypeAlias

import torch

Mark: TypeAlias = float | torch.cuda.Event


def mark(here: torch.device, clock: Callable[[], float] = time.perf_counter) -> Mark:
    """This moment in the work of `here`: what `clock` says on the CPU, an event that a GPU will pass."""
    if here.type == "cpu":
        return clock()
    event = torch.cuda.Event(enable_timing=True)
    event.record()
    return event


def seconds(begin: Mark, end: Mark) -> float:
    """Seconds from one mark to the other; a GPU is waited for until it has passed the second."""
    if isinstance(begin, float) and isinstance(end, float):
        return end - begin
    assert isinstance(begin, torch.cuda.Event) and isinstance(end, torch.cuda.Event)
    end.synchronize()
    return float(begin.elapsed_time(end)) / 1000
