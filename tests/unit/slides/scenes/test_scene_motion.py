"""Between two states: by ids, both ends exact, what comes and goes from and to where it says."""

from dataclasses import replace

import pytest

from slides.scenes.motion import between, cameras
from slides.scenes.scene import NotDrawn, Param, Scene
from slides.scenes.shapes import Box, Camera, Label, Number, Packet, State


def box(id: str, x: float, **more: object) -> Box:
    return replace(Box(id=id, at=(x, 0.0), size=(10.0, 4.0)), **more)


def by_id(state: State) -> dict[str, object]:
    return {shape.id: shape for shape in state.shapes}


def test_both_ends_are_the_states_themselves() -> None:
    a, b = State((box("a", 0),)), State((box("a", 50), box("b", 9)))
    assert between(a, b, 0) is a
    assert between(a, b, 1) is b


def test_a_shape_moves_and_a_number_counts() -> None:
    a = State((box("a", 0), Number(id="n", at=(0, 0), value=10)))
    b = State((box("a", 50), Number(id="n", at=(0, 0), value=20)))
    half = by_id(between(a, b, 0.5))
    assert half["a"].at == (25.0, 0.0)  # type: ignore[attr-defined]
    assert half["n"].value == 15  # type: ignore[attr-defined]


def test_a_number_on_its_way_is_no_longer_than_at_both_ends() -> None:
    a = State((Number(id="n", at=(0, 0), value=99.8, decimals=1),))
    b = State((Number(id="n", at=(0, 0), value=104),))
    assert {by_id(between(a, b, t))["n"].decimals for t in (0.1, 0.4, 0.9)} == {0}  # type: ignore[attr-defined]
    assert by_id(between(a, b, 0))["n"].decimals == 1  # type: ignore[attr-defined]


def test_what_is_new_fades_in_and_what_is_gone_fades_out() -> None:
    half = by_id(between(State((box("old", 0),)), State((box("new", 0),)), 0.5))
    assert half["old"].alpha == pytest.approx(0.5)  # type: ignore[attr-defined]
    assert half["new"].alpha == pytest.approx(0.5)  # type: ignore[attr-defined]


def test_what_is_new_comes_from_where_it_says() -> None:
    a = State((box("own", 80),))
    b = State((box("own", 80), box("copy", 0, comes_from="own")))
    assert by_id(between(a, b, 0.5))["copy"].at == (40.0, 0.0)  # type: ignore[attr-defined]


def test_what_is_gone_goes_where_it_says() -> None:
    a = State((box("own", 80), box("copy", 0, goes_to="own")))
    half = by_id(between(a, State((box("own", 80),)), 0.5))["copy"]
    assert half.at == (40.0, 0.0)  # type: ignore[attr-defined]
    assert half.alpha == pytest.approx(0.5)  # type: ignore[attr-defined]


def test_a_packet_that_is_new_travels() -> None:
    packet = Packet(id="p", points=((0, 0), (10, 0)), size=(2, 1))
    assert by_id(between(State(()), State((packet,)), 0.5))["p"].along == pytest.approx(0.5)  # type: ignore[attr-defined]


def test_a_shape_that_becomes_another_kind_is_mixed_with_none() -> None:
    a, b = State((box("a", 0),)), State((Label(id="a", at=(0, 0), text="words"),))
    kinds = sorted(type(shape).__name__ for shape in between(a, b, 0.3).shapes)
    assert kinds == ["Box", "Label"]


def test_a_camera_turns_the_shorter_way() -> None:
    assert cameras(Camera(yaw=350), Camera(yaw=10), 0.5).yaw % 360 == 0


SCENE = Scene("s", "", lambda v: int(v["ranks"]), lambda n, v: State(()), (Param("ranks", 4, "", 2, 8),))


def test_words_become_values() -> None:
    assert SCENE.values({}) == {"ranks": 4}
    assert SCENE.values({"ranks": "8"}) == {"ranks": 8}


@pytest.mark.parametrize("words", [{"ranks": "9"}, {"ranks": "nan"}, {"ranks": "4.5"}, {"rank": "4"}])
def test_what_a_scene_cannot_be_is_said(words: dict[str, str]) -> None:
    with pytest.raises(NotDrawn, match=next(iter(words))):
        SCENE.values(words)
