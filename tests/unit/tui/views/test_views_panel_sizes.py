"""The panel of a run fills any size exactly, whatever a store may say."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import get_args

import made_snapshots as made
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from runtime.classroom.actions import RunState
from runtime.protocol.figures import Curve, Mark, RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, plain
from slides.palette import THEMES
from tui.views.panel import panel
from tui.views.run import table, timeline
from tui.views.run.loss import loss


def check(lines: list[Line], width: int, height: int) -> None:
    """Exactly the size asked for, in inks that every theme has, without a character a terminal would obey."""
    assert len(lines) == height
    for line in lines:
        assert cells.line_width(line) == width, plain(line)
        for span in line:
            for name in (span.style.ink, span.style.ground or "text"):
                # A picture's colours are their own names.
                assert name in THEMES["dark"].colours or re.fullmatch("#[0-9a-f]{6}", name)
            assert not any(unicodedata.category(ch) == "Cc" for ch in span.text), ascii(span.text)


words = st.sampled_from(["", "ddp", "rank 2 was killed", "a\x1b[31mb\x07\nc", "क्षि 漢字 👩‍🔬", "x" * 300])


maybe_s = st.none() | st.floats(0, 1e6) | st.floats()


maybe_bytes = st.none() | st.integers(0, 2**62)


maybe_step = st.none() | st.integers(0, 10**9)


@st.composite
def rank_rows(draw: st.DrawFn, rank: int) -> RankRow:
    seconds = [
        "loss", "tokens_s", "step_s", "data", "compute", "hidden", "exposed", "wait", "optimizer", "other",
        "late_s", "grad_norm",
    ]  # fmt: skip
    sizes = [
        "params", "grads", "optimizer_bytes", "activations", "gathered", "temporary", "peak", "buffers",
        "payload", "wire", "theory", "grad_norm_step",
    ]  # fmt: skip
    return RankRow(
        rank=rank,
        node=draw(st.integers(0, 40)),
        pid=rank,
        state=draw(st.sampled_from(["forward", "all-reduce", "dead", "done", "", "\x1b[2J" * 9])),
        step=draw(maybe_step),
        checksum=draw(st.none() | st.sampled_from(["a", "b"])),
        checksum_step=draw(maybe_step),
        silent_s=draw(st.floats(0, 1e5)),
        result=draw(st.none() | st.dictionaries(words, maybe_s | st.booleans() | words, max_size=3)),
        **{name: draw(maybe_s) for name in seconds},
        **{name: draw(maybe_bytes) for name in sizes},
    )


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    world = draw(st.integers(1, 12))
    times = st.floats(0, 10)
    pieces = st.builds(
        Mark,
        st.sampled_from(["forward", "backward", "wait", "exposed", "optimizer", "all-reduce", "odd\x1b"]),
        times,
        times,
        st.sampled_from(["", "b0", "b12", "\x1b[0m漢"]),
    )
    points = st.lists(st.floats(), max_size=6)
    return replace(
        made.BASE,
        world=world,
        demo=draw(words),
        state=draw(st.sampled_from(get_args(RunState))),
        why=draw(words),
        fault=draw(words),
        warning=draw(words),
        badge=draw(st.sampled_from(["LIVE CPU", "REPLAY", "SIMULATED", "\x1b[1m"])),
        bent=tuple(draw(st.lists(words, max_size=3))),
        ran_s=draw(st.floats(0, 1e6)),
        budget_s=draw(st.none() | st.floats(0, 1e5)),
        steps=draw(maybe_step),
        rows=tuple(draw(rank_rows(rank)) for rank in range(draw(st.sampled_from([0, world])))),
        curves=tuple(
            Curve(rank, list(range(len(losses))), losses)
            for rank, losses in enumerate(draw(st.lists(points, max_size=3)))
        ),
        timeline=tuple(tuple(lane) for lane in draw(st.lists(st.lists(pieces, max_size=5), max_size=world))),
        timeline_s=draw(st.none() | times),
        slowest=draw(st.none() | st.integers(0, world - 1)),
        slowest_by_s=draw(maybe_s),
        collectives=draw(st.none() | st.integers(0, 9)),
        collective_bytes=draw(maybe_bytes),
        collective_op=draw(st.none() | words),
        overlap=draw(st.none() | st.floats(0, 1)),
        equal=draw(st.none() | st.booleans()),
        equal_step=draw(maybe_step),
        phases=tuple(draw(st.lists(st.tuples(words, st.floats(0, 100)), max_size=4))),
        logs=tuple(draw(st.lists(words, max_size=4))),
    )


@settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))
@given(snapshots(), st.integers(1, 200), st.integers(1, 60))
def test_any_snapshot_fills_any_size_exactly(snapshot, width, height):
    check(panel(snapshot, width, height), width, height)


@settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))
@given(snapshots(), st.integers(1, 160), st.integers(1, 40))
def test_the_parts_fill_any_size_exactly(snapshot, width, height):
    for view in (table.table, loss, timeline.timeline):
        check(view(snapshot, width, height), width, height)


@pytest.mark.parametrize("world", [1, 2, 8, 16, 40, 41, 64, 1024])
@pytest.mark.parametrize(("width", "height"), [(60, 6), (80, 9), (80, 14), (100, 20), (160, 26), (160, 45)])
def test_any_number_of_ranks(world, width, height):
    check(panel(made.running(world, slow_rank=world // 2), width, height), width, height)


@pytest.mark.parametrize("width", [160, 100, 80])
def test_a_rank_that_waits_says_for_whom(width):
    rows = [plain(line) for line in table.table(made.stalled(), width, 6)[1:5]]
    assert ["waits for 2" in row for row in rows] == [True, True, False, True]
    over = table.table(replace(made.stalled(), state="done"), width, 6)
    assert "waits for" not in "".join(map(plain, over))


@pytest.mark.parametrize(("world", "height"), [(4, 43), (6, 27), (8, 43), (8, 27), (8, 24)])
def test_bars_of_the_timeline_beside_the_loss_never_touch(world: int, height: int) -> None:
    rows = [plain(line) for line in panel(made.full(world), 160, height)]
    bars = [n for n, row in enumerate(rows) if "backward █" in row]
    assert all(after - before > 1 for before, after in pairwise(bars))
    assert any("loss" in row and "earlier" in row for row in rows), "the loss is there all the same"


def test_six_ranks_of_a_panel_over_half_a_screen_stand_apart() -> None:
    rows = [plain(line) for line in panel(made.full(6), 160, 27)]
    starts = [n for n, row in enumerate(rows) if re.match(r"  \d     [AB] ", row)]
    assert [after - before for before, after in pairwise(starts)] == [2] * 5


@pytest.mark.parametrize("world", [2, 4, 8])
@pytest.mark.parametrize("width", [80, 100, 160])
def test_no_two_rows_together_are_blank_above_its_words(world: int, width: int) -> None:
    snapshot = made.running(world)
    for height in range(7, 30):
        shown = "\n".join(plain(line).strip() for line in panel(snapshot, width, height))
        assert "\n\n\n" not in shown.rstrip()


def test_while_ranks_come_back_their_rows_stay():
    found = made.recovered()
    begun = tuple(replace(one, phases=one.phases[:2]) for one in found.recoveries)
    for height in range(9, 16):
        shown = [plain(line) for line in panel(replace(found, view="loss", recoveries=begun), 100, height)]
        assert "coming back" in "".join(shown)
        assert sum(line.split()[:1] == [str(rank)] for line in shown for rank in range(4)) == 4
