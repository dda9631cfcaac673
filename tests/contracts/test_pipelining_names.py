"""Every name of `torch.distributed.pipelining` that is used here without torch's promise to keep it.

With another torch the picture of a pipeline goes, or has no theory beside it; training goes on.
"""

from __future__ import annotations

import inspect
import sys
from contextlib import nullcontext
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("torch")

from made_pipelines import TORCHS_NAMES
from torch.distributed.pipelining import PipelineStage
from torch.distributed.pipelining._schedule_visualizer import get_schedule_ops

from runtime.metrics.steps import pipeline_schedules
from runtime.metrics.steps.pipeline_schedules import Shape
from runtime.ranks.hooks import pipeline
from runtime.ranks.hooks.pipeline import METHODS, Pipelines


def test_stages_compute_through_the_three_methods_we_follow() -> None:
    base = getattr(import_module(pipeline.MODULE), pipeline.BASE)
    assert [name for name in METHODS if not hasattr(base, name)] == []


@pytest.mark.parametrize("name", METHODS)
def test_the_micro_batch_comes_first(name: str) -> None:
    parameters = list(inspect.signature(getattr(PipelineStage, name)).parameters)
    assert parameters[1].endswith("chunk_id")
    if name == pipeline.BACKWARD:
        assert "full_backward" in parameters


def test_a_stage_says_which_it_is_and_of_how_many_ranks() -> None:
    source = inspect.getsource(PipelineStage.__mro__[1].__init__)
    assert "self.stage_index = " in source and "self.group_size = " in source


def test_a_schedule_computes_the_loss_through_the_method_we_follow() -> None:
    __import__(pipeline.SCHEDULES)
    schedule = getattr(sys.modules[pipeline.SCHEDULES], pipeline.SCHEDULE)
    assert callable(getattr(schedule, pipeline.LOSS))


ONE, TWO = [Shape(2, 2), Shape(4, 8)], [Shape(2, 2, 2), Shape(4, 8, 2), Shape(4, 6, 2)]
ORDERS = [
    *(("gpipe", shape) for shape in ONE),
    *(("1f1b", shape) for shape in ONE),
    *(("interleaved", shape) for shape in [*TWO, Shape(3, 9, 3)]),
    *(("zero-bubble", shape) for shape in [*TWO, Shape(3, 9, 3)]),
    *(("zbv", shape) for shape in TWO),
]


@pytest.mark.parametrize(("name", "shape"), ORDERS)
def test_our_orders_are_torchs(name: str, shape: Shape) -> None:
    theirs = get_schedule_ops(TORCHS_NAMES[name], *shape, with_comms=False)
    for rank, lane in enumerate(pipeline_schedules.grid(name, shape)):
        if name == "1f1b" and rank == shape.ranks - 1:
            continue  # torch lists its forwards from 1, and runs them from 0: the demo's test sees that
        ours = [(p.kind, p.stage, p.microbatch) for p in lane]
        assert ours == [
            (str(a.computation_type.value), a.stage_index, a.microbatch_index)
            for a in theirs[rank]
            if a is not None and a.computation_type.value in "FBIW"
        ]


# --- what is made of them ---------------------------------------------------------------------------------


class Base:
    stage_index, group_size = 5, 4

    def forward_one_chunk(self, chunk_id: int, x: int) -> int:
        return x + chunk_id

    def backward_one_chunk(self, chunk_id: int, full_backward: bool = True) -> None:
        if chunk_id == 99:
            raise RuntimeError("no gradient")

    def backward_weight_one_chunk(self, chunk_id: int) -> None: ...


class Padded(Base):
    def forward_one_chunk(self, *args: Any, **kwargs: Any) -> int:
        return 10 * super().forward_one_chunk(*args, **kwargs)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    for stage_type in (Base, Padded):  # setattr of what is there: undone after the test
        for name in METHODS:
            if name in vars(stage_type):
                monkeypatch.setattr(stage_type, name, vars(stage_type)[name])
    monkeypatch.setitem(sys.modules, pipeline.MODULE, SimpleNamespace(_PipelineStageBase=Base))  # type: ignore[arg-type]
    told: list[tuple[Any, ...]] = []
    following = Pipelines(
        lambda kind, t0, t1, stage, m, chunk: told.append((kind, t0 <= t1, stage, m, chunk)),
        lambda name: nullcontext(told.append((name,))),
    )
    following.follow()
    following.follow()
    return told


def test_each_piece_is_told_once_with_its_phase(told: list[tuple[Any, ...]]) -> None:
    stage = Base()
    assert stage.forward_one_chunk(2, x=1) == 3
    stage.backward_one_chunk(2)
    stage.backward_one_chunk(3, full_backward=False)
    stage.backward_weight_one_chunk(3)
    assert told == [
        ("forward",), ("F", True, 5, 2, 1),
        ("backward",), ("B", True, 5, 2, 1),
        ("backward",), ("I", True, 5, 3, 1),
        ("backward",), ("W", True, 5, 3, 1),
    ]  # fmt: skip


def test_an_override_counts_with_what_it_overrides(told: list[tuple[Any, ...]]) -> None:
    assert Padded().forward_one_chunk(2, 1) == 30
    assert told == [("forward",), ("F", True, 5, 2, 1)]


def test_a_piece_that_fails_is_none_and_the_next_one_is(told: list[tuple[Any, ...]]) -> None:
    with pytest.raises(RuntimeError, match="no gradient"):
        Base().backward_one_chunk(99)
    Base().backward_one_chunk(1)
    assert told == [("backward",), ("backward",), ("B", True, 5, 1, 1)]


@pytest.mark.parametrize(
    "module", [None, SimpleNamespace(), SimpleNamespace(_PipelineStageBase=type("Stage", (), {}))]
)
def test_without_the_names_nothing_is_followed(monkeypatch: pytest.MonkeyPatch, module: Any) -> None:
    monkeypatch.setitem(sys.modules, pipeline.MODULE, module)
    Pipelines(lambda *piece: None, lambda name: nullcontext()).follow()
