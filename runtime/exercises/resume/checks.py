"""Checks of going on with fewer ranks."""

import os

import torch
import torch.distributed as dist

STATE, SIZE = 24, 50


def _save(ranks, name, done):
    """Each rank writes its files: step 9 and 20 are whole, of step 100 the last rank's is missing.

    By their times step 9 is the newest, as where files were copied.
    """
    folder = ranks.folder / name
    for step in (9, 20, 100):
        own = folder / f"step-{step}"
        own.mkdir(parents=True, exist_ok=True)
        if step < 100 or ranks.rank < ranks.world - 1:
            shard = ranks.random(STATE, seed=step).chunk(ranks.world)[ranks.rank].clone()
            seen = done[ranks.rank] - (step == 9) + (step == 100)
            torch.save({"shard": shard, "done": seen}, own / f"{ranks.rank}.pt")
            os.utime(own / f"{ranks.rank}.pt", (10**9 - step, 10**9 - step))
    dist.barrier()
    if ranks.rank == 0:
        for own in folder.iterdir():
            when = 10**9 - int(own.name.partition("-")[2])
            os.utime(own, (when, when))
    dist.barrier()
    return folder


def _resume(theirs, ranks, name, done, lost):
    """What this rank gets, and what it should; None if it is one of the `lost`."""
    folder = _save(ranks, name, done)
    group = dist.new_group([r for r in range(ranks.world) if r not in lost])
    if ranks.rank in lost:
        return None
    got = theirs.resume(folder, ranks.world, SIZE, group)
    if not (isinstance(got, tuple) and len(got) == 2):
        ranks.fail("resume returns no pair of a tensor and a list")
    number, count = dist.get_rank(group), group.size()
    seen = {n for r in range(ranks.world) for n in range(r, SIZE, ranks.world)[: done[r]]}
    left = [n for n in range(SIZE) if n not in seen]
    return got, ranks.random(STATE, seed=20).chunk(count)[number], left, number, count


def _state(theirs, ranks, name, lost):
    found = _resume(theirs, ranks, name, [5] * ranks.world, lost)
    if found is not None:
        got, wanted, _, number, count = found
        also = {
            "it is of an older checkpoint": ranks.random(STATE, seed=9).chunk(count)[number],
            "the parts are those of the world before, not of the group": ranks.random(STATE, seed=20).chunk(
                count
            )[-1],
        }
        ranks.expect("this rank's part of the state", got[0], wanted, also=also)


def three(theirs, ranks):
    """the last rank is lost: three have the whole state, a third each"""
    _state(theirs, ranks, "three", [ranks.world - 1])


def two(theirs, ranks):
    """ranks 0 and 2 are lost: ranks 1 and 3 have a half each"""
    _state(theirs, ranks, "two", [0, 2])


def samples(theirs, ranks):
    """what is left is dealt among three, each sample once"""
    found = _resume(theirs, ranks, "samples", [5, 5, 5, 3], [3])
    if found is not None:
        got, _, left, number, count = found
        lost = [n for n in left if n % ranks.world == ranks.world - 1]
        meaning = ""
        if set(got[1]) - set(left):
            meaning = f"sample {min(set(got[1]) - set(left))} was seen already"
        elif set(lost[number::count]) and not set(got[1]) & set(lost):
            meaning = "nobody sees the samples of the rank that was lost"
        elif list(got[1]) != sorted(got[1]):
            meaning = "what is left is put into ascending order before it is dealt"
        elif got[1] == left[number * len(left) // count : (number + 1) * len(left) // count]:
            meaning = "each rank has a piece: they are dealt in turn, one to each"
        ranks.same("the list of samples", got[1], left[number::count], meaning)
