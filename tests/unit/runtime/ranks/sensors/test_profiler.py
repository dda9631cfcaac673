"""The x-ray of one real step in this process: its marks, its memory, its file, and how it fails."""

from __future__ import annotations

import gc
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import torch.distributed as dist  # noqa: E402
from torch import nn  # noqa: E402
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import allreduce_hook  # noqa: E402

from runtime.demos.model import Sentences, TinyLM, next_token_loss  # noqa: E402
from runtime.ranks.sensors import profiler  # noqa: E402

MIB = 1 << 20


@pytest.fixture(autouse=True)
def only_the_test_s_own_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of who runs the tests compute now and then, and are none of a training's."""
    theirs, all_of_them = {thread.ident for thread in threading.enumerate()}, profiler.processor_times
    monkeypatch.setattr(
        profiler, "processor_times", lambda: {t: ns for t, ns in all_of_them().items() if t not in theirs}
    )


class Training:
    """A small model of `width`, so that tests run in milliseconds."""

    def __init__(self, width: int = 64, early: bool = False) -> None:
        self.model = TinyLM(width, 1)
        self.optimizer = torch.optim.AdamW(self.model.parameters())
        self.tokens, self.targets = Sentences(4).take(0, 4)
        self.early = early
        self.ballast: list[Any] = []

    def step(self) -> None:
        if self.early:
            self.optimizer.zero_grad()
        loss = next_token_loss(self.model(self.tokens), self.targets)
        loss.backward()
        self.optimizer.step()
        if not self.early:
            self.optimizer.zero_grad()

    def looked_at(self, folder: Path, step: int = 3) -> dict[str, Any]:
        told: list[dict[str, Any]] = []
        with profiler.take(step, folder, lambda **fields: told.append(fields)):
            self.step()
        (fields,) = told
        return fields


def test_marks_are_on_the_common_clock_and_in_the_order_of_a_step(tmp_path: Path) -> None:
    training = Training()
    training.step()
    seen = training.looked_at(tmp_path)
    assert seen["failed"] == "" and seen["step"] == 3
    kinds = [mark[0] for mark in seen["marks"]]
    assert [k for n, k in enumerate(kinds) if n == 0 or kinds[n - 1] != k] == [
        "forward",
        "backward",
        "optimizer",
    ]
    assert all(seen["t0"] - 1e-3 <= t0 <= t1 <= seen["t1"] + 1e-3 for _, t0, t1, _ in seen["marks"])
    labels = [mark[3] for mark in seen["marks"]]
    assert "scaled_dot_product_attention" in labels and "AdamW.step" in labels


def test_the_whole_trace_is_in_the_file(tmp_path: Path) -> None:
    training = Training()
    seen = training.looked_at(tmp_path, step=12)
    assert Path(seen["file"]) == tmp_path / "xray-12-rank-0.json"
    trace = json.loads(Path(seen["file"]).read_text())
    assert {"aten::linear", "[memory]"} <= {event["name"] for event in trace["traceEvents"]}


def test_the_peak_counts_what_was_there_before(tmp_path: Path) -> None:
    training = Training()
    training.step()
    before = training.looked_at(tmp_path)["peak"]
    training.ballast.append(torch.zeros(2 * MIB))
    assert training.looked_at(tmp_path)["peak"] == before + 8 * MIB


