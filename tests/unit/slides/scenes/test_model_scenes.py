"""The figures of the scenes about one model on many devices, beside the same thing computed otherwise."""

import math
import random
from fractions import Fraction

import pytest

from slides.scenes.library.collectives import ring, tree
from slides.scenes.library.data_parallel import ddp, scaling
from slides.scenes.library.model_parallel import tensor_parallel
from slides.scenes.library.one_device import accumulation
from slides.scenes.registry import scene
from slides.scenes.shapes import Box, Number, State


def states(name: str, **words: str) -> list[State]:
    found = scene(name)
    assert found is not None
    values = found.values(words)
    return [found.state(step, values) for step in range(found.steps(values))]


def texts(state: State, prefix: str) -> list[str]:
    return [shape.text for shape in state.shapes if isinstance(shape, Box) and shape.id.startswith(prefix)]


@pytest.mark.parametrize("ranks", [2, 4, 8])
def test_every_rank_of_ddp_ends_with_the_weight_of_one_process_on_all_samples(ranks: int) -> None:
    """One process minimises the mean of the ranks' losses g_r * w, whose gradient is the mean of g_r."""
    weight = 1.0
    mean_loss_gradient = math.fsum(ddp.GRADIENTS[:ranks]) / ranks
    expected = f"w = {weight - 0.5 * mean_loss_gradient:.2f}"
    last = states("ddp", ranks=str(ranks))[-1]
    assert [texts(last, f"cell{rank}.4") for rank in range(ranks)] == [[expected]] * ranks


def test_gradients_of_ddp_differ_until_they_are_averaged() -> None:
    before, after = states("ddp")[2:4]
    assert len({texts(before, f"cell{rank}.2")[0] for rank in range(4)}) == 4
    assert len({texts(after, f"cell{rank}.3")[0] for rank in range(4)}) == 1


@pytest.mark.parametrize("count", [2, 4, 12])
def test_the_parts_of_an_accumulated_gradient_are_one_mean(count: int) -> None:
    found = states("accumulation", micro_batches=str(count))
    for done, state in enumerate(found[: count + 1]):
        parts = texts(state, "grad")
        shares = [Fraction(text) for text in parts if "/" in text]
        assert len(shares) == done and sum(shares) == Fraction(done, count)
        held = [
            s for s in state.shapes if isinstance(s, Box) and s.id.startswith("acts") and s.id[4:].isdigit()
        ]
        assert len(held) == (done > 0)  # never the activations of two micro-batches
    assert accumulation.SCENE.steps(accumulation.SCENE.values({})) == 6


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_columns_then_rows_give_the_whole_product(ranks: int) -> None:
    """What the scene says of a block, on numbers: parts of Y B over all ranks add up to GeLU(X A) B."""
    generator = random.Random(ranks)
    n, inner = 3, 2 * ranks
    x = [[generator.gauss(0, 1) for _ in range(n)] for _ in range(n)]
    a = [[generator.gauss(0, 1) for _ in range(inner)] for _ in range(n)]
    b = [[generator.gauss(0, 1) for _ in range(n)] for _ in range(inner)]

    def times(p: list[list[float]], q: list[list[float]]) -> list[list[float]]:
        return [[math.fsum(r[k] * q[k][c] for k in range(len(q))) for c in range(len(q[0]))] for r in p]

    def gelu(p: list[list[float]]) -> list[list[float]]:
        return [[v * 0.5 * (1 + math.erf(v / math.sqrt(2))) for v in row] for row in p]

    whole = times(gelu(times(x, a)), b)
    width = inner // ranks
    total = [[0.0] * n for _ in range(n)]
    for rank in range(ranks):
        own = slice(rank * width, (rank + 1) * width)
        part = times(gelu(times(x, [row[own] for row in a])), b[own])
        total = [[u + v for u, v in zip(p, q, strict=True)] for p, q in zip(total, part, strict=True)]
    assert all(
        u == pytest.approx(v) for p, q in zip(total, whole, strict=True) for u, v in zip(p, q, strict=True)
    )


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_the_parts_that_are_drawn_tile_their_matrix(ranks: int) -> None:
    state = states("tensor-parallel", ranks=str(ranks))[4]
    boxes = {shape.id: shape for shape in state.shapes if isinstance(shape, Box)}
    for n, axis in ((1, 0), (2, 0), (3, 1)):
        ends = sorted(
            (
                boxes[f"matrix{n}.{r}"].at[axis] - boxes[f"matrix{n}.{r}.place"].at[axis],
                boxes[f"matrix{n}.{r}"].size[axis],
            )
            for r in range(ranks)
        )
        reached = 0.0
        for start, size in ends:
            assert start == pytest.approx(reached)
            reached = start + size
        assert reached == pytest.approx(boxes[f"matrix{n}.0.place"].size[axis])
    assert tensor_parallel.SCENE.steps(tensor_parallel.SCENE.values({})) == 8


@pytest.mark.parametrize("devices", [2, 4, 8])
def test_starts_are_the_steps_of_the_scenes_of_ring_and_tree(devices: int) -> None:
    by_ring = len(ring.scatter(devices)) + len(ring.gather(devices))
    by_tree = len(tree.up(devices)) + len(tree.down(devices))
    assert scaling.starts(devices) == (by_ring, by_tree)


def test_each_level_is_made_of_the_one_before() -> None:
    for n, state in enumerate(states("scaling", latency_us="10")[1:], 1):
        parts = sum(shape.id.startswith(f"part{n}.") for shape in state.shapes)
        assert parts * scaling.LEVELS[n - 1][0] == scaling.LEVELS[n][0]
    figures = {s.id: s.value for s in states("scaling")[-1].shapes if isinstance(s, Number)}
    assert figures["devices"] == 16384 and figures["ring.ms"] == pytest.approx(2 * 16383 * 0.01)
