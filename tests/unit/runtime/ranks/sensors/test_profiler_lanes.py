"""The marks of a profiled step: made operators in, known pieces out."""

from __future__ import annotations

from itertools import pairwise

import pytest

from runtime.ranks.sensors.profiler_lanes import MOST_MARKS, Mark, Op, collective, marks, union

NODE = "autograd::engine::evaluate_function: "
MS = 1e-3


def op(name: str, t0: float, t1: float, thread: int = 1, **more: object) -> Op:
    """Times in milliseconds."""
    return Op(name, t0 * MS, t1 * MS, thread, **more)  # type: ignore[arg-type]


def rounded(found: list[Mark]) -> list[tuple[str, float, float, str]]:
    return [(kind, round(t0 / MS, 3), round(t1 / MS, 3), label) for kind, t0, t1, label in found]


STEP = [
    op("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", 0, 1, wraps=True),
    op("aten::stack", 0.2, 0.8),
    op("DistributedDataParallel.forward", 1, 4, wraps=True),
    op("aten::linear", 1.1, 2),
    op("aten::addmm", 1.2, 1.9),
    op("aten::gelu", 2, 3.9),
    op("aten::cross_entropy_loss", 4, 4.5),
    op(NODE + "MmBackward0", 4.6, 6),
    op("MmBackward0", 4.7, 5.9),
    op(NODE + "torch::autograd::AccumulateGrad", 6, 6.1),
    op("gloo:all_reduce", 5, 9, thread=2, wraps=True),
    op("aten::copy_", 5.5, 6, thread=2),
    op("Optimizer.step#AdamW.step", 9.1, 10, wraps=True),
    op("aten::add_", 9.1, 9.9),
    op("aten::item", 10, 10.1),
]


def test_a_step_of_data_parallel() -> None:
    assert rounded(marks(STEP)) == [
        ("data", 0, 1, "next batch"),
        ("forward", 1.1, 2, "linear"),
        ("forward", 2, 3.9, "gelu"),
        ("forward", 4, 4.5, "cross_entropy_loss"),
        ("backward", 4.6, 6, "MmBackward0"),
        ("backward", 6, 6.1, "AccumulateGrad"),
        ("exposed", 6.1, 9, ""),  # what the backend does itself meanwhile is no work of the step
        ("optimizer", 9.1, 10, "AdamW.step"),
        ("other", 10, 10.1, "item"),
        ("all-reduce", 5, 9, "0"),
    ]


def test_a_longer_transfer_is_exposed_by_so_much_and_what_computing_hides_is_not() -> None:
    longer = [o._replace(t1=12 * MS) if "gloo" in o.name else o for o in STEP if o.t0 < 9 * MS]
    late = op("Optimizer.step#AdamW.step", 12.1, 13, wraps=True), op("aten::add_", 12.1, 13)
    exposed = [m for m in rounded(marks([*longer, *late])) if m[0] == "exposed"]
    assert exposed == [("exposed", 6.1, 12, "")]
    hidden = [*longer, *late, op("aten::mm", 6.2, 12)]
    assert [m for m in marks(hidden) if m[0] == "exposed"] == []


def test_a_short_gap_is_pythons_own() -> None:
    ops = [op("aten::a", 0, 1), op("aten::b", 1.2, 2), op("gloo:broadcast", 0, 2, thread=2, wraps=True)]
    assert [m[0] for m in marks(ops)] == ["forward", "forward", "broadcast"]


def test_waiting_inside_an_operator_is_waiting() -> None:
    """FSDP stands in a wrapped stretch, a functional collective in its own operator, backward in a node."""
    ops = [
        op("FSDP::pre_forward", 0, 5, wraps=True),
        op("aten::empty", 0, 0.1),
        op("_c10d_functional::wait_tensor", 0.2, 4),
        op("aten::split", 4, 5),
        op("gloo:all_gather", 0.2, 4, thread=2, wraps=True),
        op(NODE + "RegisterPostBackwardFunctionBackward", 6, 9),
        op("aten::cat", 6, 6.2),
        op("aten::div", 8.7, 9),
        op("gloo:reduce_scatter", 6.3, 8.6, thread=2, wraps=True),
    ]
    assert [m for m in rounded(marks(ops)) if m[0] == "exposed"] == [
        ("exposed", 0.2, 4, ""),
        ("exposed", 6.3, 8.6, ""),
    ]


def test_on_a_gpu_the_kernels_are_the_step_and_belong_to_what_launched_them() -> None:
    ops = [
        op("aten::mm", 0, 0.2, id=1),
        op(NODE + "MmBackward0", 0.3, 0.6),
        op("aten::mm", 0.4, 0.5, id=2),
        op("nccl:all_reduce", 0.5, 0.6, wraps=True),
        op("Optimizer.step#SGD.step", 0.7, 0.9, wraps=True),
        op("aten::add_", 0.7, 0.8, id=3),
        op("void gemm<float>(int)", 1, 3, thread=7, kernel=True, link=1),
        op("gemm_back", 3, 4, thread=7, kernel=True, link=2),
        op("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 3.5, 6, thread=20, kernel=True, link=2),
        op("vectorized_add", 6, 7, thread=7, kernel=True, link=3),
    ]
    assert rounded(marks(ops)) == [
        ("forward", 1, 3, "void gemm"),
        ("backward", 3, 4, "gemm_back"),
        ("exposed", 4, 6, ""),
        ("optimizer", 6, 7, "vectorized_add"),
        ("all-reduce", 3.5, 6, "0"),
    ]


@pytest.mark.parametrize("kinds", [("aten::mm",), ("aten::mm", NODE + "A")])
def test_many_operators_become_few_marks_over_the_same_time(kinds: tuple[str, ...]) -> None:
    ops = [op(kinds[n // 100 % len(kinds)], n, n + 0.9) for n in range(3000)]
    ops.append(op("gloo:send", 0, 100, thread=2, wraps=True))
    found = marks(ops)
    assert len(found) <= MOST_MARKS and found[-1][0] == "send"
    own = found[:-1]
    assert own[0][1] == 0 and own[-1][2] == pytest.approx(2999.9 * MS)
    assert all(a[2] <= b[1] for a, b in pairwise(own))
    assert sum(t1 - t0 for _, t0, t1, _ in own) >= 2700 * MS


def test_kinds_that_alternate_without_end_are_cut_to_the_longest() -> None:
    ops = [op("aten::mm" if n % 2 else NODE + "A", n, n + 0.5 + (n == 7) * 0.4) for n in range(2000)]
    ops.append(op(NODE + "A", 2000, 2000.5))
    found = marks(ops)
    assert len(found) <= MOST_MARKS
    assert ("forward", 7, 7.9, "mm") in rounded(found)


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("gloo:all_reduce", "all-reduce"),
        ("nccl:_all_gather_base", "all-gather"),
        ("nccl:_reduce_scatter_base", "reduce-scatter"),
        ("gloo:recv", "receive"),
        ("ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL", "reduce-scatter"),
        ("ncclDevKernel_SendRecv", "send"),
        ("aten::all_reduce", ""),
    ],
)
def test_names_of_collectives(name: str, word: str) -> None:
    assert collective(name) == word


def test_a_union_has_no_overlaps() -> None:
    assert union([(3, 4), (0, 1), (0.5, 2), (4, 5)]) == [(0, 2), (3, 5)]


def test_nothing_in_nothing_out() -> None:
    assert marks([]) == []
