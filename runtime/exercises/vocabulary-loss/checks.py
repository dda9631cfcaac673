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
    """a number for each position in each of at most three all-reduces"""
    logits, targets = _data(ranks, 4096, 40)
    with ranks.counting() as sent:
        theirs.loss(logits[ranks.rank], targets)
    ranks.only("all-reduce")
    ranks.same(
        "the number of all-reduces",
        min(ranks.calls(), 4),
        3,
        "largest, sum and target: a number a position each",
    )
