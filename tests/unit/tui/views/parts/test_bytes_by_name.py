"""Payload, wire and theory stand by these names wherever bytes of a step are shown, and never as "sent"."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from runtime.protocol.figures import Comparison, Strategy
from runtime.protocol.messages import Snapshot
from slides.drawing.text import plain
from tui.classroom.answering.prediction import FIGURES
from tui.reports.runs import comparison_page, comparison_text, run_json, run_table
from tui.views.compare import compare as compared
from tui.views.parts.ranks.rank_details import details
from tui.views.question import prediction
from tui.views.run.collectives import collectives

COST = "its reduce-scatter is an all-reduce inside"
NAMES = ("payload", "wire", "theory")


def table(**changes: object) -> Comparison:
    known = {"payload": 3_460_000, "wire": 5_200_000, "theory": 5_190_000}
    row = Strategy("ddp", "ddp", "done", "", 1, step_s=0.1, **{**known, **changes})  # type: ignore[arg-type]
    return Comparison((row, replace(row, label="hsdp", costs=(COST,))), 4, 1, 24)


def said(snapshot: Snapshot) -> str:
    return "\n".join(run_table.lines(snapshot))


def test_the_table_of_a_run_and_why_the_wire_carries_more() -> None:
    text = said(made.mixed())
    assert "payload 20.9 MB (all-gather 7.0 MB, reduce-scatter 13.8 MB, all-reduce 100 kB)" in text
    assert "on the wire 26.1 MB · theory 15.6 MB" in text and "reduce-scatter is an all-reduce inside" in text
    assert "by rank" not in text and "sent" not in text


def test_ranks_that_differ_are_told_one_by_one() -> None:
    """A stage inside a pipeline sends both ways, the first and the last one way only."""
    pipeline = made.running(3)
    rows = tuple(replace(row, wire=wire) for row, wire in zip(pipeline.rows, (100, 200, 100), strict=True))
    assert "on the wire by rank: 100 B, 200 B, 100 B" in said(replace(pipeline, rows=rows))


def test_what_nobody_counted_is_a_dash_with_its_reason() -> None:
    uncounted = made.mixed(wire=None, no_wire="no socket counts what nccl moves")
    assert "on the wire – (no socket counts what nccl moves)" in said(uncounted)
    assert "inside" not in said(uncounted)  # nothing is known to be dearer
    shown = "\n".join(plain(line) for line in collectives(uncounted, 160, 30))
    assert "wire not known: no socket counts what nccl moves" in shown and "wire –" in shown


def test_json_has_a_ranks_mean_and_every_rank_and_link() -> None:
    found = run_json.summary(made.mixed())
    assert [found[f"{name}_bytes_step"] for name in NAMES] == [20_850_000, 26_100_000, 15_640_000]
    assert found["wire_unknown"] == "" and len(found["wire_costs"]) == 1
    rank = found["ranks"][0]
    assert [rank[f"{name}_bytes_step"] for name in NAMES] == [13_900_000, 20_895_000, 20_850_000]
    assert rank["wire_bytes_step_to"] == {"1": 20_895_000}
    assert [row["theory_bytes_step"] for row in found["by_collective"]] == [5_210_000, 10_350_000, 150_000]


def test_strategies_have_them_as_text_markdown_json_and_page() -> None:
    text, marked = "\n".join(comparison_text.terminal(table())), "\n".join(comparison_text.markdown(table()))
    for shown in (text, marked):
        assert shown.index("payload") < shown.index("wire") < shown.index("theory") and "3.46" in shown
        assert "5.20" in shown and "5.19" in shown and "sent" not in shown
    assert f"hsdp: {COST}" in text
    assert len({line.count("|") for line in marked.splitlines()}) == 1  # as many columns as heads
    row = comparison_text.as_object(table())["strategies"][0]
    assert [row[f"{name}_bytes_step"] for name in NAMES] == [3_460_000, 5_200_000, 5_190_000]
    page = comparison_page.page(table(), "", "", "", "", comparison_text.explained(table()))
    assert all(word in page for word in ("payload a step", "on the wire a step", "theory a step", COST))
    assert ">sent" not in page and "given a step" not in page


@pytest.mark.parametrize("width", [80, 100, 160])
def test_the_panel_has_them_in_its_strategies_collectives_and_rows(width: int) -> None:
    strategies = compared(replace(made.running(), comparison=table()), width, 14)
    kinds = collectives(made.mixed(), width, 20)
    for lines in (strategies, kinds):
        text = "\n".join(plain(line) for line in lines)
        assert all(name in text for name in NAMES) and "sent" not in text
    told = "\n".join(plain(line) for line in details(made.running(), width, 24, 0))
    assert "payload a step" in told and "on the wire" in told and "theory" in told


def test_every_link_has_its_bytes_where_there_is_room() -> None:
    for height in (22, 40):  # below what the words mean, and beside it
        lines = [plain(line) for line in collectives(made.mixed(), 160, height)]
        head = next(n for n, line in enumerate(lines) if "on the wire, from" in line)
        row = lines[head + 1][lines[head].index("on the wire") :]
        assert row.split() == ["0", "20.9", "MB", "–", "–"]  # to 1, 2 and 3


def test_a_prediction_names_what_it_is_about() -> None:
    names = [prediction.NAMES[f"{name}_bytes_step"] for name in NAMES]
    assert {f"{name}_bytes_step" for name in NAMES} <= FIGURES.keys()
    assert "wire" in names[1] and not any("sends" in name for name in names)
    assert "sends" not in prediction.NAMES["collective_bytes"]
