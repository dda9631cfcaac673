"""Figures of a script's own: said once where the ranks agree, in their units, whole numbers whole."""

from __future__ import annotations

import re

import made_snapshots as made
from msgspec.structs import replace

from runtime.protocol.figures import Named
from runtime.protocol.messages import Snapshot
from slides.drawing.large import read_letters
from slides.drawing.text import plain
from tui.views.panel import panel
from tui.views.parts.ranks.rank_details import details
from tui.views.run.values import rows_of, values


def said(*named: Named, **result: object) -> Snapshot:
    snapshot = made.running(2)
    rows = tuple(replace(row, result=dict(result)) for row in snapshot.rows)
    return replace(snapshot, values=named, rows=rows)


def drawn(snapshot: Snapshot, width: int = 70, height: int = 9) -> list[str]:
    return [plain(line).rstrip() for line in values(snapshot, width, height)]


def test_before_the_first_steps_nobody_says_that_there_will_be_no_figures() -> None:
    early = replace(made.launching(), state="running")
    assert "no rank has sent figures of its own yet" in drawn(early)
    assert "this demo shows no buffers and sends no figures of its own" in drawn(made.running(2))


def test_ranks_that_differ_have_columns_and_what_all_say_is_said_once() -> None:
    snapshot = said(
        Named("local_rank", "", 3, ((0.0,), (1.0,))),
        Named("pid", "", 3, ((18_801.0,), (18_802.0,))),
        Named("naive", "s", 3, ((0.0046, 0.0159), (0.0046, 0.0159))),
        Named("speedup", "", 3, ((1.0, 1.12, 1.66), (1.0, 1.12, 1.66))),
    )
    assert drawn(snapshot) == [
        "            rank 0  rank 1",
        "local rank       0       1",
        "pid          18801   18802",
        "",
        "naive    4.6 ms  16 ms",
        "speedup  1  1.12  1.66",
        "",
        "",
        "",
    ]
    assert rows_of(snapshot) == 6


def test_results_are_in_the_unit_their_name_ends_with() -> None:
    snapshot = said(
        sent_bytes=12_582_912, small_s=0.002, equal=True, missing=None, loss=2.0, note="\x1b[31mx"
    )
    assert [line.split(maxsplit=1) for line in drawn(snapshot)[:5]] == [
        ["sent", "12.6 MB"],
        ["small", "2.0 ms"],
        ["equal", "yes"],
        ["missing", "–"],
        ["note", "x"],
    ]


def test_many_figures_stand_side_by_side() -> None:
    snapshot = said(**{f"figure_{n}": n for n in range(12)})
    lines = drawn(snapshot, 70, 6)
    assert lines[0].split() == ["figure", "0", "0", "figure", "6", "6"]
    assert lines[5].split() == ["figure", "5", "5", "figure", "11", "11"]


def test_a_figure_that_one_rank_did_not_say_is_a_dash() -> None:
    load = said(Named("load", "tokens", 0, ((5.0,), ())))
    assert drawn(load, 70, 3)[2].split() == ["load", "5", "tokens", "–"]


def test_a_unit_of_the_scripts_own_is_said_once_behind_its_numbers() -> None:
    sent = said(Named("sent", "tokens", 0, ((128.0, 139.0), (120.0, 131.0))))
    assert drawn(sent, 70, 3)[2].split() == ["sent", "128", "139", "tokens", "120", "131", "tokens"]


def test_ranks_stand_one_below_the_other_where_they_have_no_room_side_by_side() -> None:
    many = said(Named("sent", "", 0, (tuple(range(90, 98)), tuple(range(80, 88)))), note="x")
    assert [line.split()[:3] for line in drawn(many, 50, 6)[:3]] == [
        ["sent"], ["rank", "0", "90"], ["rank", "1", "80"],
    ]  # fmt: skip


def test_numbers_at_the_same_place_stand_one_below_the_other() -> None:
    samples = ((106.0, 8.0, 69.0), (36.0, 116.0, 5.0), (7.0, 114.0))
    lines = drawn(said(Named("samples", "", 0, samples), note="x"), 30, 6)[1:4]
    ends = [[found.end() for found in re.finditer(r"\S+", line)][2:] for line in lines]
    assert ends[0] == ends[1] and ends[2] == ends[0][: len(ends[2])]


def test_the_panel_shows_what_every_rank_said() -> None:
    samples = Named("samples", "", 0, tuple(tuple(range(100 + rank, 108 + rank)) for rank in range(4)))
    snapshot = replace(made.running(4), values=(samples,), view="buffers")
    for height in (9, 12, 13, 14, 20):
        shown = [plain(line) for line in panel(snapshot, 100, height)]
        assert sum(bool(re.match(r" *rank \d  +\d", line)) for line in shown) == 4
    full = replace(made.full(4), values=(samples,), view="buffers")
    for height in (20, 22, 24, 27, 30):  # with the loss below, where there are rows for it
        shown = [plain(line) for line in panel(full, 100, height)]
        assert sum(bool(re.match(r" *rank \d  +\d", line)) for line in shown) == 4
        assert ("200 steps" in shown[-1]) == (height >= 22)


