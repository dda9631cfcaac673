"""The grid of a pipeline: theory above what was measured, at every size, told without colour."""

from __future__ import annotations

from itertools import pairwise

import made_pipelines as made
import made_snapshots
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pictured import same_as_picture

from runtime.metrics.steps.pipeline_schedules import Shape
from runtime.protocol.figures import Piece, Pipeline
from slides.drawing import cells
from slides.drawing.text import plain
from tui.reports.runs import run_table
from tui.views.run.pipeline import pipeline

LATE = {"noise": 0.5, "transfer": 0.1}
CASES = {
    "pipeline_60x9": (made.running("1f1b", Shape(4, 8), **LATE), 60, 9),
    "pipeline_60x16": (made.running("gpipe", Shape(4, 8), **LATE), 60, 16),
    "pipeline_80x18": (made.running("1f1b", Shape(4, 8), **LATE), 80, 18),
    "pipeline_100x26": (made.running("gpipe", Shape(4, 8), **LATE), 100, 26),
    "pipeline_interleaved_160x30": (made.running("interleaved", Shape(4, 8, 2), **LATE), 160, 30),
    "pipeline_zbv_160x20": (made.running("zbv", Shape(4, 8, 2), **LATE), 160, 20),
    "pipeline_16_100x30": (made.running("1f1b", Shape(16, 32), **LATE), 100, 30),
}


def drawn(snapshot, width: int = 100, height: int = 20) -> list[str]:
    return [plain(line) for line in pipeline(snapshot, width, height)]


@pytest.mark.parametrize("name", CASES)
def test_pictures(name):
    picture = "\n".join(line.rstrip() for line in drawn(*CASES[name])) + "\n"
    same_as_picture(name, picture)


def test_forwards_and_backwards_differ_without_colour():
    lines = drawn(made.running("gpipe", Shape(1, 3)), 39, 9)  # 4 cells a unit
    assert lines[1].rstrip() == "0   0 █▏ 1 ▏ 2 ▒▒ 0 ▒▒▒▏▒▒ 1 ▒▒▏▒▒ 2 ▒▒"


def test_forward_and_backward_are_of_one_height_in_their_colours():
    """A piece fills its cells: nothing of it is an eighth or a half of one, and its number is inside."""
    snapshot = made.running("1f1b", Shape(4, 8), **LATE)
    lines = pipeline(snapshot, 160, 36)
    shown = [
        (n, s) for n, line in enumerate(lines) for s in line if s.style.ground in ("forward", "backward")
    ]
    assert {s.style.ground for _, s in shown} == {"forward", "backward"}
    assert not any(ch in "▁▂▃▄▅▆▇▀" for _, span in shown for ch in span.text)
    numbers = {s.text.strip() for _, s in shown if s.style.bold and s.text.strip().isdigit()}
    assert numbers == {str(n) for n in range(8)}
    # Four lanes, two rows each, in each of the two grids; a blank row between any two.
    rows = sorted({n for n, _ in shown} - {n for n, line in enumerate(lines) if "measured" in plain(line)})
    starts = [n for n in rows if n - 1 not in rows]
    assert len(rows) == 16 and len(starts) == 8
    assert {b - a for a, b in pairwise(starts[:4])} == {3}
    assert {b - a for a, b in pairwise(starts[4:])} == {3}


def test_the_schedule_stands_above_what_was_measured_on_one_axis():
    snapshot = made.running("gpipe", Shape(4, 8))
    lines = drawn(snapshot, 160, 36)
    schedule, measured = (
        next(n for n, line in enumerate(lines) if line.startswith(w)) for w in ("the schedule", "measured")
    )
    assert schedule < measured
    rows = lambda start: [line for line in lines[start + 1 :] if line.startswith("rank ")][:4]  # noqa: E731
    assert rows(schedule) == rows(measured)  # nothing disturbed it: cell for cell the same


def test_both_bubbles_stand_beside_theory_with_their_formulas():
    text = "\n".join(drawn(made.running("1f1b", Shape(4, 8))))
    assert "bubble, of all time       27.3 %    27.3 %   (p-1)/(m+p-1)" in text
    assert "bubble, of ideal time     37.5 %    37.5 %   (p-1)/m" in text
    assert "micro-batches held       4 3 2 1   4 3 2 1" in text


def test_what_a_rank_holds_is_called_what_is_counted():
    """Eight micro-batches on two stages of each rank: what it holds at once is up to 16 of another thing."""
    text = "\n".join(drawn(made.running("interleaved", Shape(4, 8, 2)), 110, 24))
    assert "stage chunks held" in text and "micro-batches held" not in text
    (line,) = [
        line for line in run_table.lines(made.running("interleaved", Shape(4, 8, 2))) if "bubble" in line
    ]
    assert "live stage chunks 11, 9, 7, 5" in line


def test_lanes_without_disturbance_are_those_of_theory():
    lines = drawn(made.running("gpipe", Shape(4, 8)), 100, 18)
    lanes = [line for line in lines if line.startswith("rank ")]
    assert lanes[:4] == lanes[4:] and len(lanes) == 8


def test_what_is_not_known_is_a_dash():
    snapshot = made.running("1f1b", Shape(4, 8))
    assert snapshot.pipeline is not None
    lost = replace(snapshot.pipeline, bubble=None, bubble_ideal=None, schedule="", theory=(), theory_span=0.0,
                   theory_bubble=None, theory_bubble_ideal=None, theory_live=(), formulas=())  # fmt: skip
    lines = drawn(replace(snapshot, pipeline=lost))
    assert "no known schedule" in lines[0] and not any("theory  " in line for line in lines[:8])
    [row] = [line for line in lines if "of all time" in line]
    assert row.split()[-2:] == ["–", "–"]


def test_a_run_without_a_pipeline_says_so():
    lines = drawn(made_snapshots.launching(), 60, 5)
    assert [line.strip() for line in lines if line.strip()] == [
        "one step of the pipeline", "drawn once every rank has reported a step of a pipeline",
    ]  # fmt: skip
    for state in ("running", "done"):  # its steps were compared, and had none
        lines = drawn(replace(made_snapshots.running(), state=state), 60, 5)
        assert lines[2].strip() == "this run has no pipeline"


def test_an_untrusted_name_does_not_reach_the_terminal():
    snapshot = made.running("1f1b", Shape(2, 4))
    assert snapshot.pipeline is not None
    named = replace(snapshot, pipeline=replace(snapshot.pipeline, schedule="\x1b[2J1F1B"))
    assert "\x1b" not in "".join(drawn(named))


pieces = st.builds(
    Piece, st.sampled_from(["F", "B", "I", "W", "\x1b"]), st.integers(0, 40), st.integers(0, 999),
    st.floats(-1, 9), st.floats(-1, 9),
)  # fmt: skip
lanes = st.lists(st.lists(pieces, max_size=9).map(tuple), min_size=1, max_size=18).map(tuple)
shares = st.none() | st.floats(0, 1)


@settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))
@given(lanes, lanes, st.floats(0, 9), shares, st.integers(1, 170), st.integers(1, 40))
def test_any_pipeline_fills_any_size_exactly(measured, theory, span, share, width, height):
    theory = tuple(theory[n % len(theory)] for n in range(len(measured)))
    seen = Pipeline("", 3, measured, span, share, share, theory, span, share, share, (1,) * len(measured), ())
    lines = pipeline(replace(made_snapshots.running(), pipeline=seen), width, height)
    assert len(lines) == height
    assert all(cells.line_width(line) == width for line in lines)
    assert "\x1b" not in "".join(plain(line) for line in lines)
