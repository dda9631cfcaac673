"""Several torchruns as one command: which exit code it ends with, and whose words stand last."""

from __future__ import annotations

import errno
import signal
import socket
import sys
import time
from collections.abc import Sequence

import pytest

from runtime.catalog import registry
from runtime.launch.fork_server import environment
from runtime.launch.simulated_nodes import torchrun_per_node
from runtime.launch.simulated_nodes.torchrun_per_node import Node, watch
from runtime.protocol.stage_messages import Fork

FAILS = "import sys, time; time.sleep(0.1); print('this one'); sys.exit(3)"
FOLLOWS = "import sys, time; time.sleep(0.6); print('the other'); sys.exit(1)"
WAITS = "import time; print('waits', flush=True); time.sleep(600)"
ENDS_WELL = "print('well')"


def started(*programs: str) -> Sequence[Node]:
    return [Node([sys.executable, "-c", program]) for program in programs]


def test_the_first_to_fail_has_the_last_word(capfd: pytest.CaptureFixture[str]) -> None:
    assert watch(started(FOLLOWS, FAILS)) == 3
    assert capfd.readouterr().err.split() == ["the", "other", "this", "one"]


def test_all_end_well(capfd: pytest.CaptureFixture[str]) -> None:
    assert watch(started(ENDS_WELL, ENDS_WELL)) == 0
    assert capfd.readouterr().err.split() == ["well", "well"]


def test_who_does_not_notice_that_a_node_is_gone_is_asked_to_end() -> None:
    both = started(WAITS, FAILS)
    assert watch(both, notice_s=0.1) == 3
    assert both[0].process.returncode == -signal.SIGTERM


def test_a_torchrun_that_was_killed_is_told_as_a_shell_tells_it() -> None:
    (alone,) = started(WAITS)
    while not alone.printed.tell():  # one offset for both ends: it has written
        time.sleep(0.01)
    alone.process.kill()
    assert watch([alone]) == 128 + signal.SIGKILL


def test_the_command_names_the_ranks_of_a_node() -> None:
    demo = registry.check("ddp", {"nodes": "2", "ranks": "3", "launcher": "torchrun", "steps": "5"})
    assert isinstance(demo, registry.Launchable)
    words = torchrun_per_node.command(demo, listen=False)
    assert words[words.index("--nodes") :][:4] == ["--nodes", "2", "--ranks", "3"]
    assert words[words.index("--") :] == ["--", str(demo.script), "--steps", "5"]


@pytest.mark.parametrize("listen", [False, True])
def test_the_script_has_its_own_arguments_and_no_others(listen: bool) -> None:
    """Also where this program starts itself again, in a network of its own."""
    demo = registry.check(
        "ddp", {"nodes": "2", "ranks": "3", "network": "netns", "link": "1gbit", "steps": "5"}
    )
    assert isinstance(demo, registry.Launchable)
    first = torchrun_per_node.command(demo, listen=listen)
    words = first[first.index("runtime.launch.simulated_nodes.torchrun_per_node") + 1 :]
    again = torchrun_per_node.once_more(77, words)
    for given, inside in (
        (words, None),
        (again[again.index("runtime.launch.simulated_nodes.torchrun_per_node") + 1 :], 77),
    ):
        args = torchrun_per_node.read(given)
        assert args.script == [str(demo.script), "--steps", "5"]
        assert (args.nodes, args.ranks, args.netns, args.inside) == (2, 3, "1gbit", inside)
        assert args.listen == listen


def test_a_forked_rank_is_told_its_node() -> None:
    given = {"WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2", "GROUP_WORLD_SIZE": "2"}
    order = Fork("run", 1, 4, "script", (), given, "")
    told = [environment(order, rank) for rank in range(4)]
    assert [(it["GROUP_RANK"], it["LOCAL_RANK"], it["RANK"]) for it in told] == [
        ("0", "0", "0"),
        ("0", "1", "1"),
        ("1", "0", "2"),
        ("1", "1", "3"),
    ]
    assert all(it["LOCAL_WORLD_SIZE"] == "2" and it["ROLE_WORLD_SIZE"] == "4" for it in told)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a port cannot be kept")
def test_the_port_to_meet_at_is_kept_until_a_store_listens_there() -> None:
    """Two sockets that name it stand for anybody else and for the store of torchrun, which takes it over."""
    keeper, port = torchrun_per_node.meeting_port()
    with keeper, socket.socket() as anybody, socket.socket(socket.AF_INET6) as store:
        with pytest.raises(OSError) as taken:
            anybody.bind((torchrun_per_node.HOST, port))
        assert taken.value.errno == errno.EADDRINUSE
        store.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        store.bind(("::", port))
        store.listen()
        with socket.create_connection((torchrun_per_node.HOST, port)) as rank:
            rank.sendall(b"set")
            assert store.accept()[0].recv(3) == b"set"
