"""What the scenes of collectives show, beside the same collective done on plain numbers by its definition,
and beside the bytes of their papers."""

import random
from collections.abc import Callable

import pytest
from read_letters import read

from slides.drawing.text import plain
from slides.palette import DARK, MONO
from slides.scenes.library.collectives import all_gather, all_to_all, broadcast, reduce_scatter, ring, tree
from slides.scenes.library.collectives.chunks import Buffers, Steps, buffers, chunks_sent, own
from slides.scenes.painting import lines
from slides.scenes.registry import scene
from slides.scenes.scene import NotDrawn
from slides.scenes.shapes import Box, State

RANKS = (2, 3, 4, 5, 8)


def carried_out(numbers: list[list[float]], steps: Steps) -> list[list[float]]:
    """The transfers done on real numbers, all of a step at once."""
    held = [list(row) for row in numbers]
    for step in steps:
        before = [list(row) for row in held]
        for sent in step:
            value = before[sent.source][sent.chunk]
            held[sent.target][sent.chunk] = value + (before[sent.target][sent.chunk] if sent.adds else 0)
    return held


def some(ranks: int, chunks: int) -> list[list[float]]:
    generator = random.Random(ranks)
    return [[float(generator.randrange(1, 1000)) for _ in range(chunks)] for _ in range(ranks)]


def pieces(state: State, rank: int, chunk: int) -> set[int]:
    """The contributions that are drawn in a chunk of a rank."""
    name = f"piece{rank}.{chunk}."
    return {
        int(s.id.removeprefix(name)) for s in state.shapes if isinstance(s, Box) and s.id.startswith(name)
    }


def states(name: str, ranks: int) -> list[State]:
    found = scene(name)
    assert found is not None
    values = found.values({"ranks": str(ranks)})
    return [found.state(step, values) for step in range(found.steps(values))]


@pytest.mark.parametrize("ranks", RANKS)
def test_the_ring_sums_everything_everywhere(ranks: int) -> None:
    numbers = some(ranks, ranks)
    sums = [sum(column) for column in zip(*numbers, strict=True)]
    assert carried_out(numbers, (*ring.scatter(ranks), *ring.gather(ranks))) == [sums] * ranks
    last = states("ring", ranks)[-1]
    assert all(pieces(last, r, c) == set(range(ranks)) for r in range(ranks) for c in range(ranks))


@pytest.mark.parametrize("ranks", RANKS)
def test_after_reduce_scatter_a_rank_owns_one_sum(ranks: int) -> None:
    numbers = some(ranks, ranks)
    held = carried_out(numbers, ring.scatter(ranks))
    for rank in range(ranks):
        chunk = (rank + 1) % ranks
        assert held[rank][chunk] == sum(row[chunk] for row in numbers)
        assert pieces(states("reduce-scatter", ranks)[-1], rank, chunk) == set(range(ranks))
    assert reduce_scatter.SCENE.steps(reduce_scatter.SCENE.values({"ranks": str(ranks)})) == ranks


@pytest.mark.parametrize("ranks", RANKS)
def test_after_all_gather_everybody_has_every_chunk(ranks: int) -> None:
    numbers = [
        [float(10 * rank + chunk) if rank == chunk else 0.0 for chunk in range(ranks)]
        for rank in range(ranks)
    ]
    whole = [numbers[chunk][chunk] for chunk in range(ranks)]
    assert carried_out(numbers, all_gather.steps_of(ranks)) == [whole] * ranks


@pytest.mark.parametrize("ranks", (2, 4, 8))
def test_the_tree_sums_up_and_down(ranks: int) -> None:
    numbers = some(ranks, 1)
    total = sum(row[0] for row in numbers)
    assert carried_out(numbers, tree.up(ranks))[0] == [total]
    assert carried_out(numbers, (*tree.up(ranks), *tree.down(ranks))) == [[total]] * ranks


@pytest.mark.parametrize("ranks", (3, 4, 6, 7, 8))
def test_a_broadcast_reaches_everybody_both_ways(ranks: int) -> None:
    numbers = [[7.0, 7.0] if rank == 0 else [0.0, 0.0] for rank in range(ranks)]
    assert carried_out(numbers, broadcast.both(ranks)) == [[7.0, 7.0]] * ranks
    assert len(broadcast.tree(ranks)) == (ranks - 1).bit_length()


@pytest.mark.parametrize("ranks", RANKS)
def test_all_to_all_turns_rows_into_columns(ranks: int) -> None:
    assert set(all_to_all.places(ranks, 0).items()) == {
        ((s, t), s) for s in range(ranks) for t in range(ranks)
    }
    assert all(where == target for (_, target), where in all_to_all.places(ranks, ranks - 1).items())
    for step in range(1, ranks):
        before, after = all_to_all.places(ranks, step - 1), all_to_all.places(ranks, step)
        moved = [pair for pair in before if before[pair] != after[pair]]
        assert (
            sorted(source for source, _ in moved)
            == sorted(target for _, target in moved)
            == list(range(ranks))
        )


@pytest.mark.parametrize(
    ("steps", "chunks", "formula"),
    [  # of S that every rank sends; Patarasuk and Yuan 2009, section 3
        (lambda n: (*ring.scatter(n), *ring.gather(n)), lambda n: n, lambda n: 2 * (n - 1) / n),
        (ring.scatter, lambda n: n, lambda n: (n - 1) / n),
        (all_gather.steps_of, lambda n: n, lambda n: (n - 1) / n),
    ],
)
@pytest.mark.parametrize("ranks", RANKS)
def test_bytes_sent_are_those_of_the_formula(
    steps: Callable[[int], Steps], chunks: Callable[[int], int], formula: Callable[[int], float], ranks: int
) -> None:
    done = steps(ranks)
    for rank in range(ranks):
        assert chunks_sent(done, len(done), rank) / chunks(ranks) == pytest.approx(formula(ranks))


def test_what_is_drawn_is_what_is_held_after_every_step() -> None:
    start: Buffers = own(4, 4)
    held = buffers(start, (*ring.scatter(4), *ring.gather(4)))
    for state, now in zip(states("ring", 4), held, strict=False):
        for rank in range(4):
            for chunk in range(4):
                assert pieces(state, rank, chunk) == now[rank][chunk]


def test_the_ring_at_80x24_and_at_160x45_as_text() -> None:
    step = states("ring", 4)[2]
    small = [plain(line).rstrip() for line in lines(step, 78, 14, MONO)]
    assert small[0].split() == ["chunk", "0", "chunk", "1", "chunk", "2", "chunk", "3", "sent"]
    assert [line.split()[:2] for line in small if "rank" in line] == [["rank", str(n)] for n in range(4)]
    large = read("\n".join(plain(line) for line in lines(step, 150, 30, DARK)))
    assert large.count("0.50 S") == 4 and "▼" in large and "▲" in large


@pytest.mark.parametrize(
    "words", [{"ranks": "9"}, {"ranks": "1"}, {"ranks": "four"}, {"chunks": "3"}, {"speed": "2"}]
)
def test_what_a_ring_cannot_be_is_said(words: dict[str, str]) -> None:
    with pytest.raises(NotDrawn):
        ring.SCENE.values(words)
