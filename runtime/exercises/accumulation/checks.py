"""Checks of accumulation."""

import torch
import torch.nn.functional as F


def _model():
    model = torch.nn.Linear(6, 2)
    with torch.no_grad():
        model.weight.copy_(torch.linspace(-1, 1, 12).reshape(2, 6))
        model.bias.fill_(0.5)
    return model


def _gradient(batches, weight):
    """The gradient of the weight, of the sum of losses with a weight each."""
    model = _model()
    sum(F.mse_loss(model(x), y) * weight(x) for x, y in batches).backward()
    return model.weight.grad


def _data(ranks, sizes, seed):
    return [
        [
            (ranks.random(n, 6, seed=seed + 100 * r + k), ranks.random(n, 2, seed=seed + 100 * r + 50 + k))
            for k, n in enumerate(sizes)
        ]
        for r in range(ranks.world)
    ]


def _run(theirs, ranks, sizes, seed):
    data = _data(ranks, sizes, seed)
    parts = [_gradient(batches, lambda x: len(x) / sum(sizes) / ranks.world) for batches in data]
    alone = [part * ranks.world for part in parts]

    def mean(weight):
        return torch.stack([_gradient(batches, weight) for batches in data]).mean(0)

    last = torch.stack([_gradient(batches[-1:], lambda x: sizes[-1] / sum(sizes)) for batches in data]).mean(
        0
    )
    model = _model()
    theirs.gradients(model, data[ranks.rank])
    also = {
        "the losses of the micro-batches are added, not averaged": mean(lambda x: 1.0),
        "the squared errors of a sample are added: a sample has two numbers, the mean is over both": (
            2 * sum(parts)
        ),
        "a small micro-batch counts as much as a large one: weight it by its samples": mean(
            lambda x: 1 / len(sizes)
        ),
        "it is the gradient of the last micro-batch alone: the ones before were zeroed": last,
        f"it is what rank {ranks.rank} put in, alone: nothing was added up over ranks": alone[ranks.rank],
    }
    ranks.expect("the gradient of weight", model.weight.grad, sum(parts), also=also)


def equal(theirs, ranks):
    """three micro-batches of 4"""
    _run(theirs, ranks, [4, 4, 4], seed=1000)


def unequal(theirs, ranks):
    """micro-batches of 1, 3 and 8"""
    _run(theirs, ranks, [1, 3, 8], seed=2000)


def once(theirs, ranks):
    """one all-reduce for each parameter, whatever the number of micro-batches"""
    theirs.gradients(_model(), _data(ranks, [2, 2, 2, 2], 3000)[ranks.rank])
    made = ranks.calls("all-reduce")
    if made > 3:  # two parameters, and perhaps how many samples there are
        ranks.fail(
            f"{made} all-reduces for 2 parameters and 4 micro-batches",
            "reduce when all micro-batches are done",
        )
