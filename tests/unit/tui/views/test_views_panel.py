"""The panel of a run: what it says and draws in the usual cases, in pictures in text."""

from __future__ import annotations

import re
import time

import made_snapshots as made
import pytest
from msgspec.structs import replace
from pictured import same_as_picture

from runtime.protocol.diagnosis_message import Diagnosis
from runtime.protocol.diagnosis_message import RankRow as Stood
from runtime.protocol.figures import Curve, Mark, OpRow, RankRow
from runtime.protocol.messages import Snapshot
from slides.drawing.large import read_letters
from slides.drawing.text import Line, plain
from tui.figures import categories
from tui.views.panel import panel
from tui.views.parts import run_totals
from tui.views.parts.ranks import rank_strip
from tui.views.run import table, timeline
from tui.views.run.collectives import collectives, exposures
from tui.views.run.loss import loss
from tui.views.run.timeline import caption


def text(lines: list[Line]) -> str:
    return "\n".join(plain(line).rstrip() for line in lines)


# --- anything a store may say ---------------------------------------------------------------------------


# --- pictures -------------------------------------------------------------------------------------------


CASES = {
    "panel_60x7": (made.running(), 60, 7),
    "panel_80x9": (made.running(), 80, 9),
    "panel_100x16": (made.running(), 100, 16),
    "panel_160x26": (made.running(), 160, 26),
    "launching_80x9": (made.launching(), 80, 9),
    "failed_80x9": (made.failed(), 80, 9),
    "failed_160x20": (made.failed(), 160, 20),
    "ranks64_100x12": (made.running(64, slow_rank=17), 100, 12),
    "ranks1024_160x24": (made.running(1024, slow_rank=517), 160, 24),
}


@pytest.mark.parametrize("name", CASES)
def test_pictures(name):
    drawn = text(panel(*CASES[name])) + "\n"
    same_as_picture(name, drawn)


# --- single figures -------------------------------------------------------------------------------------


def row_of(snapshot: Snapshot, rank: int, width: int = 160) -> str:
    return plain(table.table(snapshot, width, len(snapshot.rows) + 1)[1 + rank])


def test_a_slower_rank_moves_its_bar_and_gets_the_mark():
    row = row_of(made.running(slow_rank=1), 1)
    assert "◂ slowest +20 ms" in row
    assert row.count("█") > row_of(made.running(slow_rank=2), 1).count("█")
    assert row.count("░") < row_of(made.running(slow_rank=2), 1).count("░")


def test_a_little_lateness_is_no_news():
    snapshot = made.running(slowest=2, slowest_by_s=0.001)
    assert "slowest" not in row_of(snapshot, 2)
    assert "slowest rank 2, +1.0 ms" in plain(run_totals.summary(snapshot, 150))


def test_one_rank_is_not_compared_with_others():
    alone = plain(run_totals.summary(made.running(1, collectives=0), 100))
    assert alone == "gradient norm 0.82 (step 120)"


def test_a_norm_says_of_which_step_it_is_and_where_ranks_differ():
    snapshot = made.running(slow_rank=-1)  # at step 128: parameters and gradients were looked at in 120
    assert "gradient norm 0.82 (step 120)" in plain(run_totals.summary(snapshot, 158))
    assert plain(run_totals.summary(snapshot, 145)).endswith("gradient norm 0.82")
    first, *others = snapshot.rows
    rows = (replace(first, grad_norm=1.5), *others[:2], replace(others[2], grad_norm=9.0, grad_norm_step=110))
    said = plain(run_totals.summary(replace(snapshot, rows=rows), 170))
    assert "gradient norm 0.82 to 1.50 (step 120)" in said
    nan = tuple(replace(row, grad_norm=float("nan")) for row in snapshot.rows)
    assert "gradient norm nan (step 120)" in plain(run_totals.summary(replace(snapshot, rows=nan), 200))


def test_a_loss_beyond_all_measure_is_not_drawn():
    curves = (Curve(0, [0, 1, 2], [1.7e308, 2.0, -1.7e308]), Curve(1, [0, 1], [3.0, 2.5]))
    assert "┤" in text(loss(replace(made.running(), curves=curves), 60, 10))


