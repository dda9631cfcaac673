"""What is pointed at goes through the host: to whom, for how long, and never to a screen too old for it."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Awaitable, Callable

import made_line
from folders import own_folders
from made_line import Line

from runtime.classroom.actions import Lead, Move, Show
from runtime.protocol.class_messages.pointing import Seen
from runtime.protocol.messages import Place, Point, Welcome

THERE = Point("one", 76, 20, 20, light=Place(3), pen=(Place(5),))


class Class(made_line.Class):
    """Screens that can be told what this is about, unless they say otherwise."""

    def attach(self, role: str, name: str, points: bool = True, **can: bool) -> Line:
        return super().attach(role, name, points=points, **can)


def in_a_class(scene: Callable[[Class], None]) -> None:
    async def played() -> None:
        on = Class("pointing")
        on.act(Move("one", 0))
        scene(on)

    work: Awaitable[None] = played()
    with own_folders():
        asyncio.run(work)  # type: ignore[arg-type]


def test_the_room_and_other_consoles_are_told_and_an_older_screen_is_not() -> None:
    def scene(on: Class) -> None:
        room, other, old = (
            on.attach("audience", "r"),
            on.attach("console", "b"),
            on.attach("audience", "o", False),
        )
        assert [m.points for m in on.console.got if isinstance(m, Welcome)] == [True]
        on.say(on.console, THERE)
        assert room.points == [THERE] and other.points == [THERE]
        assert old.points == [] and on.console.points == []
        late = on.attach("audience", "late")
        assert late.points == [THERE], "whoever comes later sees it too"

    in_a_class(scene)


def test_with_the_slide_it_is_gone() -> None:
    def scene(on: Class) -> None:
        on.say(on.console, THERE)
        on.act(Move("one", 1))
        assert on.attach("audience", "a").points == [THERE], "a step keeps it"
        on.act(Move("two", 0))
        assert on.attach("audience", "b").points == []
        on.say(on.console, THERE)
        assert on.attach("audience", "c").points == [], "of a slide that is not shown"

    in_a_class(scene)


def test_a_frozen_room_sees_it_when_it_follows_again() -> None:
    def scene(on: Class) -> None:
        room = on.attach("audience", "r")
        on.act(Show("frozen"))
        on.say(on.console, THERE)
        assert room.points == []
        on.act(Show("live"))
        assert room.points == [THERE]

    in_a_class(scene)


def test_the_camera_of_who_drives_goes_the_same_way() -> None:
    def scene(on: Class) -> None:
        room = on.attach("audience", "r")
        turned = Point("one", seen=Seen(12.0, 30.0, 15.0, (0.0, 0.9, 0.0), 25.0, of_run=True))
        on.say(on.console, turned)
        assert room.points == [turned] and on.attach("audience", "late").points == [turned]
        on.say(on.console, Point("one", seen=Seen(math.nan, 30.0, 15.0, (0.0, 0.9, 0.0), 25.0)))
        assert room.points[-1] == Point("one"), "a place that is none"
        on.say(on.console, turned)
        on.act(Move("two", 0))
        assert on.attach("audience", "later").points == [], "with the slide it is gone"

    in_a_class(scene)


def test_only_who_drives_points_and_nobody_of_the_room() -> None:
    def scene(on: Class) -> None:
        other, room = on.attach("console", "b"), on.attach("audience", "r")
        on.act(Lead("desk"))
        on.say(other, THERE)
        assert room.points == [] and not other.closed
        on.say(room, THERE)
        assert on.console.points == [] and room.closed

    in_a_class(scene)
