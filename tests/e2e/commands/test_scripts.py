"""Scripts as users bring them, unchanged under `teachrun run`: each fills the panel with true figures.

They lie in `tests/scripts/theirs` and import nothing of ours, but for the demo of one's own.
"""

from __future__ import annotations

import ast
import asyncio
import gzip
import json
import math
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from folders import environ, own_folders
from waiting import until

from runtime import paths
from runtime.catalog import registry
from runtime.host.client import Client, ask
from runtime.launch.processes import Own, gone, marked
from runtime.protocol.messages import Launch, Publish, Refused, Shutdown, Snapshot
from runtime.supervision.supervisor import Supervisor
from slides.reading.split import load
from tui.deck import consent_question
from tui.deck.contents import Contents

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
THEIRS = Path(__file__).parents[2] / "scripts" / "theirs"
PARTS = ("data_s", "compute_s", "hidden_s", "exposed_s", "wait_s", "optimizer_s", "other_s")
BOOT = {"start", "import", "rendezvous", "build", "first step"}


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    """Folders of our own, and at the end nothing that runs in them."""
    with own_folders() as home:
        mine = environ(home)["XDG_STATE_HOME"]
        yield home
        left = [(m.part, m.own) for m in marked() if m.environ.get("XDG_STATE_HOME") == mine]
    assert left == []


