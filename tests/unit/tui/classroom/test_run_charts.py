"""Charts of what a run measured: live, over, recorded, and where there is nothing to show."""

from __future__ import annotations

import math

import pytest

from runtime.protocol.figures import Comparison, Curve, Named, Strategy
from runtime.protocol.messages import Snapshot
from slides.deck import Box, Chart
from slides.drawing.blocks.charts import charts
from slides.drawing.text import plain
from slides.reading.split import split
from slides.reading_order import blocks
from slides.screen_size import Size
from tests.unit.made_snapshots import launching, replayed, running
from tui.classroom.runs.run_charts import slide_with, trouble
from tui.deck.contents import Contents
from tui.health.deck_findings import uncharted
from tui.rendering.pages.offscreen import Offscreen
from tui.rendering.pages.page import Page

DECK = "# Run\n\n::: demo ddp {{#live}} ranks=4\n\n---\n\n# Chart\n\n::: chart {}\n\nwords below\n"


def contents(line: str) -> Contents:
    return Contents(split(DECK.format(line), ""))


def chart(line: str, snapshot: Snapshot | None) -> Chart:
    """The chart of the second slide, `line` behind its name."""
    shown = slide_with(contents(line), 1, {} if snapshot is None else {"live": snapshot}, keys=True)
    return next(block for block in blocks(shown.blocks) if isinstance(block, Chart))


def text(of: Chart, columns: int = 90) -> str:
    return "\n".join(plain(line) for line in charts.lines(of, columns, 20))


def test_each_ranks_memory_is_a_bar_of_what_it_holds() -> None:
    """Of 3,475,000 parameters in half precision each rank holds 6.95 MB, and as many bytes of gradients."""
    found = chart("stacked values=memory demo=live", running(4))
    assert (found.kind, found.unit, found.labels[0]) == ("stacked", "MB", "rank 0")
    assert found.series == ("parameters", "gradients", "optimizer", "activations")
    assert found.values[3] == pytest.approx((6.95, 6.95, 13.9, 13.2))
    assert "LIVE" in found.source and "ddp, 4 ranks" in found.source and "step 129 of 200" in found.source
    assert found.source in text(found, 120)


def test_the_time_of_a_step_sums_to_the_step() -> None:
    snapshot = running(4)
    found = chart("stacked values=step demo=live unit=ms", snapshot)
    for row, rank in zip(found.values, snapshot.rows, strict=True):
        assert rank.step_s is not None
        assert sum(value or 0 for value in row) == pytest.approx(1000 * rank.step_s)


def test_a_loss_is_a_line_a_rank_that_grows_with_the_run() -> None:
    early, late = (chart("line values=loss demo=live", running(2, step=step)) for step in (10, 128))
    assert early.xs[-1] == 10 and late.xs[-1] == 128 and late.series == ("rank 0", "rank 1")
    many = chart("line values=loss demo=live", running(64))
    assert many.series == ("lowest", "median", "highest")


def test_what_is_no_number_breaks_its_line() -> None:
    curve = Curve(0, [0, 1, 2, 3], [2.0, math.nan, math.inf, 1.0])
    found = chart("line values=loss demo=live", running(1, curves=(curve,)))
    assert found.values == ((2.0,), (None,), (None,), (1.0,))


def test_many_ranks_are_the_lowest_the_median_and_the_highest() -> None:
    found = chart("bars values=tokens demo=live", running(200))
    assert found.labels == ("lowest", "median", "highest")
    assert found.values[0] <= found.values[1] <= found.values[2]  # type: ignore[operator]


def test_a_figure_of_the_script_has_its_labels_and_unit() -> None:
    said = Named("bandwidth", "B/s", 3, ((2e9, 4e9), (2e9, 4e9)), ("1 MB", "16 MB"))
    found = chart("bars values=bandwidth demo=live", running(2, values=(said,)))
    assert (found.unit, found.labels, found.values) == ("GB/s", ("1 MB", "16 MB"), ((2.0,), (4.0,)))
    differ = Named("share", "", 3, ((0.25,), (0.75,)))
    found = chart("bars values=share demo=live", running(2, values=(differ,)))
    assert (found.labels, found.values) == (("rank 0", "rank 1"), ((0.25,), (0.75,)))


