"""Tensor parallelism on real ranks: the result of one rank, and the exchanges that theory counts."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

pytest.importorskip("torch")
pytestmark = pytest.mark.slow

ACTIVATION = 8 * 64 * 128 * 4  # batch, sequence, width, fp32


@pytest.mark.parametrize("ranks", [2, 4])
def test_it_learns_what_one_rank_learns(run: Run, ranks: int) -> None:
    ran, alone = run("tensor", ranks=ranks, steps=3), run("tensor", ranks=1, steps=3)
    as_promised(ran)
    for rank in range(ranks):
        assert ran.losses(rank) == pytest.approx(alone.losses(0), abs=1e-4)


@pytest.mark.parametrize(("ranks", "layers"), [(2, 2), (4, 2), (2, 3)])
def test_two_all_reduces_forward_and_two_backward_a_layer(run: Run, ranks: int, layers: int) -> None:
    """In backward one for the input that q, k and v share, one for that of the MLP."""
    ran = run("tensor", ranks=ranks, steps=3, layers=layers)
    calls, size = ran.issued(step=2)
    assert calls == {"all-reduce": 4 * layers}
    assert size == {"all-reduce": 4 * layers * ACTIVATION}
    row = next(row for row in ran.snapshot.ops if row.op == "all-reduce")
    assert (row.group, row.members) == ("world", ranks)
    assert row.seconds is not None and row.busbw is not None


def test_all_of_it_is_stood_still_for(run: Run) -> None:
    """Each result is needed at once: below autograd too the wait for it is seen."""
    for row in run("tensor", ranks=2, steps=3).snapshot.rows:
        assert row.exposed is not None and row.wait is not None and row.exposed + row.wait > 0
        assert row.hidden is not None and row.hidden < 0.2 * (row.step_s or 0)


def test_every_rank_has_its_share_of_the_heads(run: Run) -> None:
    whole, half, quarter = (run("tensor", ranks=ranks, steps=3).figures()["params"] for ranks in (1, 2, 4))
    assert isinstance(whole, int) and isinstance(half, int) and isinstance(quarter, int)
    cut = 2 * 4 * (12 * 128**2 + 4 * 128)  # bytes of what is cut, in two layers
    assert (whole - half, whole - quarter) == (cut // 2, cut * 3 // 4)
