"""The ring all-reduce: right in numbers, in words and as a picture."""

from __future__ import annotations

import random

import pytest

from slides import animations
from slides.animations import ring
from slides.drawing.cells import line_width
from slides.drawing.text import plain

RANKS = range(2, ring.MOST_RANKS + 1)


def reduced(ranks: int, steps: int) -> tuple[list[list[float]], list[list[float]]]:
    """(inputs, buffers after `steps` steps), done with real numbers as the messages say."""
    numbers = random.Random(ranks)
    inputs = [[numbers.uniform(-1, 1) for _ in range(ranks)] for _ in range(ranks)]
    held = [row[:] for row in inputs]
    for step in ring.transfers(ranks)[:steps]:
        messages = [(sent, held[sent.source][sent.chunk]) for sent in step]
        for sent, value in messages:
            held[sent.target][sent.chunk] = value + (held[sent.target][sent.chunk] if sent.adds else 0.0)
    return inputs, held


@pytest.mark.parametrize("ranks", RANKS)
def test_after_reduce_scatter_each_rank_owns_one_whole_sum(ranks: int) -> None:
    inputs, held = reduced(ranks, ranks - 1)
    for rank in range(ranks):
        chunk = (rank + 1) % ranks
        assert held[rank][chunk] == pytest.approx(sum(row[chunk] for row in inputs))


@pytest.mark.parametrize("ranks", RANKS)
def test_at_the_end_all_hold_all_sums(ranks: int) -> None:
    inputs, held = reduced(ranks, 2 * (ranks - 1))
    sums = [sum(row[chunk] for row in inputs) for chunk in range(ranks)]
    for rank in range(ranks):
        assert held[rank] == pytest.approx(sums)
    assert all(held[rank] == held[0] for rank in range(ranks))


@pytest.mark.parametrize("ranks", RANKS)
def test_what_is_shown_as_summed_is_what_was_summed(ranks: int) -> None:
    states = ring.buffers(ranks)
    assert len(states) == 2 * (ranks - 1) + 1
    for steps, state in enumerate(states):
        inputs, held = reduced(ranks, steps)
        for rank in range(ranks):
            for chunk in range(ranks):
                shown = sum(inputs[source][chunk] for source in state[rank][chunk])
                assert held[rank][chunk] == pytest.approx(shown)


@pytest.mark.parametrize("ranks", RANKS)
def test_every_rank_sends_one_chunk_a_step_to_its_right(ranks: int) -> None:
    steps = ring.transfers(ranks)
    assert len(steps) == 2 * (ranks - 1)
    for step in steps:
        assert sorted(sent.source for sent in step) == list(range(ranks))
        assert all(sent.target == (sent.source + 1) % ranks for sent in step)


PICTURE = """\
reduce-scatter  ━━━ ━━━ ───    all-gather  ─── ─── ───

        chunk 0    chunk 1    chunk 2    chunk 3    sent
                                 ↓ from 3
rank 0  0 · · ·    0 · · ·    0 · 2 3    0 · · 3    2/4 S
                                            ↓ add
rank 1  0 1 · ·    · 1 · ·    · 1 · ·    0 1 · 3    2/4 S
           ↓ add
rank 2  0 1 2 ·    · 1 2 ·    · · 2 ·    · · 2 ·    2/4 S
                      ↓ add
rank 3  · · · 3    · 1 2 3    · · 2 3    · · · 3    2/4 S
                                 ↓ to 0

reduce-scatter step 2 of 3: rank 0 sends chunk 3 to rank 1,
rank 1 sends chunk 0 to rank 2, rank 2 sends chunk 1 to
rank 3, rank 3 sends chunk 2 to rank 0. Each adds what it
gets."""


def drawn(ranks: int, step: int, w: int) -> str:
    return "\n".join(
        plain(line).rstrip() for line in animations.frame("ring", {"ranks": str(ranks)}, step, w)
    )


def test_a_frame_looks_like_this() -> None:
    assert drawn(4, 2, 60).rstrip() == PICTURE


def test_words() -> None:
    assert "rank 1 sends chunk 0 to rank 2" in drawn(4, 2, 100)
    assert "reduce-scatter step 3 of 3" in drawn(4, 3, 100)
    assert "now every rank owns the whole sum of one chunk" in " ".join(drawn(4, 3, 100).split())
    assert "all-gather step 1 of 3: rank 0 sends chunk 1 to rank 1" in drawn(4, 4, 100)
    assert "6 chunks of S/4 = 2(n-1)/n · S = 1.5 S" in drawn(4, 7, 100)
    assert drawn(4, 7, 100).count("6/4 S") == 4


@pytest.mark.parametrize("ranks", RANKS)
@pytest.mark.parametrize("w", [1, 20, 40, 60, 80, 100, 150])
def test_all_frames_have_one_height_and_fit(ranks: int, w: int) -> None:
    params = {"ranks": str(ranks)}
    count = animations.frames("ring", params)
    assert count == 2 * ranks
    frames = [animations.frame("ring", params, step, w) for step in range(count)]
    assert len({len(frame) for frame in frames}) == 1
    assert all(line_width(line) <= w for frame in frames for line in frame)


@pytest.mark.parametrize("ranks", RANKS)
def test_from_sixty_cells_on_nothing_is_cut_off(ranks: int) -> None:
    for w in (60, 75, 90, 120, 150):
        assert not any("…" in drawn(ranks, step, w) for step in range(2 * ranks))


def test_steps_outside_are_clamped() -> None:
    assert drawn(3, -1, 80) == drawn(3, 0, 80)
    assert drawn(3, 99, 80) == drawn(3, 5, 80)


@pytest.mark.parametrize(
    ("params", "trouble"),
    [
        ({"ranks": "1"}, "write ranks=4"),
        ({"ranks": "9"}, "2 to 8 ranks, not '9'"),
        ({"ranks": "four"}, "not 'four'"),
        ({"ranks": "٤"}, "write ranks=4"),
        ({"ranks": "4", "chunks": "8"}, "write chunks=4"),
        ({"rank": "4"}, "does not know 'rank'"),
    ],
)
def test_bad_parameters_say_what_to_write(params: dict[str, str], trouble: str) -> None:
    assert trouble in str(animations.frames("ring", params))


def test_an_unknown_animation_names_those_there_are() -> None:
    assert animations.frames("rnig", {}) == "no animation called 'rnig': there is ring"
