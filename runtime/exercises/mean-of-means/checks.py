"""Checks of the mean of unequal batches."""

import torch


def _run(theirs, ranks, counts, seed):
    held = [ranks.random(n, seed=seed + r) + r for r, n in enumerate(counts)]
    every = torch.cat(held)
    got = theirs.mean(held[ranks.rank].clone())
    means = torch.stack([it.mean() for it in held])
    own = held[ranks.rank]
    also = {
        "the mean of the means: a small batch counts as much as a large one": means.mean(),
        "the sum of all by this rank's count: nobody divided by the count of all ranks": every.sum()
        / max(1, len(own)),
        "the mean of this rank alone: nothing was added up over ranks": own.mean(),
    }
    ranks.expect("the mean", got, every.mean(), also=also)


def equal(theirs, ranks):
    """8 numbers on every rank"""
    _run(theirs, ranks, [8] * ranks.world, seed=10)


def unequal(theirs, ranks):
    """1, 2, 3, 4 numbers"""
    _run(theirs, ranks, range(1, ranks.world + 1), seed=20)


def empty(theirs, ranks):
    """a rank that has none"""
    _run(theirs, ranks, [*range(2, ranks.world + 1), 0], seed=30)
