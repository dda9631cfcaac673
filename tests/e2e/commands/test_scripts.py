"""Scripts as users bring them, unchanged under `teachrun run`, which has torchrun start them.

They lie in `tests/scripts/theirs` and import nothing of ours, but for the demo of one's own. What is heard of
the others, each of which would import torch three times here, is in `test_heard_scripts.py`.
"""

from __future__ import annotations

import ast
import asyncio
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import own_folders, running_in
from teachrun_process import teachrun
from told import THEIRS, Told
from waiting import until

from runtime import paths
from runtime.catalog import registry
from runtime.host.client import Client, ask
from runtime.launch.processes import Own, gone, marked
from runtime.protocol.messages import Break, Launch, Publish, Refused, Shutdown, Snapshot, Steer
from runtime.supervision.supervisor import Supervisor
from slides.reading.split import load
from tui.deck import consent_question
from tui.deck.contents import Contents

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    """Folders of our own, and at the end nothing that runs in them."""
    with own_folders() as home:
        yield home
        assert running_in(home) == []


class Ran(Told):
    """A run of a script that has ended well, as `--json` and `--jsonl` tell it."""

    def __init__(self, folder: Path, script: str, *words: str, ranks: int = 2) -> None:
        events = folder / "events.jsonl"
        asked = ["run", str(THEIRS / script), f"ranks={ranks}", "--json", "--jsonl", str(events), *words]
        code, out, self.heard = teachrun(*asked, cwd=folder)
        assert code == 0, self.heard
        super().__init__(json.loads(out), [json.loads(line) for line in events.read_text().splitlines()])


def test_the_scripts_know_nothing_of_us() -> None:
    for script in THEIRS.glob("*.py"):
        if script.name != "own_demo.py":
            named = [
                n
                for n in ast.walk(ast.parse(script.read_text()))
                if isinstance(n, ast.Import | ast.ImportFrom)
            ]
            modules = {n.module if isinstance(n, ast.ImportFrom) else a.name for n in named for a in n.names}
            assert {str(m).split(".")[0] for m in modules} <= {"torch", *sys.stdlib_module_names}, script


def test_the_tutorial_of_data_parallel(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "tutorial_ddp.py", "--", "3", "--batch_size", "16")
    ran.fills_the_panel(steps=3 * 128 // 2 // 16)
    parameters = 4 * (20 * 512 + 512 + 512 + 1)
    for row in ran.ranks:
        assert row["params_bytes"] == row["optimizer_bytes"] == parameters  # momentum is one more number each
        assert row["grads_bytes"] == 2 * parameters  # and a copy of them in DDP's buckets
        assert row["gathered_bytes"] == 0
        for step in range(row["steps"]):
            assert ran.bytes_of(step, row["rank"])["all-reduce"] == parameters
        assert row["data_s"] > 0
    assert ran.found["equal"] is True and ran.found["equal_step"] == 10
    # The loss heard is the loss the script computed: the last of each epoch is in its log.
    printed = [float(line.split()[-1]) for line in ran.log(1).splitlines() if "epoch" in line]
    assert printed == pytest.approx(ran.losses(1)[3::4], abs=1e-4)
    assert [f"[rank 1] {line}" for line in ran.log(1).splitlines() if "epoch" in line] == [
        line for line in ran.heard.splitlines() if line.startswith("[rank 1] [rank 1] epoch")
    ]
    # One sample's activations: two linear layers keep their input, tanh its result, the loss its difference.
    assert ran.ranks[0]["activations_bytes"] == 4 * 16 * (20 + 512 + 1 + 1)


def test_a_demo_of_ones_own(tmp_path: Path, home: Path) -> None:
    ran = Ran(tmp_path, "own_demo.py", "lr=0.25", "start=far", "steps=4")
    assert ran.found["params"] == {"ranks": "2", "lr": "0.25", "start": "far", "steps": "4"}
    # theta shrinks by 1 - 2 lr a step; the ranks begin at (10, -10) and (10, -20) and meet at their mean.
    assert ran.found["values"]["theta"]["ranks"] == [[0.625, -0.9375]] * 2
    assert ran.ranks[0]["result"]["distance"] == pytest.approx(1.1267, abs=1e-4)
    assert [row["steps"] for row in ran.ranks] == [4, 4]  # heard, not said
    assert ran.losses(1)[0] == 500.0
    assert ran.ranks[0]["params_bytes"] == 8
    [recorded] = (home / "data" / "teachrun" / "runs").iterdir()
    lines = gzip.decompress((recorded / "events.jsonl.gz").read_bytes()).splitlines()
    assert len([line for line in lines if line.startswith(b'["step"')]) == 8


OWN_RUNTIME = """
import sys
import torch.distributed as dist
from runtime import ANSWER  # this folder's own
from teachrun import probe
dist.init_process_group("gloo")
probe.value("answer", ANSWER)
probe.result(answer=ANSWER, same=probe is sys.modules["_teachrun.ranks.probe"].probe)
with probe.step():
    pass
dist.destroy_process_group()
"""


def test_the_probe_of_a_script_with_a_package_of_our_name(tmp_path: Path) -> None:
    """One probe a rank, whatever `runtime` is: the script's own stands before ours on its path."""
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "__init__.py").write_text("ANSWER = 42.0\n")
    (tmp_path / "own.py").write_text(OWN_RUNTIME)
    ran = Ran(tmp_path, str(tmp_path / "own.py"))
    assert ran.found["values"]["answer"]["ranks"] == [[42.0]] * 2
    assert [row["result"] for row in ran.ranks] == [{"answer": 42.0, "same": True}] * 2
    assert [row["steps"] for row in ran.ranks] == [1, 1]
    assert len({event["pid"] for event in ran.of("hello")}) == 1


