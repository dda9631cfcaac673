"""The room holds the bytes that the formulas of ZeRO and FSDP say, and draws just these."""

import math

import pytest

from slides.drawing.text import plain
from slides.palette import DARK, MONO
from slides.scenes.library.machine_room import room
from slides.scenes.motion import between
from slides.scenes.painting import lines, marks_of, written
from slides.scenes.painting.strokes import Face
from slides.scenes.painting.words_in_cells import CARD
from slides.scenes.scene import NotDrawn, Values
from slides.scenes.shapes import Box, Number, State

N, B, P = 4, 4, 12.0  # ranks, blocks, MB of a block's parameters


def values(**words: str) -> Values:
    return room.SCENE.values(words)


def states(**words: str) -> list[State]:
    found = values(**words)
    return [room.SCENE.state(step, found) for step in range(room.SCENE.steps(found))]


def figures(state: State) -> list[float]:
    return [shape.value for shape in state.shapes if isinstance(shape, Number)]


@pytest.mark.parametrize(
    ("strategy", "at_rest"),
    [  # Rajbhandari et al. 2020, figure 1, with Adam of two moments: one more is divided by N each time
        ("ddp", B * (P + 2 * P)),
        ("zero1", B * (P + 2 * P / N)),
        ("zero2", B * (P + 2 * P / N)),
        ("fsdp", B * (P + 2 * P) / N),
        ("hsdp", B * (P + 2 * P) / 2),
    ],
)
def test_at_rest_a_rank_holds_what_the_formula_says(strategy: str, at_rest: float) -> None:
    assert figures(states(strategy=strategy)[0]) == pytest.approx([at_rest] * N)


@pytest.mark.parametrize(
    ("strategy", "grads"), [("ddp", B * P), ("zero1", B * P), ("zero2", B * P / N), ("fsdp", B * P / N)]
)
def test_gradients_at_the_update(strategy: str, grads: float) -> None:
    found = states(strategy=strategy)
    assert figures(found[-1])[0] - figures(found[0])[0] == pytest.approx(grads)


@pytest.mark.parametrize("strategy", room.STRATEGIES)
def test_by_tensor_every_piece_lies_where_by_rank_it_does(strategy: str) -> None:
    found = values(strategy=strategy, by="tensor")
    for step, moment in enumerate(room.moments(strategy, B)):
        shapes = room.SCENE.state(step, found).shapes
        drawn = {shape.id: shape for shape in shapes if isinstance(shape, Box) and "@" in shape.id}
        held = {
            f"{piece.kind}{piece.block}.{piece.owner}of{piece.shards}@{rank}": (piece, rank)
            for rank in range(N)
            for piece in room.held(strategy, B, moment, rank)
            if piece.kind != "activations"
        }
        assert drawn.keys() == held.keys()
        for name, (piece, rank) in held.items():
            box = drawn[name]
            assert box.ink == f"rank{rank}" and (box.alpha == 1.0) == (not piece.gathered)
        for block in range(
            B
        ):  # Adam's two moments are twice the parameters, a shard is its part of the whole
            parts = room.shards(strategy, "params") / room.shards(strategy, "optimizer")
            own = math.prod(drawn[f"params{block}.0of{room.shards(strategy, 'params')}@0"].size)
            moments = math.prod(drawn[f"optimizer{block}.0of{room.shards(strategy, 'optimizer')}@0"].size)
            assert moments == pytest.approx(2 * own * parts)


def test_by_tensor_shards_cover_a_weight_once_and_copies_four_times() -> None:
    for strategy, copies in (("ddp", 4), ("fsdp", 1), ("hsdp", 2)):
        state = room.SCENE.state(0, values(strategy=strategy, by="tensor"))
        pieces = [s for s in state.shapes if isinstance(s, Box) and s.id.startswith("params0.")]
        ends = sorted((box.at[0], box.at[0] + box.size[0]) for box in pieces)
        length = max(end for _, end in ends) - min(start for start, _ in ends)
        assert sum(end - start for start, end in ends) == pytest.approx(copies * length)


