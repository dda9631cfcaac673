"""Checks of data parallelism by hooks."""

import torch


def _model(ranks, rank):
    model = torch.nn.Sequential(torch.nn.Linear(6, 5), torch.nn.Tanh(), torch.nn.Linear(5, 2))
    with torch.no_grad():
        for n, parameter in enumerate(model.parameters()):
            parameter.copy_(ranks.random(*parameter.shape, seed=100 * rank + n))
    return model


def _gradients(ranks, rank, seed):
    """What rank `rank` alone would have, with the parameters of rank 0."""
    model = _model(ranks, 0)
    model(ranks.random(3, 6, seed=seed + rank)).square().mean().backward()
    return [parameter.grad for parameter in model.parameters()]


def _names(model):
    return [name for name, _ in model.named_parameters()]


def parameters(theirs, ranks):
    """all ranks have the parameters of rank 0"""
    model = _model(ranks, ranks.rank)
    theirs.replicate(model)
    every = [list(_model(ranks, rank).parameters()) for rank in range(ranks.world)]
    for n, (name, got) in enumerate(model.named_parameters()):
        wanted = every[0][n].detach()
        also = {
            "it is the mean of all ranks, not what rank 0 has": torch.stack([it[n] for it in every]).mean(0)
        }
        if ranks.rank:
            also["still this rank's own: nothing came from rank 0"] = every[ranks.rank][n]
        ranks.expect(f"the parameter {name}", got, wanted, also=also)


def gradients(theirs, ranks):
    """backward leaves the mean over ranks"""
    model = _model(ranks, ranks.rank)
    theirs.replicate(model)
    model(ranks.random(3, 6, seed=500 + ranks.rank)).square().mean().backward()
    every = [_gradients(ranks, rank, 500) for rank in range(ranks.world)]
    for n, (name, parameter) in enumerate(model.named_parameters()):
        wanted = torch.stack([of_rank[n] for of_rank in every]).mean(0)
        also = {"it is this rank's own gradient: it was not averaged": every[ranks.rank][n]}
        ranks.expect(f"the gradient of {name}", parameter.grad, wanted, also=also)


def steps(theirs, ranks):
    """three steps of SGD: the ranks stay the same"""
    model = _model(ranks, ranks.rank)
    theirs.replicate(model)
    alone = _model(ranks, 0)
    for step in range(3):
        every = [ranks.random(3, 6, seed=700 + 10 * step + rank) for rank in range(ranks.world)]
        for one, inputs in ((model, every[ranks.rank]), (alone, torch.cat(every))):
            one.zero_grad()
            one(inputs).square().mean().backward()
            with torch.no_grad():
                for parameter in one.parameters():
                    parameter -= 0.1 * parameter.grad
    for name, got, wanted in zip(_names(model), model.parameters(), alone.parameters(), strict=True):
        ranks.expect(f"the parameter {name} after three steps", got, wanted)
