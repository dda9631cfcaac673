"""The views that digits choose: exact sizes for anything a store may say, pictures, and single figures."""

from __future__ import annotations

import time

import made_snapshots as made
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from pictured import same_as_picture
from test_views_panel import text
from test_views_panel_sizes import check, maybe_bytes, maybe_s, snapshots, words

from runtime.protocol.figures import Curve, Earlier, Named, OpRow, Playback, Recovery, Steering, XRay
from runtime.protocol.messages import Snapshot
from slides.drawing.text import plain
from tui.views import registry
from tui.views.panel import LARGE, panel
from tui.views.parts import run_totals
from tui.views.parts.run_activity import doings
from tui.views.run.collectives import collectives
from tui.views.run.launch import launch
from tui.views.run.log import log
from tui.views.run.memory import memory
from tui.views.run.timeline import xray

VIEWS = tuple(registry.OURS)

# --- anything a store may say ---------------------------------------------------------------------------

curves = st.lists(st.floats(), max_size=5).map(lambda v: Curve(0, list(range(len(v))), v))
phases = st.lists(st.tuples(words, st.floats(0, 1e4)), max_size=7).map(tuple)
recoveries = st.builds(Recovery, st.integers(1, 9), words, phases, st.none() | st.integers(0, 99))
tails = st.lists(st.lists(words, max_size=3).map(tuple), max_size=12).map(tuple)
their_own = st.lists(st.lists(st.floats(), max_size=4).map(tuple), max_size=12).map(tuple)
named = st.builds(
    Named,
    words,
    st.sampled_from(["", "s", "bytes", "\x1b[1m"]),
    st.integers(-1, 99),
    their_own,
    st.lists(words, max_size=4).map(tuple),
)


@st.composite
def known_snapshots(draw: st.DrawFn) -> Snapshot:
    base = draw(snapshots())
    rows = tuple(
        replace(row, last=draw(words), harm=draw(words), peak=draw(maybe_bytes)) for row in base.rows
    )
    kinds = st.sampled_from(["params", "grads", "optimizer_bytes", "activations", "odd"])
    op = st.builds(
        OpRow,
        words,
        words,
        st.integers(1, 9),
        st.floats(0, 9),
        st.integers(0, 2**50),
        maybe_s,
        maybe_s,
        maybe_s,
    )
    return replace(
        base,
        rows=rows,
        values=tuple(draw(st.lists(named, max_size=4))),
        tails=draw(tails),
        ops=tuple(draw(st.lists(op, max_size=5))),
        bytes_by_op=draw(st.dictionaries(words, st.integers(0, 2**50), max_size=3)),
        formula=draw(st.dictionaries(kinds, st.integers(0, 2**50), max_size=4)),
        phases=draw(phases),
        earlier=tuple(draw(st.lists(st.builds(Earlier, words, words, curves), max_size=4))),
        recoveries=tuple(draw(st.lists(recoveries, max_size=3))),
        xray=draw(
            st.none()
            | st.builds(
                XRay, st.sampled_from(["taking", "ready", "failed"]), words, st.integers(-1, 99),
                st.just(base.timeline), st.floats(0, 9),
                st.lists(maybe_bytes, max_size=4).map(tuple), words,
            )
        ),
        playback=draw(
            st.none() | st.builds(Playback, words, words, st.floats(0, 99), st.floats(0, 99), st.floats(0, 8))
        ),
        steering=draw(st.none() | st.builds(Steering, st.none() | st.integers(-1, 99), st.floats(0, 9))),
        view=draw(st.sampled_from([*VIEWS, "odd"])),
    )  # fmt: skip


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(known_snapshots(), st.integers(1, 180), st.integers(1, 50), st.sampled_from(["", *VIEWS]))
def test_any_view_of_anything_fills_any_size(snapshot, width, height, view):
    check(panel(snapshot, width, height, view=view, rank=1), width, height)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(known_snapshots(), st.integers(1, 160), st.integers(1, 40), st.sampled_from(VIEWS))
def test_a_view_alone_fills_any_size(snapshot, width, height, view):
    check(registry.view(view, snapshot, width, height, 0), width, height)


@pytest.mark.parametrize("world", [1, 2, 16, 41, 64, 1024])
@pytest.mark.parametrize("view", VIEWS)
def test_any_number_of_ranks(world, view):
    for width, height in ((60, 7), (80, 14), (160, 45)):
        check(panel(made.full(world), width, height, view=view, rank=world - 1), width, height)


@pytest.mark.parametrize("view", ["", *VIEWS])
def test_a_frame_of_1024_ranks_costs_little(view):
    snapshot = made.full(1024)
    panel(snapshot, 160, 42, view=view)
    before = time.process_time()
    for _ in range(3):
        panel(snapshot, 160, 42, view=view)
    assert (time.process_time() - before) / 3 < 0.1


