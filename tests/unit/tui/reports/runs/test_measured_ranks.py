"""Every rank's peak stands beside the formula, and is met within 2 percent.

The bytes are those of 4 ranks, all of them alike (torch 2.13, 2 cores, 2026-11-23).
"""

from __future__ import annotations

import pytest

from runtime.catalog import registry
from runtime.catalog.registry import Launchable
from runtime.supervision.memory_formula_check import MemoryCheck, Term, launchable
from tui.reports.runs import memory_measured

PEAKS = {
    "fsdp ranks=4": 38_038_576,
    "fsdp ranks=2": 62_107_688,
    "hsdp ranks=4": 62_107_696,
    "fsdp ranks=4 width=512 layers=4": 98_021_232,
    "fsdp ranks=4 width=768 layers=1": 88_712_428,
    "fsdp ranks=4 reshard=0": 53_284_904,
    "fsdp ranks=4 batch=16": 63_499_312,
    "buckets ranks=2": 18_199_168,
    "zero stage=3 ranks=4": 38_038_576,
    "zero stage=2 ranks=4": 53_284_904,
    "fsdp ranks=4 batch=16 seq=64 width=64": 38_980_912,
}
WITHIN = 0.02


def checked(line: str, peaks: tuple[int, ...]) -> MemoryCheck:
    demo = launchable(line)
    assert isinstance(demo, Launchable)
    spec = registry.find(demo.name)
    assert spec is not None
    peak = Term("peak", int(spec.memory(demo.values)["peak"]), peaks[0])
    return MemoryCheck(line, 0, len(peaks), (), peak, max(peaks), "LIVE CPU", peaks)


@pytest.mark.parametrize("line", PEAKS)
def test_the_formula_meets_the_allocator(line: str) -> None:
    found = checked(line, (PEAKS[line],))
    assert found.peak.apart is not None and abs(found.peak.apart) <= WITHIN, found.peak.apart


def test_each_rank_has_its_line() -> None:
    found = checked("fsdp ranks=4", (38_038_576, 38_038_576, 41_193_520, 38_038_576))
    said = memory_measured.lines(found)
    assert all(any(line.startswith(f"  peak of rank {rank}") for line in said) for rank in range(4))
    assert "-7.71%" in said[-2] and "another rank had 41.19 MB" in said[0]
    assert [rank["measured"] for rank in memory_measured.as_object(found)["peaks"]] == list(found.peaks)
