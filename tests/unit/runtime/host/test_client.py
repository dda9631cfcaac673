"""A screen's line to its host: what is queued, replayed and said while hosts come and go.

The host here is a few lines in this process; nothing else is started.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest

from runtime import paths
from runtime.classroom.actions import Entry, Move, Role
from runtime.classroom.state import ClassState
from runtime.host import client as client_module
from runtime.host.client import Client, ask
from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import (
    Act,
    Attach,
    Ordered,
    Publish,
    Refused,
    Report,
    Shutdown,
    Status,
    Warm,
    Welcome,
)


class TinyHost:
    """Listens on a class's screen socket and keeps what screens say."""

    def __init__(self, class_id: str, blob: bytes = b"", version: int = messages.VERSION) -> None:
        self.heard: list[Any] = []
        self.lines: list[FrameProtocol] = []
        self._class_id, self._blob, self._version = class_id, blob, version
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> TinyHost:
        path = paths.screen_socket(self._class_id)
        path.unlink(missing_ok=True)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: FrameProtocol(self._received, None, self.lines.append), str(path)
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        for line in self.lines:
            line.close()

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        message = messages.decode(payload)
        self.heard.append(message)
        if isinstance(message, Attach):
            if message.version != self._version:
                line.send(messages.encode(Refused("", "made by another version", "teachrun stop")))
                line.close()
                return
            welcome = Welcome(messages.VERSION, self._class_id, 1, ClassState(), self._blob, "cold", "")
            line.send(messages.encode(welcome))
        elif isinstance(message, Status):
            line.send(messages.encode(Report(self._class_id, 1, ClassState(), "cold", "", (), ())))

    def order(self, act: Act, screen: str) -> None:
        entry = Entry(act.n, 0.0, screen, "all", act.action)
        for line in self.lines:
            line.send(messages.encode(Ordered(entry, act.n)))

    def acts(self) -> list[int]:
        return [message.n for message in self.heard if isinstance(message, Act)]


class Screen:
    """A client and what it was told."""

    def __init__(self, class_id: str = "c", role: Role = "audience") -> None:
        self.messages: list[Any] = []
        self.links: list[str] = []
        self.client = Client(class_id, role, "me", self.messages.append, self.links.append)


@pytest.fixture
async def screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Screen]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    screen = Screen()
    await screen.client.start()
    yield screen
    await screen.client.close()


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


async def test_what_is_sent_before_there_is_a_host_arrives_and_the_end_of_the_class_last(
    screen: Screen,
) -> None:
    screen.client.send(Publish("r", "t", "p", b"c", b"a"))
    screen.client.send(Warm())
    screen.client.send(Shutdown("quit"))
    screen.client.send(Act(1, Move("s", 0)))
    screen.client.send(Act(2, Move("s", 1)))
    async with TinyHost("c") as host:
        await until(lambda: host.acts() == [1, 2])
        await until(lambda: isinstance(host.heard[-1], Shutdown))
        assert [type(m) for m in host.heard] == [Attach, Publish, Act, Act, Warm, Shutdown]
    assert screen.links[:2] == ["connecting", "up"]


async def test_only_what_was_not_ordered_is_replayed(screen: Screen) -> None:
    async with TinyHost("c") as host:
        for n in (1, 2, 3):
            screen.client.send(Act(n, Move("s", n)))
        await until(lambda: host.acts() == [1, 2, 3])
        host.order(Act(2, Move("s", 2)), "me")
        host.order(Act(9, Move("s", 2)), "somebody else")
        await until(lambda: sum(isinstance(m, Ordered) for m in screen.messages) == 2)
    await until(lambda: screen.links[-1] == "lost")
    async with TinyHost("c") as host:
        await until(lambda: host.acts() == [3])
    assert screen.links[:4] == ["connecting", "up", "lost", "up"]