# --- pictures -------------------------------------------------------------------------------------------

SIZES = {"80x14": (80, 14), "160x40": (160, 40)}
SHOWN = {
    "table": made.full(),
    "loss": made.full(),
    "timeline": made.looked_into(),
    "memory": made.mixed(),
    "collectives": made.mixed(),
    "buffers": made.ring(),
    "log": made.full(),
    "launch": made.recovered(),
}
OWN = {
    "stalled_80x11": (made.stalled(), 80, 11),
    "recovered_100x14": (made.recovered(), 100, 14),
    "replayed_100x14": (made.replayed(), 100, 14),
    "held_80x11": (made.steered(), 80, 11),
    "own_memory_80x11": (made.mixed(view="memory"), 80, 11),
    "own_memory_100x20": (made.mixed(view="memory"), 100, 20),
    "own_memory_160x40": (made.mixed(view="memory"), 160, 40),
}


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("view", SHOWN)
def test_pictures_of_chosen_views(view, size):
    rank = 2 if view == "table" else None
    same_as_picture(
        f"view_{view}_{size}", text(panel(SHOWN[view], *SIZES[size], view=view, rank=rank)) + "\n"
    )


@pytest.mark.parametrize("name", OWN)
def test_pictures_of_what_goes_on(name):
    same_as_picture(name, text(panel(*OWN[name])) + "\n")


# --- single figures -------------------------------------------------------------------------------------


def test_the_tabs_name_every_view_and_set_the_shown_one_off():
    for width in (78, 156):
        for view in VIEWS:
            line = registry.tabs(view, made.launching(), width)
            assert all(str(digit) in plain(line) for digit in range(10))
            assert [span.text.strip() for span in line if span.style.ground] == [registry.titled(view)]
    assert "1" not in plain(registry.tabs("memory", made.full(), 80, hints=False))


def test_a_view_that_has_nothing_to_say_of_a_run_is_not_offered():
    run = made.full()
    assert list(registry.offered(run)) == [1, 2, 3, 4, 5, 8, 9]  # it has neither a pipeline nor buffers
    assert "6" not in plain(registry.tabs("memory", run, 156)) and "9 launch" in plain(
        registry.tabs("memory", run, 156)
    )
    # Before its second step nobody knows what a run will have.
    rows = tuple(replace(row, step=0) for row in run.rows)
    assert len(registry.offered(replace(run, rows=rows))) == 9
    # One that was chosen on another slide stays named: what is on screen always is.
    assert "6 pipeline" in plain(registry.tabs("pipeline", run, 156))


def test_the_tabs_are_one_line_with_a_blank_row_below():
    for width, height in ((80, 14), (100, 24), (160, 40), (200, 50)):
        for view in registry.offered(made.full()).values():
            lines = panel(made.full(), width, height, view=view)
            (at,) = [n for n, line in enumerate(lines) if any(s.style == registry.HERE for s in line)]
            assert at <= (7 if height >= LARGE[1] else 2) and not plain(lines[at + 1]).strip()


def test_memory_says_how_far_a_kind_is_from_its_formula():
    snapshot = made.mixed()
    rows = tuple(replace(row, params=round(3_475_000 * 1.1)) for row in snapshot.rows)
    shown = text(memory(replace(snapshot, rows=rows), 100, 20))
    line = next(line for line in shown.splitlines() if line.startswith("difference"))
    assert line.split() == ["difference", "+10.0", "%", "equal", "equal", "–", "-3.5", "%", "–"]
    small = text(memory(replace(snapshot, rows=rows), 100, 7))
    assert "off by   parameters +10.0 %  gradients equal" in small


def test_a_bar_of_the_formula_is_as_long_as_its_bytes():
    shown = memory(made.mixed(), 120, 9)[1:7]
    bars = {plain(line)[:9].strip(): sum(len(s.text) for s in line if s.style.ground) for line in shown}
    measured, theory = bars["rank 0"], bars["formula"]
    assert theory / measured == pytest.approx(19.3 / 32.31, abs=0.05)


def test_where_ranks_do_not_fit_the_most_the_mean_and_the_least_are_shown():
    snapshot = made.full(64)
    rows = tuple(replace(row, params=row.params + row.rank) for row in snapshot.rows)
    labels = [
        line.split()[0:2] for line in text(memory(replace(snapshot, rows=rows), 90, 9)).splitlines()[1:]
    ]
    assert (
        ["rank", "63"] in labels and ["rank", "0"] in labels and any(label[0] == "mean" for label in labels)
    )


