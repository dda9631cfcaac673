"""The scene `pipeline` beside torch's own schedules, and its figures beside the published formulas."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest
from made_pipelines import TORCHS_NAMES

import tui  # noqa: F401  # brings the schedules
from slides.problems import Mistake
from slides.scenes import suppliers
from slides.scenes.library.model_parallel import pipeline
from slides.scenes.scene_request import Asked, asked
from slides.scenes.shapes import Box, Label

PIECE = re.compile(r"([FBIW])(\d+)\.(\d+)@(\d+)")
GRID = [
    *(("gpipe", 1, p, m) for p, m in ((2, 2), (3, 5), (4, 8), (8, 8))),
    *(("1f1b", 1, p, m) for p, m in ((2, 2), (3, 5), (4, 8), (8, 16))),
    *(("interleaved", v, p, m) for v, p, m in ((2, 2, 4), (2, 4, 8), (3, 3, 9))),
    *(("zero-bubble", v, p, m) for v, p, m in ((2, 2, 4), (2, 4, 8), (3, 3, 9))),
    *(("zbv", 2, p, m) for p, m in ((2, 4), (4, 8), (3, 6))),
]  # fmt: skip


def scene(**words: object) -> Asked:
    return asked("pipeline", {name: str(value) for name, value in words.items()})


def drawn(of: Asked, step: int) -> dict[int, list[tuple[str, int, int, float, float]]]:
    """The pieces in the picture of a step, by rank: kind, chunk, micro-batch, left and right edge."""
    found: dict[int, list[tuple[str, int, int, float, float]]] = {}
    for shape in of.state(step).shapes:
        if isinstance(shape, Box) and (match := PIECE.fullmatch(shape.id)):
            kind, chunk, microbatch, rank = match[1], int(match[2]), int(match[3]), int(match[4])
            x, wide = shape.at[0], shape.size[0]
            found.setdefault(rank, []).append((kind, chunk, microbatch, x, x + wide))
    return {rank: sorted(pieces, key=lambda piece: piece[3]) for rank, pieces in found.items()}


@pytest.mark.parametrize(("name", "chunks", "ranks", "microbatches"), GRID)
def test_what_is_drawn_is_torchs_own_order(name: str, chunks: int, ranks: int, microbatches: int) -> None:
    pytest.importorskip("torch")
    from torch.distributed.pipelining._schedule_visualizer import get_schedule_ops

    theirs = get_schedule_ops(TORCHS_NAMES[name], ranks, microbatches, chunks, with_comms=False)
    of = scene(schedule=name, ranks=ranks, micro_batches=microbatches, chunks=chunks)
    for rank, pieces in drawn(of, of.steps - 1).items():
        ops = [op for op in theirs[rank] if op is not None and op.computation_type.value in "FBIW"]
        stages = sorted({op.stage_index for op in ops})
        wanted = [
            (op.computation_type.value, stages.index(op.stage_index), op.microbatch_index) for op in ops
        ]
        ours = [piece[:3] for piece in pieces]
        if name == "1f1b" and rank == ranks - 1:  # torch lists its forwards from 1, and runs them from 0
            assert [kind for kind, *_ in ours] == [kind for kind, *_ in wanted]
        else:
            assert ours == wanted
        assert all(left[4] <= right[3] + 1e-6 for left, right in pairwise(pieces))


@pytest.mark.parametrize(
    ("words", "span", "total", "ideal", "live"),
    [
        ({"schedule": "gpipe"}, 33, 27.27, 37.5, "8, 8, 8, 8"),
        ({"schedule": "1f1b"}, 33, 27.27, 37.5, "4, 3, 2, 1"),
        (
            {"schedule": "1f1b", "backward": 1},
            22,
            27.27,
            37.5,
            "4, 3, 2, 1",
        ),  # (p-1)/m whatever the costs are
        ({"schedule": "interleaved"}, 28.5, 15.79, 18.75, "5.5, 4.5, 3.5, 2.5"),
    ],
)
def test_four_ranks_and_eight_micro_batches(
    words: dict[str, object], span: float, total: float, ideal: float, live: str
) -> None:
    of = scene(**words)
    last = of.state(of.steps - 1)
    assert last.lead.endswith(f"time {span:g} of {span:g}")
    assert f"{total:.2f} % of the total time is idle, {ideal:.2f} % of the ideal" in last.caption
    assert last.caption.endswith(f"held: {live}.")
    chunks = 2 if words["schedule"] == "interleaved" else 1
    p, m = 4, 8
    assert ideal == pytest.approx(
        100 * (p - 1) / (chunks * m), abs=0.005
    )  # Narayanan et al. 2021, section 2.2
    idle = next(s.text for s in last.shapes if isinstance(s, Label) and s.id == "idle")
    assert "of total = (p-1)/" in idle and "of ideal = (p-1)/" in idle


@pytest.mark.parametrize(("ranks", "microbatches"), [(2, 4), (4, 8), (4, 12), (8, 16)])
def test_zb_h1_waits_and_holds_as_its_paper_says(ranks: int, microbatches: int) -> None:
    """Qi et al. 2023, table 2: idle (p-1)(F + B - W), B and W the halves; memory as 1F1B's first rank."""
    of = scene(schedule="zero-bubble", ranks=ranks, micro_batches=microbatches)
    last = of.state(of.steps - 1)
    assert last.lead.endswith(f" of {3 * microbatches + (ranks - 1) * (1 + 1 - 1)}")
    assert last.caption.endswith(f"held: {', '.join([str(ranks)] * ranks)}.")


