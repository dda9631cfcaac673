"""Checks of GPipe by hand."""

import torch
import torch.nn.functional as F

SHAPE = (3, 6)


def _stage(ranks, rank):
    stage = torch.nn.Sequential(torch.nn.Linear(6, 6), torch.nn.Tanh())
    with torch.no_grad():
        for n, parameter in enumerate(stage.parameters()):
            parameter.copy_(ranks.random(*parameter.shape, seed=10 * rank + n) / 2)
    return stage


def _batches(ranks, count, seed):
    return [ranks.random(*SHAPE, seed=seed + n) for n in range(count)]


def _whole(ranks, count, weights):
    """The gradients of this rank's stage, where one rank has all stages; a weight for each micro-batch."""
    model = torch.nn.Sequential(*(_stage(ranks, rank) for rank in range(ranks.world)))
    for x, y, weight in zip(_batches(ranks, count, 100), _batches(ranks, count, 200), weights, strict=True):
        if weight:
            (F.mse_loss(model(x), y) * weight).backward()
    return [parameter.grad for parameter in model[ranks.rank].parameters()]


def _run(theirs, ranks, count, stage):
    first, last = ranks.rank == 0, ranks.rank == ranks.world - 1
    inputs = _batches(ranks, count, 100) if first else []
    theirs.train(stage, inputs, _batches(ranks, count, 200) if last else [], count, SHAPE)


def _compare(theirs, ranks, count):
    stage = _stage(ranks, ranks.rank)
    _run(theirs, ranks, count, stage)
    wanted = _whole(ranks, count, [1 / count] * count)
    summed = _whole(ranks, count, [1.0] * count)
    last = _whole(ranks, count, [0.0] * (count - 1) + [1 / count])
    for n, (name, parameter) in enumerate(stage.named_parameters()):
        also = {}
        if count > 1:
            also = {
                "the losses of the micro-batches are added, not averaged": summed[n],
                "it is the gradient of the last micro-batch alone": last[n],
            }
        ranks.expect(f"the gradient of {name}", parameter.grad, wanted[n], also=also)


def one(theirs, ranks):
    """one micro-batch through four stages and back"""
    _compare(theirs, ranks, 1)


def four(theirs, ranks):
    """four micro-batches: the gradient of their mean"""
    _compare(theirs, ranks, 4)


def order(theirs, ranks):
    """all forwards come before the first backward"""
    stage, done, early = _stage(ranks, ranks.rank), [], []
    stage.register_forward_hook(lambda *_: done.append(1))
    stage[0].weight.register_hook(lambda _: early.append(len(done)))
    _run(theirs, ranks, 5, stage)
    ranks.same(
        "the number of forwards before the first backward",
        early[0],
        5,
        "GPipe: all forwards, then all backwards",
    )


def transfers(theirs, ranks):
    """a stage sends each activation and each gradient once"""
    _run(theirs, ranks, 3, _stage(ranks, ranks.rank))
    ranks.only("send", "receive")
    ends = (ranks.rank > 0) + (ranks.rank < ranks.world - 1)
    ranks.same("the number of sends", ranks.calls("send"), 3 * ends)