@pytest.mark.parametrize("value", [0.0, 2.5, -3e9, 4503599627370498.0, -1e17, 9e299])
def test_a_loss_that_stands_still_is_drawn_however_large(value):
    curves = (Curve(0, [0, 1], [value, value]),)
    assert "┤" in text(loss(replace(made.running(), curves=curves), 60, 10))


def test_ranks_that_were_told_to_end_did_not_die():
    rows = tuple(replace(row, state="dead") for row in made.running().rows)
    stopped = replace(made.running(state="stopped"), rows=rows, why="stopped")
    shown = text(panel(stopped, 100, 12))
    assert "dead" not in shown and shown.count("ended") == 4 and shown.count("stopped") == 1
    assert "d starts it again" in shown
    assert "d starts it again" not in text(panel(stopped, 100, 12, hints=False))
    assert "dead" in text(panel(replace(stopped, state="failed"), 100, 12))


@pytest.mark.parametrize("width", range(1, 90))
def test_no_word_of_the_legend_touches_the_next_glyph(width):
    legend = plain(categories.time_legend(width))
    glyphs = "".join(kind.glyph for kind in categories.TIME_LEGEND)
    assert len(legend) <= width
    assert not re.search(rf"[a-z][{glyphs}]", legend)


def test_unknown_is_a_dash_and_an_unknown_part_a_broken_line():
    snapshot = made.running()
    lost = {"compute": None, "hidden": None, "exposed": None, "wait": None, "loss": None}
    rows = [replace(row, **lost) for row in snapshot.rows]
    row = row_of(replace(snapshot, rows=tuple(rows)), 0).partition("41 MB")[0]
    assert "╌" in row and "▓" not in row and "▒" not in row
    rows[1] = snapshot.rows[1]
    assert "–" in row_of(replace(snapshot, rows=tuple(rows)), 0)  # of the loss, which only rank 1 said
    blank = RankRow(rank=0, node=0, pid=1, state="build")
    dashed = row_of(replace(snapshot, world=1, rows=(blank,), equal=None, slowest=None), 0)
    assert dashed.split() == ["0", "A", "build", *["–"] * 8]  # alone it is equal to nobody


def test_a_column_goes_in_which_no_rank_has_said_anything():
    snapshot = made.running()
    unsaid = dict.fromkeys(
        ["loss", "tokens_s", "checksum", "grad_norm", *(k.field for k in categories.MEMORY)]
    )
    rows = tuple(replace(row, **unsaid) for row in snapshot.rows)
    bare = replace(snapshot, rows=rows, equal=None, slowest=None, overlap=None)
    for width in (80, 100, 160, 200):
        shown = text(panel(bare, width, 14))
        assert "–" not in shown and "step" in shown and "70 ms" in shown
        assert not any(word in shown for word in ("loss", "tok", "memory", "grad", "overlap", "slowest"))
    # Until the second step they keep their places: what a rank has is said by then.
    early = replace(bare, rows=tuple(replace(row, step=0) for row in rows))
    assert all(word in text(panel(early, 160, 14)) for word in ("loss", "tokens/s", "memory", "‖grad‖"))


def test_what_the_colours_are_is_said_in_words_where_there_is_a_row_for_it():
    for width in (60, 80, 100, 160):
        shown = text(panel(made.running(), width, 9))
        for kind in (categories.COMPUTE, categories.HIDDEN, categories.EXPOSED, categories.WAIT):
            assert kind.word in shown, (width, shown)
        assert " hid " not in shown and " exp " not in shown and "optimizer" in shown


def test_a_part_of_the_memory_that_is_not_known_is_said():
    snapshot = made.running()
    rows = tuple(replace(row, optimizer_bytes=None) for row in snapshot.rows)
    assert "≥27 MB" in row_of(replace(snapshot, rows=rows), 0)


def test_checksums_that_differ_name_the_odd_one():
    snapshot = made.running(equal=False)
    rows = [replace(row, checksum="x" if row.rank == 3 else "y") for row in snapshot.rows]
    odd = replace(snapshot, rows=tuple(rows))
    assert ["≠" in row_of(odd, rank) for rank in range(4)] == [False, False, False, True]
    assert "parameters differ between ranks ≠ (step 120)" in plain(run_totals.summary(odd, 170))
    halves = [replace(row, checksum=str(row.rank % 2)) for row in snapshot.rows]
    assert all("≠" in row_of(replace(snapshot, rows=tuple(halves)), rank) for rank in range(4))


