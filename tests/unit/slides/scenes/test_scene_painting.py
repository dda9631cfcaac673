"""A state as cells: as large as asked for, two colours a cell, words never torn or laid over others."""

import itertools
import math
import tracemalloc
from dataclasses import replace
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from slides.drawing.cells import line_width
from slides.drawing.text import Line, plain
from slides.palette import DARK, LIGHT, MONO
from slides.scenes.motion import between
from slides.scenes.painting import lines
from slides.scenes.painting.cell_fitting import GLYPHS, PIXELS, Surface, fit
from slides.scenes.painting.pixels import sharp
from slides.scenes.painting.projection import View
from slides.scenes.painting.strokes import at, part
from slides.scenes.painting.words_in_cells import LETTERS
from slides.scenes.scene_request import asked
from slides.scenes.shapes import (
    AnyShape,
    Axis,
    Box,
    Bracket,
    Camera,
    Label,
    Number,
    Packet,
    Path,
    State,
)

SURFACES: tuple[Surface, ...] = ("sextants", "quadrants", "halves", "characters")


def drawn(*shapes: AnyShape, columns: int = 40, rows: int = 10, **more: object) -> list[str]:
    state = State(shapes, size=(40.0, 10.0))
    return [plain(line) for line in lines(state, columns, rows, DARK, **more)]  # type: ignore[arg-type]


def grounds(line: Line) -> list[str]:
    return [span.style.ground for span in line for _ in range(line_width((span,)))]


