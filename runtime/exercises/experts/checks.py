"""Checks of experts with a capacity."""

import torch

SIZE = 4


def _tokens(ranks, count, seed):
    return [ranks.random(count, SIZE, seed=seed + r) for r in range(ranks.world)]


def _exact(ranks, tokens, chosen, capacity, keep_last=False):
    order = list(range(len(tokens)))
    taken, made = [0] * ranks.world, torch.zeros_like(tokens)
    for n in reversed(order) if keep_last else order:
        number = chosen[n]
        if taken[number] < capacity:
            made[n] = tokens[n] * (number + 2)
            taken[number] += 1
    return made


def _run(theirs, ranks, choices, capacity, seed):
    chosen = choices[ranks.rank]
    mine, seen = _tokens(ranks, len(chosen), seed)[ranks.rank], []

    def expert(rows):
        seen.append(len(rows))
        return rows * (ranks.rank + 2)

    got = theirs.moe(mine.clone(), torch.tensor(chosen), expert, capacity)
    wanted = _exact(ranks, mine, chosen, capacity)
    dropped = (wanted == 0).all(1)
    unsorted = torch.zeros_like(wanted)
    unsorted[~dropped] = wanted[~dropped][torch.tensor(chosen)[~dropped].argsort(stable=True)]
    few = _exact(ranks, mine, chosen, capacity - 1) if capacity > 1 else torch.zeros_like(wanted)
    also = {
        "the rows came back in the order of experts, not in that of the tokens": unsorted,
        "one place fewer than `capacity` was filled": few,
        "this rank's own expert made them: a token goes to the rank of its expert": torch.where(
            dropped[:, None], wanted, mine * (ranks.rank + 2)
        ),
        "a token that was dropped is not zeros": torch.where(dropped[:, None], mine, wanted),
        "the last tokens were kept, the first are to be": _exact(
            ranks, mine, chosen, capacity, keep_last=True
        ),
        "no expert has seen it: is it sent back?": torch.where(dropped[:, None], wanted, mine),
    }
    ranks.expect("the tensor of rows", got, wanted, also=also)
    return seen


def enough(theirs, ranks):
    """there is a place for everybody: each row comes from its expert"""
    _run(theirs, ranks, [[(r + n * n) % ranks.world for n in range(6)] for r in range(ranks.world)], 6, 100)


def full(theirs, ranks):
    """two places, five tokens for one expert: the last three are dropped"""
    _run(theirs, ranks, [[1, 1, 0, 1, 1, 1]] * ranks.world, 2, 200)


def nobody(theirs, ranks):
    """an expert that nobody has chosen does not stop the others"""
    _run(theirs, ranks, [[0, 2, 2, 0]] * ranks.world, 3, 300)


def exchange(theirs, ranks):
    """two exchanges of equal parts, and the expert is called once"""
    seen = _run(theirs, ranks, [[3, 1, 0, 2]] * ranks.world, 2, 400)
    ranks.only("all-to-all")
    ranks.same("the number of exchanges", ranks.calls("all-to-all"), 2)
    ranks.same(
        "the rows of each call of the expert", seen, [2 * ranks.world], "once, with all places that arrived"
    )