def test_a_silent_and_a_dead_rank_say_so_in_words():
    snapshot = made.running()
    rows = [replace(row, silent_s=7.2) if row.rank == 1 else row for row in snapshot.rows]
    rows[3] = replace(rows[3], state="dead")
    odd = replace(snapshot, rows=tuple(rows))
    assert "silent 7s" in row_of(odd, 1, 80)
    elsewhere = [replace(row, state="stale") if row.rank == 1 else row for row in rows]
    assert "stale 7s" in row_of(replace(odd, rows=tuple(elsewhere)), 1, 80)
    assert "dead" in row_of(odd, 3, 80)


def test_a_loss_that_blew_up_is_said():
    snapshot = made.running()
    rows = [replace(row, loss=float("nan")) for row in snapshot.rows]
    curves = [replace(curve, losses=[*curve.losses[:-1], float("nan")]) for curve in snapshot.curves]
    odd = replace(snapshot, rows=tuple(rows), curves=tuple(curves))
    assert "nan" in row_of(odd, 0)
    assert "loss nan" in plain(run_totals.head(odd, 160))


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("done", "✓ done after 0:12"),
        ("failed", "✗ failed after 0:12  rank 1 ended with code 1"),
        ("stopped", "■ stopped after 0:12"),
        ("lost", "✗ lost after 0:12  rank 1 ended with code 1"),
    ],
)
def test_how_a_run_ended_and_what_starts_it_again(state, says):
    why = "rank 1 ended with code 1" if state in ("failed", "lost") else ""
    shown = text(panel(made.running(state=state, why=why), 80, 9))
    assert says in shown
    assert "d starts it again" in shown


def test_a_long_reason_never_hides_the_way_out():
    shown = text(panel(made.running(state="failed", why="because " * 60), 80, 9))
    assert "d starts it again" in shown


def test_why_a_run_is_stuck_has_a_line_of_its_own():
    shown = panel(made.running(warning="no step for 6 s: rank 2 is in backward"), 80, 12)
    line = next(line for line in shown if "no step for 6 s" in plain(line))
    assert any(span.style.ink == "warning" for span in line)


@pytest.mark.parametrize("badge", ["REPLAY", "SIMULATED"])
def test_what_is_not_live_is_not_marked_as_live(badge):
    shown = run_totals.head(made.running(badge=badge), 100)
    assert f"○ {badge}" in plain(shown)
    assert "●" not in plain(shown)
    assert "● LIVE CPU" in plain(run_totals.head(made.running(), 100))
    assert "LOST" in plain(run_totals.head(made.running(state="lost"), 100))
    assert "○ LIVE CPU" in plain(run_totals.head(made.running(state="done"), 100))


def test_nothing_is_live_before_a_rank_has_stepped():
    rows = tuple(replace(row, step=None) for row in made.running().rows)
    for early in (made.launching(), made.running(rows=rows)):
        (badge,) = [span for span in run_totals.head(early, 100) if "LIVE CPU" in span.text]
        assert badge.style.ink != "good" and "●" not in badge.text
    one = (replace(rows[0], step=0), *rows[1:])
    (badge,) = [s for s in run_totals.head(made.running(rows=one), 100) if "LIVE CPU" in s.text]
    assert badge.text == "● LIVE CPU" and badge.style.ink == "good"


def test_the_budget_warns_when_it_is_over():
    assert "0:12 of 0:30" in plain(run_totals.head(made.running(), 160))
    assert "0:12 of 0:05 over" in plain(run_totals.head(made.running(budget_s=5.0), 160))


def test_figures_stay_where_they_are_while_they_grow():
    def place(word: str, step: int) -> int:
        return plain(run_totals.head(made.running(step=step), 120)).index(word)

    for word in ("step", "loss", "tok/s", "overlap"):
        assert len({place(word, step) for step in (3, 42, 128)}) == 1
    rows = [row_of(made.running(step=step), 0) for step in (3, 42, 128)]
    assert len({row.index("█") for row in rows}) == 1


def test_the_last_step_is_all_of_them():
    assert "steps 200/200" in plain(run_totals.head(made.running(step=199), 120))
    assert "step 199 " in plain(run_totals.head(made.running(step=199, steps=None), 120))


