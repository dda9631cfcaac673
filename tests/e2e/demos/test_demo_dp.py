"""Threads on one process: the gradient of one batch, in the memory of as many models as there are threads."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_find_the_gradient_of_the_whole_batch(run: Run, threads: int) -> None:
    ran = run("dp", threads=threads, steps=3, batch=2)
    as_promised(ran)
    [times] = [value for value in ran.snapshot.values if value.labels == ("one thread", "all threads")]
    assert len(times.ranks[0]) == 2 and min(times.ranks[0]) > 0
    found = ran.figures()
    one, many, speedup = (found[name] for name in ("one_thread_s", "threads_s", "speedup"))
    assert isinstance(one, float) and isinstance(many, float) and speedup == pytest.approx(one / many)


def test_threads_learn_what_processes_learn(run: Run) -> None:
    """The same samples in the same step, and the mean of all gradients: the loss of DDP."""
    threads = run("dp", threads=2, steps=3)
    processes = run("zero", ranks=2, steps=3, stage=0, layers=2, width=128, seq=64, batch=8)
    mean = [sum(losses) / 2 for losses in zip(processes.losses(0), processes.losses(1), strict=True)]
    assert threads.losses(0) == pytest.approx(mean, abs=1e-4)
