"""Checks of five trainings."""

import time

import torch
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DistributedSampler


def epochs(theirs, ranks):
    """every epoch is shuffled anew"""
    data = list(range(64))
    got = theirs.epochs(data, 3)
    sampler = DistributedSampler(data, shuffle=True)
    ranks.same("the number of epochs", len(got), 3)
    for epoch, (name, seen) in enumerate(zip(("first", "second", "third"), got, strict=True)):
        sampler.set_epoch(epoch)
        meaning = ""
        if epoch and seen == got[0]:
            meaning = "it is the order of the first epoch again: nobody tells the sampler which one it is"
        for other in range(1, 5):
            sampler.set_epoch(other)
            if other != epoch and seen == list(sampler):
                meaning = meaning or f"it is that of set_epoch({other})"
        sampler.set_epoch(epoch)
        ranks.same(f"the order of the {name} epoch", seen, list(sampler), meaning)


def step(theirs, ranks):
    """one step for all micro-batches, and the ranks stay the same"""
    sizes, seeds = 3, [[1000 + 10 * r + n for n in range(3)] for r in range(ranks.world)]

    def model():
        made = torch.nn.Linear(6, 2)
        with torch.no_grad():
            made.weight.copy_(ranks.random(2, 6, seed=1))
            made.bias.fill_(0.5)
        return made

    def batches(rank):
        return [(ranks.random(4, 6, seed=s), ranks.random(4, 2, seed=s + 500)) for s in seeds[rank]]

    whole = model()
    every = [batch for rank in range(ranks.world) for batch in batches(rank)]
    sum(F.mse_loss(whole(x), y) for x, y in every).div(len(every)).backward()
    wanted = whole.weight.detach() - 0.1 * whole.weight.grad
    own, made = DistributedDataParallel(model()), []
    optimizer = torch.optim.SGD(own.parameters(), 0.1)
    optimizer.register_step_post_hook(lambda *_: made.append(ranks.calls("all-reduce")))
    before = ranks.calls("all-reduce")
    theirs.step(own, optimizer, batches(ranks.rank))
    if made and made[0] == before:
        ranks.fail(
            "a step was made before the gradients were averaged", "step once, behind the last micro-batch"
        )
    ranks.same("the number of steps", len(made), 1)
    ranks.expect("the weight after the step", own.module.weight, wanted)


def prepare(theirs, ranks):
    """rank 0 writes, all read, nobody hangs"""
    torch.distributed.barrier()
    if ranks.rank == 0:
        time.sleep(0.15)  # it comes last: who does not wait for it finds no file
    file = ranks.folder / "data.txt"
    try:
        got = theirs.prepare(file)
    except FileNotFoundError:
        ranks.fail("the file was read before rank 0 had written it", "who waits for rank 0?")
    ranks.same("what was read", got, "four tokens are here", "it was read before rank 0 had written it")


def save(theirs, ranks):
    """one rank writes the checkpoint, and nobody goes on before it is there"""
    state = {"weight": torch.ones(8 << 20)}  # so large that it is not whole as soon as others look
    theirs.save(state, ranks.folder / f"checkpoint-{ranks.rank}.pt")
    there = ranks.folder / "checkpoint-0.pt"
    if not there.exists() or there.stat().st_size < state["weight"].nbytes:
        ranks.fail("a rank goes on before the checkpoint is there", "a barrier behind it, on all ranks")
    if ranks.rank and (ranks.folder / f"checkpoint-{ranks.rank}.pt").exists():
        ranks.fail("every rank writes the checkpoint", "into one file at the same moment: let rank 0 do it")


def noise(theirs, ranks):
    """different noise on every rank, the same in every run"""
    got, again = theirs.noise(7, 8), theirs.noise(7, 8)
    meaning = "it comes from a generator that nobody gave the seed"
    if not torch.equal(again, got):
        ranks.fail("a second run has different noise", meaning)
    every = [torch.empty(8) for _ in range(ranks.world)]
    torch.distributed.all_gather(every, got)
    if any(torch.equal(got, other) for rank, other in enumerate(every) if rank != ranks.rank):
        ranks.fail(
            "other ranks have the same noise", "the seed is the same on all ranks: what could be added to it?"
        )
    for rank, other in enumerate(every):
        alike = torch.corrcoef(torch.stack([got, other]))[0, 1]
        if rank != ranks.rank and abs(float(alike)) > 0.999:
            ranks.fail(
                f"the noise is that of rank {rank}, moved or made larger",
                "let each rank draw its own: the seed",
            )
