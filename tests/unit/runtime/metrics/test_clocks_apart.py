"""What is said where clocks of machines may be further apart than ranks wait for each other."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from runtime.metrics.run_figures import as_sure_as
from runtime.protocol.figures import OpRow
from runtime.protocol.snapshot import Snapshot
from tui.figures.numbers import known
from tui.reports.runs.run_json import summary
from tui.views.run.collectives import collectives


def shown(wait: float, by_s: float | None) -> Snapshot:
    plain = made.running(4)
    rows = tuple(replace(row, step_s=0.1, wait=wait) for row in plain.rows)
    return replace(plain, rows=rows, slowest=2 if by_s else None, slowest_by_s=by_s, remarks=())


@pytest.mark.parametrize(("by_s", "slowest"), [(0.004, None), (0.006, 2), (None, None)])
def test_nobody_is_the_slowest_by_less_than_the_clocks_know(by_s: float | None, slowest: int | None) -> None:
    found = as_sure_as(shown(0.02, by_s), 0.005)
    assert (found.slowest, found.remarks) == (slowest, ())


@pytest.mark.parametrize(
    ("wait", "within_s", "said"), [(0.004, 0.005, True), (0.006, 0.005, False), (0.0001, 0.001, False)]
)
def test_waits_that_are_not_known_are_said_where_a_bar_shows_them(
    wait: float, within_s: float, said: bool
) -> None:
    """A thousandth of a second of a step of a tenth is less than a bar can show."""
    remarks = as_sure_as(shown(wait, None), within_s).remarks
    assert bool(remarks) == said
    if said:
        assert remarks == ("waits and lateness below 5 ms are not known: so far apart the clocks may be",)


def test_a_figure_says_that_it_is_less_than_is_known() -> None:
    assert known(0.004, 0.005) == known(-0.004, 0.005) == "<5.0 ms"
    assert known(0.006, 0.005) == known(0.006, None) == "6.0 ms"
    assert known(None, 0.005) == "–"
    ops = (OpRow("all-reduce", "world", 4, 3.0, 13_900_000),)
    sure = replace(shown(0.004, None), within_s=0.005, ops=ops)
    text = "\n".join("".join(span.text for span in line) for line in collectives(sure, 240, 20))
    assert "wait for the last rank <5.0 ms" in text
    assert summary(sure)["clocks_within_s"] == 0.005
