"""Schedules: the rules, and the fewest steps beside formulas of papers and beside every order there is."""

from __future__ import annotations

from itertools import permutations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.metrics.steps import pipeline_schedules
from runtime.puzzles.schedule import Pipeline, fitting, put
from runtime.puzzles.schedule_best import best
from runtime.puzzles.verdict import Unreadable

MUCH = 99


@pytest.mark.parametrize(("devices", "microbatches"), [(1, 3), (2, 2), (2, 5), (3, 4), (4, 4), (4, 6)])
def test_with_memory_for_all_it_is_the_bubble_of_the_papers(devices: int, microbatches: int) -> None:
    """(m + p - 1)(t_f + t_b): Huang et al. 2019, Narayanan et al. 2019; t_f is one step, t_b two."""
    assert best(Pipeline(microbatches, (MUCH,) * devices))[0] == (microbatches + devices - 1) * 3


def test_one_forward_one_backward_is_as_good_in_the_memory_it_needs() -> None:
    """The order is torch's own (`test_pipelining_names` compares them); its memory is p, p - 1 … 1."""
    lanes = pipeline_schedules.grid("1f1b", pipeline_schedules.Shape(4, 6))
    placed = tuple(tuple((piece.kind, round(piece.t0)) for piece in lane) for lane in lanes)
    rules = Pipeline(6, (4, 3, 2, 1))
    judged = rules.judge(rules.written(placed))
    assert judged.faults == ()
    assert judged.score == best(rules)[0] == 27


@pytest.mark.parametrize(
    ("microbatches", "memory", "split"),
    [
        (3, (3, 3, 3), False), (3, (2, 2, 2), False), (3, (2, 1, 1), False), (3, (3, 1), False),
        (4, (1, 2), False),
        (3, (1, 1, 1), False), (2, (2, 2), True), (2, (1, 1), True), (2, (2, 1), True), (3, (3, 2), True),
    ],
)  # fmt: skip
def test_no_order_takes_fewer_steps(microbatches: int, memory: tuple[int, ...], split: bool) -> None:
    """Another way to the same number: every order of every device, each block as early as it can."""
    rules = Pipeline(microbatches, memory, split)
    orders = [[o for o in _orders(rules) if _most_held(rules, o) <= limit] for limit in memory]
    fewest = min(found for chosen in product(*orders) if (found := _asap(rules, chosen)) is not None)
    assert best(rules)[0] == fewest


def _orders(rules: Pipeline) -> list[str]:
    found = {"".join(p) for p in permutations(rules.kinds * rules.microbatches)}
    pairs = list(zip(rules.kinds, rules.kinds[1:], strict=False))
    return [
        o for o in found
        if all(o[:n].count(a) >= o[:n].count(b) for n in range(len(o) + 1) for a, b in pairs)
    ]  # fmt: skip


def _most_held(rules: Pipeline, order: str) -> int:
    held = most = 0
    for kind in order:
        held += (kind == "F") - (kind == rules.kinds[-1])
        most = max(most, held)
    return most


def _asap(rules: Pipeline, orders: tuple[str, ...]) -> int | None:
    """Steps where each block begins as soon as it can; None: the devices wait for each other."""
    ends: dict[tuple[int, str, int], int] = {}
    at, free = [0] * rules.devices, [0] * rules.devices
    moved = True
    while moved:
        moved = False
        for device, order in enumerate(orders):
            while at[device] < len(order):
                kind = order[at[device]]
                number = order[: at[device]].count(kind)
                needs = [(d, k, number) for d, k in rules.needs(device, kind)]
                if any(need not in ends for need in needs):
                    break
                start = max([free[device], *(ends[need] for need in needs)])
                free[device] = ends[device, kind, number] = start + rules.length(kind)
                at[device] += 1
                moved = True
    return max(free) if all(n == len(o) for n, o in zip(at, orders, strict=True)) else None


def test_each_rule_is_told_in_words_and_where() -> None:
    rules = Pipeline(1, (1, 1))
    early = rules.judge("F / FB").faults[0]
    assert (early.lane, early.at, early.text) == (
        1, 0, "device 1, step 1: F0 needs F0 of device 0 first, which ends after step 1",
    )  # fmt: skip
    missing = rules.judge("F..B / .F")
    assert not missing.valid
    assert any("B0 needs B0 of device 1 first, which is not there" in fault.text for fault in missing.faults)
    assert rules.judge("F..B / .FB").valid is False  # device 1's B ends after step 4
    assert rules.judge("F...B / .FB") == rules.judge("F...B\n.FB")
    assert rules.judge("F...B / .FB").valid
    held = Pipeline(2, (1,)).judge("FFBB").faults
    assert held[0].text == "device 0 holds 2 activations, 1 fit"


def test_what_may_stand_at_a_step() -> None:
    rules = Pipeline(2, (1, 2))
    empty = rules.read(".\n.")
    assert fitting(rules, empty, 0, 0) == "F"
    assert fitting(rules, empty, 1, 0) == ""
    one = put(rules, empty, 0, 0, "F")
    assert fitting(rules, one, 0, 1) == ""  # its memory is full, and nothing has come back
    assert fitting(rules, one, 1, 1) == "F"


@given(st.text(alphabet="FBW./\n x", max_size=60))
def test_any_text_is_judged_or_refused(text: str) -> None:
    for rules in (Pipeline(2, (2, 1)), Pipeline(2, (2, 1), split=True)):
        try:
            devices = rules.read(text)
        except Unreadable:
            continue
        rules.judge(text)
        assert rules.read(rules.written(devices)) == devices