def test_a_tensor_made_and_freed_in_forward_moves_the_peak_by_its_size(tmp_path: Path) -> None:
    training = Training()
    forward, size = training.model.forward, 0

    def with_scratch(*given: Any) -> Any:
        torch.zeros(size // 4).sum()
        return forward(*given)

    training.model.forward = with_scratch
    training.step()
    size = 64 * MIB
    smaller = training.looked_at(tmp_path)["peak"]
    size = 96 * MIB
    assert training.looked_at(tmp_path)["peak"] - smaller == 32 * MIB


def test_the_peak_is_parameters_state_activations_and_the_gradients_of_the_logits(tmp_path: Path) -> None:
    """The moment is the begin of backward: no gradient of a weight is there yet (see `specs.sizes`)."""
    training = Training()
    training.step()
    from runtime.ranks.sensors.memory import Ledger

    ledger = Ledger()
    ledger.watch(training.model, training.optimizer)
    with ledger.activations():
        loss = next_token_loss(training.model(training.tokens), training.targets)
    del loss
    present, _ = profiler.memory_now()
    activations, logits = ledger.bytes_by_kind()["activations"] or 0, 4 * 64 * 256 * 4
    seen = training.looked_at(tmp_path)
    assert seen["peak"] == pytest.approx(present + activations + 2 * logits, rel=0.002)


@pytest.mark.parametrize("again", [False, True])
def test_gradients_dropped_at_the_begin_of_the_step_are_not_counted(tmp_path: Path, again: bool) -> None:
    """The allocator tells of what it gave out under its eyes only: the second time it does, the first not."""
    peaks = []
    for early in (False, True):
        gc.collect()
        training = Training(early=early)
        training.step()
        if again:
            training.looked_at(tmp_path)
        peaks.append(training.looked_at(tmp_path)["peak"])
        del training
    assert peaks[1] == pytest.approx(peaks[0], rel=0.001)


def test_a_profiler_that_refuses_costs_the_picture_only(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(torch.profiler, "ProfilerActivity")
    seen = Training().looked_at(tmp_path)
    assert "AttributeError" in seen["failed"] and torch.__version__ in seen["failed"]
    assert (seen["peak"], seen["file"], seen["marks"]) == (None, "", [])
    monkeypatch.undo()

    def broken(**_: object) -> None:
        raise RuntimeError("no such field")

    monkeypatch.setattr(profiler, "Op", broken)
    assert "no such field" in Training().looked_at(tmp_path)["failed"]
    monkeypatch.undo()
    assert Training().looked_at(tmp_path)["failed"] == ""


def test_a_folder_that_is_gone_costs_the_file_only(tmp_path: Path) -> None:
    seen = Training().looked_at(tmp_path / "gone")
    assert seen["file"] == "" and seen["marks"] and seen["peak"] > 0 and not seen["failed"]


def test_a_step_that_raises_is_not_told_and_the_next_can_be_looked_at(tmp_path: Path) -> None:
    told: list[Any] = []
    with pytest.raises(ZeroDivisionError), profiler.take(0, tmp_path, lambda **fields: told.append(fields)):
        1 / 0  # noqa: B018
    assert told == []
    assert Training().looked_at(tmp_path)["failed"] == ""


def test_tied_and_shared_memory_counts_once() -> None:
    base = torch.zeros(MIB)
    before, _ = profiler.memory_now()
    views = [base[:10], base.view(2, -1), nn.Parameter(base)]
    after, _ = profiler.memory_now()
    assert views and after == before


def test_memory_of_threads_that_computed_is_not_known(tmp_path: Path) -> None:
    """The profiler watches one thread. One that only waits takes nothing away."""
    pool = ThreadPoolExecutor(1)
    pool.submit(int).result()  # the thread is there, and waits
    training = Training()
    training.step()
    assert training.looked_at(tmp_path)["peak"]
    own = training.step

    def together() -> None:
        other = pool.submit(Training().step)
        own()
        other.result()

    training.step = together  # type: ignore[method-assign]
    seen = training.looked_at(tmp_path)
    assert seen["peak"] is None and seen["failed"] == "" and seen["marks"]
    pool.shutdown()


def test_gradients_dropped_without_an_optimizer_are_not_counted(tmp_path: Path) -> None:
    """As `torch.distributed.pipelining` does with those of the buffers that it received into."""
    training = Training()
    training.step()
    # What another thread has meanwhile is in a peak too: the lower of two.
    plain, own = min(training.looked_at(tmp_path)["peak"] for _ in range(2)), training.step
    buffer = torch.zeros(MIB // 4, requires_grad=True)

    def clearing() -> None:
        buffer.grad = None
        own()

    training.step = clearing  # type: ignore[method-assign]
    buffer.grad = torch.zeros(MIB // 4)
    assert training.looked_at(tmp_path)["peak"] == plain + MIB  # the buffer itself is still there


@pytest.mark.parametrize("in_hand", [False, True])
def test_buckets_beside_the_gradients_count_once(in_hand: bool) -> None:
    """A hook that had them in hand leaves their tensors with Python; without, only DDP knows of them."""
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        gc.collect()
        gc.freeze()  # what other tests left may go in between: nobody looks at it, as at what a stage had
        before, _ = profiler.memory_now()
        layer = nn.Linear(512, 512, bias=False)
        model = nn.parallel.DistributedDataParallel(layer)
        if in_hand:
            model.register_comm_hook(dist.group.WORLD, allreduce_hook)
        for _ in range(3):
            model(torch.ones(1, 512)).sum().backward()
        after, _ = profiler.memory_now()
        assert after - before == pytest.approx(3 * MIB, rel=0.01)  # parameters, gradients, buckets
        del model
    finally:
        gc.unfreeze()
        dist.destroy_process_group()
