"""One node of a training whose others are started elsewhere: its ranks, its words, its torchrun."""

from __future__ import annotations

import asyncio
import io
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from runtime.catalog import registry
from runtime.catalog.one_node import OneNode, read
from runtime.catalog.params import Refusal
from runtime.launch.device_choice import place
from runtime.metrics.rank_state import ELSEWHERE
from runtime.metrics.store import RunStore
from runtime.protocol.events import Done, Step
from runtime.supervision.failures import stall_reason
from runtime.supervision.run import Run
from tui.commands.running.run import Headless


def a_demo(**params: str) -> registry.Launchable:
    demo = registry.check("ddp", {"nodes": "2", "ranks": "2", **params})
    assert isinstance(demo, registry.Launchable)
    return demo


NODE = OneNode(1, 2, 2, "127.0.0.1", 29500)


def test_a_node_knows_its_ranks_and_those_of_the_others() -> None:
    middle = OneNode(1, 3, 2, "a", 1)
    assert (list(middle.here), middle.elsewhere) == ([2, 3], (0, 1, 4, 5))
    assert middle.note == "node 1 of 3: ranks 2 to 3 of 6"
    assert OneNode(0, 2, 1, "a", 1).note == "node 0 of 2: rank 0 of 2"


@pytest.mark.parametrize(
    ("meet", "host"), [("127.0.0.1:29500", "127.0.0.1"), ("[::1]:1", "::1"), ("localhost:65535", "localhost")]
)
def test_an_address_to_meet_at(meet: str, host: str) -> None:
    node = read("1", meet, 2, 2)
    assert isinstance(node, OneNode)
    assert (node.host, node.port) == (host, int(meet.rpartition(":")[2]))


@pytest.mark.parametrize(
    ("number", "meet", "why"),
    [
        ("2", "a:1", "--node-rank 2 is none of the 2 nodes"),
        ("-1", "a:1", "--node-rank -1 is none of the 2 nodes"),
        ("x", "a:1", "--node-rank x is none of the 2 nodes"),
        ("0", "a", "--rdzv a is not an address"),
        ("0", "a:0", "--rdzv a:0 is not an address"),
        ("0", "a:65536", "--rdzv a:65536 is not an address"),
        ("0", "--x=y:1", "--rdzv --x=y:1 is not an address"),
        (
            "0",
            f"{'a' * 70}.invalid:1",
            f"{'a' * 39}… does not resolve",
        ),  # no label is so long: nobody is asked
    ],
)
def test_what_cannot_be_is_said_with_what_to_do(number: str, meet: str, why: str) -> None:
    refusal = read(number, meet, 2, 2)
    assert isinstance(refusal, Refusal)
    assert refusal.why == why
    assert refusal.mend


def test_its_badge_names_the_node_and_counts_its_own_ranks() -> None:
    bent = place(replace(a_demo(ranks="32"), node=replace(NODE, ranks=32))).bent
    assert "node 1 of 2: ranks 32 to 63 of 64" in bent
    assert not any("on one machine" in word or word.startswith("64 ranks") for word in bent)


def test_ranks_of_other_machines_hold_up_nothing_and_are_not_taken_for_dead() -> None:
    run = Run("block", replace(a_demo(), node=NODE))
    store = RunStore(4)
    store.ingest_all(run.elsewhere())
    assert [rank.state for rank in store.ranks] == [ELSEWHERE, ELSEWHERE, "start", "start"]
    assert [rank.result for rank in store.ranks] == [None] * 4
    steps = [Step(run.id, 1, rank, 1.0, 0, 0.0, 2.0, 8, 0.2, 0.2, 0.2, 0.2, 0.2) for rank in NODE.here]
    store.ingest_all(steps[:1])
    assert store.settled == -1
    store.ingest_all(steps[1:])
    assert store.settled == 0
    assert stall_reason.suspect(store.rows()).startswith("ranks 2, 3 never reported")
    gone = [Done(run.id, 1, 2, 2.0, None, None, {})]
    store.ingest_all(gone)
    assert store.ranks[2].state == "ended"  # that one was here


@pytest.mark.parametrize("half_open", [False, True])
def test_it_ends_when_its_input_does_or_says_no_more(
    half_open: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As under ssh, whose connection is gone: no rank may be left on that machine."""
    begun = tmp_path / "begun"
    python = tmp_path / "python"
    python.write_text(f"#!/bin/sh\necho > '{begun}'\nexec sleep 600\n")
    python.chmod(0o755)
    demo = replace(a_demo(launcher="torchrun"), node=NODE, python=str(python), steps=None)
    reader, writer = os.pipe()
    monkeypatch.setattr(sys, "stdin", os.fdopen(reader))

    def hang_up() -> None:
        while not begun.exists():
            time.sleep(0.01)
        os.write(writer, b"\n")
        if not half_open:
            os.close(writer)

    with ThreadPoolExecutor() as beside:
        beside.submit(hang_up)
        headless = Headless(demo, None, until_eof=True, silent_s=0.1 if half_open else 600.0)
        assert asyncio.run(headless.run(as_json=False, table=io.StringIO())) == 130
    assert "stopped: whoever started it has hung up" in capsys.readouterr().err
    if half_open:
        os.close(writer)


def test_torchrun_is_told_which_node_this_is_and_who_waits_for_whom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = tmp_path / "told"
    python = tmp_path / "python"
    python.write_text(
        f"#!{sys.executable}\nimport json, sys\njson.dump(sys.argv[1:], open({str(told)!r}, 'w'))\n"
    )
    python.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    demo = replace(a_demo(launcher="torchrun"), node=NODE, python=str(python), builtin=False, steps=None)
    run = Run("block", demo)
    assert run.waits == "waiting for the other node at 127.0.0.1:29500"
    assert run.links.nodes == 1  # nothing here is between nodes that we could hold to a speed
    table = io.StringIO()
    assert asyncio.run(Headless(demo, None).run(as_json=True, table=table)) == 0
    words = json.loads(told.read_text())
    assert words[: words.index("--")] == [
        *("-P", "-m", "torch.distributed.run", "--nproc-per-node=2", "--max-restarts=0"),
        *("--nnodes=2", "--node-rank=1", "--master-addr=127.0.0.1", "--master-port=29500"),
    ]
    assert "node 1 of 2: ranks 2 to 3 of 4" in json.loads(table.getvalue())["bent"]
    assert os.fspath(demo.script) in words


def test_a_run_knows_on_which_node_each_rank_will_be_before_any_has_come() -> None:
    demo = registry.check("ddp", {"nodes": "2", "ranks": "2"})
    assert isinstance(demo, registry.Launchable)
    run = Run("block", demo)
    assert [row.node for row in run.snapshot().rows] == [0, 0, 1, 1]
    run.restarts_left = 1
    run.begin_again("killed", None)
    assert [row.node for row in run.snapshot().rows] == [0, 0, 1, 1]
