"""A scene on a page: shapes in the page's colours, a switch for each step, and nothing that runs."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from slides.export import html
from slides.export.drawings import scene_svg
from slides.palette import DARK, LIGHT
from slides.reading.parse import parse_slide
from slides.reading.split import split
from slides.scenes import mermaid, registry, scene_request
from slides.scenes.painting import colours, pixels
from slides.scenes.shapes import Box, Label, Path, State


def svg(state: State) -> ElementTree.Element:
    return ElementTree.fromstring(scene_svg.picture(state, 60, 16, 'its "words" & <more>'))


def page(text: str) -> str:
    deck = split(text, "d.md")
    return html.page(deck, [html.Section(parse_slide(deck, n), str(n + 1)) for n in range(2)])


@pytest.mark.parametrize("name", registry.names())
def test_every_scene_is_well_formed_and_in_colours_of_the_page(name: str) -> None:
    scene = scene_request.asked(name, {})
    inks = {f"--{ink.replace('_', '-')}" for ink in LIGHT.colours}
    for step in (0, scene.steps - 1):
        found = svg(scene.state(step))
        looks = " ".join(part.get("style", "") for part in found.iter())
        used = set(re.findall(r"var\((--[\w-]+)\)", looks))
        assert used and used <= inks
        assert not re.search(r"#[0-9a-f]{6}", looks)
        assert (found.findtext("title") or "").startswith("its")


def test_words_in_a_box_have_the_colour_of_the_ground_and_others_their_own() -> None:
    shapes = (
        Box(id="a", at=(2, 1), size=(20, 5), ink="params", text="inside"),
        Box(id="b", at=(30, 1), size=(20, 5), ink="panel", text="pale"),
        Label(id="c", at=(30, 12), text="free & <open>", ink="dim"),
        Path(id="d", points=((2.0, 14.0), (50.0, 10.0)), head=True, dashed=True),
    )
    found = svg(State(shapes=shapes, size=(60, 16)))
    kinds = {part.text: part.get("class", "") for part in found.iter("text")}
    assert kinds["inside"].split()[0] == "i-background" and kinds["pale"].split()[0] == "i-text"
    assert kinds["free & <open>"] == "i-dim"
    assert len(list(found.iter("polygon"))) == 3  # two boxes and an arrow's head


def test_a_page_has_a_switch_for_each_step_and_each_says_what_its_figures_are() -> None:
    found = page("# A\n\n::: scene ring ranks=2\n\n---\n\n# B\n\n::: scene ring ranks=2\n")
    steps = scene_request.asked("ring", {"ranks": "2"}).steps
    switches = re.findall(r'<input type="radio" name="(scene-\d)" aria-label="([^"]*)"( checked)?>', found)
    assert len(switches) == 2 * steps and {name for name, _, _ in switches} == {"scene-1", "scene-2"}
    assert [bool(checked) for _, _, checked in switches].count(True) == 2
    assert switches[0][1] == f"step 1 of {steps}, drawn, not measured"
    assert "<script" not in found and "<img" not in found


def test_thousands_of_marks_are_a_picture() -> None:
    shapes = tuple(Box(id=str(n), at=(n % 60, n // 60), size=(1, 1)) for n in range(4000))
    assert scene_svg.picture(State(shapes=shapes, size=(60, 70)), 60, 16, "") == ""


FLOW = """\
flowchart LR
  load[Load a batch] --> fit{Fits?}
  fit -->|yes| train[Train]
  fit -->|no| cut[Shard]
"""


def test_every_box_of_a_flowchart_has_its_frame_on_a_page_and_in_pixels() -> None:
    """As in cells, where it is made of signs over all else: filled with the ground or with anything."""
    shown = mermaid.scene(FLOW, stepwise=False).state(0, {})
    rings = []
    for part in svg(shown).iter("polyline"):
        points = part.get("points", "").split()
        if len(points) == 5 and points[0] == points[-1]:
            rings.append(part.get("style", ""))
    assert len(rings) == 4 and sum("--warning" in style for style in rings) == 1
    wide, high = 104, 28
    image = pixels.sharp(shown, wide, high, (10, 20), DARK).image
    inks = {colours.rgb(DARK, shape.edge) for shape in shown.shapes if isinstance(shape, Box) and shape.edge}
    found = {colour for count, colour in image.getcolors(1 << 24) or () if count > 100}
    assert inks - {colours.rgb(DARK, "background")} <= found


def test_a_filled_box_has_the_frame_of_its_edge() -> None:
    box = Box(id="a", at=(20, 10), size=(60, 30), ink="params", edge="good", text="filled")
    assert [part.get("style") for part in svg(State((box,))).iter("polyline")] == [
        "fill:none;stroke:var(--good);stroke-width:1.0"
    ]
