"""The tensors of a run: each kind of memory over all ranks, as they were really measured."""

from __future__ import annotations

import pytest
from made_snapshots import recorded
from msgspec.structs import replace
from read_letters import read

from runtime.protocol.figures import Film, Moment, RankStep
from slides.drawing.cells import line_width
from slides.drawing.text import plain
from slides.palette import THEMES
from slides.scenes.shapes import Box, Label
from tui.classroom.runs.slow_motion import Playing
from tui.figures import numbers
from tui.views import registry
from tui.views.run.machine_room import state as room_state
from tui.views.run.tensors import state, tensors

FIELDS = ("params", "gathered", "grads", "optimizer_bytes", "activations")


@pytest.mark.parametrize("name", ["fsdp", "hsdp", "ddp-ranks-2-nodes-2"])
def test_widths_are_bytes_on_one_scale_and_their_sum_is_said(name: str) -> None:
    run = recorded(name)
    shown = state(run.rows, None, 30)
    boxes = {shape.id: shape for shape in shown.shapes if isinstance(shape, Box)}
    scales = []
    for row in run.rows:
        for field in FIELDS:
            size = getattr(row, field) or 0
            assert (f"{field}@{row.rank}" in boxes) == bool(size)
            if size:
                scales.append(boxes[f"{field}@{row.rank}"].size[0] / size)
    assert max(scales) == pytest.approx(min(scales))
    assert max(box.at[0] + box.size[0] for box in boxes.values()) <= shown.size[0] + 1e-6
    said = {shape.text for shape in shown.shapes if isinstance(shape, Label)}
    whole = sum((row.params or 0) + (row.gathered or 0) for row in run.rows)
    assert f"{numbers.size(whole)} in all" in said
    several = len({row.node for row in run.rows}) > 1
    assert {f"{f'{numbers.node(row.node)}: ' * several}rank {row.rank}" for row in run.rows} <= said


@pytest.mark.parametrize("size", [(156, 21), (156, 38), (78, 14)])
def test_each_sum_and_each_rank_is_read_also_where_words_are_in_letters(size: tuple[int, int]) -> None:
    run = recorded("ddp-ranks-2-nodes-2")
    shown = "\n".join(map(plain, tensors(run, *size)))
    said = shown + read(shown)
    assert said.count(" MB") >= 4 and " in all" in said, shown
    assert size[1] == 21 or all(f"rank {n}" in said for n in range(4)), shown  # there letters touch


@pytest.mark.parametrize("height", range(7, 13))
def test_no_sum_stands_on_the_row_of_a_rank(height: int) -> None:
    shown = list(map(plain, tensors(recorded("ddp-ranks-2-nodes-2"), 78, height)))
    ranks = [line for line in shown if "rank " in line]
    assert ranks and not any(" MB" in line or " kB" in line for line in ranks), "\n".join(shown)


def test_at_a_moment_gathered_weights_are_those_of_then() -> None:
    run = recorded("fsdp")
    step = RankStep((Moment(0.1, 4_000_000, 0, 0), Moment(0.5, 0, 0, 0)), ())
    film = Film(7, 1.0, (step,) * run.world)
    for at, there in ((0.05, False), (0.3, True), (0.9, False)):
        shown = state(run.rows, Playing(film, at, 40), 30)
        boxes = {shape.id: shape for shape in shown.shapes if isinstance(shape, Box)}
        assert ("gathered@0" in boxes) == there and "params@0" in boxes
        if there:
            ratio = boxes["gathered@0"].size[0] / boxes["params@0"].size[0]
            assert ratio == pytest.approx(4_000_000 / (run.rows[0].params or 1))


@pytest.mark.parametrize("size", [(158, 36), (78, 14), (60, 6), (20, 4), (1, 1)])
@pytest.mark.parametrize("theme", ["dark", "mono"])
def test_it_fills_its_place_at_every_size(size: tuple[int, int], theme: str) -> None:
    found = tensors(recorded("fsdp"), *size, THEMES[theme])
    assert len(found) == size[1] and all(line_width(line) == size[0] for line in found)


def test_before_the_first_step_it_says_so() -> None:
    run = recorded("fsdp")
    early = replace(run, rows=tuple(replace(row, params=None) for row in run.rows), state="running")
    assert not registry.OURS["tensors"].has(early)
    assert "known after the first step" in "\n".join(map(plain, tensors(early, 100, 20)))


def test_what_goes_between_machines_is_said_in_the_room_and_in_its_plan() -> None:
    run = recorded("ddp-ranks-2-nodes-2")
    sizes = {(a, b): numbers.size(size) for a, b, size in run.between}
    assert set(sizes) == {(0, 1), (1, 0)}
    shown = room_state(run)
    said = next(shape for shape in shown.shapes if shape.id == "between0.1")
    assert isinstance(said, Label) and said.text == f"{sizes[0, 1]} → · ← {sizes[1, 0]} a step"
    assert shown.plan is not None
    names = {shape.id: shape.text for shape in shown.plan.shapes if isinstance(shape, Label)}
    assert f"{sizes[0, 1]} a step to B" in names["name0"] and f"{sizes[1, 0]} a step to A" in names["name1"]
    alone = room_state(recorded("ddp"))
    assert not any(shape.id.startswith("between") for shape in alone.shapes)
