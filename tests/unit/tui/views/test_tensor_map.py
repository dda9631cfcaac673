"""Whose part of each tensor lies where, as it is drawn for a run."""

from __future__ import annotations

import pytest
from made_snapshots import recorded
from msgspec.structs import replace
from read_letters import read

from runtime.protocol.figures import Part, PlacedTensor, Placement
from runtime.protocol.messages import Snapshot
from slides.drawing.cells import line_width
from slides.drawing.text import Line, plain
from slides.palette import THEMES
from tui.views.parts.tensor_map import tensor_map
from tui.views.run.tensors import tensors

EACH = tuple(Part((64 * n, 0), (64, 128), (n,)) for n in range(4))
BY_COLUMNS = tuple(Part((0, 32 * n), (256, 32), (n,)) for n in range(4))
PAIRS = tuple(Part((128 * n, 0), (128, 128), (n, n + 2)) for n in range(2))
EVERY = (Part((0, 0), (256, 128), (0, 1, 2, 3)),)


def drawn(*rows: PlacedTensor, width: int = 150, height: int = 12, equal: bool | None = None) -> list[str]:
    return [plain(line) for line in tensor_map(Placement(rows), 4, equal, width, height)]


def row(stored: tuple[Part, ...], *states: tuple[Part, ...], cut: bool = True) -> PlacedTensor:
    return PlacedTensor("blocks.*.up.weight", 2, (256, 128), cut, stored, states)


def grounds(line: Line) -> dict[str, int]:
    """How many cells of a line have which ground."""
    found: dict[str, int] = {}
    for span in line:
        if span.style.ground:
            found[span.style.ground] = found.get(span.style.ground, 0) + line_width((span,))
    return found


@pytest.mark.parametrize(
    ("stored", "way", "words"),
    [
        (EACH, "dim 0", ["rank 0", "rank 1", "rank 2", "rank 3"]),
        (BY_COLUMNS, "dim 1", ["rank 0", "rank 1", "rank 2", "rank 3"]),
        (PAIRS, "dim 0", ["ranks 0 2", "ranks 1 3"]),
        (EVERY, "copies", ["every rank"]),
    ],
)
def test_each_part_says_whose_it_is_in_the_order_of_the_tensor(
    stored: tuple[Part, ...], way: str, words: list[str]
) -> None:
    head, line = drawn(row(stored))
    assert "who stores which part of it" in head and "optimizer" not in head
    assert "blocks.*.up.weight  ×2" in line and "256×128" in line and f" {way} " in line
    places = [line.index(word) for word in words]
    assert places == sorted(places) and line.count("rank") == len(words)


def test_parts_are_as_long_as_their_share_and_have_the_colours_of_their_ranks() -> None:
    uneven = (
        Part((0, 0), (128, 128), (0,)),
        Part((128, 0), (64, 128), (1,)),
        Part((192, 0), (64, 128), (3,)),
    )
    (_, line) = tensor_map(Placement((row(uneven),)), 4, None, 150, 12)
    cells = grounds(line)
    assert list(cells) == ["rank0", "rank1", "rank3"]
    # Each ends with a blank.
    assert (
        cells["rank0"] + 1 == pytest.approx(2 * (cells["rank1"] + 1), abs=2)
        and abs(cells["rank1"] - cells["rank3"]) <= 1
    )


def test_the_state_of_one_tensor_after_the_other_stands_side_by_side() -> None:
    """ZeRO 1: the optimizer's state of a whole tensor is on one rank."""
    states = tuple((Part((0, 0), (256, 128), (n,)),) for n in (2, 0))
    _, line = drawn(row((Part((), (), (0, 1, 2, 3)),), *states, cut=False), equal=True)
    assert "copies" in line and line.index("rank 2") < line.index("rank 0")
    assert "every rank" in line


def test_what_nobody_has_is_dots_and_what_torch_has_not_cut_is_no_copy() -> None:
    _, line = drawn(row((Part((), (), (1,)),), (Part((0, 0), (64, 128), (1,)),), cut=False), equal=None)
    assert "not cut" in line and "copies" not in line and "·" in line


def test_in_few_rows_the_largest_stand_and_the_others_are_counted() -> None:
    rows = [PlacedTensor(f"p{n}", 1, (n + 1, 4), True, (Part((0, 0), (n + 1, 4), (0,)),)) for n in range(9)]
    found = drawn(*rows, height=5)
    assert [line.split()[0] for line in found] == ["parameter", "p6", "p7", "p8", "and"]
    assert "6 more tensors" in found[-1]


@pytest.mark.parametrize("ranks", [1, 2, 4, 16])
@pytest.mark.parametrize("width", [50, 76, 98, 158])
def test_no_line_is_wider_than_there_is_room(ranks: int, width: int) -> None:
    parts = tuple(Part((n, 0), (1, 4), (n,)) for n in range(ranks))
    rows = [PlacedTensor("a.very.long.name." + "x" * 60, 40, (ranks, 4), True, parts, (parts, parts[:1]))]
    rows.append(PlacedTensor("\x1b[31mred", 1, (1, 1, 1, 1, 1, 1, 1, 1, 1), False, (Part((), (), (0,)),)))
    for line in tensor_map(Placement(tuple(rows)), ranks, None, width, 9):
        assert line_width(line) <= width and "\x1b" not in plain(line)


def placed(run: Snapshot) -> Snapshot:
    return replace(run, placement=Placement((row(EACH, EACH), row(BY_COLUMNS, BY_COLUMNS))))


@pytest.mark.parametrize("size", [(158, 36), (98, 20), (78, 14), (60, 6)])
@pytest.mark.parametrize("theme", ["dark", "mono"])
def test_the_view_shows_it_over_the_bytes_and_alone_where_rows_are_few(
    size: tuple[int, int], theme: str
) -> None:
    found = tensors(placed(recorded("fsdp")), *size, THEMES[theme])
    assert len(found) == size[1] and all(line_width(line) == size[0] for line in found)
    shown = list(map(plain, found))
    assert "blocks.*.up.weight"[:10] in shown[1] and "dim 0" in shown[1]
    below = "\n".join(shown[3:])
    assert ("parameters" in below + read(below)) == (size[1] >= 14)


def test_an_older_recording_says_that_it_does_not_know() -> None:
    run = replace(recorded("fsdp"), placement=None)
    assert "not in this recording" in "\n".join(map(plain, tensors(run, 98, 20)))
    live = replace(run, playback=None)
    shown = "\n".join(map(plain, tensors(live, 98, 20)))
    assert "was not told" in shown and "recording" not in shown
