"""What `teachrun run` prints: both bubbles of a pipeline by name, and how a new generation came back."""

from __future__ import annotations

import made_snapshots as made
import pytest
from made_pipelines import running
from msgspec.structs import replace

from runtime.metrics.steps.pipeline_schedules import Shape
from tui.reports.runs import run_json, run_table


def test_both_bubbles_are_told_by_name_and_beside_theory() -> None:
    snapshot = running("1f1b", Shape(4, 8, 1))
    (line,) = [line for line in run_table.lines(snapshot) if "bubble" in line]
    assert line.startswith("1F1B · bubble ")
    # p-1 of m+p-1, and p-1 of m.
    assert "of all time (theory 27%)" in line and "of ideal time (theory 38%)" in line
    assert line.endswith("live micro-batches 4, 3, 2, 1")
    told = run_json.summary(snapshot)["pipeline"]
    assert (told["schedule"], told["live"], told["theory_live"]) == ("1F1B", [4, 3, 2, 1], [4, 3, 2, 1])
    assert told["theory_bubble"] == pytest.approx(3 / 11) and told["theory_bubble_ideal"] == pytest.approx(
        3 / 8
    )
    assert told["bubble_ideal"] == pytest.approx(told["bubble"] / (1 - told["bubble"]))


def test_a_run_without_a_pipeline_says_nothing_of_one() -> None:
    snapshot = replace(running("1f1b", Shape(4, 8, 1)), pipeline=None)
    assert not any("bubble" in line for line in run_table.lines(snapshot))
    assert run_json.summary(snapshot)["pipeline"] is None


def test_a_new_generation_says_what_it_took() -> None:
    snapshot = made.recovered()
    (line,) = [line for line in run_table.lines(snapshot) if line.startswith("generation")]
    assert line.startswith(
        "generation 1, after rank 2 was killed by signal 9 (KILL) · back after 0.35 s · detected 0.01 s"
    )
    assert line.endswith(" · 3 steps lost")
    (told,) = run_json.summary(snapshot)["recoveries"]
    assert told["phases_s"]["detected"] == 0.012 and (told["generation"], told["lost_steps"]) == (1, 3)


def test_many_results_are_folded() -> None:
    found = {f"figure_{n}_bytes_per_s": 1.5e9 + n * 1e7 for n in range(12)}
    snapshot = made.full()
    rows = tuple(replace(row, result=found) for row in snapshot.rows)
    lines = run_table.results(replace(snapshot, rows=rows))
    assert lines[0].startswith("result of every rank: figure_0_bytes_per_s 1.5 GB/s · figure_1_")
    assert len(lines) > 2 and all(len(line) <= run_table.WIDEST for line in lines)
    assert all(line.startswith("  figure_") for line in lines[1:])
    assert sum(line.count("figure_") for line in lines) == 12
    few = tuple(replace(row, result={"loss": float(row.rank)}) for row in snapshot.rows)
    assert run_table.results(replace(snapshot, rows=few))[1] == "result of rank 1: loss 1"


def test_a_size_of_whole_bytes_has_its_unit_and_a_count_none() -> None:
    snapshot = made.full()
    rows = tuple(replace(row, result={"shard_bytes": 12891136, "copies": 4}) for row in snapshot.rows)
    (line,) = run_table.results(replace(snapshot, rows=rows))
    assert line == "result of every rank: shard_bytes 12.89 MB · copies 4"


def test_what_was_not_written_is_said_as_well() -> None:
    """Which mistake `ddp_mistakes` made is a default: nothing else of its table tells."""
    snapshot = replace(made.full(), demo="ddp_mistakes", params={"ranks": "2"})
    (line,) = [line for line in run_table.lines(snapshot) if line.startswith("parameters: ")]
    assert "ranks=2" in line and "mistake=sampler" in line and "steps=40" in line