@pytest.mark.parametrize("name", sorted(TORCHS_NAMES))
def test_blocks_come_with_the_clock_and_stay(name: str) -> None:
    of = scene(schedule=name)
    values = dict(of.values)
    unit = (pipeline.RIGHT - pipeline.LEFT) / pipeline.clocks(values)[-1]
    before: set[tuple[int, str, int, int]] = set()
    for step, clock in enumerate(pipeline.clocks(values)):
        pieces = drawn(of, step)
        there = {(rank, *piece[:3]) for rank, row in pieces.items() for piece in row}
        assert before <= there
        assert all(
            piece[4] <= pipeline.LEFT + clock * unit + 1e-6 for row in pieces.values() for piece in row
        )
        for rank, row in pieces.items():  # what is held: forwards that began, less backwards that have ended
            kept = next(s for s in of.state(step).shapes if s.id == f"kept{rank}")
            ends = {(k, c, m): right for k, c, m, _, right in drawn(of, of.steps - 1)[rank]}
            frees = "W" if any(k == "W" for k, *_ in ends) else "B"
            gone = sum(
                k == frees and ends[k, c, m] <= pipeline.LEFT + clock * unit + 1e-6 for k, c, m, *_ in row
            )
            held = sum(k == "F" for k, *_ in row) - gone
            assert kept.alpha == (1.0 if held else 0.0), (rank, clock)
        before = there
    assert len(before) == sum(map(len, drawn(of, of.steps - 1).values()))


@pytest.mark.parametrize(
    ("words", "mend"),
    [
        ({"schedule": "zbv", "chunks": 1}, "chunks=2"),
        ({"schedule": "1f1b", "chunks": 2}, "chunks=1"),
        ({"schedule": "interleaved", "micro_batches": 9}, "micro_batches=8"),
        ({"tick": 0.01}, "400 are the most"),
    ],
)
def test_what_there_is_no_schedule_for_says_what_to_write(words: dict[str, object], mend: str) -> None:
    with pytest.raises(Mistake, match=mend):
        scene(**words)


def test_where_nobody_brings_the_schedules_the_scene_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(suppliers, "modules", {})
    with pytest.raises(Mistake, match="nobody here knows the schedules"):
        scene(ranks=5)
