"""Figures of a script's own: said once where the ranks agree, in their units, whole numbers whole."""

from __future__ import annotations

import made_snapshots as made
from msgspec.structs import replace

from runtime.messages import Named, Snapshot
from slides.text import plain
from tui.views.values import rows_of, values


def said(*named: Named, **result: object) -> Snapshot:
    snapshot = made.running(2)
    rows = tuple(replace(row, result=dict(result)) for row in snapshot.rows)
    return replace(snapshot, values=named, rows=rows)


def drawn(snapshot: Snapshot, width: int = 70, height: int = 9) -> list[str]:
    return [plain(line).rstrip() for line in values(snapshot, width, height)]


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
    assert drawn(load, 70, 3)[1].split() == ["load", "5", "tokens", "–"]
