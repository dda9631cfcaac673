"""The paper plan: its page is what its module says, and its words grow and shrink as they should."""

from __future__ import annotations

from pathlib import Path

import pytest

from runtime.cluster import scale_plan
from runtime.cluster.scale_plan import RANKS_A_NODE, plans

PAGE = Path(scale_plan.__file__).with_name("SCALE.md")


def test_the_page_has_the_table_that_the_module_prints() -> None:
    assert scale_plan.table() in PAGE.read_text("utf-8")


@pytest.mark.parametrize("ranks", [8, 1024, 16384])
def test_each_plan_sends_less_than_the_one_before(ranks: int) -> None:
    every, digest, line = plans(ranks)
    assert every.events == 20 * ranks  # as the benchmark has it
    assert every.bytes > digest.bytes > line.bytes
    assert every.connections == digest.connections == ranks / RANKS_A_NODE >= line.connections


def test_all_fits_for_a_thousand_and_sixteen_thousand_need_the_last_plan() -> None:
    assert [plan.fits for plan in plans(1024)] == [True, True, True]
    assert [plan.fits for plan in plans(16384)] == [False, False, True]
