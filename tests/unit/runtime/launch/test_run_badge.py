"""What stands beside a badge: everything that makes a run another than it would be elsewhere, as measured."""

from __future__ import annotations

from runtime.catalog import registry
from runtime.launch import run_badge
from runtime.protocol.figures import Named


def bent(name: str, *, cores: int = 8, why: str = "", **params: str) -> list[str]:
    demo = registry.check(name, params)
    assert isinstance(demo, registry.Launchable)
    return run_badge.bent(demo, "cpu", demo.ranks, why, cores)


def test_where_real_ranks_compute() -> None:
    assert [run_badge.live(device) for device in ("cpu", "cuda", "cuda:0")] == [
        "LIVE CPU",
        "LIVE GPU",
        "LIVE GPU",
    ]


def test_what_was_bent_is_said_and_else_nothing() -> None:
    assert bent("ddp", ranks="2") == []
    assert bent("ddp", ranks="4", cores=2) == ["4 ranks on 2 cores"]
    assert bent("ddp", ranks="2", why="1 GPU not used") == ["1 GPU not used"]
    assert bent("ddp", ranks="2", slow_rank="1", slow_ms="50") == ["rank 1 slowed 50 ms"]


def test_the_ranks_own_figures_take_the_place_of_what_was_asked_for() -> None:
    said = run_badge.as_measured(
        (run_badge.PADDED, "rank 1 slowed 0.5 of its steps"),
        [Named("padded", "ms", 3, ((12.2,), (14.6,))), Named("slowed", "ms", 3, ((), (31.0,)))],
    )
    assert said == ("padded 15 ms", "rank 1 slowed 31 ms")
