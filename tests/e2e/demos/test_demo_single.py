"""`single` on real processes: the memory mountain has the heights of the formula."""

from __future__ import annotations

import pytest
from demo_run import Ran, Run, as_promised

from runtime.catalog.specs import sizes

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
WHOLE = 4 * sizes.tinylm_parameters({"width": 256, "layers": 2, "seq": 32})
BEFORE, FORWARD, BACKWARD, OPTIMIZER, ZERO_GRAD = range(5)


def mountain(ran: Ran) -> dict[str, tuple[float, ...]]:
    """Bytes by kind at the five points of the last step, of rank 0."""
    return {value.name: value.ranks[0] for value in ran.snapshot.values}


@pytest.mark.parametrize("ranks", [1, 2])
def test_every_process_holds_all_of_it_and_talks_to_nobody(run: Run, ranks: int) -> None:
    ran = run("single", ranks=ranks, steps=2)
    as_promised(ran)
    assert ran.issued(step=1)[0].total() == 0
    assert ran.snapshot.equal is (True if ranks > 1 else ran.snapshot.equal)


@pytest.mark.parametrize(("optimizer", "states"), [("sgd", 0), ("momentum", 1), ("adam", 2), ("adamw", 2)])
def test_the_mountain_rises_in_forward_and_falls_in_backward(run: Run, optimizer: str, states: int) -> None:
    first, later = (run("single", ranks=1, steps=steps, optimizer=optimizer) for steps in (1, 2))
    for ran in (first, later):
        as_promised(ran)
        held = mountain(ran)
        assert held["parameters"] == (WHOLE,) * 5
        assert held["gradients"] == (0, 0, WHOLE, WHOLE, 0)
        activations = held["activations"]
        assert activations[FORWARD] > 0 and sum(activations) == activations[FORWARD]  # gone with backward
        assert activations[FORWARD] == ran.snapshot.rows[0].activations  # as the probe's hooks see it
        assert held["memory"] == tuple(
            map(sum, zip(*(held[kind] for kind in held if kind != "memory"), strict=True))
        )
    # The optimizer has nothing to remember before its first step, and never gives it back.
    state = float(states * WHOLE)
    assert mountain(first)["optimizer_state"] == (0, 0, 0, state, state)
    assert mountain(later)["optimizer_state"] == (state,) * 5


def test_activations_grow_with_batch_and_sequence_and_state_does_not(run: Run) -> None:
    plain = mountain(run("single", ranks=1, steps=2))
    for more in ({"batch": 8}, {"seq": 64}):
        ran = run("single", ranks=1, steps=2, **more)
        as_promised(ran)
        assert mountain(ran)["activations"][FORWARD] == pytest.approx(
            2 * plain["activations"][FORWARD], rel=0.02
        )