@pytest.mark.parametrize("strategy", ["ddp", "fsdp"])
@pytest.mark.parametrize("blocks", ["2", "4", "6"])
@pytest.mark.parametrize(("columns", "rows"), [(CARD, 10), (80, 13), (100, 20), (144, 24), (160, 33)])
def test_by_tensor_the_names_of_the_tensors_lie_beside_them(
    strategy: str, blocks: str, columns: int, rows: int
) -> None:
    """What the picture without a name has otherwise are the cells of the name: none shows a piece."""
    found = values(strategy=strategy, blocks=blocks, by="tensor")
    for step in (0, 1, room.SCENE.steps(found) - 1):
        state = room.SCENE.state(step, found)
        marks, words = marks_of(state, columns, rows)
        whole = written(marks, words, columns, rows, state).cells
        faces = [mark for mark in marks if isinstance(mark, Face) and mark.ink.startswith("rank")]
        for name in ("parameters", "gradients", "optimizer state"):
            others = [word for word in words if word.text != name]
            rest = written(marks, others, columns, rows, state).cells
            cells = {cell for cell in whole.keys() | rest.keys() if whole.get(cell) != rest.get(cell)}
            assert len(cells) >= (len("opt") if columns == CARD else len(name))
            for row, column in cells:
                middle = ((column + 0.5) / columns, (row + 0.5) / rows)
                assert not any(_inside(middle, face) for face in faces), (name, step, row, column)


def _inside(point: tuple[float, float], face: Face) -> bool:
    """Whether a point is in a face, which is convex: on the same side of each edge."""
    x, y = point
    ends = zip(face.points, (*face.points[1:], face.points[0]), strict=True)
    sides = [(x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) for (x0, y0), (x1, y1) in ends]
    return all(side > 0 for side in sides) or all(side < 0 for side in sides)


def test_fsdp_never_holds_more_whole_blocks_than_two() -> None:
    """The shard, two whole blocks (one of them on its way), activations and the gradients of one block."""
    for state in states(strategy="fsdp"):
        whole = {
            (shape.id.partition("@")[2].removesuffix(".again"), shape.id.partition(".")[0])
            for shape in state.shapes
            if shape.id.startswith("params") and shape.alpha < 1
        }
        assert all(sum(rank == str(r) for rank, _ in whole) <= 2 for r in range(N))


@pytest.mark.parametrize("strategy", room.STRATEGIES)
def test_volumes_are_the_bytes_that_the_figure_says(strategy: str) -> None:
    per_mb = room.WIDTH * room.HEIGHT * room.DEPTH / P
    for state in states(strategy=strategy, block_mb="12"):
        for rank, told in enumerate(figures(state)):
            boxes = [
                s
                for s in state.shapes
                if isinstance(s, Box) and s.id.split("@")[-1].split(".")[0] == str(rank)
            ]
            assert sum(math.prod(box.size) for box in boxes) / per_mb == pytest.approx(told)


@pytest.mark.parametrize("strategy", room.STRATEGIES)
@pytest.mark.parametrize("blocks", ["2", "6"])
def test_every_step_is_told_and_drawn(strategy: str, blocks: str) -> None:
    found = states(strategy=strategy, blocks=blocks)
    told = [(state.lead, state.caption) for state in found]
    assert len(set(told)) == len(told) and all(lead and caption for lead, caption in told)
    for state in found:
        ids = [shape.id for shape in state.shapes]
        assert len(ids) == len(set(ids))
    for state in found[2:4]:
        drawn = "\n".join(plain(line) for line in lines(state, 100, 34, DARK))
        assert all(name in drawn for name in ("rank 0", "rank 3", "machine A", "machine B"))
    assert "rank 3" in "\n".join(plain(line) for line in lines(found[3], 78, 14, MONO))


def test_a_gathered_quarter_flies_from_its_owner() -> None:
    """Rank 0's piece of block 0 that rank 2 owns begins where rank 2 has it."""
    before, after = states(strategy="fsdp")[:2]
    start = {s.id: s for s in between(before, after, 1e-6).shapes}["params0.2of4@0"]
    owner = {s.id: s for s in before.shapes}["params0.2of4@2"]
    assert isinstance(start, Box) and isinstance(owner, Box)
    assert start.at == pytest.approx(owner.at, abs=1e-3)


def test_in_hsdp_parameters_stay_inside_a_machine() -> None:
    for state in states(strategy="hsdp"):
        crossing = [
            s for s in state.shapes if s.id.startswith("packet") and ("1to2" in s.id or "2to1" in s.id)
        ]
        assert all(shape.ink == "grads" for shape in crossing)


@pytest.mark.parametrize(
    "words", [{"blocks": "1"}, {"strategy": "zero9"}, {"block_mb": "nan"}, {"ranks": "4"}]
)
def test_what_it_cannot_show_is_said(words: dict[str, str]) -> None:
    with pytest.raises(NotDrawn):
        values(**words)
