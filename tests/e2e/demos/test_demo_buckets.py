"""`buckets` on real ranks: three schedules of the same gradients."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised, known

from runtime.catalog.specs import sizes
from runtime.catalog.specs.data_parallel import buckets

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
WHOLE = 4 * sizes.tinylm_parameters({"width": 128, "layers": 2, "seq": 64})


def test_all_schedules_learn_the_same_from_the_same_bytes(run: Run) -> None:
    ranks = 4
    runs = {
        schedule: run("buckets", ranks=ranks, steps=4, schedule=schedule) for schedule in buckets.SCHEDULES
    }
    messages = {"per_parameter": 29, "flat": 1, "buckets": 7}
    for schedule, ran in runs.items():
        as_promised(ran)
        assert ran.snapshot.equal is True
        for rank in range(ranks):
            assert ran.issued(3, rank) == ({"all-reduce": messages[schedule]}, {"all-reduce": WHOLE})
            assert ran.losses(rank) == pytest.approx(runs["flat"].losses(rank), abs=1e-5)


def test_only_what_starts_during_backward_hides_behind_it(run: Run) -> None:
    for schedule in buckets.SCHEDULES:
        for row in run("buckets", ranks=4, steps=4, schedule=schedule).snapshot.rows:
            assert row.hidden is not None and (row.hidden > 0) is (schedule == "buckets")
            assert row.exposed is not None and row.exposed > 0


def test_the_smaller_the_buckets_the_more_there_are(run: Run) -> None:
    counts = []
    for size in (0.1, 0.5, 25):
        ran = run("buckets", ranks=2, steps=2, bucket_mb=size)
        as_promised(ran)
        counts.append(known(ran.issued(step=1)[0]["all-reduce"]))
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[1] > counts[2] == 1
