"""Boxes in whole cells: equal ones are equal, gaps stay, and what is beside a box stays beside it."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tui  # noqa: F401  # brings what slides cannot know
from slides.drawing.cells import line_width
from slides.drawing.large import letters
from slides.palette import DARK
from slides.scenes import registry
from slides.scenes.painting import lines, marks_of, pixels
from slides.scenes.painting import words_in_cells as words
from slides.scenes.painting.strokes import Face, Stroke
from slides.scenes.painting.word_over_picture import Word
from slides.scenes.scene_request import asked
from slides.scenes.shapes import AnyShape, Box, Label, Path, State

SIZES = ((74, 14), (94, 20), (152, 31))
drawn = letters.letters


def one_row(text: str, width: int, sizes: tuple[letters.Size, ...], most: int = 2) -> list[str] | None:
    """Words as wide and as high as they are in letters, to be read in their middle row."""
    found = drawn(text, width, sizes, 1)
    if found is None or max(map(len, found)) < len(text):
        return None
    wide = max(map(len, found))
    return [" " * wide, text.center(wide), " " * wide]


def faces(shapes: list[AnyShape], columns: int, rows: int) -> list[tuple[float, float, float, float]]:
    """Left, top, right and bottom of each filled box, in cells."""
    marks, _ = marks_of(State(tuple(shapes)), columns, rows)
    found = [(*mark.points[0], *mark.points[2]) for mark in marks if isinstance(mark, Face)]
    return [(x0 * columns, y0 * rows, x1 * columns, y1 * rows) for x0, y0, x1, y1 in found]


@given(st.integers(2, 9), st.integers(40, 160), st.floats(0.5, 0.95))
def test_equal_boxes_are_equally_wide_and_never_grow_together(count: int, columns: int, part: float) -> None:
    pitch = 140 / count
    row: list[AnyShape] = [
        Box(id=str(n), at=(10 + n * pitch, 20), size=(pitch * part, 8), text="x") for n in range(count)
    ]
    found = faces(row, columns, 20)
    assert len({round(right - left, 6) for left, _, right, _ in found}) == 1
    if pitch * part * columns / 160 >= 1.5:
        assert all(a[2] <= b[0] - 1 + 1e-6 for a, b in pairwise(found))


@given(st.integers(2, 9), st.integers(40, 160))
def test_boxes_that_touch_go_on_touching(count: int, columns: int) -> None:
    wide = 140 / count
    row: list[AnyShape] = [
        Box(id=str(n), at=(10 + n * wide, 20), size=(wide, 8), text="x") for n in range(count)
    ]
    found = faces(row, columns, 20)
    assert all(math.isclose(a[2], b[0]) for a, b in pairwise(found))


@given(st.floats(0, 45), st.floats(2, 14), st.integers(8, 40))
def test_words_beside_a_box_are_in_the_row_of_the_words_in_it(top: float, high: float, rows: int) -> None:
    state = State((
        Box(id="box", at=(60, top), size=(40, high), text="within"),
        Label(id="beside", at=(20, top + high / 2), text="beside"),
    ))  # fmt: skip
    text = ["".join(span.text for span in line) for line in lines(state, 80, rows, DARK)]
    within = [n for n, line in enumerate(text) if "within" in line]
    assert within and within == [n for n, line in enumerate(text) if "beside" in line]


@given(st.floats(5, 60), st.floats(6, 40), st.integers(40, 160))
def test_an_arrow_between_two_boxes_begins_and_ends_beside_them(
    left: float, wide: float, columns: int
) -> None:
    other = left + wide + 25
    ends = ((left + wide, 30.0), (other, 30.0))
    shapes: tuple[AnyShape, ...] = (
        Box(id="a", at=(left, 25), size=(wide, 10), text="a"),
        Box(id="b", at=(other, 25), size=(30, 10), text="b"),
        Path(id="arrow", points=ends, head=True),
    )
    marks, _ = marks_of(State(shapes), columns, 20)
    a, b = (mark for mark in marks if isinstance(mark, Face))
    (arrow,) = (mark for mark in marks if isinstance(mark, Stroke))
    first, last = (int(x * columns) for x, _ in arrow.points)
    assert first == round(a.points[2][0] * columns) and last == round(b.points[0][0] * columns) - 1


@pytest.mark.parametrize("name", registry.names())
def test_what_stands_in_a_frame_stays_within_its_lines(name: str) -> None:
    of = asked(name, {})
    for columns, rows in SIZES:
        for state in of.states():
            if state.camera is None:
                marks, words = marks_of(state, columns, rows)
                boxes = [mark for mark in marks if isinstance(mark, Face)]
                for word in words:
                    if word.frame is not None and word.frame.kind == "box":
                        framed(word, boxes, columns, rows)


def framed(word: Word, boxes: list[Face], columns: int, rows: int) -> None:
    assert word.frame is not None
    (left, top), (right, bottom) = word.place, word.frame.to
    for box in boxes:
        (x0, y0), (x1, y1) = box.points[0], box.points[2]
        if left < (x0 + x1) / 2 < right and top < (y0 + y1) / 2 < bottom and (x0, y0) != (left, top):
            assert x0 * columns >= left * columns + 0.99 and x1 * columns <= right * columns - 0.99
            assert y0 * rows >= top * rows + 0.99 and y1 * rows <= bottom * rows - 0.99


def test_a_flat_picture_has_no_colour_that_nothing_in_it_has() -> None:
    bars = State(
        tuple(
            Box(id=f"{ink}{n}", at=(20 + 30 * n, 40 - 7.3 * at - n), size=(17, 7.3), ink=ink)
            for n in range(4)
            for at, ink in enumerate(("params", "grads", "optimizer"))
        )
    )
    known = {DARK.colours[ink] for ink in ("params", "grads", "optimizer")}
    for line in lines(bars, 80, 17, DARK, "sextants"):
        assert line_width(line) == 80
        for span in line:
            assert not span.style.ground or _near(span.style.ground, known)
            assert not span.text.strip() or _near(span.style.ink, known)


def _near(colour: str, known: set[str]) -> bool:
    """Whether it is one of these, as coarse as colours of a picture are."""
    parts = [int(colour[n : n + 2], 16) for n in (1, 3, 5)]
    return any(
        all(abs(part - int(name[n : n + 2], 16)) <= 6 for part, n in zip(parts, (1, 3, 5), strict=True))
        for name in known
    )


def test_an_arrow_that_slants_has_its_head_before_the_box_and_no_dot_in_it() -> None:
    state = State((
        Box(id="a", at=(10, 4), size=(30, 14), text="a"),
        Box(id="b", at=(110, 40), size=(30, 14), text="b"),
        Path(id="down", points=((25.0, 18.0), (125.0, 40.0)), head=True),
    ))  # fmt: skip
    for columns, rows in SIZES:
        drawn = ["".join(span.text for span in line) for line in lines(state, columns, rows, DARK, "halves")]
        (tip,) = (n for n, text in enumerate(drawn) if "▼" in text)
        dots = [n for n, text in enumerate(drawn) if any("\u2801" <= sign <= "\u28ff" for sign in text)]
        marks, _ = marks_of(state, columns, rows)
        tops = [round(mark.points[0][1] * rows) for mark in marks if isinstance(mark, Face)]
        assert tip == tops[1] - 1 and max(dots) <= tip


def test_boxes_that_touch_have_their_words_however_narrow() -> None:
    row: tuple[AnyShape, ...] = tuple(
        Box(id=str(n), at=(40 + 2 * n, 20), size=(2, 6), text=str(n), ink=f"rank{n}") for n in range(8)
    )
    name = Label(id="name", at=(38, 23), text="rank 0", short="r0", anchor="right")
    (found,) = {
        "".join(span.text for span in line).strip() for line in lines(State((*row, name)), 80, 30, DARK)
    } - {""}
    assert found == "rank 0 01234567"


@pytest.mark.parametrize("name", registry.names())
@pytest.mark.parametrize("large", [False, True])
def test_every_word_of_a_scene_has_room_at_every_size(
    name: str, large: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As long or as short as it is written; a heading that moves a row up or down is not lost either, nor
    any word where others are in letters."""
    of = asked(name, {})
    if large:
        monkeypatch.setattr(letters, "letters", one_row)  # so that they can be read
    else:
        monkeypatch.setattr(words, "LETTERS", (1000, 1000))
    # What is in letters is known of a scene by its `steps`; here it is other than for who drew it before.
    steps = tuple(of.state(step) for step in range(of.steps))
    states = [replace(state, steps=lambda: steps) for state in steps]
    for columns, rows in SIZES:
        for step, state in enumerate(states):
            if state.camera is not None:
                continue
            text = "\n".join(
                "".join(span.text for span in line) for line in lines(state, columns, rows, DARK)
            )
            for shape in state.shapes:
                if isinstance(shape, Box | Label) and shape.text.strip() and shape.alpha >= 0.3:
                    assert shape.text.strip() in text or (shape.short and shape.short in text), (
                        f"{shape.id} at {columns}x{rows}, step {step + 1}"
                    )


def test_a_frame_at_the_edge_of_the_picture_is_whole_in_pixels() -> None:
    frame = State((Box(id="frame", at=(0, 0), size=(160, 60), ink="accent", hollow=True),))
    image = pixels.sharp(frame, 40, 12, (9, 18), DARK).image
    wide, high = image.size
    ground = image.getpixel((wide // 2, high // 2))
    for x, y in ((wide // 2, 0), (wide // 2, high - 1), (0, high // 2), (wide - 1, high // 2)):
        assert image.getpixel((x, y)) != ground, (x, y)
