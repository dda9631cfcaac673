"""Checks of an estimate."""

import torch
from torch.nn.parallel import DistributedDataParallel

WITHIN = 0.02


def _measured(ranks, model, batches):
    """Bytes this rank sends in a step, as the kernel counts them; by formula where it does not count."""
    copy = DistributedDataParallel(model, broadcast_buffers=False, gradient_as_bucket_view=True)
    first = next(model.parameters())

    def backward():
        copy(torch.ones(2, first.shape[1], dtype=first.dtype)).square().mean().backward()

    backward()  # the first step makes the buckets
    with ranks.counting() as sent:
        with copy.no_sync():
            for _ in range(batches - 1):
                backward()
        backward()
    size = sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)
    return sent.wire or 2 * (ranks.world - 1) / ranks.world * size


def _hold(theirs, ranks, model, batches=1):
    got = theirs.estimate(model, ranks.world, batches)
    if not isinstance(got, int | float):
        ranks.fail(f"estimate returns {type(got).__name__}, no number of bytes")
    measured = _measured(ranks, model, batches)
    if abs(got - measured) <= WITHIN * measured:
        return
    learned = sum(p.numel() * p.element_size() for p in model.parameters() if p.requires_grad)
    buffers = sum(b.numel() * b.element_size() for b in model.buffers())
    share = 2 * (ranks.world - 1) / ranks.world
    known = {
        "the gradients once: a ring sends each of them nearly twice": 1 / share,
        "that is a ring's half: the sums have to go round, too": 0.5,
        "the last part of each half need not be sent: (world - 1) / world": 2 / share,
        "numbers, not bytes": 0.25,
        "gradients travel once, with the last micro-batch": batches,
        "those are bits": 8,
        "that is what all ranks send together": ranks.world,
        "`buffers()` are not gradients: nobody adds them up": 1 + buffers / learned,
    }
    near = (why for why, times in known.items() if times != 1 and abs(got / measured / times - 1) < WITHIN)
    ranks.fail(f"estimated {got:,.0f} bytes, measured {measured:,.0f}", next(near, ""))


def linear(theirs, ranks):
    """a layer of a million parameters"""
    _hold(theirs, ranks, torch.nn.Linear(1024, 1024))


def batches(theirs, ranks):
    """three micro-batches, one exchange"""
    _hold(theirs, ranks, torch.nn.Linear(1024, 512), 3)


def frozen(theirs, ranks):
    """layers that do not learn, and buffers"""
    model = torch.nn.Sequential(
        torch.nn.Linear(512, 1024), torch.nn.BatchNorm1d(1024), torch.nn.Linear(1024, 512)
    )
    model[0].weight.requires_grad_(False)
    model.register_buffer("table", torch.zeros(512, 512))
    _hold(theirs, ranks, model)


def double(theirs, ranks):
    """parameters of 8 bytes"""
    _hold(theirs, ranks, torch.nn.Linear(512, 512).double())
