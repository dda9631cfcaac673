"""`ringtree` on real ranks: sums, bytes, and on links with a rate the times that theory gives."""

from __future__ import annotations

import socket
import sys

import pytest
from demo_run import Ran, Run, as_promised
from msgspec.structs import replace as changed

from runtime.catalog import registry
from runtime.catalog.registry import DEMOS
from runtime.catalog.specs.communication.ringtree import ALGORITHMS
from runtime.launch.device_choice import place

pytest.importorskip("torch")
pytestmark = pytest.mark.slow
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a socket to a rate")


@pytest.mark.parametrize("ranks", [2, 3, 4])
def test_sums_by_hand_are_the_librarys_and_send_what_theory_says(run: Run, ranks: int) -> None:
    ran = run("ringtree", ranks=ranks, large_kib=96, repeats=2)
    as_promised(ran)
    size = 96 * 1024
    sent = {name: [ran.figures(rank)[f"{name}_sent_bytes"] for rank in range(ranks)]
            for name in ALGORITHMS if name != "library"}  # fmt: skip
    assert sent["naive"] == [(ranks - 1) * size, *[size] * (ranks - 1)]
    assert sent["ring"] == [2 * (ranks - 1) * size // ranks] * ranks
    # Up: everybody but rank 0 once. Down: everybody but rank 0 gets it once.
    of_tree = {2: [1, 1], 3: [2, 1, 1], 4: [2, 1, 2, 1]}
    assert sent["tree"] == [n * size for n in of_tree[ranks]]


def test_two_messages_of_one_size_are_one_bar(run: Run) -> None:
    ran = run("ringtree", ranks=2, algorithm="ring", small_kib=96, large_kib=96, repeats=1)
    [shown] = [value.ranks for value in ran.snapshot.values if value.name == "ring"]
    assert shown and all(len(times) == 1 for times in shown if times), shown
    assert seconds(ran, "ring", "small") > 0 < seconds(ran, "ring")


def seconds(ran: Ran, name: str, size: str = "large") -> float:
    found = ran.figures()[f"{name}_{size}_s"]
    assert isinstance(found, float)
    return found


@LINUX
def test_links_have_the_rate_of_the_badge(run: Run) -> None:
    """Nothing beats its bytes over the rate of a link; the ring, with the fewest on each, is first."""
    ran = run("ringtree", ranks=4, large_kib=2048, repeats=2, link_mbit=100)
    assert "links paced to 100 Mbit/s" in place(ran.demo).bent
    buffer_s = 2048 * 1024 * 8 / 100e6
    least = {"naive": 4.0, "tree": 4.0, "ring": 1.5, "library": 1.5}  # buffers one after the other
    for name, buffers in least.items():
        assert seconds(ran, name) > 0.9 * buffers * buffer_s, name
    assert seconds(ran, "ring") < min(seconds(ran, "tree"), seconds(ran, "naive"))
    assert DEMOS["ringtree"].unshown(ran.demo.values, ran.snapshot) in ("", said(ran))


def said(ran: Ran) -> str:
    """What it says where only the small messages came out otherwise: many ranks, few cores."""
    why = DEMOS["ringtree"].unshown(ran.demo.values, ran.snapshot)
    assert seconds(ran, "tree", "small") >= seconds(ran, "ring", "small") or not why
    return why


@LINUX
def test_a_connection_is_paced_and_says_so_to_the_kernel() -> None:
    from runtime.demos.links import SO_MAX_PACING_RATE, pace

    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as link,
    ):
        assert pace(8) >= 1 and pace(0) == 0
        assert link.getsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE) == 1_000_000  # bytes a second


def test_what_it_cannot_show_it_says(run: Run) -> None:
    """The figures of an unpaced loopback, whatever they were, with the ring made the slowest."""
    ran = run("ringtree", ranks=4, large_kib=96, repeats=2, link_mbit=0)
    assert not any("paced" in word for word in place(ran.demo).bent)
    slow = dict.fromkeys(("naive_large_s", "tree_large_s", "naive_small_s", "tree_small_s"), 0.01)
    slow |= {"ring_large_s": 0.02, "ring_small_s": 0.03}
    rows = tuple(changed(row, result={**(row.result or {}), **slow}) for row in ran.snapshot.rows)
    why = DEMOS["ringtree"].unshown(ran.demo.values, changed(ran.snapshot, rows=rows))
    assert "20 ms round the ring, 10 ms by the tree" in why and "These links have no rate" in why
    fast = {**slow, "ring_large_s": 0.005}
    rows = tuple(changed(row, result={**(row.result or {}), **fast}) for row in ran.snapshot.rows)
    assert DEMOS["ringtree"].unshown(ran.demo.values, changed(ran.snapshot, rows=rows)) == ""


def test_every_repeat_is_a_step(run: Run) -> None:
    """So a slow rank shows in them, and `steps` counts what people see going on."""
    ran = run("ringtree", ranks=2, large_kib=96, repeats=2)
    assert ran.demo.steps == 4 * 2 * 3
    endless = registry.check("ringtree", {"repeats": "1000000"})
    assert isinstance(endless, registry.Launchable)


def test_it_fits_beside_a_slide() -> None:
    for name in ("ringtree", "byhand", "links"):
        file = DEMOS["ringtree"].file.with_name(f"{name}.py")
        lines = file.read_text().splitlines()
        assert len(lines) <= 120 and max(map(len, lines)) <= 110
