"""On a small screen bars of ranks do not touch: they would be one bar."""

from __future__ import annotations

from itertools import pairwise

import made_snapshots as made
from msgspec.structs import replace

from slides.drawing.text import Line, plain
from tui.figures import categories
from tui.views.panel import panel
from tui.views.run.collectives import collectives
from tui.views.run.memory import memory
from tui.views.run.timeline import timeline


def rows_with(lines: list[Line], word: str) -> list[int]:
    return [n for n, line in enumerate(lines) if word in plain(line)]


def test_ranks_that_hold_the_same_are_one_bar_where_four_would_touch() -> None:
    snapshot = made.running(4)
    rows = tuple(
        replace(row, **{kind.field: 4_000_000 for kind in categories.MEMORY}) for row in snapshot.rows
    )
    lines = memory(replace(snapshot, rows=rows), 78, 9)
    assert any(plain(line).startswith("rank 0–3") for line in lines)
    other = (replace(rows[0], **{categories.MEMORY[-1].field: 9_000_000}), *rows[1:])
    lines = memory(replace(snapshot, rows=other), 78, 9)
    assert any(plain(line).startswith("rank 0 ") for line in lines)
    assert any(plain(line).startswith("rank 1–3") for line in lines)
    assert len(rows_with(memory(replace(snapshot, rows=rows), 156, 30), "rank ")) >= 4


def test_the_caption_of_a_step_makes_room_between_its_ranks() -> None:
    low, high = (timeline(made.running(4), 110, height) for height in (9, 10))
    for lines in (low, high):
        lanes = [n for n, line in enumerate(lines) if plain(line)[:1].isdigit()]
        assert len(lanes) == 4 and all(b - a == 2 for a, b in pairwise(lanes))
    assert "bucket" in plain(low[0]) and "bucket" not in plain(high[0])


def test_the_colours_of_a_step_are_explained_once() -> None:
    for height in (31, 42):
        lines = [plain(line) for line in panel(made.running(4), 160, height)]
        assert sum(line.count(categories.EXPOSED.word) for line in lines) == 2, (
            height
        )  # one is what a chart says
        assert sum(categories.OPTIMIZER.word in line for line in lines) == 1, height


def test_bars_of_collectives_have_a_row_between_them() -> None:
    ops = [row.op for row in made.mixed().ops]
    for size, apart in (((160, 40), 2), ((100, 26), 1), ((80, 12), 1)):
        lines = collectives(made.mixed(), *size)
        said = [n for n, line in enumerate(lines) if plain(line).startswith(tuple(f"{op} " for op in ops))]
        assert len(said) == len(ops) and all(b - a == apart for a, b in pairwise(said)), size


def test_a_higher_view_of_collectives_keeps_what_each_rank_did() -> None:
    """A headline in large letters does not push it out: it is there from some height on."""
    for width in (100, 160):
        shown = [
            "one step" in "\n".join(map(plain, collectives(made.mixed(), width, n))) for n in range(12, 46)
        ]
        assert shown == sorted(shown) and any(shown), width
