"""Payload, wire and theory of a step: whose counters are joined how, and the formula of every collective."""

from __future__ import annotations

import socket
import threading

import pytest
from made_steps import snap

from runtime.metrics.collectives.kernel_byte_counts import WireBytes
from runtime.metrics.collectives.theory import costs, least
from runtime.metrics.store import RunStore
from runtime.protocol.events import Collective, Group, Hello, Links, Step, Wire
from runtime.ranks.sensors.tcp_counters import UNKNOWN, Sockets

R, G = "r", 0


def ends(rank: int, other: int) -> tuple[str, str]:
    return f"127.0.0.1:{4000 + 10 * rank + other}", f"127.0.0.1:{4000 + 10 * other + rank}"


def links(rank: int, *others: int) -> Links:
    return Links(R, G, rank, 0.0, [ends(rank, other) for other in others])


def wire(rank: int, step: int, *sent: int) -> Wire:
    return Wire(R, G, rank, 0.0, step, list(sent))


# --- whose connection it is -----------------------------------------------------------------------------


def test_ends_of_all_ranks_tell_who_is_at_the_other_end() -> None:
    found = WireBytes(3, 16)
    for rank, others in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        found.know(links(rank, *others))
        found.add(wire(rank, -1, 100, 100))
        found.add(wire(rank, 0, 110, 130))
        found.add(wire(rank, 1, 130, 150))
    found.settle(1)
    assert found.links(0) == {1: 15.0, 2: 25.0}
    assert found.links(2) == {0: 15.0, 1: 25.0}


def test_a_connection_to_somebody_else_does_not_count() -> None:
    """A tracker of experiments, a data set behind a server, a server of this rank's own."""
    found = WireBytes(2, 16)
    own = [("127.0.0.1:5000", "127.0.0.1:5001"), ("127.0.0.1:5001", "127.0.0.1:5000")]
    tracker = ("10.0.0.2:5002", "93.184.216.34:443")
    found.know(Links(R, G, 0, 0.0, [ends(0, 1), tracker, *own]))
    found.know(links(1, 0))
    found.add(wire(0, -1, 0, 0, 0, 0))
    found.add(wire(0, 0, 10, 10**9, 10**9, 10**9))
    found.settle(0)
    assert found.links(0) == {1: 10.0}


def test_a_lost_count_is_shared_among_its_steps_and_a_closed_connection_is_none() -> None:
    found = WireBytes(2, 16)
    found.know(links(0, 1))
    found.know(links(1, 0))
    for step, sent in ((-1, 0), (0, 100), (3, 400), (4, UNKNOWN)):  # steps 1 and 2 got lost
        found.add(wire(0, step, sent))
    found.settle(4)
    assert found.links(0) == {1: 100.0}  # of four steps; the one of which it is not known is left out
    assert found.links(1) is None


def test_a_new_group_brings_connections_of_its_own() -> None:
    found = WireBytes(2, 16)
    second = ("127.0.0.1:6000", "127.0.0.1:6001")
    found.know(links(1, 0))
    found.know(links(0, 1))
    found.add(wire(0, -1, 50))
    found.add(wire(0, 0, 60))
    found.know(Links(R, G, 1, 0.0, [ends(1, 0), second[::-1]]))
    found.know(Links(R, G, 0, 0.0, [second, ends(0, 1)]))  # in another order
    found.add(wire(0, 1, 7, 63))
    found.settle(1)
    assert found.links(0) == {1: 10.0}  # 10 in the first, 7 + 3 in the second


def test_what_a_connection_carried_before_it_was_closed_is_not_known() -> None:
    """Ranks that are done first close theirs, and the others look anew before they count."""
    found = WireBytes(3, 16)
    for rank, others in ((0, (1, 2)), (1, (0, 2)), (2, (0, 1))):
        found.know(links(rank, *others))
    for step, sent in ((-1, 0), (0, 100), (1, 200)):
        found.add(wire(0, step, sent, sent))
    found.know(links(2, 0))
    found.know(links(1))
    found.know(links(0, 2))
    found.add(wire(0, 2, 300))
    found.add(wire(0, 3, 400))
    found.settle(3)
    assert found.links(0) == {1: 200 / 3, 2: 100.0}  # without step 2; from then on there is none to rank 1


