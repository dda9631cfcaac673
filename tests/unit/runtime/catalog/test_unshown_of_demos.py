"""Why a run of a demo does not show its point: on made figures, with what it showed just before the limit."""

from __future__ import annotations

import made_snapshots as made
from msgspec.structs import replace

from runtime.catalog import registry
from runtime.protocol.messages import Snapshot

Told = dict[str, bool | int | float | str | None]


def ranks(
    computed: list[float], waited: list[float] | None = None, told: list[Told] | None = None, **of_run: object
) -> Snapshot:
    """A run in which each rank computed and waited so many milliseconds a step, and its last words."""
    waits, said = waited or [0.0] * len(computed), told or [{} for _ in computed]
    first = made.running().rows[0]
    rows = tuple(
        replace(first, rank=rank, compute=c / 1000, hidden=0.0, wait=w / 1000, result=r)
        for rank, (c, w, r) in enumerate(zip(computed, waits, said, strict=True))
    )
    return replace(made.running(), state="done", rows=rows, bent=("4 ranks on 2 cores",), **of_run)


def why(name: str, ran: Snapshot, **params: object) -> str:
    demo = registry.check(name, {key: str(value) for key, value in params.items()})
    assert isinstance(demo, registry.Launchable), demo
    return registry.DEMOS[name].unshown(demo.values, ran)


def test_buckets_that_hide_nothing_say_why() -> None:
    seven = ranks([90] * 4, collectives=7, overlap=0.05)
    assert why("buckets", seven).startswith(
        "5% of the time in all-reduces was hidden behind backward: 4 ranks on 2 cores"
    )
    assert why("buckets", replace(seven, overlap=0.7)) == ""
    assert why("buckets", replace(seven, overlap=0.0), schedule="flat") == ""  # it cannot, and shows that
    one = replace(seven, overlap=0.0, collectives=1)
    assert "one bucket holds all gradients" in why("buckets", one, bucket_mb=25)


def test_a_ring_says_when_its_work_was_not_done_in_that_time() -> None:
    plain: list[Told] = [{"pairs": n} for n in (3, 7, 11, 15)]
    even: list[Told] = [{"pairs": 9}] * 4
    assert why("context", ranks([50, 70, 90, 110], [90, 60, 30, 5], plain), order="plain") == ""
    said = why("context", ranks([50, 70, 110, 100], [180, 150, 70, 105], plain), order="plain")
    assert "rank by rank more work (3, 7, 11, 15 pairs)" in said and "computed 50, 70, 110 and 100 ms" in said
    waits = why("context", ranks([50, 70, 90, 110], [180, 150, 70, 105], plain), order="plain")
    assert "waited 180, 150, 70 and 105 ms in" not in waits and "70 and 105 ms: 4 ranks on 2 cores" in waits
    assert why("context", ranks([100, 110, 105, 120], None, even)) == ""
    assert "the same work for each (9, 9, 9, 9 pairs)" in why(
        "context", ranks([100, 110, 105, 160], None, even)
    )


def test_skew_that_nobody_waits_for_says_so() -> None:
    def told(fullest: float, dropped: int) -> list[Told]:
        return [{"fullest": fullest, "dropped": dropped, "asked": 25600}] * 4

    assert why("expert", ranks([90, 40, 70, 60], None, told(1.0, 0))) == ""  # no skew was asked for
    assert why("expert", ranks([60] * 4, [30] * 4, told(1.5, 4282)), skew=2) == ""
    assert why("expert", ranks([90, 50, 48, 44], [5, 40, 43, 50], told(1.7, 0)), skew=2, capacity=4) == ""
    said = why("expert", ranks([70, 75, 48, 44], [5, 40, 43, 50], told(1.7, 0)), skew=2, capacity=4)
    assert said.startswith("rank 0 has 1.70 times the mean to do") and "4 ranks on 2 cores" in said
    assert "skew=0.1 is too little" in why("expert", ranks([60] * 4, [30] * 4, told(1.05, 0)), skew=0.1)


def test_threads_say_when_it_is_the_cores() -> None:
    def threads(speedup: float, cores: int) -> Snapshot:
        return ranks([300], told=[{"speedup": speedup, "cores": cores}])

    assert why("dp", threads(0.83, 2)) == why("dp", threads(1.3, 4)) == ""
    assert why("dp", threads(1.8, 2)).startswith("4 threads share 2 cores and were 1.80 x as fast as one")
    assert "so long that Python's lock" in why("dp", threads(3.6, 8))
    assert why("dp", threads(1.0, 8), threads=1) == ""
