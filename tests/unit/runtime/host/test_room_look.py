"""How a class's room looks: told to the others, to who comes later, and never to a screen too old for it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from folders import own_folders
from made_line import Class
from msgspec import msgpack

from runtime.classroom.actions import Lead
from runtime.protocol import messages
from runtime.protocol.class_messages.room_look import RoomLook
from runtime.protocol.messages import Act, Attach, Welcome

LIGHT = RoomLook(theme="light", text="big")


@pytest.fixture
async def on() -> AsyncIterator[Class]:
    with own_folders():
        yield Class("look")


async def test_the_room_follows_and_a_late_comer_with_it_and_an_older_screen_is_sent_nothing(
    on: Class,
) -> None:
    room, other = on.attach("audience", "r"), on.attach("console", "b")
    old = on.attach("audience", "o", looks=False)
    assert [m.looks for m in on.console.got if isinstance(m, Welcome)] == [True]
    on.say(on.console, LIGHT)
    assert room.looks == [LIGHT] and other.looks == [LIGHT]
    assert old.looks == [] and on.console.looks == []
    assert on.attach("audience", "late").looks == [LIGHT]
    on.say(on.console, RoomLook(theme="x" * 1000))
    assert on.attach("audience", "later").looks == [LIGHT], "no theme has such a name"


async def test_only_who_drives_says_so_and_nobody_of_the_room(on: Class) -> None:
    other, room = on.attach("console", "b"), on.attach("audience", "r")
    on.say(on.console, Act(1, Lead("desk")))
    on.say(other, LIGHT)
    assert room.looks == [] and not other.closed
    on.say(room, LIGHT)
    assert on.console.looks == [] and room.closed


def test_an_older_screen_s_words_are_read_as_ever() -> None:
    """What a screen of before said, without the new field, byte for byte."""
    old = msgpack.decode(messages.encode(Attach(messages.VERSION, "audience", "o", 1)))
    old.pop("looks", None)
    found = messages.decode(msgpack.encode(old))
    assert isinstance(found, Attach) and not found.looks
