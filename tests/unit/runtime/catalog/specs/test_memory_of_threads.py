"""The peak of `dp`'s replicas, one process of many threads, held against torch's allocator.

Torch's profiler hears of memory in the thread that began it, and in those that ask for it by its C++
interface (`enableProfilerInChildThread`). How far threads meet is the scheduler's; the formula is the most
that can be.
"""

from __future__ import annotations

import copy
import ctypes
import importlib
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate
from pathlib import Path
from types import ModuleType

import pytest
import torch
from torch.profiler import ProfilerActivity, profile

from runtime.catalog import registry
from runtime.catalog.params import DEMOS_DIR
from runtime.catalog.registry import DEMOS, Launchable
from runtime.demos.model import Sentences, TinyLM


@pytest.fixture
def dp(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The demo's script, which imports its neighbours by plain names."""
    monkeypatch.syspath_prepend(DEMOS_DIR)
    return importlib.import_module("dp")


def in_this_thread(what: str) -> Callable[[], None]:
    ending = "dylib" if sys.platform == "darwin" else "so"
    library = ctypes.CDLL(str(Path(torch.__file__).parent / "lib" / f"libtorch_cpu.{ending}"))
    name = f"{what}ProfilerInChildThread"
    found: Callable[[], None] = getattr(library, f"_ZN5torch8autograd8profiler{len(name)}{name}Ev")
    return found


def train(dp: ModuleType, threads: int, batch: int, seq: int, width: int, layers: int) -> None:
    """What `dp` does, in its order, for the two steps after which no other has more."""
    replicas = [TinyLM(width, layers, seq)]
    replicas += [copy.deepcopy(replicas[0]) for _ in range(threads - 1)]
    optimizer = torch.optim.AdamW(replicas[0].parameters())
    tokens, targets = Sentences(threads * batch, seq).take(0, threads * batch)
    watch, leave = in_this_thread("enable"), in_this_thread("disable")

    def watched(*piece: object) -> None:
        watch()
        try:
            dp.forward_backward(*piece)
        finally:
            leave()

    with ThreadPoolExecutor(threads) as pool:
        for _ in range(2):
            _, expected = dp.alone(replicas[0], tokens, targets)
            dp.broadcast(replicas)
            list(pool.map(watched, replicas, tokens.chunk(threads), targets.chunk(threads)))
            dp.reduce(replicas)
            optimizer.step()
            optimizer.zero_grad()
    assert expected


def allocated_at_most(dp: ModuleType, *sizes: int) -> int:
    """Bytes that torch's allocator had given out at the highest moment of `train`."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as seen:
        train(dp, *sizes)
    events = seen.profiler.kineto_results.events()
    changes = sorted((event.start_ns(), event.nbytes()) for event in events if event.name() == "[memory]")
    return int(max(accumulate(size for _, size in changes)))


@pytest.mark.parametrize(
    ("threads", "batch", "seq", "width", "layers"),
    [(4, 8, 64, 128, 2), (2, 8, 64, 128, 2), (3, 4, 96, 64, 3), (4, 1, 16, 128, 2), (1, 8, 64, 128, 2)],
)
def test_the_peak_of_all_threads(
    dp: ModuleType, threads: int, batch: int, seq: int, width: int, layers: int
) -> None:
    line = f"dp threads={threads} batch={batch} seq={seq} width={width} layers={layers}"
    asked = registry.check(*registry.parse_line(line))  # type: ignore[misc]
    assert isinstance(asked, Launchable)
    most = allocated_at_most(dp, threads, batch, seq, width, layers)
    assert DEMOS["dp"].memory(asked.values)["peak"] == pytest.approx(most, rel=0.02)
