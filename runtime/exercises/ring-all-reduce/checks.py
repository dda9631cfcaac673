"""Checks of the all-reduce by a ring."""

import torch


def _run(theirs, ranks, size, seed):
    held = [ranks.random(size, seed=seed + r) for r in range(ranks.world)]
    total = torch.stack(held).sum(0)
    got = theirs.all_reduce(held[ranks.rank].clone())
    ranks.expect("the sum", got, total, before=held[ranks.rank], parts=held)


def small(theirs, ranks):
    """8 numbers: every rank has the sum"""
    _run(theirs, ranks, 8, seed=10)


def large(theirs, ranks):
    """4 MB: every rank has the sum"""
    _run(theirs, ranks, 1 << 20, seed=20)


def sent(theirs, ranks):
    """bytes sent per rank = 2 (n-1)/n of the tensor, by send and receive alone"""
    mine = ranks.random(1 << 18, seed=30 + ranks.rank)
    whole = mine.numel() * mine.element_size()
    with ranks.counting() as sent:
        theirs.all_reduce(mine)
    ranks.only("send", "receive")
    ranks.to_the_right()
    bound = 2 * whole * (ranks.world - 1) / ranks.world
    ranks.at_most(
        "twice (n-1)/n of the tensor is enough", sent, bound, "one chunk a round, not the whole tensor"
    )
