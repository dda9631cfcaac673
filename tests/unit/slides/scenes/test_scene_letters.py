"""Words of scenes in large letters: as large in every step, and never over what things go along."""

from __future__ import annotations

import pytest

import tui  # noqa: F401  # brings what slides cannot know
from slides.drawing.layout import layout
from slides.palette import DARK
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes.motion import between
from slides.scenes.painting import marks_of, written
from slides.scenes.painting.pixels import sharp
from slides.scenes.painting.strokes import Stroke
from slides.scenes.scene_request import asked
from slides.scenes.shapes import AnyShape, Box, Label, Number, State

BLOCKS = set("▘▝▀▖▌▞▛▗▚▐▜▄▙▟█")


@pytest.mark.parametrize("name", ["hsdp", "pipeline", "failover", "tensor-parallel", "buckets", "ddp"])
@pytest.mark.parametrize(("columns", "rows"), [(140, 29), (160, 36)])
def test_what_a_box_says_is_as_large_in_every_step(name: str, columns: int, rows: int) -> None:
    found: dict[tuple[str, int, int], set[int]] = {}
    for state in asked(name, {}).states():
        marks, words = marks_of(state, columns, rows)
        cells = written(marks, words, columns, rows, state).cells
        for word in words:
            if word.within is None or word.frame is not None:
                continue
            left, top, right, bottom = word.within
            inside = {
                cell: glyph.text
                for cell, glyph in cells.items()
                if top < (cell[0] + 0.5) / rows < bottom and left < (cell[1] + 0.5) / columns < right
            }
            size = round((right - left) * columns), round((bottom - top) * rows)
            high = len({row for (row, _), text in inside.items() if text in BLOCKS})
            found.setdefault((word.text, *size), set()).add(high)
    assert found and all(len(high) == 1 for high in found.values()), found


@pytest.mark.parametrize(("columns", "rows"), [(140, 29), (160, 33), (160, 36), (200, 50)])
def test_letters_of_the_room_leave_its_links_free(columns: int, rows: int) -> None:
    for state in asked("room", {}).states():
        marks, words = marks_of(state, columns, rows)
        cells = written(marks, words, columns, rows, state).cells
        links = [mark for mark in marks if isinstance(mark, Stroke) and mark.width * rows > 0.1]
        assert len(links) == 3
        for (x0, y0), (x1, y1) in (link.points for link in links):
            for n in range(101):
                x, y = x0 + (x1 - x0) * n / 100, y0 + (y1 - y0) * n / 100
                glyph = cells.get((int(y * rows), int(x * columns)))
                assert glyph is None or glyph.text not in BLOCKS, (columns, rows, glyph)


def test_a_step_that_fails_leaves_the_others_as_they_are() -> None:
    from slides.scenes import scene_request
    from slides.scenes.scene import Scene, Values
    from slides.scenes.shapes import Box, State

    def state(step: int, values: Values) -> State:
        if step == 1:
            raise ValueError("no such step")
        return State((Box(id="a", at=(20.0, 10.0), size=(120.0, 40.0), text="a box"),))

    of = scene_request.of(Scene("mine", "", lambda values: 3, state))
    marks, words = marks_of(of.state(0), 160, 36)
    cells = written(marks, words, 160, 36, of.state(0)).cells
    assert {glyph.text for glyph in cells.values()} & BLOCKS


@pytest.mark.parametrize(("columns", "rows"), [(140, 22), (140, 25), (140, 29), (160, 24), (160, 36)])
def test_words_beside_boxes_are_as_large_in_every_step(columns: int, rows: int) -> None:
    beside = ("hsdp", "between:"), ("hsdp", "inside:"), ("training-step", "most "), ("failover", "checkpoint")
    for name, begins in beside:
        plain = []
        for state in asked(name, {}).states():
            marks, words = marks_of(state, columns, rows)
            cells = written(marks, words, columns, rows, state).cells
            grid = [[cells.get((row, column)) for column in range(columns)] for row in range(rows)]
            said = "\n".join("".join(cell.text if cell else " " for cell in row) for row in grid)
            if any(word.text.strip().startswith(begins) for word in words):
                plain.append(begins in said)
        assert len(set(plain)) == 1, (name, begins, plain)