SPEEDUP = Named("strong_speedup", "", 3, ((1.0, 1.5, 3.0),) * 2, ("1 rank", "2 ranks", "4 ranks"))


def test_labelled_numbers_stand_under_their_labels() -> None:
    rates = Named("tokens", "tokens/s", 3, ((600.0, 1200.0, 2400.0),) * 2, SPEEDUP.labels)
    lines = drawn(said(SPEEDUP, rates, wrong=0), 70, 6)
    assert lines[0].split() == ["1", "rank", "2", "ranks", "4", "ranks"]
    assert lines[1].split() == ["strong", "speedup", "1", "1.50", "3"]
    assert lines[2].split() == ["tokens", "600", "1200", "2400", "tokens/s"]
    assert lines[4].split() == ["wrong", "0"]
    assert lines[1].index("1.50") + 4 == lines[0].index("2 ranks") + 7  # right under its label


def test_labelled_numbers_are_bars_where_there_is_room() -> None:
    lines = drawn(said(SPEEDUP), 60, 8)
    assert lines[0] == "strong speedup"
    bars = [line.count("█") for line in lines[1:4]]
    assert bars == [round(bars[2] / 3), round(bars[2] / 2), bars[2]] and lines[3].startswith("  4 ranks  █")
    assert [line.split()[-1] for line in lines[1:4]] == ["1", "1.50", "3"]


def test_labelled_numbers_that_differ_are_a_table_of_ranks() -> None:
    sent = Named("sent to each", "tokens", 0, ((128.0, 139.0), (120.0, 131.0)), ("expert 0", "expert 1"))
    lines = drawn(said(sent), 60, 6)
    assert [line.split() for line in lines[:4]] == [
        ["sent", "to", "each,", "tokens"],
        ["expert", "0", "expert", "1"],
        ["rank", "0", "128", "139"],
        ["rank", "1", "120", "131"],
    ]
    assert rows_of(said(sent)) == 4


def test_a_result_that_a_figure_has_told_is_not_told_again() -> None:
    ring = Named("ring", "s", 0, ((0.002, 0.016),) * 2, ("small", "large"))
    lines = drawn(said(ring, ring_small_s=0.002, ring_large_s=0.016, ring_sent_bytes=4096), 70, 9)
    assert [line.split()[0] for line in lines if line] == ["ring", "small", "large", "ring"]
    assert "4.1 kB" in lines[-1] or any("4.1 kB" in line for line in lines)


def test_a_unit_reaches_no_terminal_raw() -> None:
    """Where ranks differ and their numbers have labels it stands behind the name of the figure."""
    snapshot = said(Named("rate", "a\x1b[1m", 3, ((1.0, 2.0), (3.0, 4.0)), ("one", "two")))
    assert "rate, a" in drawn(snapshot)
    assert not any("\x1b" in line for line in drawn(snapshot))


def test_bytes_by_their_letter_are_bytes() -> None:
    bars = drawn(said(Named("crossing", "B", 3, (((10_315_775.0, 6_882_560.0),) * 2), ("ddp", "hsdp"))))
    assert bars[1].endswith("10.3 MB") and bars[2].endswith("6.9 MB")


def test_beside_its_rank_a_result_is_said_as_in_the_view_of_figures() -> None:
    """A recording keeps none of a loss that was no number; names are said in words."""
    snapshot = said(loss=None, ddp_crossing_bytes=10_315_775, same_loss=True, alpha_s=0.00148021)
    told = "\n".join(plain(line) for line in details(snapshot, 220, 24))
    assert "None" not in told and "True" not in told and "_" not in told
    assert "ddp crossing" in told and "10.3 MB" in told and "same loss" in told and "1.5 ms" in told


def test_fewer_labels_than_numbers_are_no_crash() -> None:
    snapshot = said(Named("parts", "", 3, ((1.0, 2.0, 3.0), (1.0, 2.0, 3.0)), ("first",)))
    for height in (2, 9):
        text = "\n".join(drawn(snapshot, 70, height))
        assert "first" in text
    assert "3" in text


def test_what_all_say_alike_is_in_letters_where_there_is_room() -> None:
    snapshot = said(Named("upper_bound", "B", 3, ((13_300_000.0,), (13_300_000.0,))))
    rows = drawn(snapshot, 140, 30)
    assert rows[0] == "upper bound" and read_letters.words(rows[1:4]) == "13.3 MB"
    assert "13.3 MB" in drawn(snapshot, 96, 20)[0]


def test_what_nobody_said_is_as_dim_in_letters_as_in_a_row() -> None:
    snapshot = said(Named("bound", "B", 3, ((), ())))
    for size, first in (((140, 30), 1), ((96, 20), 0)):
        lines = values(snapshot, *size)[first:]
        assert {span.style.ink for line in lines for span in line if span.text.strip()} == {"dim"}, size
