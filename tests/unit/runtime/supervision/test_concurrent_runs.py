"""Runs that go on at once say so, each with all the ranks there are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from runtime.catalog import registry
from runtime.catalog.machines import Machines
from runtime.catalog.registry import Launchable
from runtime.launch.device_choice import Placement
from runtime.protocol.events import Hello
from runtime.supervision import concurrent_runs
from runtime.supervision.run import Run

ON_CPU = Placement("LIVE CPU", "gloo", "cpu", ("4 ranks on 2 cores",))


@dataclass
class Going:
    ranks_on_cores: int = 4
    placement: Placement = ON_CPU
    beside: tuple[int, int] = (4, 1)
    was_beside: bool = False

    @property
    def says(self) -> tuple[str, ...]:
        return concurrent_runs.told(self.placement.bent, self.beside, self.was_beside)


@pytest.fixture(autouse=True)
def _two_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concurrent_runs, "cores", lambda: 2)


def test_two_demos_say_how_many_ranks_there_are_in_all() -> None:
    one, other = Going(), Going()
    concurrent_runs.note([one])
    assert one.says == ("4 ranks on 2 cores",)
    concurrent_runs.note([one, other])
    assert one.says == other.says == ("8 ranks on 2 cores, 2 demos",)
    concurrent_runs.note([one])  # the other has ended: what was measured meanwhile stays what it is
    assert one.says == ("4 ranks on 2 cores", "another demo ran beside it for a while")


def test_few_ranks_and_those_of_a_gpu_crowd_no_core() -> None:
    small = Going(1, Placement("LIVE CPU", "gloo", "cpu", ()))
    gpu = Going(0, Placement("LIVE GPU", "nccl", "cuda", ("padded 10 ms",)))
    concurrent_runs.note([small, gpu])
    assert small.says == ("2 demos",) and gpu.says == ("2 demos", "padded 10 ms")


def test_ranks_elsewhere_and_those_that_say_that_they_compute_on_a_gpu_are_on_no_core_here() -> None:
    """Somebody's script and other machines choose for themselves: the CPU is only what is planned here."""
    demo = registry.check("ddp", {"ranks": "4"}, here=False)
    assert isinstance(demo, Launchable)
    here = Run("b", demo)
    assert here.ranks_on_cores == 4
    said = Hello(here.id, 1, 0, here.now(), 1, 0, 0, 4, 4711, "cuda:0", "nccl", here.now(), 0.0, "")
    here.store.ingest(said, here.now())
    assert here.ranks_on_cores == 0
    assert Run("b", replace(demo, machines=Machines(("a", "b"), "a", 29400))).ranks_on_cores == 0
