"""Classes of a test's own, each with a host."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from folders import own_folders
from host_room import Room, end

from runtime.protocol.messages import StopRun


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home
        asyncio.run(end("warm"))


@pytest.fixture
async def room(home: Path) -> AsyncIterator[Room]:
    """A class of its own."""
    room = Room(f"c{secrets.token_hex(3)}")
    yield room
    await room.leave()
    await end(room.class_id)


@pytest.fixture
async def warm_room(home: Path) -> AsyncIterator[Room]:
    """The one class of this file whose stage stays warm from test to test."""
    room = Room("warm")
    yield room
    for screen in room.screens:
        screen.client.send(StopRun("b"))
    await room.leave()
