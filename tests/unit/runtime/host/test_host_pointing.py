"""What is pointed at goes through the host: to whom, for how long, and never to a screen too old for it."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator

import pytest
from folders import own_folders
from made_line import Class

from runtime.classroom.actions import Lead, Move, Show
from runtime.protocol.class_messages.pointing import Seen
from runtime.protocol.messages import Place, Point, Welcome

THERE = Point("one", 76, 20, 20, light=Place(3), pen=(Place(5),))


@pytest.fixture
async def on() -> AsyncIterator[Class]:
    with own_folders():
        made = Class("pointing")
        made.act(Move("one", 0))
        yield made


async def test_the_room_and_other_consoles_are_told_and_an_older_screen_is_not(on: Class) -> None:
    room, other, old = (
        on.attach("audience", "r"),
        on.attach("console", "b"),
        on.attach("audience", "o", points=False),
    )
    assert [m.points for m in on.console.got if isinstance(m, Welcome)] == [True]
    on.say(on.console, THERE)
    assert room.points == [THERE] and other.points == [THERE]
    assert old.points == [] and on.console.points == []
    late = on.attach("audience", "late")
    assert late.points == [THERE], "whoever comes later sees it too"


async def test_with_the_slide_it_is_gone(on: Class) -> None:
    on.say(on.console, THERE)
    on.act(Move("one", 1))
    assert on.attach("audience", "a").points == [THERE], "a step keeps it"
    on.act(Move("two", 0))
    assert on.attach("audience", "b").points == []
    on.say(on.console, THERE)
    assert on.attach("audience", "c").points == [], "of a slide that is not shown"


async def test_a_frozen_room_sees_it_when_it_follows_again(on: Class) -> None:
    room = on.attach("audience", "r")
    on.act(Show("frozen"))
    on.say(on.console, THERE)
    assert room.points == []
    on.act(Show("live"))
    assert room.points == [THERE]


async def test_the_camera_of_who_drives_goes_the_same_way(on: Class) -> None:
    room = on.attach("audience", "r")
    turned = Point("one", seen=Seen(12.0, 30.0, 15.0, (0.0, 0.9, 0.0), 25.0, of_run=True))
    on.say(on.console, turned)
    assert room.points == [turned] and on.attach("audience", "late").points == [turned]
    on.say(on.console, Point("one", seen=Seen(math.nan, 30.0, 15.0, (0.0, 0.9, 0.0), 25.0)))
    assert room.points[-1] == Point("one"), "a place that is none"
    on.say(on.console, turned)
    on.act(Move("two", 0))
    assert on.attach("audience", "later").points == [], "with the slide it is gone"


async def test_only_who_drives_points_and_nobody_of_the_room(on: Class) -> None:
    other, room = on.attach("console", "b"), on.attach("audience", "r")
    on.act(Lead("desk"))
    on.say(other, THERE)
    assert room.points == [] and not other.closed
    on.say(room, THERE)
    assert on.console.points == [] and room.closed