def test_a_label_stands_on_its_own_bar_or_not_at_all():
    marks = (
        Mark("backward", 0.0, 0.1),
        Mark("all-reduce", 0.02, 0.06, "b0"),
        Mark("all-reduce", 0.021, 0.08, "b1"),
    )
    shown = text(timeline.timeline(made.running(timeline=(marks,) * 4, timeline_s=0.1), 60, 14))
    assert "b1" in shown
    assert "b0▓" not in shown and "bb" not in shown


def test_caption_tells_hidden_from_exposed():
    assert caption(made.running()) == "buckets b0 b1 hide behind backward; b2 is exposed"
    marks = (Mark("backward", 0, 0.1), Mark("all-reduce", 0.02, 0.05, "b0"))
    assert caption(made.running(timeline=(marks,))) == "bucket b0 hides behind backward"
    assert caption(made.running(timeline=())) == ""
    of_a_pipeline = (Mark("backward", 0, 0.1), Mark("send", 0, 0.1, "→1"), Mark("receive", 0, 0.1, "←0"))
    stood = (Mark("exposed", 0, 0.09), *of_a_pipeline)
    assert caption(made.running(timeline=(of_a_pipeline,))) == "→ send: hidden · ← receive: hidden"
    assert caption(made.running(timeline=(stood,))) == "→ send: 90 % exposed · ← receive: 90 % exposed"
    many = [Mark("all-reduce", n / 100, (n + 1) / 100, f"b{n}") for n in range(8)]
    known = (Mark("backward", 0, 0.05), Mark("exposed", 0.05, 0.08), *many)
    said = caption(made.running(timeline=(known,)))
    assert said == "buckets b0 … b4 hide behind backward; b5 b6 b7 are exposed"


def test_what_travels_while_a_rank_is_waited_for_is_not_called_exposed():
    """With seven buckets and a slow rank the others' last ones are over before it has come to its own."""
    bars = [Mark("all-reduce", n / 10, (n + 1) / 10, f"b{n}") for n in range(4)]
    lane = (Mark("backward", 0, 0.1), Mark("wait", 0.1, 0.3), Mark("exposed", 0.3, 0.4), *bars)
    shown = made.running(timeline=(lane,), timeline_s=0.4)
    assert caption(shown) == (
        "bucket b0 hides behind backward; b1 b2 travel while a rank is waited for; b3 is exposed"
    )
    drawn = text(timeline.timeline(shown, 60, 14)).splitlines()
    row = next(line for line in drawn if "b3" in line)
    assert row.count(categories.WAIT.glyph) > 2 * row.count(categories.EXPOSED.glyph) > 0
    assert exposures(shown)["all-reduce"] == pytest.approx((0.4, 0.1, 0.2))
    reduced = OpRow("all-reduce", "world", 4, 4.0, 1000, 0.4)
    tables = text(collectives(made.running(timeline=(lane,), ops=(reduced,)), 160, 30))
    assert "▒ exposed" in tables and "rank waited for" in tables
    waits = (Mark("wait", 0, 0.1), Mark("send", 0, 0.1, "→1"))
    assert caption(made.running(timeline=(waits,))) == "→ send: while a rank is waited for"


def test_an_exposed_bucket_looks_so_on_the_timeline():
    lines = [plain(line) for line in timeline.timeline(made.running(), 80, 14)]
    bars = next(line for line in lines if "b0" in line and "b2" in line)
    hidden, exposed = bars[: bars.index("b1") + 4], bars[bars.index("b2") - 2 :]
    assert "▓" in hidden and "▒" not in hidden
    assert "▒" in exposed and "▓" not in exposed


def test_all_parts_of_a_bar_are_of_one_height():
    """Bars fill their cells with their colour: an eighth less would be a stripe where rows are stacked."""
    snapshot = made.full()
    for width, height in ((80, 14), (160, 27), (200, 50)):
        for view in ("", "table", "timeline", "memory", "collectives", "launch"):
            lines = panel(snapshot, width, height, view=view)
            rows = [plain(line) for line in lines]
            lettered = {
                n + at for n in range(len(rows)) for at in range(3) if read_letters.words(rows[n : n + 3])
            }
            for line in (line for n, line in enumerate(lines) if n not in lettered):
                # But what is in letters: figures, and words within a bar.
                bars = [span for span in line if span.style != run_totals.FIGURE and not span.style.bold]
                low = [span for span in bars if set(span.text) & set("▁▂▃▄▅▆▇")]
                assert not low, (view, plain(line))