def test_an_exposed_kind_of_collective_is_told_from_a_hidden_one():
    shown = text(collectives(made.mixed(), 120, 8)).splitlines()
    row = next(line for line in shown if line.startswith("all-gather"))
    assert " 0 %" in row and "▒" not in row and "▓" in row
    assert "▒" in next(line for line in shown if line.startswith("reduce-scatter"))


def test_each_kind_of_collective_is_said_where_they_are_mixed():
    line = plain(run_totals.summary(made.mixed(), 160))
    assert "3 reduce-scatter + 5 all-gather + 1 all-reduce" not in line  # not in bytes_by_op
    assert "3 reduce-scatters + 5 all-gathers a step: payload 20.9 MB, wire 26.1 MB, theory 15.6 MB" in line


@pytest.mark.parametrize("newest", [{"all-reduce": 16}, {}])
def test_a_newest_step_of_another_sort_is_not_called_a_step(newest: dict[str, int]) -> None:
    """As a last step that only checks what all others sent, or a micro-step that sends nothing."""
    sent = replace(made.mixed().ops[0], op="send", calls=0.8125, bytes=300)
    kinds = (replace(sent, op="all-reduce", calls=0.1875, bytes=3), replace(sent, op="receive"), sent)
    op = next(iter(newest), None)
    shown = replace(
        made.mixed(), ops=kinds, collectives=len(newest), collective_op=op, bytes_by_op=newest, payload=600
    )
    line = plain(run_totals.summary(shown, 160))
    assert "0.8 receives + 0.8 sends a step: payload 600 B" in line


@pytest.mark.parametrize("width", [78, 98, 158])
def test_bytes_are_told_by_all_three_counts_at_every_width(width: int) -> None:
    for shown in (made.mixed(), made.running()):
        line = plain(run_totals.summary(shown, width))
        assert all(f"{word} " in line for word in ("payload", "wire", "theory")) and "sent" not in line


def test_the_x_ray_takes_the_place_of_the_newest_step_once_it_is_ready():
    ready = made.looked_into()
    shown = text(xray(ready, 100, 20))
    assert "step 41 under the profiler" in shown and "0 45.1 MB" in shown and "xray-41.json.gz" in shown
    assert ready.xray is not None
    taking = replace(ready, xray=replace(ready.xray, state="taking"))
    assert "under the profiler" not in text(xray(taking, 100, 20))


def test_the_log_is_of_every_rank_or_of_one():
    snapshot = made.full()
    both = text(log(snapshot, 80, 14))
    assert all(f"rank {n}" in both for n in range(4))
    one = text(log(snapshot, 80, 14, 2))
    assert "rank 2, its last lines" in one and "rank 1" not in one and one.count("loss") == 9
    assert "rank 9 has written nothing" in text(log(snapshot, 80, 14, 9))


def test_lines_that_name_their_rank_are_sorted_by_it():
    snapshot = made.full(tails=(), logs=("rank 1: b0", "rank 0: a0", "rank 1: b1", "nobody"))
    shown = text(log(snapshot, 60, 10)).splitlines()
    assert [line for line in shown if line and not line.startswith("rank")] == ["a0", "b0", "b1"]
    assert "b1" in text(log(snapshot, 60, 10, 1)) and "a0" not in text(log(snapshot, 60, 10, 1))
    assert "nobody" in text(log(made.full(tails=(), logs=("nobody",)), 60, 10))


def test_a_launch_falls_from_phase_to_phase():
    lines = text(launch(made.full(), 80, 9)).splitlines()
    starts = [line.index("█") for line in lines if "█" in line]
    assert starts == sorted(starts) and len(starts) == 7
    assert "221 ms" in lines[0] and lines[7].strip().endswith("112 ms")


def test_what_was_done_to_a_rank_and_where_the_others_stand():
    said = [plain(line) for line in doings(made.stalled(), 100)]
    assert said == ["! rank 2 stopped · last entered all-reduce #385; the others are in #386"]
    over = replace(made.stalled(), state="failed")
    assert plain(doings(over, 100)[0]).endswith("last entered all-reduce #385; the others entered #386")
    shown = text(panel(made.stalled(), 160, 14))
    assert "◂ stopped" in shown


def test_a_slowdown_is_told_as_part_of_the_step_and_beside_the_noise():
    snapshot = made.running(slow_rank=2, bent=("4 ranks on 2 cores", "rank 2 slowed 20 ms"))
    rows = tuple(
        replace(row, harm="slowed 20 ms", step_s=0.06)
        if row.rank == 2
        else replace(row, late_s=0.001 * row.rank)
        for row in snapshot.rows
    )
    (said,) = [plain(line) for line in doings(replace(snapshot, rows=rows), 120)]
    assert said == "! rank 2 slowed 20 ms · 33 % of its step; the others differ by 3.0 ms"


