"""Checks of buckets."""

import torch

LAYERS, MOST = 4, 75  # a layer has 8 x 8 + 8 = 72 numbers: a bucket each


def _model(ranks):
    model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(LAYERS)))
    with torch.no_grad():
        for n, parameter in enumerate(model.parameters()):
            parameter.copy_(ranks.random(*parameter.shape, seed=n) / 2)
    return model


def _backward(model, ranks, rank, seed):
    model.zero_grad()
    model(ranks.random(3, 8, seed=seed + rank)).square().mean().backward()


def _compare(model, ranks, seed):
    every = []
    for rank in range(ranks.world):
        one = _model(ranks)
        _backward(one, ranks, rank, seed)
        every.append([parameter.grad for parameter in one.parameters()])
    for n, (name, parameter) in enumerate(model.named_parameters()):
        wanted = torch.stack([of_rank[n] for of_rank in every]).mean(0)
        also = {
            "it is this rank's own gradient: its bucket was not sent, or not copied back": every[ranks.rank][
                n
            ]
        }
        ranks.expect(f"the gradient of {name}", parameter.grad, wanted, also=also)


def numbers(theirs, ranks):
    """after finish, gradients are the mean over ranks"""
    model = _model(ranks)
    finish = theirs.bucketed(model, MOST)
    _backward(model, ranks, ranks.rank, 100)
    finish()
    _compare(model, ranks, 100)


def count(theirs, ranks):
    """four layers, four buckets: four all-reduces"""
    model = _model(ranks)
    finish = theirs.bucketed(model, MOST)
    _backward(model, ranks, ranks.rank, 200)
    finish()
    made = ranks.calls("all-reduce")
    meaning = "a parameter that fits goes into the bucket that is open" if made > LAYERS else ""
    ranks.same("the number of all-reduces", made, LAYERS, meaning)


def reverse(theirs, ranks):
    """three layers, two of them to a bucket: the last two are sent first, with async_op=True"""
    model = torch.nn.Sequential(*(torch.nn.Linear(8, 8) for _ in range(3)))
    finish = theirs.bucketed(model, 2 * MOST)
    before = len(ranks.sizes("all-reduce"))
    _backward(model, ranks, ranks.rank, 250)
    waited = ranks.waited("all-reduce")
    finish()
    layer = 4 * (8 * 8 + 8)
    wanted = [2 * layer, layer]
    ranks.same(
        "the order of sizes, in bytes,",
        ranks.sizes("all-reduce")[before:],
        wanted,
        "fill the buckets in the reverse order of model.parameters(): its end has its gradients first",
    )
    if waited:
        ranks.fail(
            "backward stands still until a bucket has arrived",
            "start it with async_op=True, and wait for it in finish",
        )


def overlap(theirs, ranks):
    """three buckets are on their way before the first layer has its gradients"""
    model, begun = _model(ranks), []
    for parameter in model[0].parameters():
        parameter.register_post_accumulate_grad_hook(lambda _: begun.append(ranks.calls("all-reduce")))
    finish = theirs.bucketed(model, MOST)
    _backward(model, ranks, ranks.rank, 300)
    ranks.same(
        "the number of buckets on their way",
        min(begun),
        LAYERS - 1,
        "a bucket is sent by the hook of its last gradient",
    )
    finish()


def again(theirs, ranks):
    """a second backward does the same again"""
    model = _model(ranks)
    finish = theirs.bucketed(model, MOST)
    for seed in (400, 500):
        _backward(model, ranks, ranks.rank, seed)
        finish()
    _compare(model, ranks, 500)
    ranks.same("the number of all-reduces of two backwards", ranks.calls("all-reduce"), 2 * LAYERS)
