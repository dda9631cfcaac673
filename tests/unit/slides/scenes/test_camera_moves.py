"""A camera moved by hand stays where it can see something, and finds the ranks."""

from __future__ import annotations

import pytest

from slides.scenes.camera_moves import PLAN, flown, nearer, plan, ranks, tilted, turned
from slides.scenes.shapes import Box, Camera, Label, State

AUTHOR = Camera(yaw=28.0, pitch=26.0, distance=15.0, target=(0.0, 1.0, 0.0))


def test_round_and_back_it_is_where_it_was() -> None:
    camera = AUTHOR
    for _ in range(30):
        camera = turned(camera, 1)
    assert camera.yaw % 360 == pytest.approx(AUTHOR.yaw)
    assert turned(turned(AUTHOR, -1), 1).yaw == pytest.approx(AUTHOR.yaw)


def test_it_is_never_under_the_floor_nor_out_of_sight() -> None:
    assert tilted(AUTHOR, 99).pitch == PLAN and tilted(AUTHOR, -99).pitch > 0
    assert nearer(AUTHOR, 99, AUTHOR).distance == 0.2 * AUTHOR.distance
    assert nearer(AUTHOR, -99, AUTHOR).distance == 4.0 * AUTHOR.distance
    assert plan(AUTHOR).pitch == PLAN and plan(AUTHOR).target == AUTHOR.target


def test_it_flies_to_ranks_in_their_order() -> None:
    state = State(
        (
            Label(id="device10", at=(9.0, 0.0, 0.0), text="ten"),
            Box(id="device2", at=(2.0, 0.0, 0.0), size=(2.0, 1.0, 2.0)),
            Box(id="rank 3", at=(5.0, 0.0), size=(1.0, 1.0)),  # flat: nowhere in space
            Box(id="floor", at=(0.0, 0.0, 0.0), size=(1.0, 1.0, 1.0)),
        )
    )
    found = ranks(state)
    assert [place[0] for place in found] == [3.0, 9.0]
    assert flown(AUTHOR, AUTHOR, found[0]).target == found[0]
    assert flown(AUTHOR, AUTHOR, found[0]).distance < AUTHOR.distance


def test_the_room_has_four() -> None:
    from slides.scenes.scene_request import asked

    assert len(ranks(asked("room", {}).state(0))) == 4
