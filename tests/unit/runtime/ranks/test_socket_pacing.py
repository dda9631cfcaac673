"""Connections held to a rate. The kernel is the oracle: what it says of a socket, what it lets through."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator

import pytest

from runtime.ranks.rank_orders import Orders
from runtime.ranks.socket_pacing import SO_MAX_PACING_RATE, hold

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a connection to a rate")
MBIT_100 = 12_500_000


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    server = socket.create_server(("127.0.0.1", 0))
    with server, socket.create_connection(server.getsockname()) as ours:
        theirs, _ = server.accept()
        with theirs:
            yield ours, theirs


def ends(of: socket.socket) -> tuple[int, int]:
    return int(of.getsockname()[1]), int(of.getpeername()[1])


def rate(of: socket.socket) -> int:
    return int.from_bytes(of.getsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 8), sys.byteorder)


def test_only_connections_that_are_named_are_held(
    pair: tuple[socket.socket, socket.socket],
) -> None:
    ours, theirs = pair
    assert hold({ends(ours)}, MBIT_100) == 1
    assert (rate(ours), rate(theirs)) == (MBIT_100, 2**64 - 1)
    assert hold({ends(ours)}, 0) == 1 and rate(ours) == 2**64 - 1
    assert hold({(1, 2)}, MBIT_100) == 0
    assert ours.fileno() >= 0  # it is not closed by looking at it


def test_of_two_that_were_accepted_at_one_port_one_is_held() -> None:
    """So gloo connects: a rank listens once, and its connections with all others have that port."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as a,
        socket.create_connection(server.getsockname()) as b,
    ):
        first, second = server.accept()[0], server.accept()[0]
        with first, second:
            assert first.getsockname() == second.getsockname() and {ends(a)[0], ends(b)[0]} == {
                ends(first)[1],
                ends(second)[1],
            }
            assert hold({ends(first)}, MBIT_100) == 1
            assert (rate(first), rate(second)) == (MBIT_100, 2**64 - 1)


def test_an_order_of_the_host_is_obeyed_at_once(pair: tuple[socket.socket, socket.socket]) -> None:
    ours, _ = pair
    Orders().obey(json.dumps({"do": "link", "bytes_s": MBIT_100, "ends": [ends(ours)]}).encode())
    assert rate(ours) == MBIT_100
    with pytest.raises(ValueError, match="not an order"):
        Orders().obey(b'{"do": "link", "bytes_s": 5, "ends": 7}')


def test_no_more_gets_through_than_was_allowed(pair: tuple[socket.socket, socket.socket]) -> None:
    """A lower bound of the time, which no load of the machine can break.

    What comes first is not counted: a connection that was quiet may send a little ahead of its pace, and a
    sender that had to wait for a core makes up for a part of it.
    """
    ours, theirs = pair
    hold({ends(ours)}, MBIT_100)
    size, first = 6_000_000, 1_000_000
    sending = threading.Thread(target=ours.sendall, args=(bytes(size),))
    sending.start()
    got = 0
    while got < first:
        got += len(theirs.recv(first))
    began, before = time.monotonic(), got
    while got < size:
        got += len(theirs.recv(1 << 20))
    took = time.monotonic() - began
    sending.join()
    assert (got - before) / took < 1.15 * MBIT_100