async def test_a_fresh_host_is_given_the_deck_again_and_a_host_that_has_it_is_not(screen: Screen) -> None:
    deck = Publish("r", "t", "p", b"c", b"a")
    async with TinyHost("c") as host:
        await until(lambda: screen.links[-1] == "up")
        screen.client.send(deck)
        await until(lambda: deck in host.heard)
    async with TinyHost("c", blob=b"it is here") as host:
        await until(lambda: screen.links.count("up") == 2)
        await asyncio.sleep(0.05)
        assert deck not in host.heard
    async with TinyHost("c") as host:
        await until(lambda: deck in host.heard)


async def test_a_deck_changed_while_the_host_was_away_is_published(screen: Screen) -> None:
    async with TinyHost("c"):
        await until(lambda: screen.links[-1] == "up")
    await until(lambda: screen.links[-1] == "lost")
    deck = Publish("newer", "t", "p", b"c", b"a")
    screen.client.send(deck)
    async with TinyHost("c", blob=b"the older one") as host:
        await until(lambda: deck in host.heard)


async def test_another_version_is_refused_once_and_for_all(screen: Screen) -> None:
    async with TinyHost("c", version=messages.VERSION + 1) as host:
        await until(lambda: screen.links[-1] == "refused: made by another version; teachrun stop")
        await asyncio.sleep(0.2)
        assert len(host.heard) == 1


async def test_nonsense_from_a_host_closes_the_line_and_is_survived(screen: Screen) -> None:
    async with TinyHost("c") as host:
        await until(lambda: screen.links[-1] == "up")
        host.lines[0].send(b"\xc1 nonsense")
        await until(lambda: screen.links.count("up") == 2)


async def test_an_audience_never_starts_a_host_and_a_console_does(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[str] = []

    def start(class_id: str) -> Any:
        started.append(class_id)
        raise OSError("not here")

    monkeypatch.setattr(client_module, "start_host", start)
    await asyncio.sleep(0.1)
    assert not started
    console = Screen("c", "console")
    await console.client.start()
    await until(lambda: started == ["c"] * len(started) and len(started) > 0)
    await console.client.close()


async def test_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert await ask("c", Status(), 1.0) is None
    async with TinyHost("c"):
        report = await ask("c", Status(), 5.0)
        assert report is not None and report.class_id == "c"
        assert await ask("c", Warm(), 0.1) is None


async def test_a_host_that_cannot_run_is_given_up_with_its_own_words(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Any] = []

    def start(class_id: str) -> Any:
        client_module.host_log(class_id).write_text("older words\nthe host cannot run: no room\n\n")
        started.append(subprocess.Popen([sys.executable, "-c", "raise SystemExit(1)"]))
        return started[-1]

    monkeypatch.setattr(client_module, "start_host", start)
    words: list[str] = []
    client = Client("c", "console", "s", lambda message: None, words.append)
    await client.start()
    await until(lambda: any(word.startswith("refused") for word in words))
    await client.close()
    assert words == ["connecting", "refused: the host cannot run: no room"]
    assert len(started) == 1


async def test_each_host_is_given_twice_the_time_of_the_one_before(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else none would ever come up on a machine where one needs longer than the first was given."""
    now, started = 0.0, list[float]()

    class Clock:
        @staticmethod
        def monotonic() -> float:
            nonlocal now
            now += 1.0
            return now

    class NeverThere:
        returncode = None

        def poll(self) -> None:
            pass

        kill = wait = poll

    def start(class_id: str) -> Any:
        started.append(now)
        return NeverThere()

    monkeypatch.setattr(client_module, "start_host", start)
    monkeypatch.setattr(client_module, "time", Clock)
    console = Screen("c", "console")
    await console.client.start()
    await until(lambda: len(started) > 2)
    await console.client.close()
    first, second = started[1] - started[0], started[2] - started[1]
    assert first >= client_module.HOST_STARTS_WITHIN and second >= 2 * client_module.HOST_STARTS_WITHIN


async def test_without_a_usable_folder_a_console_says_so_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file"))
    words: list[str] = []
    client = Client("c", "console", "s", lambda message: None, words.append)
    await client.start()
    await until(lambda: any(word.startswith("refused") for word in words))
    await client.close()
    assert "make it a writable folder" in words[-1]