# -- cells of pixels ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("surface", SURFACES)
def test_a_cell_of_two_colours_is_exactly_itself(surface: Surface) -> None:
    """Every pattern of two colours in a cell comes back pixel by pixel from its glyph, ink and ground."""
    across, down = PIXELS[surface]
    count = 1 << across * down
    picture = Image.new("RGB", (across * count, down), (0, 0, 0))
    for number in range(count):
        for bit in range(across * down):
            if number >> bit & 1:
                picture.putpixel((number * across + bit % across, bit // across), (240, 120, 60))
    cells = fit(picture, count, 1, surface, (0, 0, 0))
    for number in range(count):
        bits = int(cells.glyph[0, number])
        for bit in range(across * down):
            colour = cells.ink if bits >> bit & 1 else cells.ground
            seen = tuple(int(colour[0, number]).to_bytes(3, "big"))
            meant = picture.getpixel((number * across + bit % across, bit // across))
            assert seen == meant, (surface, number)


@pytest.mark.parametrize("surface", SURFACES)
def test_there_is_one_glyph_for_each_pattern(surface: Surface) -> None:
    across, down = PIXELS[surface]
    assert len(GLYPHS[surface]) == len(set(GLYPHS[surface])) == 1 << across * down


def test_sextants_are_those_of_unicode() -> None:
    """Their names count the pixels of a cell from 1: BLOCK SEXTANT-13 has its first and third."""
    from unicodedata import name

    for number, glyph in enumerate(GLYPHS["sextants"]):
        digits = "".join(str(bit + 1) for bit in range(6) if number >> bit & 1)
        if digits not in ("", "135", "246", "123456"):
            assert name(glyph) == f"BLOCK SEXTANT-{digits}"


# -- sizes and bad input ------------------------------------------------------------------------------------

numbers = st.one_of(st.floats(-50, 200), st.sampled_from([math.nan, math.inf, -math.inf, 1e300]))
flat_points = st.tuples(numbers, numbers)
names = st.text("ab", min_size=1, max_size=2)
flat_shapes = st.one_of(
    st.builds(Box, id=names, at=flat_points, size=flat_points, text=st.text(max_size=9),
             hollow=st.booleans()),
    st.builds(Path, id=names, points=st.lists(flat_points, max_size=4).map(tuple),
             width=numbers, head=st.booleans()),
    st.builds(Packet, id=names, points=st.lists(flat_points, max_size=3).map(tuple),
             size=flat_points, along=numbers),
    st.builds(Label, id=names, at=flat_points, text=st.text(max_size=30)),
    st.builds(Number, id=names, at=flat_points, value=numbers),
    st.builds(Bracket, id=names, start=flat_points, end=flat_points, text=st.text(max_size=5),
              side=st.sampled_from(["above", "below", "left", "right"])),
    st.builds(Axis, id=names, start=flat_points, end=flat_points, low=numbers, high=numbers),
)  # fmt: skip


@given(st.lists(flat_shapes, max_size=6), st.integers(0, 50), st.integers(0, 20), st.sampled_from(SURFACES))
def test_any_flat_state_is_as_large_as_asked_for(
    shapes: list[AnyShape], columns: int, rows: int, surface: Surface
) -> None:
    found = lines(State(tuple(shapes)), columns, rows, DARK, surface)
    assert len(found) == rows
    assert all(line_width(line) == (columns if rows and columns else 0) for line in found)


space_points = st.tuples(numbers, numbers, numbers)
space_shapes = st.one_of(
    st.builds(Box, id=names, at=space_points, size=space_points, hollow=st.booleans()),
    st.builds(Path, id=names, points=st.lists(space_points, max_size=4).map(tuple)),
    st.builds(Packet, id=names, points=st.lists(space_points, max_size=3).map(tuple), size=space_points),
    st.builds(Label, id=names, at=space_points, text=st.text(max_size=9)),
)
cameras = st.builds(Camera, yaw=numbers, pitch=numbers, distance=numbers, view=numbers)


@given(st.lists(space_shapes, max_size=6), cameras, st.integers(0, 30), st.integers(0, 12))
def test_any_state_in_space_is_as_large_as_asked_for(
    shapes: list[AnyShape], camera: Camera, columns: int, rows: int
) -> None:
    found = lines(State(tuple(shapes), camera=camera), columns, rows, LIGHT, "sextants")
    assert len(found) == rows
    assert all(line_width(line) == (columns if rows and columns else 0) for line in found)


def test_ten_thousand_points_and_64_ranks_are_drawn() -> None:
    curve = Path(id="c", points=tuple((x / 250, 5 + math.sin(x)) for x in range(10_000)))
    boxes = [Box(id=f"b{n}", at=(n * 0.6, 1), size=(0.5, 1), ink=f"rank{n % 8}") for n in range(64)]
    assert len(drawn(curve, *boxes)) == 10


# -- what is drawn ------------------------------------------------------------------------------------------


def test_a_box_fills_whole_cells_and_has_its_words_in_the_middle() -> None:
    box = Box(id="b", at=(10, 2), size=(20, 3), ink="params", text="block 0")
    found = lines(State((box,), size=(40.0, 10.0)), 40, 10, DARK, "halves")
    assert "block 0" in plain(found[3])
    for row in range(2, 5):
        assert all(grounds(found[row])[10:30]) and not any(grounds(found[row])[:10])
    assert not any(grounds(found[1])) and not any(grounds(found[5]))


@pytest.mark.parametrize("surface", SURFACES[:3])
@pytest.mark.parametrize("ink", ["panel", "params", "grads", "optimizer", "activations"])
def test_a_flat_box_has_its_colour_in_cells_as_by_pixels(ink: str, surface: Surface) -> None:
    state = State((Box(id="b", at=(10, 2), size=(20, 5), ink=ink, whole=True),), size=(40.0, 10.0))
    cells = grounds(lines(state, 40, 10, DARK, surface)[4])[20]
    pixel = sharp(state, 40, 10, (4, 8), DARK).image.getpixel((80, 36))
    assert cells == f"#{bytes(pixel).hex()}"  # type: ignore[arg-type]


def test_equal_boxes_are_equally_high_wherever_they_stand() -> None:
    boxes = [Box(id=f"b{n}", at=(0, 6 + 13 * n), size=(20, 6), text="x") for n in range(4)]
    found = lines(State(tuple(boxes), size=(40.0, 60.0)), 40, 30, DARK, "halves")
    heights, run = [], 0
    for line in [*found, ()]:
        if any(grounds(line)):
            run += 1
        elif run:
            heights.append(run)
            run = 0
    assert heights == [3, 3, 3, 3]


def test_words_without_room_take_their_short_form_or_none() -> None:
    assert "chunk 3" in "".join(drawn(Box(id="b", at=(0, 0), size=(9, 2), text="chunk 3", short="3")))
    small = "".join(drawn(Box(id="b", at=(0, 0), size=(3, 2), text="chunk 3", short="3")))
    assert "3" in small and "chunk" not in small
    assert not "".join(drawn(Box(id="b", at=(0, 0), size=(1, 2), text="chunk 3", short="33"))).strip()


def test_words_never_lie_upon_words() -> None:
    first = Label(id="a", at=(20, 5), text="the first of them")
    second = Label(id="b", at=(22, 5), text="another one")
    found = drawn(first, second)
    assert "the first of them" in "".join(found) and "another one" in "".join(found)


def test_a_box_that_lies_over_another_hides_its_words() -> None:
    below = Box(id="a", at=(4, 2), size=(20, 5), ink="params", text="under")
    above = Box(id="b", at=(12, 3), size=(20, 5), ink="grads", text="over")
    assert "under" in "".join(drawn(below))
    both = "".join(drawn(below, above))
    assert "over" in both and "under" not in both
    faint = "".join(drawn(below, replace(above, alpha=0.3)))
    assert "under" in faint  # one that comes or goes hides nothing yet


@pytest.mark.parametrize(("columns", "rows"), [(40, 10), LETTERS])
def test_what_goes_far_beyond_the_picture_takes_no_more_than_the_picture(columns: int, rows: int) -> None:
    box = Box(id="box", at=(-200, -200), size=(400, 400), text="here")
    line = Path(id="line", points=((0, 5), (40, 5)), width=900, ink="grads")
    for shape in (box, line):
        drawn(shape, columns=columns, rows=rows)  # what is kept for the next one
        tracemalloc.start()
        try:
            drawn(shape, columns=columns, rows=rows)
            most = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert most < 3e6, shape.id


def test_controls_in_words_never_reach_a_line() -> None:
    assert "\x1b" not in "".join(drawn(Label(id="a", at=(20, 5), text="a\x1b[31mb\x9b0m", anchor="left")))


@pytest.mark.parametrize(("end", "head"), [((30, 5), "▶"), ((10, 5), "◀"), ((20, 9), "▼"), ((20, 1), "▲")])
def test_an_arrow_points_where_it_goes(end: tuple[float, float], head: str) -> None:
    assert head in "".join(drawn(Path(id="p", points=((20, 5), end), head=True)))


def test_lines_that_meet_are_joined() -> None:
    level = Path(id="a", points=((5, 5), (35, 5)))
    upright = Path(id="b", points=((20, 1), (20, 9)))
    assert drawn(level, upright)[5][20] == "┼"


def test_a_path_is_there_as_far_as_it_is_drawn() -> None:
    half = drawn(Path(id="p", points=((0, 5), (39, 5)), drawn=0.5))[5]
    assert 18 <= len(half.strip()) <= 22


def test_an_axis_has_round_figures_and_its_unit() -> None:
    axis = Axis(id="x", start=(6, 8), end=(38, 8), low=0, high=80, unit="GB")
    found = drawn(axis)
    assert "80 GB" in found[9] and " 0" in found[9] and "40" in found[9]


def test_a_figure_has_its_decimals() -> None:
    assert "sent 1.50 S" in "".join(
        drawn(Number(id="n", at=(20, 5), value=1.5, decimals=2, before="sent ", after=" S"))
    )


@pytest.mark.parametrize(("side", "row"), [("above", 3), ("below", 5)])
def test_the_words_of_a_bracket_stand_on_its_side(side: Literal["above", "below"], row: int) -> None:
    found = drawn(Bracket(id="b", start=(5, 4.5), end=(35, 4.5), text="one buffer", side=side))
    assert "one buffer" in found[row]


def test_without_colours_meanings_are_textures() -> None:
    boxes = [
        Box(id=ink, at=(10 * n, 2), size=(8, 4), ink=ink)
        for n, ink in enumerate(("params", "grads", "optimizer", "activations"))
    ]
    text = "".join(plain(line) for line in lines(State(tuple(boxes), size=(40.0, 10.0)), 40, 10, MONO))
    assert set("█▓▒░") <= set(text)


def test_nothing_is_beyond_what_is_visible() -> None:
    assert not "".join(drawn(Label(id="a", at=(20, 5), text="gone", alpha=0.0))).strip()


# -- in space -----------------------------------------------------------------------------------------------


def test_a_camera_sees_its_target_in_the_middle_and_right_on_the_right() -> None:
    view = View(Camera(yaw=0, pitch=0, distance=10, target=(0, 0, 0), view=90), 200, 80)
    assert view.place((0, 0, 0)) == pytest.approx((0.5, 0.5))
    # At 45 degrees above the axis the upper edge is met where height equals distance.
    assert view.place((0, 10, 0)) == pytest.approx((0.5, 0.0))
    assert view.place((1, 0, 0))[0] > 0.5 > view.place((-1, 0, 0))[0]
    assert view.depth((0, 0, -10)) == pytest.approx(0) and view.depth((0, 0, 0)) == pytest.approx(10)


def test_a_plan_from_above_has_the_far_side_above() -> None:
    view = View(Camera(yaw=0, pitch=90, distance=10, target=(0, 0, 0)), 200, 80)
    assert view.place((0, 0, 1))[1] < 0.5 < view.place((0, 0, -1))[1]


def test_the_near_hides_the_far() -> None:
    near = Box(id="near", at=(-1, 0, -3), size=(2, 2, 1), ink="#ff0000")
    far = Box(id="far", at=(-1, 0, 3), size=(2, 2, 1), ink="#00ff00")
    camera = Camera(yaw=0, pitch=5, distance=12, target=(0, 1, 0), view=30)
    for shapes in ((near, far), (far, near)):
        picture = sharp(State(shapes, camera=camera), 40, 20, (4, 8), DARK).image
        red, green, _ = picture.getpixel((80, 80))  # type: ignore[misc]
        assert red > 60 > green


# -- along a line -------------------------------------------------------------------------------------------


@given(st.floats(0, 1))
def test_a_part_of_a_line_has_its_share_of_the_length(share: float) -> None:
    line = ((0.0, 0.0), (3.0, 0.0), (3.0, 4.0), (3.0, 4.0), (0.0, 4.0))
    found = part(line, share)
    length = sum(math.dist(a, b) for a, b in itertools.pairwise(found))
    assert length == pytest.approx(10 * share, abs=1e-6)
    if share > 1e-6:
        assert at(line, share) == pytest.approx(found[-1])


def test_a_picture_after_another_is_as_when_painted_alone() -> None:
    """Of a moving picture only what is another than before is painted and fitted."""
    scene = asked("room", {})
    states = [between(scene.state(2), scene.state(3), way) for way in (0.2, 0.4, 0.6)]
    moving = [lines(state, 56, 12, DARK, "sextants") for state in states]
    for state, found in zip(states, moving, strict=True):
        lines(state, 20, 5, DARK, "sextants")  # another picture was the last one
        assert lines(state, 56, 12, DARK, "sextants") == found
