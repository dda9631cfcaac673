"""The sender never holds training up: a host that stalls or dies costs counted events, no time."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import msgspec
import pytest

from runtime.protocol import rank_decoder
from runtime.protocol.events import MOST_BEATS_S, AnyEvent, Beat, Boot, Hello, beat_s
from runtime.protocol.framing import Splitter
from runtime.ranks.sender import Sender

HELLO = Hello("r", 0, 1, 2.0, 1, 1, 0, 4, 99, "cpu", "gloo", 2.0, 3.0, "msgpack")


def beat(drops: int) -> Beat:
    return Beat("r", 0, 1, time.monotonic(), "idle", 0, 0, 0, drops)


def boot(number: int) -> Boot:
    return Boot("r", 0, 1, float(number), "train")


class Host:
    """Listens, and reads only when told to."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(str(path))
        self.server.listen()
        self.server.settimeout(5)

    def accept(self) -> Connection:
        return Connection(self.server.accept()[0])

    def close(self) -> None:
        self.server.close()
        self.path.unlink()


class Connection:
    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.socket.settimeout(5)
        self.splitter = Splitter()
        self.events: list[AnyEvent] = []

    def read_until(self, enough: Callable[[list[AnyEvent]], object]) -> list[AnyEvent]:
        while not enough(self.events):
            data = self.socket.recv(1 << 16)
            assert data, "the sender hung up"
            for payload in self.splitter.feed(data):
                self.events += rank_decoder.decode(payload)
        return self.events

    def read_to_end(self) -> list[AnyEvent]:
        while data := self.socket.recv(1 << 16):
            for payload in self.splitter.feed(data):
                self.events += rank_decoder.decode(payload)
        return self.events


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    host = Host(tmp_path / "events")
    yield host
    host.server.close()


def boots(events: list[AnyEvent]) -> list[float]:
    return [e.t for e in events if isinstance(e, Boot)]


def test_hello_comes_alone_and_first_then_everything_in_order(host: Host) -> None:
    sender = Sender(str(host.path), HELLO, beat, flush_s=0.005)
    for n in range(1000):
        sender.put(boot(n))
    connection = host.accept()
    assert sender.close()
    events = connection.read_to_end()
    assert events[0] == HELLO
    assert boots(events) == [float(n) for n in range(1000)]
    assert isinstance(events[-1], Beat) and events[-1].drops == 0


def test_beats_come_without_events(host: Host) -> None:
    sender = Sender(str(host.path), HELLO, beat, flush_s=0.005)
    events = host.accept().read_until(lambda seen: sum(isinstance(e, Beat) for e in seen) >= 3)
    times = [e.t for e in events if isinstance(e, Beat)]
    assert all(b - a >= 0.09 for a, b in pairwise(times))
    sender.close()


def test_many_ranks_together_give_as_many_signs_of_life_as_a_host_can_take_in() -> None:
    assert [beat_s(world) for world in (1, 8, 204)] == [0.1] * 3
    for world in (1024, 4096):
        assert world / beat_s(world) == MOST_BEATS_S


def test_a_rank_of_a_thousand_gives_a_sign_of_life_twice_a_second(host: Host) -> None:
    """By the clock of the signs themselves: they are never closer together than that."""
    sender = Sender(str(host.path), msgspec.structs.replace(HELLO, world=1024), beat)
    try:
        heard = host.accept().read_until(lambda events: len(events) > 3)
    finally:
        sender.close()
    times = [event.t for event in heard if isinstance(event, Beat)]
    assert all(later - earlier >= 0.5 for earlier, later in pairwise(times))


def test_a_stalled_host_gets_the_newest_events_and_the_exact_number_lost(host: Host) -> None:
    sender = Sender(str(host.path), HELLO, beat, capacity=100, flush_s=0.001)
    connection = host.accept()
    total = 40_000  # far more than a socket's buffer holds
    for n in range(total):
        sender.put(boot(n))
        if n % 400 == 0:
            time.sleep(0.002)  # let the thread fill the socket, as training steps would
    assert sender.drops > 0
    connection.read_until(lambda seen: boots(seen) and boots(seen)[-1] == total - 1)
    sender.close()
    events = connection.read_to_end()
    last = events[-1]
    assert isinstance(last, Beat)
    assert len(boots(events)) + last.drops == total
    assert boots(events) == sorted(boots(events))


def test_after_a_host_died_the_next_one_gets_hello_and_the_unsent(host: Host) -> None:
    sender = Sender(str(host.path), HELLO, beat, flush_s=0.005, retry_s=0.01)
    first = host.accept()
    first.read_until(lambda seen: seen)
    first.socket.close()
    host.close()
    time.sleep(0.05)  # several attempts fail meanwhile
    for n in range(50):
        sender.put(boot(n))
    again = Host(host.path)
    second = again.accept()
    events = second.read_until(lambda seen: len(boots(seen)) >= 50)
    assert events[0] == HELLO and boots(events) == [float(n) for n in range(50)]
    sender.close()
    again.close()


def test_close_is_bounded_when_nobody_reads(host: Host) -> None:
    sender = Sender(str(host.path), HELLO, beat, capacity=1_000_000, flush_s=0.001)
    connection = host.accept()
    for n in range(100_000):
        sender.put(boot(n))
    begun = time.monotonic()
    assert not sender.close(timeout_s=0.2)
    assert time.monotonic() - begun < 3
    connection.socket.close()


def test_no_host_at_all(tmp_path: Path) -> None:
    sender = Sender(str(tmp_path / "nobody"), HELLO, beat, capacity=10, flush_s=0.001)
    for n in range(25):
        sender.put(boot(n))
    assert sender.drops == 15
    assert not sender.close(timeout_s=0.05)