def test_a_comparison_has_a_bar_a_strategy() -> None:
    rows = (
        Strategy("ddp", "ddp", memory={"params": 4_000_000, "grads": 4_000_000}),
        Strategy("fsdp", "fsdp", memory={"params": 1_000_000, "grads": 1_000_000}),
    )
    found = chart("stacked values=memory demo=live", running(4, comparison=Comparison(rows, 4, 1, 8)))
    assert found.labels == ("ddp", "fsdp") and found.values == ((4.0, 4.0), (1.0, 1.0))


def test_a_recorded_run_says_so() -> None:
    assert "REPLAY" in chart("bars values=tokens demo=live", replayed()).source


@pytest.mark.parametrize(
    ("snapshot", "line", "said"),
    [
        (None, "line values=loss demo=live", "no run of ddp ranks=4 yet · it is on slide 1"),
        (launching(), "line values=loss demo=live", "no loss yet: the run has only begun"),
        (running(2, curves=(), state="done"), "line values=loss demo=live", "this run measured no loss"),
        (running(2), "bars values=tokenz demo=live", "Did you mean `values=tokens`?"),
        (running(2), "bars values=peak demo=nobody", "no demo of this deck is called `nobody`"),
        (running(2), "bars values=tokens", "there is no demo on this slide"),
        (running(2), "stacked values=memory demo=live unit=ms", "is not measured in `ms`"),
    ],
)
def test_a_chart_without_numbers_says_why_in_its_place(
    snapshot: Snapshot | None, line: str, said: str
) -> None:
    empty = chart(line, snapshot)
    assert not empty.labels and said in empty.source
    assert empty.title in text(empty) and said.split("`")[0] in " ".join(text(empty).split())
    assert said in charts.told(empty)[0]
    for columns in (1, 7, 24, 160):
        assert charts.lines(empty, columns, 3)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("line values=memory", "is not drawn as line"),
        ("bars values=loss", "is not drawn as bars"),
        ("bars values=", "names nothing"),
        ("bars values=peak limit=80", "has no unit"),
        ("bars values=peak untit=GB", "Did you mean `unit`?"),
        ("bars peaks.csv values=peak", "or of a run"),
        ("line values=loss log=z", "no axis"),
    ],
)
def test_a_line_that_means_nothing_is_a_box(line: str, said: str) -> None:
    box = next(block for block in contents(line).slide(1).blocks if isinstance(block, Box))
    assert said in f"{box.problem.message}. {box.problem.mend}"


def test_a_chart_of_no_demo_is_found_by_check() -> None:
    of = contents("bars values=peak demo=nobody")
    found = list(uncharted(of, of.slide(1)))
    assert [problem.line for problem in found] == [9]
    good = contents("bars values=peak demo=live")
    assert not list(uncharted(good, good.slide(1)))
    other = next(block for block in blocks(good.slide(1).blocks) if isinstance(block, Chart))
    assert trouble(other, good, 1) is None


def test_a_page_is_another_when_its_run_has_gone_on() -> None:
    still = Offscreen(contents("line values=loss demo=live"))
    before = still.drawing.token(Page(1, 0))
    still.room.snapshots["live"] = running(2, step=10)
    early = still.drawing.token(Page(1, 0))
    still.room.snapshots["live"] = running(2, step=11)
    later = still.drawing.token(Page(1, 0))
    assert len({before, early, later}) == 3
    still.room.snapshots["live"] = running(2, step=11, ran_s=99.0)  # only time went on
    assert still.drawing.token(Page(1, 0)) == later
    drawn = "\n".join(map(plain, still.drawing.page(Page(1, 0), 90, 30)))
    assert "step 12 of 200" in drawn and "words below" in drawn


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (160, 45)])
def test_beside_the_panel_of_its_demo_a_chart_has_the_rows_that_are_left(size: tuple[int, int]) -> None:
    deck = split("# Run\n\n::: chart bars values=tokens\n\n::: demo ddp {#live} ranks=2\n", "")
    still = Offscreen(Contents(deck))
    for shown in still.pages(0, Size(*size)):
        assert len(shown.lines) <= shown.rows, shown.when
