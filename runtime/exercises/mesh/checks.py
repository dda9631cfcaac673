"""Checks of a mesh of two by two."""

import torch
import torch.distributed as dist


def members(theirs, ranks):
    """each rank is in the group of its row and in that of its column"""
    row, column = theirs.groups()
    r = ranks.rank
    wanted = [r // 2 * 2, r // 2 * 2 + 1], [r % 2, r % 2 + 2]
    for name, group, right, other in (("row", row, *wanted), ("column", column, *wanted[::-1])):
        got = sorted(dist.get_process_group_ranks(group)) if isinstance(group, dist.ProcessGroup) else group
        meaning = "row and column are swapped" if got == other else "rank r is in row r // 2 and column r % 2"
        ranks.same(f"the group of the {name} of rank {r}", got, right, meaning)


def _run(theirs, ranks):
    partials = [ranks.random(3, seed=10 + r) for r in range(ranks.world)]
    gradients = [ranks.random(5, seed=20 + r) for r in range(ranks.world)]
    mine = partials[ranks.rank].clone(), gradients[ranks.rank].clone()
    return partials, gradients, mine, theirs.reduce(*mine, *theirs.groups())


def rows(theirs, ranks):
    """partial results are added up over the row"""
    partials, _, _, got = _run(theirs, ranks)
    first, other = ranks.rank // 2 * 2, ranks.rank % 2
    also = {
        "it is the sum over all four ranks: which group?": torch.stack(partials).sum(0),
        "it is the sum over the column": partials[other] + partials[other + 2],
    }
    ranks.expect("the sum over the row", got[0], partials[first] + partials[first + 1], also=also)


def columns(theirs, ranks):
    """gradients are averaged over the column"""
    _, gradients, mine, got = _run(theirs, ranks)
    first, row = ranks.rank % 2, ranks.rank // 2 * 2
    total = gradients[first] + gradients[first + 2]
    also = {
        "it is the sum over the column: of gradients the mean is wanted": total,
        "it is divided by the world: a column has two ranks": total / ranks.world,
        "it is the mean over all four ranks: which group?": torch.stack(gradients).mean(0),
        "it is the mean over the row": (gradients[row] + gradients[row + 1]) / 2,
    }
    ranks.expect("the mean over the column", got[1], total / 2, also=also)
    also = {"all_reduce works in place: give it a copy": mine[1]}
    ranks.expect("what reduce was given", mine[1], gradients[ranks.rank], also=also)
