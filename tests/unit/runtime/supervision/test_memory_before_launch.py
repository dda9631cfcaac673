"""Which demo is run for an estimate, and how its figures are said."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from runtime.catalog.registry import Launchable
from runtime.estimate.inputs.layout import Layout
from runtime.protocol.figures import Named
from runtime.supervision.memory_formula_check import MemoryCheck, Term, launchable, matching, read
from tui.reports.runs.memory_measured import as_object, lines, summary


@pytest.mark.parametrize(
    ("layout", "line"),
    [
        (Layout(), "single"),
        (Layout(tp=8, pp=4, zero=3), "tensor ranks=4"),
        (Layout(tp=2), "tensor ranks=2"),
        (Layout(pp=4), "pipeline ranks=4 schedule=1f1b"),
        (Layout(pp=4, recompute="selective"), "pipeline ranks=4 schedule=1f1b"),
        (Layout(pp=8, interleave=2), "pipeline ranks=4 schedule=interleaved chunks=2"),
        (Layout(pp=2, interleave=3), "pipeline ranks=2 schedule=interleaved chunks=3 layers=6"),
        (Layout(pp=4, interleave=12), "pipeline ranks=4 schedule=interleaved chunks=8 layers=32"),
        (Layout(pp=2, schedule="zb-h1"), "pipeline ranks=2 schedule=zero-bubble"),
        (Layout(pp=4, schedule="dualpipe"), "pipeline ranks=4 schedule=zbv"),
        (Layout(dp=2, recompute="full"), "ddp ranks=2"),
        (Layout(dp=2), "ddp ranks=2"),
        (Layout(dp=64, zero=1), "zero stage=1 ranks=4"),
        (Layout(dp=3, zero=2), "zero stage=2 ranks=3"),
        (Layout(dp=8, zero=3), "fsdp ranks=4"),
        (Layout(dp=16, zero=3, shard=8), "hsdp ranks=4"),
    ],
)
def test_the_demo_that_splits_alike(layout: Layout, line: str) -> None:
    assert matching(layout) == line
    assert isinstance(launchable(line), Launchable)


FOUND = MemoryCheck(
    "fsdp ranks=4", 2, 4, (Term("params", 100, 100), Term("grads", None, 5), Term("gathered", 0, 0)),
    Term("peak", 990_000, 1_000_000), 1_100_000, "LIVE CPU",
)  # fmt: skip


def test_what_is_said_of_it() -> None:
    said = summary(FOUND)
    assert "formula 990 kB, allocator's peak 1 MB, -1.00%" in said and "another rank had 1.1 MB" in said
    assert [line.split()[0] for line in lines(FOUND)[1:]] == ["params", "gathered", "peak"]
    terms = as_object(FOUND)["terms"]
    assert terms["peak"] == {"formula": 990_000, "measured": 1_000_000, "apart": pytest.approx(-0.01)}
    assert terms["gathered"]["apart"] is None
    assert "is not known here" in summary(FOUND._replace(peak=Term("peak", None, None)))


@pytest.mark.parametrize(("device", "counted"), [("cpu", True), ("cuda", False), ("cuda:0", False)])
def test_a_peak_by_what_was_counted_is_the_cpus(device: str, counted: bool) -> None:
    """Of experts the tokens that came decide it, and the CPU's kernels: on a GPU it is not known."""
    demo = launchable("expert ranks=4")
    assert isinstance(demo, Launchable)
    tokens, dropped = (Named(name, "", 9, ((64.0,),) * 4) for name in ("tokens of this expert", "dropped"))
    ran = replace(made.looked_into(), device=device, formula={}, values=(tokens, dropped))
    found = read("expert ranks=4", ran, demo)
    assert (found.counted, found.peak.formula is not None) == (counted, counted)
