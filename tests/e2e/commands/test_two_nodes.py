"""A script on two nodes that are played here: what its ranks are told, what is paced, which bytes cross.

One launch; torchrun is the oracle of what a rank is told, the kernel that of what is paced.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from folders import environ, own_folders

from runtime.launch.fork_server import environment
from runtime.launch.processes import marked
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


def of(events: list[dict[str, Any]], kind: str, rank: int) -> list[dict[str, Any]]:
    return [event for event in events if (event["type"], event["rank"]) == (kind, rank)]


def test_two_torchruns_and_only_what_crosses_between_them_is_paced(tmp_path: Path) -> None:
    with own_folders() as home:
        words = [str(SCRIPT), "nodes=2", "ranks=2", "link=100mbit", "--json", "--jsonl", "events.jsonl"]
        command = [sys.executable, "-P", "-m", "tui.cli", "run", *words]
        done = subprocess.run(
            command, cwd=tmp_path, env=environ(home), capture_output=True, text=True, timeout=200, check=False
        )
        assert done.returncode == 0, done.stderr
        mine = environ(home)["XDG_STATE_HOME"]
        assert [m.part for m in marked() if m.environ.get("XDG_STATE_HOME") == mine] == []
    found = json.loads(done.stdout)
    events = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    assert (found["world"], found["link"]) == (4, "100mbit")
    assert "2 nodes x 2 ranks, on one machine" in found["bent"]
    assert "links between nodes paced to 100 Mbit/s a connection" in found["bent"]

    printed = []
    for rank in range(4):
        (line,) = [e["line"] for e in of(events, "log", rank) if e["line"].startswith("told ")]
        (rates,) = [e["line"] for e in of(events, "log", rank) if e["line"].startswith("rates ")]
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
