"""Checks of FSDP by hand."""

import torch

SIZE, LAYERS = 8, 3


def _weights(ranks):
    return [ranks.random(SIZE, SIZE, seed=n) / 3 for n in range(LAYERS)]


def _shards(ranks):
    return [w.chunk(ranks.world)[ranks.rank].clone().requires_grad_() for w in _weights(ranks)]


def _inputs(ranks, rank):
    return ranks.random(5, SIZE, seed=100 + rank)


def _forward(theirs, x, shards):
    for shard in shards:
        x = torch.tanh(theirs.Sharded.apply(x, shard))
    return x


def _whole(ranks, rank):
    """Output and gradients of the weights, as rank `rank` alone would have them with whole weights."""
    weights = [w.requires_grad_() for w in _weights(ranks)]
    x = first = _inputs(ranks, rank).requires_grad_()
    for w in weights:
        x = torch.tanh(x @ w)
    x.square().mean().backward()
    return x.detach(), [w.grad for w in weights], first.grad


def _averaged(theirs, ranks):
    """The gradient of the inputs, where each layer averages it over ranks."""
    every, weights = [_inputs(ranks, rank).requires_grad_() for rank in range(ranks.world)], _weights(ranks)
    at, kept = every, []
    for w in weights:
        kept.append(at := [torch.tanh(x @ w) for x in at])
    grads = [2 * x.detach() / x.numel() for x in at]
    for w, outs in zip(reversed(weights), reversed(kept), strict=True):
        mean = sum((g * (1 - y.detach() ** 2)) @ w.T for g, y in zip(grads, outs, strict=True)) / ranks.world
        grads = [mean] * ranks.world
    return {"it was averaged over ranks: each has inputs of its own": grads[ranks.rank]}


def output(theirs, ranks):
    """the output of three layers"""
    got = _forward(theirs, _inputs(ranks, ranks.rank), _shards(ranks))
    ranks.expect("the output", got, _whole(ranks, ranks.rank)[0])


def inputs(theirs, ranks):
    """the gradient of the inputs"""
    x = _inputs(ranks, ranks.rank).requires_grad_()
    _forward(theirs, x, _shards(ranks)).square().mean().backward()
    own = _whole(ranks, ranks.rank)[2]
    ranks.expect("the gradient of the inputs", x.grad, own, also=_averaged(theirs, ranks))


def shares(theirs, ranks):
    """each rank has its rows of the mean gradient"""
    shards = _shards(ranks)
    _forward(theirs, _inputs(ranks, ranks.rank), shards).square().mean().backward()
    every = [_whole(ranks, rank)[1] for rank in range(ranks.world)]
    for n, shard in enumerate(shards):
        wanted = torch.stack([of_rank[n] for of_rank in every]).mean(0).chunk(ranks.world)
        own = every[ranks.rank][n].chunk(ranks.world)[ranks.rank]
        also = {"it is of this rank's own inputs: nothing was added up over ranks": own}
        ranks.expect(f"the gradient of share {n}", shard.grad, wanted[ranks.rank], of_ranks=wanted, also=also)


def freed(theirs, ranks):
    """no whole weight waits for backward: each layer is gathered twice"""
    kept = []

    def pack(tensor):
        kept.append(tuple(tensor.shape))
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        loss = _forward(theirs, _inputs(ranks, ranks.rank), _shards(ranks)).square().mean()
    if (SIZE, SIZE) in kept:
        ranks.fail(
            "a whole weight is kept for backward", "keep x and the shard, and gather the weight once more"
        )
    loss.backward()
    ranks.same(
        "the number of all-gathers",
        ranks.calls("all-gather"),
        2 * LAYERS,
        "a layer is gathered in forward and in backward",
    )
    if ranks.calls("all-reduce"):
        ranks.fail(
            "a whole gradient is left on every rank",
            "a reduce-scatter leaves each rank its rows alone, and sends half of what an all-reduce does",
        )