def test_a_word_stands_in_the_middle_of_its_part():
    assert plain(categories.COMPUTE.block(9, ("forward", "fwd"))) == " forward "
    assert plain(categories.COMPUTE.block(7, ("forward", "fwd"))) == "█ fwd █"
    assert plain(categories.COMPUTE.block(13, ("forward",))) == "██ forward ██"
    assert plain(categories.COMPUTE.block(3, ("forward",))) == "███"
    (word,) = [span for span in categories.EXPOSED.block(12, ("forward",)) if "forward" in span.text]
    assert (word.style.ink, word.style.ground) == ("background", "exposed")


def test_the_loss_ends_with_the_ranks_that_end_there():
    snapshot = made.running()
    apart = [replace(c, losses=[v + c.rank for v in c.losses]) for c in snapshot.curves]
    lines = [plain(line) for line in loss(replace(snapshot, curves=tuple(apart)), 70, 20)]
    ends = [line.rstrip()[-1] for line in lines[1:-2] if line.rstrip()[-1:].isdigit()]
    assert ends == ["3", "2", "1", "0"]


def test_one_step_makes_no_curve_but_a_sentence():
    one = Curve(0, [0], [5.0])
    assert "the curve begins with the second step" in text(loss(made.running(curves=(one,)), 60, 10))


def test_the_strip_shows_lateness_death_and_ignorance():
    rows = list(made.running(64, slow_rank=17).rows)
    rows[5] = replace(rows[5], state="dead")
    rows[6] = replace(rows[6], late_s=None)
    shown = [plain(line) for line in rank_strip.strip(rows, 0.07, 100, 10)]
    dots = shown[1].split(maxsplit=1)[1].replace(" ", "")
    assert (dots[5], dots[6], dots[17]) == ("×", "–", "█")
    assert len(dots) == 64


def test_1024_ranks_cost_little():
    snapshot = made.running(1024, slow_rank=517)
    panel(snapshot, 160, 40)
    before = time.process_time()
    for _ in range(5):
        panel(snapshot, 160, 40)
    assert (time.process_time() - before) / 5 < 0.1


def test_why_ranks_stand_still_takes_the_place_of_figures_that_stand_still_too():
    rows = tuple(Stood(rank, 9, "send 4.2 MB", f"rank {(rank + 1) % 4}", 3.2, True) for rank in range(4))
    edges = tuple((rank, (rank + 1) % 4) for rank in range(4))
    found = Diagnosis("deadlock", "A circle. Nobody receives.", (), "receive first", 9, rows, edges)
    shown = replace(made.running(), diagnosis=found, warning="nobody receives")
    tall, low = text(panel(shown, 100, 30)), text(panel(shown, 80, 16))
    assert "A circle" in tall and "╭" in tall and "▶" in tall and "3.20 s" in tall
    assert "A circle" in low and "send 4.2 MB" in low and "╭" not in low
    assert text(panel(replace(shown, warning=found.headline), 100, 30)).count("A circle") == 1
    assert "A circle" not in text(panel(shown, 80, 7)), "where there is no room the warning says it"
    assert "A circle" not in text(panel(replace(shown, state="done"), 100, 30))


def test_a_panel_in_full_size_has_the_runs_figures_in_letters_and_once():
    def shown(snapshot, height):
        lines = [plain(line) for line in panel(snapshot, 160, height)]
        said = [read_letters.words([row[2:] for row in lines[n : n + 3]]) for n in range(len(lines))]
        return lines, next((words for words in said if words), "")

    lines, said = shown(made.running(), 43)
    assert said == "129/200 2.153 29k 63 %"
    assert "loss" in lines[2] and "loss" not in lines[0] and "LIVE" in lines[0]
    lines, said = shown(made.running(), 30)
    assert not said and "loss" in lines[0]
    waiting = replace(made.running(), rows=tuple(replace(row, step=None) for row in made.running().rows))
    assert "loss" in shown(waiting, 43)[0][0], "no figure of a step before there is one"