def test_counters_of_which_the_ends_got_lost_are_not_taken() -> None:
    found = WireBytes(2, 16)
    found.add(wire(0, -1, 0))
    found.know(links(0, 1))
    found.add(wire(0, 0, 1, 2, 3))
    found.settle(0)
    assert found.links(0) is None and found.heard


# --- the rank's own sockets -----------------------------------------------------------------------------


def test_the_kernel_counts_what_was_written_to_a_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as store:
        port = server.getsockname()[1]
        sockets = Sockets({"MASTER_PORT": str(store.getsockname()[1])})
        if sockets.why:
            pytest.skip(sockets.why)
        with (
            socket.create_connection(("127.0.0.1", port)) as client,
            socket.create_connection(store.getsockname()),
        ):
            accepted, _ = server.accept()
            assert sockets.look()
            mine = (f"127.0.0.1:{client.getsockname()[1]}", f"127.0.0.1:{port}")
            assert mine in sockets.ends and mine[::-1] in sockets.ends
            assert not any(str(store.getsockname()[1]) in end for pair in sockets.ends for end in pair)
            at = sockets.ends.index(mine)
            before = sockets.sent()[at]
            assert before == 0
            taker = threading.Thread(target=accepted.recv, args=(1 << 20, socket.MSG_WAITALL))
            taker.start()
            client.sendall(bytes(1 << 20))
            taker.join()
            sent = sockets.sent()[at] - before
            # A loaded kernel sends a few segments again, and counts them.
            assert 1 << 20 <= sent < 1.1 * (1 << 20)
            assert sockets.sent(again=False)[at] == 1 << 20  # each byte once, to the byte
            assert sockets.sent()[sockets.ends.index(mine[::-1])] == 0
            assert not sockets.look()  # nothing is new
            accepted.close()
        assert sockets.sent()[at] == UNKNOWN  # closed since
        assert sockets.look() and mine not in sockets.ends


def test_an_address_of_both_families_is_said_as_the_other_side_says_it() -> None:
    with socket.create_server(("::", 0), family=socket.AF_INET6, dualstack_ipv6=True) as server:
        port = server.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)) as client:
            accepted, _ = server.accept()
            sockets = Sockets({})
            if sockets.why:
                pytest.skip(sockets.why)
            sockets.look()
            own = f"127.0.0.1:{client.getsockname()[1]}"
            assert {(own, f"127.0.0.1:{port}"), (f"127.0.0.1:{port}", own)} <= set(sockets.ends)
            accepted.close()


# --- theory ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("op", "of_4"),
    [
        ("all-reduce", 1.5), ("all-gather", 0.75), ("reduce-scatter", 0.75), ("all-to-all", 0.75),
        ("broadcast", 0.75), ("reduce", 0.75), ("gather", 3 / 16), ("scatter", 3 / 16), ("send", 1.0),
        ("receive", 0.0), ("barrier", 0.0),
    ],
)  # fmt: skip
def test_theory_by_kind_of_collective(op: str, of_4: float) -> None:
    assert least(op, 1_000_000, 4) == pytest.approx(of_4 * 1_000_000)
    assert least(op, 1_000_000, 1) == (1_000_000 if op == "send" else 0.0)


def test_of_a_kind_that_is_new_no_theory_is_known() -> None:
    assert least("swap-neighbours", 1000, 4) is None
    found = store()
    found.ingest(Collective(R, G, 0, 3.0, 3, "swap-neighbours", "0", -1, 1000, 3, 3.0, 3.5, 0.5))
    for rank in (0, 1):
        found.ingest(Step(R, G, rank, 4.0, 3, 3.0, 2.0, 0, 0.0, 0.2, 0.5, 0.1, 0.2))
    made = shown(found)
    assert (made.rows[0].theory, made.theory) == (None, None) and made.rows[1].theory is not None


