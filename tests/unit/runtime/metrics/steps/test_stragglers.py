"""Who is called slow: one that is so in nearly all steps, on a machine that now and then holds up others."""

from __future__ import annotations

import random

import pytest

from runtime.metrics.rank_state import WINDOW
from runtime.metrics.steps.stragglers import slowest_of
from runtime.protocol.figures import RankRow

NOISE_S = 0.010


def named(*late: list[float]) -> int | None:
    middles = [sorted(window)[len(window) // 2] for window in late]
    rows = [RankRow(rank, 0, 1, "train", late_s=middle, step_s=0.2) for rank, middle in enumerate(middles)]
    return slowest_of(rows, late)[1]


def windows(seed: int, slowed_s: float, held_up: int = 0) -> tuple[list[float], list[float]]:
    """Lateness of two ranks, of which rank 1 is slowed; rank 0 is held up by as much in some of the steps."""
    rng = random.Random(seed)
    late = [slowed_s + rng.gauss(0, NOISE_S) for _ in range(WINDOW)]
    for at in rng.sample(range(WINDOW), held_up):
        late[at] -= 0.15 + rng.uniform(0, 0.05)
    return [-seconds for seconds in late], late


@pytest.mark.parametrize("held_up", range(5))
def test_who_is_slowed_is_named_though_the_other_is_held_up_now_and_then(held_up: int) -> None:
    assert [named(*windows(seed, 0.15, held_up)) for seed in range(50)] == [1] * 50


def test_chance_names_nobody() -> None:
    found = [named(*windows(seed, 0.0)) for seed in range(2000)]
    assert sum(rank is not None for rank in found) < 20


def test_who_is_held_up_in_half_of_the_steps_is_not_called_slow() -> None:
    assert [named(*windows(seed, 0.0, WINDOW // 2)) for seed in range(50)] == [None] * 50


@pytest.mark.parametrize("steps", [1, 2, 3, 4])
def test_in_a_few_steps_only_who_is_late_by_much_is_named(steps: int) -> None:
    assert named([-0.02] * steps, [0.02] * steps) is None  # a tenth of a step, any rank may be
    assert named([-0.1] * steps, [0.1] * steps) == 1