def test_on_a_rooms_screen_a_slide_has_its_names_and_its_legend_in_letters() -> None:
    """What 160x45 leaves for a slide; what is small in it is the axis, and how far the scene has come."""
    slide = parse_slide(split("# Title\n\n::: scene buckets\n", "deck.md"), 0)
    lines = layout(slide, slide.steps - 1, 152, 42)
    said = "\n".join("".join(span.text for span in line) for line in lines).replace("layers of backward", "")
    assert [word for word in ("layer", "bucket", "backward", "hidden", "exposed") if word in said] == []


@pytest.mark.parametrize("rows", [22, 29, 36])
def test_by_pixels_the_name_in_a_frame_is_not_in_letters_over_its_line(rows: int) -> None:
    drawn = sharp(asked("hsdp", {}).state(0), 140, rows, (4, 8), DARK)
    said = ["".join(span.text for _, span in drawn.words.get(row, ())) for row in range(rows)]
    assert any("machine A" in row for row in said), said


@pytest.mark.parametrize("rows", [16, 18, 22, 29])
@pytest.mark.parametrize("name", ["failover", "pipeline", "zero", "buckets", "fsdp", "training-step"])
def test_by_pixels_letters_are_where_they_are_in_cells(name: str, rows: int) -> None:
    for state in asked(name, {}).states():
        drawn = sharp(state, 140, rows, (2, 4), DARK)
        found = {(row, at) for row, spans in drawn.words.items() for at, span in spans if span.text in BLOCKS}
        marks, words = marks_of(state, 140, rows)
        cells = written(marks, words, 140, rows, state).cells
        assert found == {cell for cell, glyph in cells.items() if glyph.text in BLOCKS}, state.lead


@pytest.mark.parametrize("rows", [16, 18, 22, 29, 33])
def test_by_pixels_words_beside_boxes_are_as_large_in_every_step(rows: int) -> None:
    said = ("between:", "inside:"), ("checkpoint",), ("activations",), ("most ",)
    for name, all_of in zip(("hsdp", "failover", "pipeline", "training-step"), said, strict=True):
        for begins in all_of:
            plain = set()
            for state in asked(name, {}).states():
                words = marks_of(state, 140, rows)[1]
                if any(word.text.strip().startswith(begins) for word in words):
                    drawn = sharp(state, 140, rows, (2, 4), DARK).words
                    lines = ["".join(span.text for _, span in spans) for spans in drawn.values()]
                    plain.add(any(begins in line for line in lines))
            assert len(plain) == 1, (name, begins)


def test_figures_of_one_row_stay_in_one_row_in_letters() -> None:
    """Bars of other heights over them do not push one further than the next."""
    shapes: list[AnyShape] = []
    for n, value in enumerate((0.0, 3.0, 0.0, 3.0, 1.5, 3.0)):
        x, high = 6 + 25 * n, 6 * value
        shapes.append(Box(id=f"bar{n}", at=(x, 44 - high), size=(22, max(high, 0.2)), ink="params"))
        shapes.append(Number(id=f"v{n}", at=(x + 11, 48), value=value, decimals=2))
        shapes.append(Label(id=f"n{n}", at=(x + 11, 52), text=f"rank {n}", ink="dim"))
    shown = State(tuple(shapes))
    marks, words = marks_of(shown, 156, 26)
    cells = written(marks, words, 156, 26, shown).cells
    tops = [
        min(
            row for (row, column), glyph in cells.items() if glyph.text in BLOCKS and abs(column - middle) < 6
        )
        for middle in (156 * (17 + 25 * n) // 160 for n in range(6))
    ]
    assert len(set(tops)) == 1, tops


def test_what_grows_below_a_figure_leaves_it_in_letters() -> None:
    states = list(asked("training-step", {}).states())
    halfway = between(states[0], states[1], 0.5)
    marks, words = marks_of(halfway, 156, 36)
    assert not written(marks, words, 156, 36, halfway).small
