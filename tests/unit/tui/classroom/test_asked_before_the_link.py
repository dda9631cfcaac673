"""What is asked of the host before there is a link to it: while it is looked for a class to go on with."""

from __future__ import annotations

import asyncio

from runtime.protocol.messages import Launch, Message
from slides.reading.split import split
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents


class Recorder:
    """A link that says what it was sent, and when it was started."""

    def __init__(self) -> None:
        self.heard: list[str | Message] = []

    async def start(self) -> None:
        self.heard.append("started")

    def send(self, message: Message) -> None:
        self.heard.append(message)

    async def close(self) -> None:
        self.heard.append("closed")


def test_a_demo_asked_for_before_the_link_is_started_by_it_once() -> None:
    link = Recorder()
    room = Room(Session(Contents(split("# A\n\n::: demo ddp {#one}\n", "d.md"))), lambda what: None)
    demo = room.demo()
    assert demo is not None
    room.toggle_demo(demo)
    asyncio.run(room.open(lambda receive, word: link))
    started, launch = link.heard
    assert started == "started" and isinstance(launch, Launch) and launch.block == "one"
    room.stop("one")
    assert len(link.heard) == 3
