"""Expert parallelism: tokens go to the rank that has their expert, and come back.

A router picks one expert a token (top-1: Fedus, Zoph and Shazeer 2021, Switch Transformer, section 2). An
expert takes at most its capacity, capacity factor x tokens / experts (their equation 3); tokens beyond it
skip the block. Two all-to-alls a block, forward; two more backward.
"""

from __future__ import annotations

import math

from slides.scenes.library.collectives.chunks import beside
from slides.scenes.scene import Param, Scene, Values
from slides.scenes.shapes import AnyShape, Box, Label, State

TOKENS = 4  # of a rank
CHOICE = (0, 1, 0, 2, 3, 0, 1, 0, 2, 0, 3, 1, 0, 2, 0, 3)
"""The expert that the router picks for each of 16 tokens: number 0 is popular, as they are."""

_HOME, _EXPERT = 22.0, 90.0
_TOP = 9.0
_WORD = 8.0  # width that has room for `t15` on the smallest screen


def kept(ranks: int, factor: float) -> dict[int, list[int]]:
    """Return the tokens that each expert takes, first come, first served."""
    capacity = capacity_of(ranks, factor)
    taken: dict[int, list[int]] = {expert: [] for expert in range(ranks)}
    for token in range(ranks * TOKENS):
        expert = CHOICE[token] % ranks
        if len(taken[expert]) < capacity:
            taken[expert].append(token)
    return taken


def capacity_of(ranks: int, factor: float) -> int:
    """Return how many tokens an expert takes: factor x tokens / experts, rounded up."""
    return math.ceil(factor * ranks * TOKENS / ranks)


def state(step: int, values: Values) -> State:
    """Return where every token is: at home, chosen, with its expert, computed, or home again."""
    ranks, factor = int(values["ranks"]), float(values["capacity"])
    taken, capacity = kept(ranks, factor), capacity_of(ranks, factor)
    row = 50.0 / ranks
    high = min(row * 0.62, 7.0)
    wide = min(13.0, (160.0 - _EXPERT) / max(capacity, TOKENS))
    shapes: list[AnyShape] = [
        Label(id="home", at=(_HOME + 2 * 12.0, 3), text="tokens of the rank", short="tokens", ink="dim"),
        Label(
            id="there",
            at=(_EXPERT + capacity * wide / 2, 3),
            text=f"its expert takes at most {capacity}",
            short=f"at most {capacity}",
            ink="dim",
        ),
    ]
    for rank in range(ranks):
        top = _TOP + rank * row
        shapes.append(beside(f"rank{rank}", f"rank {rank}", f"r{rank}", (0.0, top), (19.0, high)))
        shapes.append(
            beside(
                f"expert{rank}",
                f"expert {rank}",
                f"e{rank}",
                (_EXPERT - 18, top),
                (16.0, high),
                f"rank{rank}",
            )
        )
        for slot in range(capacity):
            at = (_EXPERT + slot * wide, top)
            busy = step == 3
            shapes.append(
                Box(
                    id=f"slot{rank}.{slot}",
                    at=at,
                    size=(wide * 0.85, high),
                    ink="select" if busy else "panel",
                    layer=-1,
                    whole=True,
                )
            )
    sent = {token: (expert, slot) for expert, tokens in taken.items() for slot, token in enumerate(tokens)}
    for token in range(ranks * TOKENS):
        home, expert = token // TOKENS, CHOICE[token] % ranks
        place = (_HOME + token % TOKENS * 12.0, _TOP + home * row)
        size = (10.0, high)
        ink = f"rank{home}" if step == 0 else f"rank{expert}"
        dropped = token not in sent and step >= 2
        if step in (2, 3) and token in sent:
            place, size = (_EXPERT + sent[token][1] * wide, _TOP + expert * row), (wide * 0.85, high)
        narrow = step in (2, 3) and token in sent and size[0] < _WORD  # then so are all beside it
        text = f"→{expert}" if step == 1 else str(token) if narrow else f"t{token}"
        shapes.append(
            Box(
                id=f"token{token}",
                at=place,
                size=size,
                ink="faint" if dropped else ink,
                text=text,
                short=str(token),
                glow=0.7 * (step == 3 and token in sent),
                alpha=0.6 if dropped else 1.0,
            )
        )
    lead, caption = _words(step, ranks, taken, capacity)
    return State(tuple(shapes), lead, caption, apart=row)


def _words(step: int, ranks: int, taken: dict[int, list[int]], capacity: int) -> tuple[str, str]:
    total = ranks * TOKENS
    wanted = sum(CHOICE[token] % ranks == 0 for token in range(total))
    lost = total - sum(map(len, taken.values()))
    if step == 0:
        return (
            "Tokens at home",
            f"{ranks} ranks with {TOKENS} tokens each, and one expert each: a feed-forward block of its own.",
        )
    if step == 1:
        return (
            "The router chooses",
            f"{wanted} of {total} tokens want expert 0. The colour of a token is now that of its expert.",
        )
    if step == 2:
        told = (
            f"{lost} tokens find expert 0 full and skip the block."
            if lost > 1
            else "One token finds its expert full and skips the block."
            if lost
            else "Nobody is turned away."
        )
        return "All-to-all", f"Tokens go to the rank of their expert; it takes {capacity}. {told}"
    if step == 3:
        least = min(map(len, taken.values()))
        return (
            "Experts compute",
            f"The fullest has {max(map(len, taken.values()))} tokens, the emptiest {least}: all wait for the "
            "fullest. A balancing loss works against that.",
        )
    return (
        "All-to-all, back",
        "Each token goes home to its place in its sentence. Backward sends the same way twice more.",
    )


SCENE = Scene(
    "experts",
    "expert parallelism: tokens to their experts and back",
    steps=lambda values: 5,
    state=state,
    params=(
        Param("ranks", 4, "ranks, with one expert each", 2, 4),
        Param("capacity", 1.25, "capacity factor of an expert", 0.25, 4.0),
    ),
)
