"""What every rank holds, in a picture: the marks of the ring, and any figures a script may give."""

from __future__ import annotations

from itertools import pairwise

import made_snapshots as made
import pytest
from msgspec.structs import replace
from pictured import same_as_picture

from runtime.protocol.figures import Named
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import plain
from tui.views.panel import panel
from tui.views.run import buffers

CASES = {
    "ring_60x9": (made.ring(transfer=1), 60, 9),
    "ring_80x12": (made.ring(transfer=4, turn=1), 80, 12),
    "ring_100x16": (made.ring(transfer=2, turn=2), 100, 16),
    "ring_160x26": (made.ring(transfer=3), 160, 26),
    "ring8_80x14": (made.ring(8, transfer=9, turn=1), 80, 14),
    "ring64_100x20": (made.ring(64, transfer=70), 100, 20),
}


def test_a_chunk_is_a_coloured_cell_with_its_number_inside_where_there_is_room():
    """Two rows and more high, ranks evenly apart: a projector's screen is read from afar."""
    snapshot = made.ring(4, 3)
    for width, height, high in ((80, 17, 2), (160, 36, 5)):
        lines = buffers.buffers(snapshot, width, height)
        assert len(lines) == height and {cells.line_width(line) for line in lines} == {width}
        looks = ("line", "accent", "good")
        rows = [n for n, line in enumerate(lines) if any(s.style.ground in looks for s in line)]
        starts = [n for n in rows if n - 1 not in rows]
        assert len(rows) == 4 * high and len(starts) == 4
        assert len({b - a for a, b in pairwise(starts)}) == 1
        assert any("✓" in s.text and s.style.ground == "good" for line in lines for s in line)
        assert any("▸" in s.text for line in lines for s in line)


@pytest.mark.parametrize("name", CASES)
def test_pictures(name):
    drawn = "\n".join(plain(line).rstrip() for line in panel(*CASES[name])) + "\n"
    same_as_picture(name, drawn)


def drawn(snapshot: Snapshot, width: int = 100, height: int = 12) -> list[str]:
    return [plain(line) for line in buffers.buffers(snapshot, width, height)]


def test_a_chunk_is_marked_where_it_was_sent_from_and_once_it_is_complete():
    row = drawn(made.ring(transfer=2))[2 + 0]  # rank 0 has sent chunk 2, and got the whole of chunk 1
    assert "▸3303" in row and "2222✓" in row and row.count("✓") == 1
    assert "▸ 2 to rank 1" in row
    last = drawn(made.ring(transfer=5))[2:6]
    assert all(line.count("✓") == 4 for line in last)


def test_before_the_first_transfer_nothing_is_marked():
    lines = drawn(made.ring(transfer=-1), 60)
    assert "before the first transfer" in lines[0]
    assert not any("▸" in line or "✓" in line for line in lines[1:])


def test_a_difference_is_said_and_so_is_a_figure_that_is_none():
    def off(*values: float) -> Snapshot:
        made_ring = made.ring()
        difference = Named("difference", "", 1, tuple((value,) for value in values))
        return replace(made_ring, values=(*made_ring.values, difference))

    assert "last check: equal ✓" in drawn(off(0, 0, 0, 0))[0]
    assert "last check: off by 0.50" in drawn(off(0, 0.5, 0, 0.1))[0]
    assert "last check: off by nan" in drawn(off(0, 0, float("nan"), 0))[0]
    assert "last check" not in drawn(made.ring())[0]


def test_a_rank_that_did_not_say_is_a_dash():
    ring = made.ring()
    named = tuple(replace(n, ranks=(*n.ranks[:3], ())) for n in ring.values)
    assert drawn(replace(ring, values=named))[5].split() == ["3", "–"]


def test_numbers_stay_where_they_are_while_the_ring_goes_on():
    assert len({drawn(made.ring(transfer=k))[1] for k in range(-1, 6)}) == 1


def test_a_loss_wants_the_place_for_its_curve():
    assert buffers.wanted(made.ring())
    assert not buffers.wanted(made.running())
    assert not buffers.wanted(replace(made.running(), values=made.ring().values))
