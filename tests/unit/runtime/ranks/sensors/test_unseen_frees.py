"""What a backend's thread lets go of is not in a profile; it is found by who has the memory next."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest
from warm_python import WarmPython

from runtime.ranks.sensors.unseen_frees import Change, unseen

OPS = {1: [0, 10, 30, 50, 70], 2: [40]}  # begins of the operators of two threads


def test_what_was_freed_in_sight_is_not_told_again() -> None:
    assert unseen([Change(11, 8, 0xA, 1, 20), Change(25, -8, 0xA, 1)], OPS) == []


def test_a_buffer_of_a_call_is_free_when_its_caller_goes_on() -> None:
    """Given out in a call that ended at 20; the next operator of that thread, not of another, is at 30."""
    given = Change(12, 8, 0xA, 1, 20)
    assert unseen([given], OPS) == [(30, -8)]
    assert unseen([given, Change(60, 4, 0xA, 1)], OPS) == [(30, -8)]
    assert unseen([given, Change(25, 4, 0xA, 2)], OPS) == [(25, -8)]  # another thread had it earlier


def test_other_memory_is_free_when_it_is_given_out_again() -> None:
    assert unseen([Change(12, 8, 0xA, 1), Change(55, 4, 0xA, 1)], OPS) == [(55, -8)]
    assert unseen([Change(12, 8, 0xA, 1)], OPS) == []  # it may be there still


def test_behind_the_last_operator_a_buffer_is_free_at_the_end_of_the_call() -> None:
    assert unseen([Change(71, 8, 0xA, 1, 80)], OPS) == [(80, -8)]


def test_a_free_of_another_thread_is_not_in_a_profile_of_torch(tmp_path: Path) -> None:
    """The reason for all of this: where a torch reports it, this module has nothing left to find."""
    torch = pytest.importorskip("torch")
    held: list[Any] = []
    with torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
    ) as seen:
        held.append(torch.empty(1 << 20, dtype=torch.uint8))
        thread = threading.Thread(target=held.clear)
        thread.start()
        thread.join()
    sizes = [event.nbytes() for event in seen.profiler.kineto_results.events() if event.nbytes()]
    assert sizes == [1 << 20]


REDUCED = """
from pathlib import Path
import torch, torch.distributed as dist
from runtime.ranks.sensors import profiler
told = []
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
whole, part = torch.ones(1 << 18), torch.empty(1 << 18)
dist.reduce_scatter_tensor(part, whole)
with profiler.take(1, Path(FOLDER), lambda **fields: told.append(fields)):
    before = profiler.memory_now()[0]
    for _ in range(20):
        dist.reduce_scatter_tensor(part, whole)
        whole.add_(1)
dist.destroy_process_group()
(fields,) = told
assert fields["failed"] == "" and 0 < fields["peak"] - before <= 1.1 * 4 * (1 << 18), (fields, before)
"""


def test_a_reduce_scatter_of_gloo_leaves_no_copy_behind(tmp_path: Path, warm_python: WarmPython) -> None:
    """One rank reduces a megabyte 20 times over: the peak has one copy of it, whoever frees that. In a
    process of its own: where other threads compute meanwhile, as in one of many tests, no peak is told."""
    done = warm_python.run(REDUCED.replace("FOLDER", repr(str(tmp_path))))
    assert done.returncode == 0, done.stderr