def test_a_wire_below_theory_is_explained() -> None:
    """Tokens of experts: nobody has an even part for everybody."""
    found = RunStore(2, 0.0)
    for rank in (0, 1):
        found.ingest(Group(R, G, rank, 0.0, "0", "", [0, 1]))
        found.ingest(links(rank, 1 - rank))
        found.ingest(wire(rank, -1, 0))
        found.ingest(Collective(R, G, rank, 0.0, 0, "all-to-all", "0", -1, 1000, 0, 0.0, 0.5, 0.5))
        found.ingest(wire(rank, 0, 400))
        found.ingest(Step(R, G, rank, 1.0, 0, 0.0, 2.0, 0, 0.0, 0.2, 0.5, 0.1, 0.2))
    made = shown(found)
    assert (made.wire, made.theory) == (400, 500) and "all-to-all" in made.costs[0]


def test_what_a_library_adds_is_said_of_that_library_only() -> None:
    assert len(costs("gloo", ["all-reduce", "reduce-scatter"])) == 1
    assert costs("nccl", ["all-reduce", "reduce-scatter"]) == costs("gloo", ["all-reduce"]) == ()


# --- in the store ---------------------------------------------------------------------------------------


def store(backend: str = "gloo", *, counted: bool = True, why: str = "") -> RunStore:
    """Two ranks, three steps: an all-gather of 1000 bytes in a group of both, 520 bytes on the wire."""
    found = RunStore(2, 0.0)
    for rank in (0, 1):
        found.ingest(Hello(R, G, rank, 0.0, 1, rank, 0, 2, 1, "cpu", backend, 0.0, 0.0, "msgpack"))
        found.ingest(Group(R, G, rank, 0.0, "0", "", [0, 1]))
        if counted:
            found.ingest(Links(R, G, rank, 0.0, [ends(rank, 1 - rank)] * (not why), why))
            found.ingest(wire(rank, -1, 0))
    for step in range(3):
        for rank in (0, 1):
            t = float(step)
            found.ingest(Collective(R, G, rank, t, step, "all-gather", "0", -1, 1000, step, t, t + 0.5, 0.5))
            found.ingest(wire(rank, step, 520 * (step + 1)))
            found.ingest(Step(R, G, rank, t + 1, step, t, 2.0, 0, 0.0, 0.2, 0.5, 0.1, 0.2))
    return found


def shown(found: RunStore, least: tuple[float, str] | None = None):  # type: ignore[no-untyped-def]
    return snap(found, least, now=0.0)


def test_a_snapshot_has_all_three_of_every_rank_and_their_mean() -> None:
    found = shown(store())
    assert (found.payload, found.wire, found.theory, found.no_wire) == (1000, 520, 500, "")
    assert [(row.payload, row.wire, row.theory) for row in found.rows] == [(1000, 520, 500)] * 2
    assert [row.links for row in found.rows] == [{1: 520}, {0: 520}]
    assert found.ops[0].theory == 500


def test_the_theory_of_a_method_stands_in_for_that_of_its_collectives() -> None:
    found = shown(store(), (300.0, "it calls an all-gather"))
    assert (found.theory, found.rows[0].theory, found.costs) == (300, 300, ("it calls an all-gather",))
    assert found.ops[0].theory == 500  # what it calls costs what it costs


@pytest.mark.parametrize(
    ("found", "why"),
    [
        (store("nccl"), "no socket counts what nccl moves"),
        (store(counted=False), "nobody counted it in this run"),
        (store(why="on Linux only"), "on Linux only"),
    ],
)
def test_what_is_not_counted_is_a_dash_with_its_reason(found: RunStore, why: str) -> None:
    made = shown(found)
    assert (made.payload, made.wire, made.theory, made.no_wire) == (1000, None, 500, why)
    assert all(row.wire is None and row.links == {} for row in made.rows)
