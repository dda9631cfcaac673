"""Checksums and gradient norms of replicas, of slices, and of copies of slices, from real ranks."""

from __future__ import annotations

import pytest
from demo_run import Run

pytestmark = pytest.mark.slow
SMALL = {"width": 64, "layers": 2, "seq": 32, "batch": 4, "steps": 2}


def test_the_norm_of_slices_is_that_of_the_whole_gradient(run: Run) -> None:
    """No rank of stage 3 has the whole gradient; together their slices have the norm that replicas see."""
    replicas = run("zero", ranks=2, stage=0, **SMALL).snapshot.rows
    slices = run("zero", ranks=2, stage=3, **SMALL).snapshot
    assert all(row.grad_norm == pytest.approx(replicas[0].grad_norm, rel=1e-4) for row in slices.rows)
    assert slices.equal is None and all(row.checksum is None for row in slices.rows)


def test_copies_of_a_slice_are_compared_on_a_mesh(run: Run) -> None:
    shown = run("hsdp", ranks=4, **SMALL).snapshot
    assert (shown.equal, shown.equal_step) == (True, 1)
    sums = [row.checksum for row in shown.rows]
    assert sums[0] == sums[2] != sums[1] == sums[3]
    assert len({row.grad_norm for row in shown.rows}) == 1 and shown.rows[0].grad_norm
