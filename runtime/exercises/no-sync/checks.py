"""Checks of accumulation under DDP."""

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel

SIZES = (4, 4, 4)


def _model():
    model = torch.nn.Linear(6, 2)
    with torch.no_grad():
        model.weight.copy_(torch.linspace(-1, 1, 12).reshape(2, 6))
        model.bias.fill_(0.5)
    return model


def _data(ranks, seed):
    return [
        [
            (ranks.random(n, 6, seed=seed + 100 * r + k), ranks.random(n, 2, seed=seed + 100 * r + 50 + k))
            for k, n in enumerate(SIZES)
        ]
        for r in range(ranks.world)
    ]


def _gradient(batches, weight):
    model = _model()
    sum(F.mse_loss(model(x), y) * weight for x, y in batches).backward()
    return model.weight.grad


def numbers(theirs, ranks):
    """the gradient of three micro-batches on four ranks"""
    data = _data(ranks, 1000)
    own = [_gradient(batches, 1 / len(SIZES)) for batches in data]
    model = DistributedDataParallel(_model())
    theirs.accumulate(model, data[ranks.rank])
    wanted = torch.stack(own).mean(0)
    averaged = torch.stack([_gradient(batches[:1], 1 / len(SIZES)) for batches in data]).mean(0)
    first = averaged + _gradient(data[ranks.rank][1:], 1 / len(SIZES))
    last = torch.stack([_gradient(batches[-1:], 1 / len(SIZES)) for batches in data]).mean(0)
    also = {
        "it is the gradient of the last micro-batch alone: the ones before were zeroed": last,
        "it is this rank's own gradient: nothing was added up over ranks": own[ranks.rank],
        "the losses of the micro-batches are added, not averaged": wanted * len(SIZES),
        "the last micro-batch is not divided by their number": wanted + (len(SIZES) - 1) * last,
        "only the first was averaged: what a backward sends is decided in its forward": first,
    }
    ranks.expect("the gradient of weight", model.module.weight.grad, wanted, also=also)


def once(theirs, ranks):
    """gradients are sent once, with the last micro-batch"""
    model = DistributedDataParallel(_model())
    before = ranks.calls("all-reduce")
    seen = []
    data = _data(ranks, 2000)[ranks.rank]
    behind = len(list(model.parameters()))  # as many as a loop over them makes
    model.module.weight.register_post_accumulate_grad_hook(
        lambda _: seen.append(ranks.calls("all-reduce") - before)
    )
    theirs.accumulate(model, data)
    made = ranks.calls("all-reduce") - before
    ranks.same("the number of backwards", len(seen), len(SIZES), "one for each micro-batch")
    if made == behind and not seen[-1]:
        ranks.fail(
            f"{made} all-reduces of your own, after the last backward",
            "DDP does it, in one bucket, if the forward of the last micro-batch is outside no_sync",
        )
    if made > 1:
        inside = "if there is a no_sync, the forward has to be inside it too" if made == len(SIZES) else ""
        ranks.fail(f"every micro-batch sends its gradients: {made} all-reduces instead of 1", inside)
    ranks.same("the number of all-reduces", made, 1)


def twice(theirs, ranks):
    """a second step begins at zero, and gives the same again"""
    data = _data(ranks, 3000)
    model = DistributedDataParallel(_model())
    for _ in range(2):
        model.zero_grad()
        theirs.accumulate(model, data[ranks.rank])
    wanted = torch.stack([_gradient(batches, 1 / len(SIZES)) for batches in data]).mean(0)
    ranks.expect("the gradient of weight", model.module.weight.grad, wanted)
