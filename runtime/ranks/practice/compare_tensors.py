"""Compares a student's tensor with the right one, and says what the difference usually means."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from numbers import Integral, Real
from typing import Any

import torch

from runtime.protocol.practice_messages import Trouble

RTOL, ATOL = 1e-4, 1e-5
MOST_PARTS = 8  # of which every sum is tried
Tensor = torch.Tensor
PLAIN = (bool, int, float, str, bytes, type(None))
# As it was before the student's file was read: what that changes in torch does not change the verdict.
isclose = torch.isclose


def compare(
    what: str,
    got: Any,
    wanted: Tensor,
    *,
    world: int,
    rank: int,
    before: Tensor | None = None,
    parts: Sequence[Tensor] = (),
    of_ranks: Sequence[Tensor] = (),
    also: Mapping[str, Tensor] | None = None,
) -> Trouble | None:
    """Return what is wrong with `got`, None if it is `wanted`.

    Args:
        what: Of what it is, in words: `the gradient of weight`.
        got: What the student's function gave.
        wanted: The right tensor.
        world: Number of ranks.
        rank: This rank.
        before: What the rank began with.
        parts: What each rank puts in, where `wanted` is their sum.
        of_ranks: What each rank should have at the end.
        also: Wrong tensors with their meaning in words.
    """
    if got is None:
        return Trouble(
            "wrong", f"{what} is None", meaning="your function returns nothing: is a `return` missing?"
        )
    if not isinstance(got, torch.Tensor):
        return Trouble("wrong", f"{what} is not a tensor but {type(got).__name__}")
    with torch._C.DisableTorchFunctionSubclass():  # numbers as they are, not as a class of theirs answers
        got = got.detach().clone()  # something may still arrive in it
    if type(got) is not Tensor:
        return Trouble("wrong", f"{what} is no plain tensor but {type(got).__name__}")
    if got.shape != wanted.shape:
        return Trouble(
            "wrong",
            f"{what} has another shape",
            expected=str(tuple(wanted.shape)),
            got=str(tuple(got.shape)),
            meaning=_of_shapes(got, wanted, world),
        )
    wanted = wanted.to(got.dtype) if got.is_floating_point() and wanted.is_floating_point() else wanted
    if got.dtype != wanted.dtype:
        return Trouble("wrong", f"{what} has another type", expected=str(wanted.dtype), got=str(got.dtype))
    same = _same(got, wanted)
    if bool(same.all()):
        return None
    at = tuple(int(i) for i in (~same).nonzero()[0])
    wrong, every = int((~same).sum()), same.numel()
    amount = "all of it" if wrong == every else f"{wrong} of {every} elements"
    return Trouble(
        "wrong",
        f"{what} is wrong: {amount}",
        where=f"element {list(at)}" if at else "",
        expected=_number(wanted[at]),
        got=_number(got[at]),
        meaning=_meaning(got, wanted, same, world, rank, before, parts, of_ranks, also or {}),
    )


def alike(got: object, wanted: object) -> bool:
    """Return whether a plain value is the wanted one; how an object of theirs compares is not asked."""
    if isinstance(wanted, list | tuple):
        if type(got) is not type(wanted):
            return False
        return len(got) == len(wanted) and all(map(alike, got, wanted))
    if isinstance(got, torch.Tensor) and got.numel() == 1:
        got = got.item()
    elif isinstance(got, Integral) and not isinstance(got, bool):  # numpy's, too
        got = int(got)
    elif isinstance(got, Real) and not isinstance(got, bool):
        got = float(got)
    return type(got) in PLAIN and got == wanted


def _meaning(
    got: Tensor,
    wanted: Tensor,
    same: Tensor,
    world: int,
    rank: int,
    before: Tensor | None,
    parts: Sequence[Tensor],
    of_ranks: Sequence[Tensor],
    also: Mapping[str, Tensor],
) -> str:
    """What the pattern usually means; "" if it is none that is known. The most special comes first."""
    for words, other in also.items():
        if _all(got, other):
            return words
    if bool(got.isnan().any()) if got.is_floating_point() else False:
        return "there are NaNs in it: a buffer that was never filled, or 0 divided by 0"
    if before is not None and _all(got, before):
        return "it is what this rank began with: nothing that was received has gone in"
    for owner, theirs in enumerate(of_ranks):
        if owner != rank and _all(got, theirs) and not _all(theirs, wanted):
            how = "off by one rank" if owner in ((rank + 1) % world, (rank - 1) % world) else "a wrong rank"
            return f"that is what rank {owner} should have: {how}"
    if got.is_floating_point():
        if _all(got, wanted * world):
            return f"{world} times too large: the sum instead of the mean, nobody divided by {world}"
        if _all(got, wanted / world):
            return f"{world} times too small: divided by {world} once too often"
        if _all(got, wanted / world**2):
            return f"{world * world} times too small: divided by {world} twice too often"
        if _all(got, -wanted):
            return "right but for the sign: plus and minus are the other way round"
        if bool(got.any()) and not bool((got % 1).any()) and _all(got, wanted.floor()):
            return "rounded down to whole numbers: `//` divides so, `/` does not"
        if words := _of_a_factor(got, wanted):
            return words
    if not bool(got.any()):
        return "all zeros: nothing was written into it"
    return _of_parts(got, wanted, parts) or _of_chunks(got, wanted, same, world, before)


def _of_a_factor(got: Tensor, wanted: Tensor) -> str:
    """Whether all elements are the same whole number of times too large or too small."""
    if got.numel() < 2 or not bool(wanted.all()) or not bool(got.all()):
        return ""
    times = float((got / wanted).flatten().median())
    for factor, how, much in (
        (times, "large", "not divided"),
        (1 / times, "small", "divided once too often"),
    ):
        whole = round(factor)
        if 2 <= whole <= 100_000 and _all(got, wanted * whole if how == "large" else wanted / whole):
            return f"every number is {whole} times too {how}: it is {much}"
    return ""


def _of_parts(got: Tensor, wanted: Tensor, parts: Sequence[Tensor]) -> str:
    difference = got - wanted
    for which, part in enumerate(parts):
        if part.shape != got.shape or not bool(part.any()):
            continue
        if _all(difference, -part):
            return f"what rank {which} puts in is missing"
        if _all(difference, part):
            return f"what rank {which} puts in is counted twice"
        if _all(got, part):
            return f"it is what rank {which} put in, alone"
    for count in range(2, len(parts) - 1) if len(parts) <= MOST_PARTS else ():
        for some in itertools.combinations(range(len(parts)), count):
            if _all(got, torch.stack([parts[n] for n in some]).sum(0)):
                return (
                    f"it is the sum of what ranks {', '.join(map(str, some))} put in: the others are missing"
                )
    return ""


def _of_chunks(got: Tensor, wanted: Tensor, same: Tensor, world: int, before: Tensor | None) -> str:
    """Whether whole chunks, a world-th each of the first dimension, are right and others are not."""
    if not got.ndim or got.shape[0] % world or got.shape[0] < world:
        return ""
    right = [bool(chunk.all()) for chunk in same.chunk(world)]
    bad = [n for n, fine in enumerate(right) if not fine]
    moved = [
        next((m for m, it in enumerate(wanted.chunk(world)) if _all(one, it)), -1) for one in got.chunk(world)
    ]
    if -1 not in moved and len(set(moved)) == world:
        return f"every chunk is right, but they are in the order {', '.join(map(str, moved))}"
    if not any(right):
        return ""
    names = ", ".join(map(str, bad))
    which = f"chunk{'s' if len(bad) > 1 else ''} {names}"
    if before is not None and before.shape == got.shape:
        pairs = zip(got.chunk(world), before.chunk(world), strict=True)
        if all(_all(ours, old) for n, (ours, old) in enumerate(pairs) if n in bad):
            were = "were" if len(bad) > 1 else "was"
            return f"{which} {were} forgotten: still this rank's own numbers"
    return f"only {which} {'are' if len(bad) > 1 else 'is'} wrong, the others are right"


def _of_shapes(got: Tensor, wanted: Tensor, world: int) -> str:
    if got.numel() == wanted.numel() * world:
        return f"{world} times as much as one rank owns: the whole instead of its part"
    if got.numel() * world == wanted.numel():
        return "the part of one rank instead of the whole"
    return ""


def _same(got: Tensor, wanted: Tensor) -> Tensor:
    if got.is_floating_point():
        return isclose(got, wanted, rtol=RTOL, atol=ATOL)
    return got == wanted


def _all(got: Tensor, other: Tensor) -> bool:
    return got.shape == other.shape and bool(_same(got, other.to(got.dtype)).all())


def _number(value: Tensor) -> str:
    number = value.item()
    return f"{number:.6g}" if isinstance(number, float) else str(number)
