"""A script on two nodes that are played here: what its ranks are told, what is paced, which bytes cross.

Torchrun is the oracle of what a rank is told, the kernel that of what is paced and, in namespaces, of the
bytes that cross: by the counters of a network card that carries nothing else.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import environ, own_folders, running_in
from teachrun_process import teachrun

from runtime.launch.fork_server import environment
from runtime.launch.simulated_nodes import network_namespaces
from runtime.protocol.stage_messages import Fork

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a connection to a rate"),
]
SCRIPT = Path(__file__).parents[2] / "scripts" / "theirs" / "two_nodes.py"
GRADIENTS = 4 * (512 * 512 + 512)
MBIT_100 = 12_500_000


class Ran:
    """The script on two nodes, to its end: what `--json` and `--jsonl` told, what the torchruns printed."""

    def __init__(self, folder: Path, *words: str, what: str = str(SCRIPT)) -> None:
        asked = [what, "nodes=2", "ranks=2", *words, "--json", "--jsonl", "events.jsonl"]
        with own_folders() as home:
            code, out, err = teachrun("run", *asked, cwd=folder, env=environ(home))
            assert code == 0, err
            assert running_in(home) == []
            logs = Path(environ(home)["XDG_DATA_HOME"]).glob("**/torchrun.log")
            self.printed = "".join(log.read_text() for log in logs)  # none where ranks are forked
        self.found: dict[str, Any] = json.loads(out)
        self.events = [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]

    def of(self, kind: str, rank: int) -> list[dict[str, Any]]:
        return [event for event in self.events if (event["type"], event["rank"]) == (kind, rank)]


def test_two_torchruns_and_only_what_crosses_between_them_is_paced(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "link=100mbit")
    found = ran.found
    assert (found["world"], found["link"]) == (4, "100mbit")
    assert "2 nodes x 2 ranks, on one machine" in found["bent"]
    assert "links between nodes paced to 100 Mbit/s a connection" in found["bent"]

    printed = []
    for rank in range(4):
        (line,) = [e["line"] for e in ran.of("log", rank) if e["line"].startswith("told ")]
        (rates,) = [e["line"] for e in ran.of("log", rank) if e["line"].startswith("rates ")]
        printed.append((json.loads(line[5:]), json.loads(rates[6:])))
    given = {"WORLD_SIZE": "4", "LOCAL_WORLD_SIZE": "2", "GROUP_WORLD_SIZE": "2", "MASTER_ADDR": "127.0.0.1"}
    order = Fork("run", 1, 4, "script", (), given, "")
    for rank, (told, _) in enumerate(printed):
        forked = environment(order, rank)  # of a demo's rank on such nodes
        assert told == {name: forked.get(name) for name in told}
        assert found["ranks"][rank]["node"] == rank // 2

    owner = {tuple(ends.split()): rank for rank, (_, rates) in enumerate(printed) for ends in rates}
    rate = {tuple(ends.split()): rate for _, rates in printed for ends, rate in rates.items()}
    assert set(rate.values()) == {MBIT_100, 2**64 - 1}  # there is no third
    paced = {ends for ends in rate if rate[ends] == MBIT_100}
    assert paced == {(a, b) for a, b in owner if owner[a, b] // 2 != owner[b, a] // 2}
    assert len(paced) == 8  # two ranks here, each connected with two there, and the ends of those

    # A ring of all ranks goes from node to node twice, each time with the bytes that leave a rank.
    assert {(it["from"], it["to"]) for it in found["between_nodes"]} == {(0, 1), (1, 0)}
    for it in found["between_nodes"]:
        assert it["wire_bytes_step"] == pytest.approx(1.5 * GRADIENTS, rel=0.02)
    assert found["crossing_bytes_step"] == sum(it["wire_bytes_step"] for it in found["between_nodes"])


def test_a_simulated_link_changes_the_time_of_a_step_and_nothing_else(tmp_path: Path) -> None:
    """As on a system whose kernel paces no connection. Its least time follows from the bytes: who sleeps is
    never early. What the ranks compute is that of the same ranks without it."""
    asked = ("ranks=1", "steps=8", "width=64")
    plain, held = (
        Ran(tmp_path, *asked, *more, what="ddp")
        for more in ((), ("link=100mbit", "latency=5ms", "network=simulated"))
    )
    assert (plain.found["badge"], held.found["badge"]) == ("LIVE CPU", "SIMULATED LINK")
    assert "collectives between nodes held back as by 100 Mbit/s and 5 ms" in held.found["bent"]
    assert [row["checksum"] for row in held.found["ranks"]] == [
        row["checksum"] for row in plain.found["ranks"]
    ]
    for rank in range(2):
        reduced = [
            event for event in held.of("collective", rank) if event["step"] >= 1 and event["bytes"] > 1000
        ]
        assert reduced
        for event in reduced:
            least = 0.005 + event["bytes"] / MBIT_100
            assert event["t_done"] - event["t_issue"] >= least and event["exposed"] >= least


def test_ddp_fsdp_and_hsdp_over_a_shaped_link_as_over_a_paced_one(tmp_path: Path) -> None:
    """Two torchruns in two networks train three ways, in one table; on one network, paced, the order of what
    crosses is the same, and so are the bytes: they do not depend on how the link is made slow.

    Nothing that is made for the networks has a name, so nothing can be left; it is looked all the same."""
    try:
        network_namespaces.inside(["true"])
    except network_namespaces.Impossible as why:
        pytest.skip(str(why))
    shaped, paced = (
        Ran(tmp_path, "steps=2", "link=1gbit", *network, what="interconnect")
        for network in (("network=netns",), ())
    )
    assert "nodes in network namespaces, joined by a link shaped to 1 Gbit/s" in shaped.found["bent"]
    assert [row["node"] for row in shaped.found["ranks"]] == [0, 0, 1, 1]
    crossing = []
    for ran in (shaped, paced):
        assert ran.found["state"] == "done"
        result = ran.found["ranks"][0]["result"]
        crossing.append([result[f"{way}_crossing_bytes"] for way in ("hsdp", "ddp", "fsdp")])
    assert crossing[0][0] < crossing[0][1] < crossing[0][2]
    assert crossing[0] == pytest.approx(crossing[1], rel=0.02)

    crossed = 0
    for rank in range(2):  # those of node 0
        last, ends = shaped.of("wire", rank)[-1], shaped.of("links", rank)[-1]["ends"]
        crossed += sum(
            sent
            for sent, (_, other) in zip(last["sent"], ends, strict=True)
            if other.startswith(network_namespaces.ADDRESSES[1])
        )
    told = re.search(r"the card of node 0 has sent (\d+) bytes", shaped.printed)
    assert told is not None, shaped.printed
    assert crossed < int(told[1]) < 1.1 * crossed + 200_000  # with headers, and the rendezvous
    assert network_namespaces.CARD not in Path("/proc/net/dev").read_text()


def test_where_no_namespace_may_be_made_the_reason_stands_alone(tmp_path: Path) -> None:
    unshare = tmp_path / "unshare"
    unshare.write_text("#!/bin/sh\necho 'unshare: unshare failed: Operation not permitted' >&2; exit 1\n")
    unshare.chmod(0o755)
    with own_folders() as home:
        env = environ(home) | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
        code, _, err = teachrun("run", "ddp", "nodes=2", "ranks=2", "--link", "netns", env=env)
    assert code == 1
    (why,) = [line for line in err.splitlines() if line.startswith("teachrun: ")]
    refused = "unshare: unshare failed: Operation not permitted"
    assert why.startswith(f"teachrun: failed: no network namespace can be made ({refused})")
    assert why.endswith("write link= without network=netns, which needs neither")