async def test_a_script_on_a_slide_runs_once_it_was_agreed_to_and_is_steered(tmp_path: Path) -> None:
    """As the deck names it, seen from the deck's folder and run there; refused with words before.

    Then held, stepped, slowed, and a rank of it killed: torchrun is the parent of these ranks, not a stage.
    """
    folder = tmp_path / "lesson"
    folder.mkdir()
    deck = folder / "deck.md"
    deck.write_text(
        "# One\n\n::: demo ./own.py {#d} ranks=2 steps=1000 lr=0.25\n\n::: demo ddp {#ours} ranks=2\n"
    )
    (folder / "own.py").write_text(
        (THEIRS / "own_demo.py")
        .read_text()
        .replace("def main():", "def main():\n    open('here', 'w').close()")
    )
    contents = Contents(load(deck))
    asked = consent_question.unasked(contents)
    assert len(asked) == 1 and asked[0].endswith(f" {folder / 'own.py'}")
    assert (
        consent_question.question(contents, asked)
        == "This deck runs own.py on this machine, as you. Trust it?"
    )
    got: list[Any] = []
    client = Client("deck", "console", "s1", got.append, lambda link: None)
    await client.start()
    [demo, _] = contents.demos(0)

    try:
        client.send(Publish("1", "t", str(deck), b"c", b"a"))
        client.send(Launch("d", demo.name, demo.params))
        await until(lambda: any(isinstance(m, Refused) for m in got))
        [refused] = [m for m in got if isinstance(m, Refused)]
        assert refused.why == "not yet approved: own.py of this deck, as it is now"
        consent_question.agree(contents, asked)
        assert consent_question.unasked(contents) == ()
        client.send(Launch("d", demo.name, demo.params))
        await until(lambda: any(isinstance(m, Snapshot) for m in got))
        client.send(Steer("d", 0))

        def shown() -> Snapshot:
            return [m for m in got if isinstance(m, Snapshot)][-1]

        def stand(step: int | None = None) -> bool:
            rows = shown().rows
            return {row.state for row in rows} == {"held"} and {row.step for row in rows} == {
                rows[0].step if step is None else step
            }

        await until(lambda: stand() or shown().state in ("done", "failed"), "all held")
        assert shown().state == "running", shown().why
        held = shown().rows[0].step
        before = -1 if held is None else held  # held before its first step
        client.send(Steer("d", 2))
        await until(lambda: stand(before + 2), f"two more than {held}, {[row.step for row in shown().rows]}")
        client.send(Break("d", 1, "slow", 200))
        client.send(Steer("d", None))
        await until(lambda: (shown().rows[1].step_s or 0) >= 0.2, "slower steps")
        assert "rank 1 slowed 200 ms" in shown().bent
        client.send(Break("d", 1, "kill"))
        await until(lambda: shown().state in ("done", "failed"))
        last = shown()
        assert (last.state, last.demo, last.steps) == ("failed", "own.py", 1000)
        assert last.why.startswith("rank 1 was killed on purpose (SIGKILL)")
        assert "your script" in last.bent and last.badge == "LIVE CPU"
        assert (folder / "here").exists()
    finally:
        hosts = [m.own for m in marked("deck") if m.part == "host"]
        await ask("deck", Shutdown("end of test"), 10.0)
        await client.close()
        assert await gone(hosts, 10.0) == []


# Each rank leaves behind one process that nobody but init is the parent of, and one in a session of its own;
# both deaf to TERM and HUP, neither known to torchrun.
LEAVES_BEHIND = """
import os, signal, sys, time
def stay():
    os.setsid()
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with open(f"{sys.argv[1]}/{os.getpid()}", "w"):
        pass
    time.sleep(1000)
if os.fork() == 0:
    stay()
if os.fork() == 0:
    if os.fork() == 0:
        stay()
    os._exit(0)
time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the mark in an environment is found in /proc")
async def test_what_a_script_forked_is_swept_up_when_its_guardian_is_killed(
    tmp_path: Path, home: Path
) -> None:
    (script := tmp_path / "leaves.py").write_text(LEAVES_BEHIND)
    (pids := tmp_path / "pids").mkdir()
    demo = registry.check(str(script), {"ranks": "2", "args": str(pids)})
    assert isinstance(demo, registry.Launchable)
    supervisor = Supervisor("swept", paths.rank_socket("swept"))
    await supervisor.start()
    try:
        run = await supervisor.launch("b", demo)
        async with asyncio.timeout(90):
            while len(list(pids.iterdir())) < 4:
                assert run.state in ("launching", "running"), run.why
                await asyncio.sleep(0.05)
        strays = [Own.of(int(file.name)) for file in pids.iterdir()]
        assert run.torchrun is not None and all(own is not None and own.alive for own in strays)
        run.torchrun.child.process.kill()
        await asyncio.wait_for(run.over.wait(), 30)
        assert (run.state, run.left) == ("lost", 0)
        assert "the guardian died" in run.why
        assert [own for own in strays if own is not None and own.alive] == []
        assert [m for m in marked("swept") if m.environ.get("TEACHRUN_RUN") == run.id] == []
    finally:
        assert await supervisor.close() == 0