def test_slowed_and_slowest_do_not_contradict_without_a_word_of_why():
    snapshot = made.running(slow_rank=1, bent=("4 ranks on 2 cores", "rank 2 slowed 20 ms"))
    (said,) = [plain(line) for line in doings(snapshot, 160)]
    assert said == (
        "! rank 2 is slowed, yet rank 1 is the slowest, by 20 ms: "
        "4 ranks on 2 cores, and a rank that sleeps leaves its core to the others"
    )
    both = replace(snapshot, bent=("rank 2 slowed 20 ms", "rank 3 slowed 20 ms"))
    assert plain(doings(both, 160)[0]).startswith("! ranks 2 and 3 are slowed, yet rank 1 is the slowest")
    alone = replace(snapshot, bent=("rank 2 slowed 20 ms",))
    assert "something else takes its time" in plain(doings(alone, 160)[0])
    assert doings(replace(snapshot, slowest=2), 160) == []
    assert doings(replace(snapshot, slowest=None, slowest_by_s=None), 160) == []


def test_ranks_apart_are_named_when_nobody_harmed_them():
    snapshot = made.stalled()
    rows = tuple(replace(row, harm="") for row in snapshot.rows)
    (said,) = doings(replace(snapshot, rows=rows), 100)
    assert plain(said) == "! entered last: rank 2 all-reduce #385; the others #386"


@pytest.mark.parametrize(
    ("snapshot", "said"),
    [
        (made.steered(128), "‖ held after step 128 · P steps on"),
        (made.steered(140), "‖ will be held after step 140 · P steps on"),
        (made.steered(None, 0.5), "‖ slowed down · a step takes 500 ms at least · P changes it"),
        (
            made.replayed(12, 0),
            "‖ 0:12 of 0:30  paused · recorded 2026-11-21 04:10 on laptop · Space resumes",
        ),
        (
            made.replayed(30),
            "‖ 0:30 of 0:30  ended · recorded 2026-11-21 04:10 on laptop · Space again",
        ),
        (made.recovered(), "✓ back after 348 ms · 3 steps lost · "),
        (made.looked_into(), "✓ x-ray of step 41 · 3 shows it"),
    ],
)
def test_what_goes_on_is_said_in_words(snapshot, said):
    assert plain(doings(snapshot, 80)[0]).startswith(said)
    assert "P" not in plain(doings(snapshot, 80, hints=False)[0])


@pytest.mark.parametrize("width", [60, 80, 100, 160])
def test_of_a_recovery_what_took_long_is_said_in_any_width(width):
    said = plain(doings(made.recovered(), width)[0])
    assert len(said) <= width and said.endswith("first step 148 ms")
    assert ("detected 12 ms" in said) == (width == 160)


def test_whatever_is_to_be_said_the_ranks_keep_their_rows():
    everything = replace(
        made.stalled(),
        recoveries=made.recovered().recoveries,
        xray=made.looked_into().xray,
        steering=Steering(128),
        warning="no step for 6 s: rank 2 has been silent, " + "and more of it " * 9,
    )
    for height in (7, 9, 11, 14):
        lines = text(panel(everything, 80, height)).splitlines()
        assert sum("waits for 2 " in line or "silent 6s" in line for line in lines) == 4, height
    assert "and more of it" in lines[lines.index(next(n for n in lines if "no step for" in n)) + 1]


def test_a_demo_about_its_memory_shows_it_first_where_there_is_room_for_one_thing_only():
    small = text(panel(made.mixed(view="memory"), 80, 10))
    assert "formula" in small and "tok/s    time" not in small
    large = text(panel(made.mixed(view="memory"), 100, 22))
    assert "formula" in large and "time" in large
    assert "formula" not in text(panel(made.mixed(), 80, 10))
    unknown = tuple(replace(row, params=None) for row in made.mixed().rows)
    assert "rank  state" in text(panel(made.mixed(view="memory", rows=unknown), 80, 10))


def test_of_a_run_that_failed_the_error_of_each_rank_is_read_whole() -> None:
    """Not the end of one rank's traceback; where torch was built says nothing to a room."""
    error = "RuntimeError: [/__w/x/third_party/gloo/gloo/transport/tcp/pair.cc:553] Connection closed by peer"
    trace = ("Traceback (most recent call last):", '  File "/home/me/ddp.py", line 98, in main', error)
    broken = replace(
        made.failed(), tails=(trace, trace, (), trace), logs=tuple(f"rank 3: {t}" for t in trace)
    )
    shown = text(panel(broken, 160, 20))
    assert shown.count("RuntimeError: [pair.cc:553] Connection closed by peer") == 3
    assert "Traceback" not in shown and "/home/me" not in shown
