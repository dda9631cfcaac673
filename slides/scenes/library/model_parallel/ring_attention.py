"""Ring attention: a sequence cut over ranks, keys and values that go round.

Each rank keeps the queries of its part and works with one part of keys and values at a time, while the next
is on its way (Liu, Zaharia and Abbeel 2023, Ring Attention, section 3). With a causal mask a query only looks
at what is not after it: rank r has r + 1 of n parts to work on, so that the last works all the time.
"""

from __future__ import annotations

from slides.scenes.library.collectives.chunks import beside
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, Path, State

_TOP, _QUERY, _KEYS, _DONE = 9.0, 22.0, 52.0, 88.0
_WIDE = 24.0


def visitor(rank: int, step: int, ranks: int) -> int:
    """Return whose keys and values `rank` has in round `step` (from 0): they go to the next rank."""
    return (rank - step) % ranks


def worked(rank: int, rounds: int, ranks: int, causal: bool) -> set[int]:
    """Return the parts that the queries of `rank` have looked at after `rounds` rounds."""
    seen = {visitor(rank, n, ranks) for n in range(rounds)}
    return {part for part in seen if not causal or part <= rank}


def state(step: int, values: Values) -> State:
    """Return all ranks after `step` rounds."""
    ranks, causal = int(values["ranks"]), values["mask"] == "causal"
    row = 50.0 / ranks
    high = min(row * 0.62, 7.0)
    part = (158.0 - _DONE) / ranks
    now = max(step - 1, 0)
    shapes: list[AnyShape] = [
        Label(id="q", at=(_QUERY + _WIDE / 2, 4), text="queries", ink="dim"),
        Label(id="kv", at=(_KEYS + _WIDE / 2, 4), text="keys, values", ink="dim"),
        Label(id="done", at=((_DONE + 158.0) / 2, 4), text="looked at", ink="dim"),
    ]
    for rank in range(ranks):
        top = _TOP + rank * row
        guest = visitor(rank, now, ranks)
        skipped = causal and guest > rank
        shapes += [
            beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (19.0, high)),
            Box(
                id=f"query{rank}",
                at=(_QUERY, top),
                size=(_WIDE, high),
                ink=f"rank{rank}",
                text=f"part {rank}",
                short=str(rank),
                glow=0.6 * (step > 0 and not skipped),
            ),
            Box(
                id=f"keys{guest}",
                at=(_KEYS, top),
                size=(_WIDE, high),
                ink=f"rank{guest}",
                text=f"part {guest}",
                short=str(guest),
                alpha=0.45 if skipped and step else 1.0,
            ),
        ]
        seen = worked(rank, step, ranks, causal)
        for other in range(ranks):
            at, size = (_DONE + other * part, top), (part * 0.9, high)
            needed = not causal or other <= rank
            if needed:
                shapes.append(
                    Box(id=f"place{rank}.{other}", at=at, size=size, ink="panel", layer=-1, whole=True)
                )
            if other in seen:
                new = other == guest and step > 0
                shapes.append(
                    Box(
                        id=f"seen{rank}.{other}",
                        at=at,
                        size=size,
                        ink=f"rank{other}",
                        text=f"{rank}·{other}",
                        short=str(other),
                        comes_from=f"keys{other}",
                        glow=0.5 * new,
                    )
                )
        if 0 < step < ranks and rank + 1 < ranks:
            x = _KEYS + _WIDE + 3.5
            shapes.append(
                Path(
                    id=f"on{rank}",
                    points=((x, top + high / 2), (x, top + row + high / 2)),
                    ink="accent",
                    head=True,
                )
            )
    lead, caption = _words(step, ranks, causal)
    return State(tuple(shapes), lead, caption, apart=row)


def _words(step: int, ranks: int, causal: bool) -> tuple[str, str]:
    if step == 0:
        return (
            "A long sequence",
            f"Cut into {ranks} parts: a rank has the queries, keys and values of one. "
            + ("A query needs the keys of all before it." if causal else "A query needs the keys of all."),
        )
    busy = [
        rank for rank in range(ranks) if visitor(rank, step - 1, ranks) in worked(rank, step, ranks, causal)
    ]
    told = f"{len(busy)} of {ranks} ranks have work" if len(busy) < ranks else "All ranks have work"
    if step == 1:
        return (
            "Round 1",
            f"{told}: each with its own part. Meanwhile its keys and values are sent to the next rank.",
        )
    if step < ranks:
        return (
            f"Round {step}",
            f"{told}: keys and values have moved on by one. What they would see of later words is masked."
            if causal
            else f"{told}: keys and values have moved on by one.",
        )
    end = (
        "Rank 0 was through after one round: parts in zigzag would share the work."
        if causal
        else "In this forward pass no rank held more than two parts of keys and values."
    )
    return f"Round {ranks}", f"Every query has seen all that it may. {end}"


SCENE = Scene(
    "ring-attention",
    "ring attention: keys and values go round",
    steps=lambda values: int(values["ranks"]) + 1,
    state=state,
    params=(
        Param("ranks", 4, "ranks that share a sequence", 2, 8),
        Param("mask", "causal", "what a query may look at", choices=("causal", "none")),
    ),
)
