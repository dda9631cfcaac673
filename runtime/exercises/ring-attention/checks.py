"""Checks of attention by a ring."""

import torch

SIZE = 8


def _parts(ranks, positions, seed, steep=1.0):
    return [
        ranks.random(3, positions, SIZE, seed=seed + r) * torch.tensor([steep, 1, 1])[:, None, None]
        for r in range(ranks.world)
    ]


def _exact(q, k, v):
    return torch.softmax(q @ k.T / SIZE**0.5, 1) @ v


def _not_rescaled(ranks, q, parts, totals_too):
    """What comes out where sums made with an old largest stay as they are when a larger score comes."""
    largest = torch.full((len(q), 1), -torch.inf)
    total, weighted = torch.zeros(len(q), 1), torch.zeros_like(q)
    for n in range(ranks.world):
        _, k, v = parts[(ranks.rank - n) % ranks.world]
        scores = q @ k.T / SIZE**0.5
        new = torch.maximum(largest, scores.max(1, keepdim=True).values)
        weights = (scores - new).exp()
        total = total * (1 if totals_too else (largest - new).exp()) + weights.sum(1, keepdim=True)
        weighted, largest = weighted + weights @ v, new
    return weighted / total


def _run(theirs, ranks, positions, seed, steep=1.0):
    parts = _parts(ranks, positions, seed, steep)
    q, k, v = parts[ranks.rank]
    got = theirs.attention(q.clone(), k.clone(), v.clone())
    if isinstance(got, torch.Tensor) and not bool(got.isfinite().all()):
        ranks.fail("the output is not finite", "exp of a large score: subtract the largest so far")
    keys, values = (torch.cat([part[n] for part in parts]) for n in (1, 2))
    unscaled = torch.softmax(q @ keys.T, 1) @ values
    each = torch.stack([_exact(q, part[1], part[2]) for part in parts])
    wide = torch.softmax(q @ keys.T / positions**0.5, 1) @ values
    stay = sum(
        torch.softmax(q @ keys.T / SIZE**0.5, 1).chunk(ranks.world, 1)[n] @ v for n in range(ranks.world)
    )
    first = torch.zeros(positions, len(keys), dtype=torch.bool)
    own = slice(ranks.rank * positions, (ranks.rank + 1) * positions)
    first[:, own] = torch.ones(positions, positions).triu(1).bool()
    masked = torch.softmax((q @ keys.T / SIZE**0.5).masked_fill(first, -torch.inf), 1) @ values
    most = [p for n, p in enumerate(parts) if n != (ranks.rank + 1) % ranks.world]
    short = _exact(q, *(torch.cat([part[n] for part in most]) for n in (1, 2)))
    also = {
        "the scores are divided by the square root of the number of positions, not of the size": wide,
        "the keys go round, the values stay": stay,
        "a query is kept from keys behind it: no mask is wanted here": masked,
        "the scores are not divided by the square root of the size": unscaled,
        "each part has a softmax of its own, and their mean was taken": each.mean(0),
        "each part has a softmax of its own, and they were added": each.sum(0),
        "the part of one rank is missing: one round more": short,
        "what was added up before a larger score came stays as it was: multiply it": (
            _not_rescaled(ranks, q, parts, totals_too=True)
        ),
        "the sum of values stays as it was when a larger score came: multiply it, too": (
            _not_rescaled(ranks, q, parts, totals_too=False)
        ),
        "it is the attention over this rank's own part": each[ranks.rank],
    }
    ranks.expect("the output", got, _exact(q, keys, values), also=also)


def small(theirs, ranks):
    """four positions a rank: attention over all sixteen"""
    _run(theirs, ranks, 4, 100)


def steep(theirs, ranks):
    """scores that grow from part to part"""
    _run(theirs, ranks, 6, 200, steep=20.0)


def huge(theirs, ranks):
    """scores of several hundred"""
    _run(theirs, ranks, 6, 300, steep=300.0)


def traffic(theirs, ranks):
    """keys and values travel world - 1 times, one part at a time"""
    q, k, v = _parts(ranks, 512, 400)[ranks.rank]
    whole = 2 * k.numel() * k.element_size()
    with ranks.counting() as sent:
        theirs.attention(q, k, v)
    ranks.only("send", "receive")
    ranks.to_the_right()
    ranks.at_most(
        "each part goes once round", sent, whole * (ranks.world - 1), "the last round need not be sent on"
    )
