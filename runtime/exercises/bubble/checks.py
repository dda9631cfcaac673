"""Checks of a bubble."""

import torch
import torch.distributed as dist


def _waited(ranks, count):
    """The part that this stage waits, counted: GPipe on all ranks, in which every message carries a clock."""
    clock, busy = torch.zeros(1), 0
    for units, step in ((1, 1), (2, -1)):  # a backward takes as long as two forwards
        before, behind = ranks.rank - step, ranks.rank + step
        for _ in range(count):
            if 0 <= before < ranks.world:
                dist.recv(arrived := torch.zeros(1), before)
                clock = torch.maximum(clock, arrived)
            clock, busy = clock + units, busy + units
            if 0 <= behind < ranks.world:
                dist.send(clock, behind)
    dist.all_reduce(clock, op=dist.ReduceOp.MAX)
    return 1 - busy / float(clock)


def measured(theirs, ranks):
    """the bubble of four stages, for 1 to 12 micro-batches"""
    for count in (1, 2, 4, 12):
        wanted, got = _waited(ranks, count), theirs.bubble(ranks.world, count)
        ideal = (ranks.world - 1) / count
        if not isinstance(got, int | float) or abs(got - wanted) > 1e-6:
            if not isinstance(got, int | float):
                ranks.fail(f"bubble returns {type(got).__name__}, which is not a number")
            usual = {
                ideal: "that is the waiting beside the work, not beside the whole step",
                1 - wanted: "that is the part in which a stage works",
                100 * wanted: "that is in per cent: a part is between 0 and 1",
                0.0: "`//` rounds down: a part is divided by `/`",
            }
            meaning = next((words for value, words in usual.items() if abs(got - value) < 1e-6), "")
            several = "es" * (count > 1)
            ranks.same(f"the bubble of {count} micro-batch{several}", f"{got:.4f}", f"{wanted:.4f}", meaning)


def bound(theirs, ranks):
    """the fewest micro-batches with which a fifth of the time, or less, is waited"""
    for percent in (20, 9, 60):
        got = theirs.fewest(ranks.world, percent)
        if not isinstance(got, int) or not 0 < got < 1000:
            ranks.fail(f"fewest returns {got!r}, which is not a number of micro-batches for {percent} %")
        waited = 100 * _waited(ranks, got)
        if waited > percent + 1e-4:
            ranks.fail(f"with {got} micro-batches {waited:.1f} % are waited, {percent} % are allowed")
        if got > 1 and _waited(ranks, got - 1) * 100 <= percent + 1e-4:
            exactly = abs(_waited(ranks, got - 1) * 100 - percent) < 1e-4
            ranks.fail(
                f"{got} micro-batches are more than needed: {got - 1} wait {percent} % at most, too",
                f"with {got - 1} it is {percent} % exactly, and that is allowed" if exactly else "",
            )


def every(theirs, ranks):
    """2 to 64 stages, 1 to 99 per cent, to the exact number"""

    def enough(count):
        return (stages - 1) * 100 <= percent * (count + stages - 1)

    for stages in (2, 3, 4, 8, 13, 22, 64):
        for percent in range(1, 100):
            got = theirs.fewest(stages, percent)
            if not isinstance(got, int) or got < 1 or not enough(got) or (got > 1 and enough(got - 1)):
                count = next(it for it in range(1, 100 * stages) if enough(it))
                near = isinstance(got, int | float) and abs(got - count) < 2
                meaning = "fractions are not exact: round in whole numbers" if near else ""
                ranks.same(f"the fewest for {stages} stages and {percent} %", got, count, meaning)
