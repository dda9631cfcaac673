"""Ring all-reduce: n ranks, n chunks, 2(n-1) steps, each over every link of the ring at once.

Patarasuk and Yuan (2009): in reduce-scatter step k (from 0) rank r sends chunk (r - k) mod n to its right
neighbour, which adds it; after n - 1 steps rank r owns the sum of chunk (r + 1) mod n. In all-gather step k
it sends chunk (r + 1 - k) mod n on, which the neighbour copies. Every rank sends 2(n-1) chunks of S/n bytes.
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import Steps, Transfer, in_rows, own, picture
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import State

MOST_RANKS = 8


def scatter(ranks: int) -> Steps:
    """Return the n - 1 steps after which each rank owns the sum of one chunk."""
    return tuple(
        tuple(Transfer(r, (r - k) % ranks, (r + 1) % ranks, True) for r in range(ranks))
        for k in range(ranks - 1)
    )


def gather(ranks: int) -> Steps:
    """Return the n - 1 steps that bring each sum to every rank."""
    return tuple(
        tuple(Transfer(r, (r + 1 - k) % ranks, (r + 1) % ranks) for r in range(ranks))
        for k in range(ranks - 1)
    )


def state(step: int, values: Values) -> State:
    """Return the buffers after `step` steps; one more says what it has cost."""
    ranks = int(values["ranks"])
    steps = (*scatter(ranks), *gather(ranks))
    shapes = picture(own(ranks, ranks), steps if step <= len(steps) else (*steps, ()), step)
    lead, caption = _words(ranks, step, steps)
    return in_rows(ranks, shapes, lead, caption)


def _words(ranks: int, step: int, steps: Steps) -> tuple[str, str]:
    if step == 0:
        return "Gradients in chunks", (
            f"Every rank has S bytes of its own in {ranks} chunks. Numbers say whose gradients are in a sum."
        )
    if step > len(steps):
        share = f"{len(steps) / ranks:.2f}".rstrip("0").rstrip(".")
        return "End", (
            f"Every rank holds every sum, and has sent {len(steps)} chunks of S/{ranks}: "
            f"2(n-1)/n S = {share} S. More ranks bring it near 2 S, never above."
        )
    sent = steps[step - 1]
    adds = sent[0].adds
    name, number = ("Reduce-scatter", step) if adds else ("All-gather", step - (ranks - 1))
    told = ", ".join(f"chunk {t.chunk} of rank {t.source} to rank {t.target}" for t in sent[:2])
    told = told[0].upper() + told[1:] + ("." if ranks <= 2 else ", and so on.")
    if step == ranks - 1:
        told += " Each rank owns one whole sum."
    else:
        told += " Each adds it to its own." if adds else " Each copies it."
    return f"{name}, step {number} of {ranks - 1}", told


def _check(values: Values) -> str:
    ranks, chunks = int(values["ranks"]), int(values["chunks"])
    if chunks not in (0, ranks):
        return f"the ring cuts the buffer into one chunk a rank: write chunks={ranks}, or leave chunks out"
    return ""


SCENE = Scene(
    "ring",
    "ring all-reduce: reduce-scatter, then all-gather",
    steps=lambda values: 2 * int(values["ranks"]),
    state=state,
    params=(
        Param("ranks", 4, "ranks in the ring", 2, MOST_RANKS),
        Param("chunks", 0, "chunks of the buffer: as many as ranks", 0, MOST_RANKS),
    ),
    check=_check,
)
