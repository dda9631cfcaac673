"""Checks of the reduce-scatter by a ring."""

import torch


def _inputs(ranks, size, seed):
    return [ranks.random(ranks.world, size, seed=seed + r) for r in range(ranks.world)]


def _run(theirs, ranks, size, seed):
    inputs = _inputs(ranks, size, seed)
    sums = torch.stack(inputs).sum(0)
    mine = inputs[ranks.rank].clone()
    got = theirs.reduce_scatter(mine)
    ranks.expect(
        "the chunk this rank owns",
        got,
        sums[ranks.rank],
        before=inputs[ranks.rank][ranks.rank],
        parts=[it[ranks.rank] for it in inputs],
        of_ranks=list(sums),
        also={"the mean instead of the sum: nothing is to be divided here": sums[ranks.rank] / ranks.world},
    )


def small(theirs, ranks):
    """chunks of 4 numbers: every rank owns its sum"""
    _run(theirs, ranks, 4, seed=10)


def large(theirs, ranks):
    """chunks of 1 MB: every rank owns its sum"""
    _run(theirs, ranks, 1 << 18, seed=20)


def sent(theirs, ranks):
    """bytes sent per rank = (n-1)/n of the buffer, by send and receive alone"""
    mine = ranks.random(ranks.world, 1 << 16, seed=30 + ranks.rank)
    whole = mine.numel() * mine.element_size()
    with ranks.counting() as sent:
        theirs.reduce_scatter(mine)
    ranks.only("send", "receive")
    ranks.to_the_right()
    ranks.at_most(
        "a ring sends each chunk but one once",
        sent,
        whole * (ranks.world - 1) / ranks.world,
        "one chunk a round goes to the right, not the whole tensor",
    )
