"""Whatever a deck asks of a scene that ships: a picture, or a line that says what to write instead."""

from __future__ import annotations

import pytest

import tui  # noqa: F401  # brings what slides cannot know
from slides.deck import Box as Boxed
from slides.deck import Scene as SceneBlock
from slides.drawing.cells import line_width
from slides.drawing.layout import layout_blocks
from slides.drawing.text import plain
from slides.palette import DARK, MONO
from slides.problems import Mistake
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes import on_slide, registry
from slides.scenes import scene_request as scenes
from slides.scenes.motion import between
from slides.scenes.painting import lines, rows_of
from slides.scenes.shapes import finite

NAMES = registry.names()
VALUES = (
    "nan", "inf", "-inf", "1e400", "0", "-1", "64", "65", "4096", "9" * 400, "1.5", "1e3", "", " ", "💥",
    "a\x1b[2Jb", "None", "[1]", "1_0", "٤", "true",
)  # fmt: skip
SIZES = ((0, 0), (0, 9), (9, 0), (1, 1), (2, 1), (1, 30), (200, 1), (7, 3))


def params() -> list[tuple[str, str]]:
    found = []
    for name in NAMES:
        scene = registry.scene(name)
        assert scene is not None
        found += [(name, param.name) for param in scene.params]
    return found


def block(line: str) -> SceneBlock | Boxed:
    """What a slide has in the place of that line."""
    found = parse_slide(split(f"# A\n\n{line}\n\nafter\n", "d.md"), 0).blocks[1]
    assert isinstance(found, SceneBlock | Boxed), found
    return found


@pytest.mark.parametrize(("name", "param"), params())
def test_any_value_of_a_parameter_is_drawn_or_said(name: str, param: str) -> None:
    for value in VALUES:
        try:
            found = scenes.asked(name, {param: value})
        except Mistake as why:
            assert param in why.message and why.mend.startswith("`::: scene "), (value, why.message)
            assert "\x1b" not in why.message
            continue
        for step in {0, found.steps // 2, found.steps - 1}:
            state = found.state(step)
            dimensions = 2 if state.camera is None else 3
            assert all(finite(shape, dimensions) for shape in state.shapes), value
            assert [line_width(row) for row in lines(state, 60, 12, DARK)] == [60] * 12


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_parameter_is_a_box_that_names_those_there_are(name: str) -> None:
    found = block(f"::: scene {name} wqxz=4")
    assert isinstance(found, Boxed) and found.line == 3
    assert "`wqxz`" in found.problem.message or "'wqxz'" in found.problem.message
    assert f"::: scene {name}" in found.problem.mend


@pytest.mark.parametrize("name", NAMES)
def test_a_name_with_a_slip_of_the_pen_is_a_box_that_names_the_scene(name: str) -> None:
    found = block(f"::: scene {name}x")
    assert isinstance(found, Boxed) and f"`::: scene {name}`" in found.problem.mend


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("ranks", [64, 1024])
def test_so_many_ranks_are_drawn_or_refused_with_a_number_that_works(name: str, ranks: int) -> None:
    scene = registry.scene(name)
    assert scene is not None
    if "ranks" not in {param.name for param in scene.params}:
        return
    found = block(f"::: scene {name} ranks={ranks}")
    if isinstance(found, Boxed):
        assert "ranks" in found.problem.message
        written = found.problem.mend.removesuffix(" can.").strip("`")
        assert isinstance(block(written), SceneBlock)
    else:
        drawn = layout_blocks([found], 0, 80)
        assert all(line_width(line) <= 80 for line in drawn)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("surface", ["halves", "quadrants", "sextants", "characters"])
def test_there_is_a_picture_in_next_to_no_cells(name: str, surface: str) -> None:
    found = scenes.asked(name, {})
    ends = (found.state(0), found.state(found.steps - 1))
    for columns, rows in SIZES:
        for state in (*ends, between(*ends, 0.5)):
            for paint in (lines, rows_of):
                drawn = paint(state, columns, rows, DARK, surface)  # type: ignore[arg-type]
                assert len(drawn) == rows
                if columns:
                    assert all(line_width(line) == columns for line in drawn), (columns, rows)


@pytest.mark.parametrize("name", NAMES)
def test_a_step_that_there_is_not_is_the_nearest(name: str) -> None:
    found = scenes.asked(name, {})
    assert found.state(-5) == found.state(0) and found.state(10**6) == found.state(found.steps - 1)


@pytest.mark.parametrize("name", NAMES)
def test_a_slide_with_it_is_laid_out_at_any_width(name: str) -> None:
    found = block(f"::: scene {name}")
    for width in (1, 5, 20, 400):
        for line in layout_blocks([found], 0, width):
            assert line_width(line) <= width


def test_a_scene_without_colours_in_no_cells_is_nothing() -> None:
    found = block("::: scene room")
    assert isinstance(found, SceneBlock)
    assert lines(on_slide.of(found).state(0), 0, 0, MONO) == []


@pytest.mark.parametrize("kind", ["bars", "stacked", "line", "scatter"])
def test_a_chart_of_ten_thousand_points_is_drawn_or_said(kind: str) -> None:
    rows = "\n".join(f"{n},{n % 97}" for n in range(10_000))
    source = f"# A\n\n::: chart {kind}\n```csv\nx,y\n{rows}\n```\n:::\n"
    found = parse_slide(split(source, "d.md"), 0).blocks[1]
    drawn = layout_blocks([found], 0, 80)
    assert drawn and all(line_width(line) <= 80 for line in drawn)
    if isinstance(found, Boxed):
        assert found.problem.mend


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400", "x", ""])
@pytest.mark.parametrize("kind", ["bars", "stacked", "line", "scatter"])
def test_a_chart_of_what_is_no_number_is_drawn_or_said(kind: str, value: str) -> None:
    source = (
        f"# A\n\n::: chart {kind} limit={value or 'inf'}\n```csv\nx,y\n1,2\n2,{value}\n3,{value}\n```\n:::\n"
    )
    found = parse_slide(split(source, "d.md"), 0).blocks[1]
    drawn = layout_blocks([found], 0, 60)
    assert drawn and "nan" not in "".join(plain(line) for line in drawn if not isinstance(found, Boxed))
