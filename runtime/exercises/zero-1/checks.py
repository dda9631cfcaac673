"""Checks of ZeRO-1."""

import torch

SIZE, LR = 32, 0.1


def _gradients(ranks, step):
    return [ranks.random(SIZE, seed=100 * step + r) for r in range(ranks.world)]


def _run(theirs, ranks, steps):
    start = ranks.random(SIZE, seed=1)
    parameters = start.clone()
    optimizer = theirs.Momentum(parameters, LR)
    whole, momentum, summed, state = start.clone(), 0, start.clone(), 0
    damped, slow = start.clone(), 0
    for step in range(1, steps + 1):
        every = _gradients(ranks, step)
        optimizer.step(every[ranks.rank].clone())
        momentum = 0.9 * momentum + torch.stack(every).mean(0)
        state = 0.9 * state + torch.stack(every).sum(0)
        slow = 0.9 * slow + 0.1 * torch.stack(every).mean(0)
        whole, summed, damped = whole - LR * momentum, summed - LR * state, damped - LR * slow
    also = {
        "the gradients were added up over ranks, not averaged": summed,
        "the gradient goes into the momentum as it is, not by a tenth": damped,
        "nothing has changed: what the ranks own was not put together": start,
    }
    last = getattr(optimizer, "momentum", None)
    if isinstance(last, torch.Tensor) and last.numel() * ranks.world == SIZE:
        also["it is the update alone: nobody took it from the parameters"] = LR * momentum
    if optimizer.parameters is not parameters and not torch.equal(parameters, optimizer.parameters):
        ranks.fail(
            "self.parameters is another tensor than before the step",
            "whoever holds the old one has old numbers: write into it, in place",
        )
    ranks.expect("the tensor of all parameters", parameters, whole, before=start, also=also)
    return optimizer


def one(theirs, ranks):
    """a step: every rank has all new parameters"""
    _run(theirs, ranks, 1)


def three(theirs, ranks):
    """three steps are those of one optimizer with momentum"""
    _run(theirs, ranks, 3)


def share(theirs, ranks):
    """the momentum is kept for this rank's share alone"""
    optimizer = _run(theirs, ranks, 1)
    ranks.same(
        "the length of momentum",
        optimizer.momentum.numel(),
        SIZE // ranks.world,
        "rank r keeps the state of its part",
    )


def traffic(theirs, ranks):
    """a reduce-scatter and an all-gather a step"""
    _run(theirs, ranks, 2)
    ranks.only("reduce-scatter", "all-gather")
    ranks.same("the number of reduce-scatters in two steps", ranks.calls("reduce-scatter"), 2)
    ranks.same("the number of all-gathers in two steps", ranks.calls("all-gather"), 2)
