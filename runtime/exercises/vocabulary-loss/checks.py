"""Checks of the loss of a divided vocabulary."""

import torch
import torch.nn.functional as F

WORDS = 5


def _data(ranks, positions, seed, scale=1.0):
    """Logits of each rank, and targets that are spread over all of them."""
    logits = [scale * ranks.random(positions, WORDS, seed=seed + r) for r in range(ranks.world)]
    targets = torch.arange(positions) * 7 % (WORDS * ranks.world)
    return logits, targets


def _run(theirs, ranks, positions, seed, scale=1.0, shift=0.0):
    logits, targets = _data(ranks, positions, seed, scale)
    logits = [it + shift for it in logits]
    whole = torch.cat(logits, 1)
    got = theirs.loss(logits[ranks.rank].clone(), targets)
    if isinstance(got, torch.Tensor) and not bool(got.isfinite().all()):
        ranks.fail(f"the loss is {got}", "exp of a large logit is infinite: subtract the largest first")
    own = (targets - ranks.rank * WORDS).clamp(0, WORDS - 1)
    every = torch.stack(
        [
            it.gather(1, (targets - r * WORDS).clamp(0, WORDS - 1)[:, None])[:, 0]
            for r, it in enumerate(logits)
        ]
    )
    exact = F.cross_entropy(whole, targets)
    of_target, with_rank = whole.gather(1, targets[:, None])[:, 0], targets // WORDS
    tops = torch.stack([it.max(1).values for it in logits])
    sums = sum((it - top[:, None]).exp().sum(1) for it, top in zip(logits, tops, strict=True))
    own_tops = tops.gather(0, with_rank[None])[0]
    largest = whole.max(1).values
    also = {
        "the largest logit was subtracted before exp, and is missing behind the log": exact - largest.mean(),
        "the sign is the other way round": -exact,
        "the logarithms of the ranks' sums were added up: add the sums, then take the log": exact
        - whole.logsumexp(1).mean()
        + largest.mean()
        + sum((it - largest[:, None]).exp().sum(1).log() for it in logits).mean(),
        "the sum over positions instead of the mean": F.cross_entropy(whole, targets, reduction="sum"),
        "a rank that does not have the target adds something all the same": (
            whole.logsumexp(1) - whole.max(1).values * (1 - ranks.world) - every.sum(0)
        ).mean(),
        "each rank has subtracted its own largest: sums can be added if all have subtracted the same": (
            sums.log() - (of_target - own_tops)
        ).mean(),
        "the logit of the target is known to one rank alone: it has to be added up, too": (
            exact + ((of_target - largest) * (with_rank != ranks.rank)).mean()
        ),
        "it is the loss of this rank's words alone": F.cross_entropy(logits[ranks.rank], own),
    }
    if isinstance(got, torch.Tensor) and got.shape == targets.shape:
        ranks.fail("the loss is a number for each position", "one number is wanted: their mean")
    ranks.expect("the loss", got, exact, also=also)


def small(theirs, ranks):
    """the loss of 12 positions"""
    _run(theirs, ranks, 12, 10)


def steep(theirs, ranks):
    """ranks whose largest logits are far apart"""
    _run(theirs, ranks, 12, 20, scale=30.0)


def large(theirs, ranks):
    """logits around 1000"""
    _run(theirs, ranks, 12, 30, shift=1000.0)


def traffic(theirs, ranks):
    """at most three numbers for each position are added up, by all-reduces alone"""
    positions = 4096
    logits, targets = _data(ranks, positions, 40)
    theirs.loss(logits[ranks.rank], targets)
    ranks.only("all-reduce")
    numbers = sum(ranks.sizes("all-reduce")) / logits[0].element_size() / positions
    if numbers > 3.5:  # and perhaps one number for all of them
        ranks.fail(
            f"{numbers:.0f} numbers for each position are all-reduced, 3 are enough",
            "largest, sum and target: a number a position each",
        )
