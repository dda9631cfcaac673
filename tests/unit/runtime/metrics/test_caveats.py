"""What is said of a run in words, from the steps of its ranks."""

from __future__ import annotations

import math

import pytest

from runtime.metrics.run_warnings import Caveats
from runtime.protocol.events import Collective, Step


def step(number: int, loss: float | None, rank: int = 0) -> Step:
    return Step("r", 0, rank, number + 1.0, number, float(number), loss, 0, 0.0, 0.0, 0.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("losses", "said"),
    [
        ([0.4, math.inf, math.nan, math.nan, math.nan], "loss is infinite, then NaN since step 1"),
        ([math.nan] * 12, "loss is NaN since step 0"),
        ([0.4, -math.inf, math.nan, math.inf, math.nan], "loss is infinite, then NaN since step 1"),
        ([math.nan, 0.3, math.inf], "loss is infinite since step 2"),
        ([math.nan, None, math.nan], "loss is NaN since step 0"),
        ([math.nan, 0.3], None),
    ],
)
def test_each_kind_of_no_number_is_said_once(losses: list[float | None], said: str | None) -> None:
    remarks = Caveats(1)
    for number, loss in enumerate(losses):
        remarks.step(step(number, loss))
    assert remarks.said(len(losses), sees_all=True) == ((said,) if said else ())


def test_whose_loss_it_is_and_what_the_ranks_differ_in() -> None:
    remarks = Caveats(4)
    for rank, loss in enumerate((0.4, math.nan, 0.5, math.inf)):
        remarks.step(step(3, loss, rank))
    assert remarks.said(0, sees_all=True) == ("loss of ranks 1, 3 is NaN or infinite since step 3",)


def called(op: str, size: int, rank: int) -> Collective:
    return Collective("r", 0, rank, 1.0, 0, op, "0", -1, size, 0, 0.5, 1.0, 0.5)


def test_what_a_script_without_a_step_called_is_counted_and_told_at_its_end() -> None:
    remarks = Caveats(2)
    for rank in range(2):
        for op, size in [("all-reduce", 4000)] * 5 + [("all-gather", 8000), ("barrier", 0)]:
            remarks.collective(called(op, size, rank))
    remarks.collective(called("send", 100, 0))
    assert remarks.said(-1, sees_all=True) == ()  # a first step may still come
    assert remarks.said(-1, sees_all=True, over=True) == (
        "no step was seen; in the whole run a rank called on average 5 all-reduce, 1 all-gather, 1 barrier, "
        "0.5 send, of 28,050 bytes",
    )
    remarks.step(step(0, 0.5))
    assert remarks.said(0, sees_all=True, over=True) == ()
