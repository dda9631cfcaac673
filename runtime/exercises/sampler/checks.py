"""Checks of the distributed sampler."""

from collections import Counter

import torch.distributed as dist


def _all(theirs, ranks, size, epoch, seed=3):
    mine = list(theirs.indices(size, ranks.rank, ranks.world, epoch, seed))
    every = [None] * ranks.world
    dist.all_gather_object(every, mine)
    return every


def _covered(ranks, every, size, padding):
    seen = Counter(int(it) for mine in every for it in mine)
    strange = sorted(it for it in seen if not 0 <= it < size)
    if strange:
        ranks.fail(f"there is no sample {strange[0]}: they are 0 to {size - 1}")
    twice = sorted(it for it, n in seen.items() if n > 1)
    nobody = sorted(set(range(size)) - seen.keys())
    if len(twice) > padding:
        ranks.fail(
            f"{len(twice)} of {size} samples are seen by more than one rank, {len(nobody)} by nobody",
            "each rank shuffles with a seed of its own: their orders do not fit together",
        )
    if nobody:
        ranks.fail(
            f"sample {nobody[0]} is seen by nobody", "samples that do not divide are dropped, not repeated"
        )
    if most := [it for it, n in seen.items() if n > 2]:
        ranks.fail(
            f"sample {most[0]} is seen {seen[most[0]]} times",
            "the first numbers of the order are used once more, each of them once",
        )


def divides(theirs, ranks):
    """16 samples: each is seen by one rank"""
    _covered(ranks, _all(theirs, ranks, 16, 0), 16, 0)


def padded(theirs, ranks):
    """18 samples: all seen, equally many for each rank"""
    every = _all(theirs, ranks, 18, 0)
    counts = [len(mine) for mine in every]
    if len(set(counts)) > 1:
        ranks.fail(
            f"ranks get unequally many: {counts}", "a rank with fewer batches leaves the others waiting"
        )
    _covered(ranks, every, 18, -18 % ranks.world)


def epochs(theirs, ranks):
    """another order in each epoch, and in each seed"""
    first = _all(theirs, ranks, 64, 0)
    if sorted(first[0]) == first[0]:
        ranks.fail("it is the same order in every epoch: none is shuffled")
    if first == _all(theirs, ranks, 64, 1):
        ranks.fail(
            "epochs 0 and 1 have the same order",
            "the epoch is not in the seed: the bug of a missing set_epoch",
        )
    if [set(mine) for mine in first] == [set(mine) for mine in _all(theirs, ranks, 64, 1)]:
        ranks.fail(
            "in epoch 1 every rank sees the samples of epoch 0 again, in another order",
            "shuffle all numbers first, and divide them then",
        )
    if first == _all(theirs, ranks, 64, 0, seed=4):
        ranks.fail("seeds 3 and 4 give the same order")