class Ran:
    """A run of a script that has ended well, as `--json` and `--jsonl` tell it."""

    def __init__(self, folder: Path, script: str, *words: str, ranks: int = 2) -> None:
        events = folder / "events.jsonl"
        command = [sys.executable, "-P", "-m", "tui.cli", "run", str(THEIRS / script), f"ranks={ranks}"]
        done = subprocess.run(
            [*command, "--json", "--jsonl", str(events), *words],
            cwd=folder, capture_output=True, text=True, timeout=200,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        self.said = done.stderr
        self.found: dict[str, Any] = json.loads(done.stdout)
        self.events = [json.loads(line) for line in events.read_text().splitlines()]
        self.ranks: list[dict[str, Any]] = self.found["ranks"]

    def of(self, kind: str, rank: int = 0) -> list[dict[str, Any]]:
        return [event for event in self.events if (event["type"], event["rank"]) == (kind, rank)]

    def bytes_of(self, step: int, rank: int = 0) -> Counter[str]:
        size: Counter[str] = Counter()
        for event in self.of("collective", rank):
            if event["step"] == step:
                size[event["op"]] += event["bytes"]
        return size

    def losses(self, rank: int = 0) -> list[float | None]:
        return [event["loss"] for event in self.of("step", rank)]

    def log(self, rank: int = 0) -> str:
        return "\n".join(event["line"] for event in self.of("log", rank))

    def fills_the_panel(self, steps: int, has_loss: tuple[int, ...] = (0, 1)) -> None:
        """Steps, phases, memory, and a step bar that sums to the step, for every rank."""
        assert (self.found["state"], self.found["why"]) == ("done", "")
        assert (self.found["backend"], self.found["device"]) == ("gloo", "cpu")
        assert self.found["badge"] == "LIVE CPU" and "your script" in self.found["bent"]
        assert self.found["launch_s"].keys() >= BOOT
        for row in self.ranks:
            assert row["steps"] == steps and row["drops"] == 0
            assert row["tokens_per_s"] is None  # nobody knows what a token is here
            assert sum(row[part] for part in PARTS) == pytest.approx(row["step_s"])
            assert (row["loss"] is not None) == (row["rank"] in has_loss)
            assert row["activations_bytes"] > 0 and row["compute_s"] > 0 and row["optimizer_s"] > 0
            steps_told = self.of("step", row["rank"])
            for event in steps_told:
                parts = ("data", "forward", "backward", "optimizer", "other")
                assert sum(event[p] for p in parts) == pytest.approx(event["t"] - event["t0"])
                assert min(event[p] for p in parts) >= 0
                assert event["forward"] > 0 and event["backward"] > 0


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


def test_a_server_and_workers_without_an_optimizer(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "parameter_server.py")
    size = 4 * (64 * 128 + 128 + 128 + 1)
    server, worker = ran.ranks
    assert [row["steps"] for row in ran.ranks] == [20, 20]
    assert (server["loss"], server["optimizer_bytes"], worker["optimizer_bytes"]) == (None, 2 * size, 0)
    assert worker["params_bytes"] == worker["grads_bytes"] == size and worker["activations_bytes"] > 0
    assert ran.bytes_of(7) == ran.bytes_of(7, rank=1) == {"send": size, "receive": size}
    printed = [float(line.split()[-1]) for line in ran.log(1).splitlines() if line.startswith("step")]
    assert printed == pytest.approx(ran.losses(1)[::5], abs=1e-6)
    # A reply is the end of a worker's step and the begin of the server's next, which knows who waited.
    assert sum(server[part] for part in PARTS) == pytest.approx(server["step_s"])


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
    # One sample's activations: two linear layers keep their input, tanh its result, the loss its difference.
    assert ran.ranks[0]["activations_bytes"] == 4 * 16 * (20 + 512 + 1 + 1)


def test_a_small_gpt_with_accumulation_and_checkpoints(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "small_gpt.py", "--", "--out", str(tmp_path), "--steps", "12", "--accumulate", "4")
    ran.fills_the_panel(steps=12)  # of the optimizer, not of its 48 micro-batches
    row = ran.ranks[0]
    assert row["optimizer_bytes"] == 2 * row["params_bytes"] and row["grads_bytes"] == 2 * row["params_bytes"]
    for step in (2, 11):
        assert ran.bytes_of(step) == {"all-reduce": row["params_bytes"]}  # once for four micro-batches
    assert ran.found["equal"] is True
    losses = [loss for loss in ran.losses() if loss is not None]
    assert len(losses) == 12 and losses[-1] < losses[0] / 2  # the mean of the four, not a quarter of it
    assert row["loss"] == pytest.approx(float(ran.log().rsplit(maxsplit=1)[-1]), rel=0.5)
    assert row["data_s"] == 0  # no DataLoader: its own `get_batch` is `other`
    assert (tmp_path / "checkpoint.pt").stat().st_size > 3 * row["params_bytes"]


def test_fully_sharded_data_parallel(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "sharded.py")
    ran.fills_the_panel(steps=8)
    layer = 4 * 2 * 256 * 512
    whole = 3 * layer
    for row in ran.ranks:
        assert row["params_bytes"] == row["grads_bytes"] == whole // 2
        assert row["optimizer_bytes"] == whole
        assert layer <= row["gathered_bytes"] <= whole
        assert row["checksum"] is None  # shards are not compared
    # All layers forward; backward gathers again what was freed. The gradients once.
    assert ran.bytes_of(5) == {"all-gather": 2 * whole, "reduce-scatter": whole}
    assert ran.found["equal"] is None
    printed = [float(line.split()[-1]) for line in ran.log().splitlines()]
    assert printed == pytest.approx(ran.losses(), abs=1e-4)


def test_a_pipeline(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "pipelined.py")
    ran.fills_the_panel(steps=6, has_loss=(1,))  # the last stage has it
    printed = [float(line.split()[-1]) for line in ran.log(1).splitlines()]
    assert printed == pytest.approx(ran.losses(1), abs=1e-5)  # the mean of its micro-batches
    assert ran.found["equal"] is None  # the stages are different by design
    for rank, first in ((0, "send"), (1, "receive")):
        assert ran.ranks[rank]["params_bytes"] == ran.ranks[rank]["grads_bytes"] == 4 * 2 * (64 * 64 + 64)
        second = "receive" if first == "send" else "send"
        # Four micro-batches of 4 x 64 numbers there, their gradients back.
        assert ran.bytes_of(3, rank) == {first: 4 * 4 * 64 * 4, second: 4 * 4 * 64 * 4}
        spans = [(span["kind"], span["microbatch"]) for span in ran.of("span", rank) if span["step"] == 3]
        assert sorted(spans) == [(kind, n) for kind in "BF" for n in range(4)]
        assert {span["stage"] for span in ran.of("span", rank)} == {rank}


@pytest.mark.parametrize(("late", "lr"), [(1, "0.1"), (0, "1e30")])
def test_one_training_after_the_other(tmp_path: Path, late: int, lr: str) -> None:
    ran = Ran(tmp_path, "one_after_other.py", "--", "--late", str(late), "--lr", lr)
    first, second = ran.found["trainings"]
    # Two that were there from the begin: the first three steps of the second are heard as one.
    lost = 0 if late else 2
    assert (first["first_step"], first["steps"]) == (0, 6)
    assert (second["first_step"], second["steps"]) == (6, 8 - lost)
    assert [row["steps"] for row in ran.ranks] == [14 - lost] * 2
    printed = [line.split() for line in ran.log().splitlines() if line.startswith(("first", "second"))]
    told = [float(words[2]) for words in printed]
    numbers = [math.nan if loss is None else loss for loss in ran.losses()]  # JSON has no word for it
    known = [loss if math.isfinite(loss) else math.nan for loss in told]
    assert known[:6] + known[6 + lost :] == pytest.approx(numbers, abs=1e-4, nan_ok=True)
    assert first["loss"] == pytest.approx(told[5], abs=1e-4)
    for row in ran.ranks:
        # The memory of the second alone: BatchNorm's mean, variance and count of steps are no parameters.
        assert row["params_bytes"] == 4 * (256 + 1 + 2)
        assert row["buffers_bytes"] == 4 * 2 + 8
    assert {event["training"] for event in ran.of("step")} == {0, 1}
    assert f"training 2 of this script began with step {6}" in ran.found["remarks"]
    if lr == "1e30":  # a loss that is no number is said first
        since = next(n for n, loss in enumerate(numbers) if math.isnan(loss))
        remark = ran.found["remarks"][0]
        assert remark.startswith("loss is ") and remark.endswith(f"since step {since}")
        assert ran.ranks[0]["loss"] is None


def test_ranks_that_train_alone_with_a_closure(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "closure.py")
    for rank, row in enumerate(ran.ranks):
        assert row["steps"] == 6
        printed = [float(line) for line in ran.log(rank).splitlines() if line[:1].isdigit()]
        # What LBFGS returns is the loss at the begin of the step, of some five that it looks at.
        assert printed == pytest.approx(ran.losses(rank), abs=1e-5)
        assert row["params_bytes"] == row["grads_bytes"] == 4 * (10 * 32 + 32 + 32 + 1)
        assert row["activations_bytes"] > 0 and row["buffers_bytes"] == 0
        told = ran.of("step", rank)
        assert all(e["forward"] > 0 and e["backward"] > 0 and e["optimizer"] > 0 for e in told)
    assert ran.found["remarks"] == ["the ranks do not communicate: no collective so far, each trains alone"]
    assert (ran.found["slowest"], ran.found["equal"]) == (None, None)


def test_worker_processes_of_loaders(tmp_path: Path) -> None:
    ran = Ran(tmp_path, "workers.py")
    ran.fills_the_panel(steps=2 * 6)
    assert "4 forked workers" in ran.log()
    assert len({event["pid"] for event in ran.of("hello")}) == 1  # the workers say nothing
    assert ran.ranks[0]["data_s"] > 0
    assert ran.bytes_of(7)["all-reduce"] == ran.ranks[0]["params_bytes"] == 4 * (32 * 64 + 64 + 64 * 4 + 4)
    assert ran.found["equal"] is True


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


async def test_a_script_on_a_slide_runs_once_it_was_agreed_to(tmp_path: Path) -> None:
    """As the deck names it, seen from the deck's folder and run there; refused with words before."""
    folder = tmp_path / "lesson"
    folder.mkdir()
    deck = folder / "deck.md"
    deck.write_text(
        "# One\n\n::: demo ./own.py {#d} ranks=2 steps=3 lr=0.25\n\n::: demo ddp {#ours} ranks=2\n"
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
        assert refused.why == "nobody has agreed that own.py of this deck may run here, as it is now"
        consent_question.agree(contents, asked)
        assert consent_question.unasked(contents) == ()
        client.send(Launch("d", demo.name, demo.params))
        await until(lambda: any(isinstance(m, Snapshot) and m.state in ("done", "failed") for m in got))
        last = [m for m in got if isinstance(m, Snapshot)][-1]
        assert (last.state, last.demo, last.steps) == ("done", "own.py", 3), last.why
        assert "your script" in last.bent and last.badge == "LIVE CPU"
        assert [row.step for row in last.rows] == [2, 2]
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
