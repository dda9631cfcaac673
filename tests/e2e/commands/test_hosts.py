"""One run on two machines that are reached by ssh: one table, orders that arrive, a machine that is silent,
killed, and comes back. A stand-in for ssh runs both here; a real sshd does where there is one.

What the ranks compute is held against the same ranks started here; that is held against torchrun elsewhere.
"""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import ssh_here
from folders import environ, in_folders, own_folders, running_in
from live_run import Heard, Live, demo, launch
from teachrun_process import TEACHRUN, Ended, teachrun
from waiting import until

from runtime import paths
from runtime.catalog.machines import Machines
from runtime.cluster import ssh_commands
from runtime.supervision.supervisor import Supervisor

pytest.importorskip("torch")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(240),
    pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc"),
]
NAMED = ("127.0.0.1", "localhost")
SMALL = {"width": 64, "batch": 4, "seq": 32}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    ssh_here.stand_in(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    with own_folders() as found:
        in_folders(found, monkeypatch)
        yield found
        assert running_in(found) == []
        ssh_here.remove_left(found)


def free_port() -> int:
    import socket

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


async def test_two_machines_are_one_run_that_obeys_and_waits_for_who_is_silent(home: Path) -> None:
    heard = Heard()
    supervisor = Supervisor("two", paths.rank_socket("two"), on_events=heard.take)
    await supervisor.start()
    asked = demo("ddp", nodes=2, ranks=2, steps=5000, **SMALL)
    machines = Machines(NAMED, NAMED[0], free_port(), ssh_commands.ways(NAMED))
    try:
        live = await launch(supervisor, replace(asked, machines=machines))
        await until(lambda: live.run.store.settled >= 3 or live.run.state == "failed", "steps", 120)
        shown = live.shown
        assert (shown.state, [row.node for row in shown.rows]) == ("running", [0, 0, 1, 1]), shown.why
        assert "2 machines" in shown.bent
        assert any(word.startswith("clocks within ") for word in shown.bent)

        live.steer(0)  # an order goes the other way, to every rank
        step = await live.held()
        live.steer(2)
        await until(lambda: live.run.store.settled == step + 2, "two steps more")
        live.steer(None)

        agent = ssh_here.agent(1, home)
        os.kill(agent, signal.SIGSTOP)
        await until(lambda: {row.state for row in live.shown.rows[2:]} == {"stale"}, "stale", 30)
        assert {row.state for row in live.shown.rows[:2]} != {"stale"}
        await until(lambda: "nothing heard from localhost" in live.shown.warning, "told", 10)
        assert live.run.state == "running"
        settled = live.run.store.settled
        os.kill(agent, signal.SIGCONT)
        await until(lambda: live.run.store.settled > settled + 5, "caught up", 60)
        assert "stale" not in {row.state for row in live.shown.rows}

        live.harm(3, "kill")
        run = await live.ended(60)
        assert run.state == "failed"
        assert run.why.startswith("rank 3 was killed on purpose (SIGKILL)"), run.why
        told = heard.losses
        for rank in range(4):  # a silence loses nothing: what was said meanwhile has come afterwards
            steps = sorted(told[run.id, 1, rank])
            assert steps == list(range(len(steps)))
        await the_same_here(supervisor, heard, run.id)
    finally:
        assert await supervisor.close() == 0
    assert ssh_here.agent(0, home) == ssh_here.agent(1, home) == 0
    assert [way for way in machines.ways if Path(way).exists()] == []


async def the_same_here(supervisor: Supervisor, heard: Heard, there: str) -> None:
    """The same four ranks, started by the fork server of this machine, say the same losses to the digit."""
    live = Live(supervisor, await supervisor.launch("here", demo("ddp", ranks=4, steps=8, **SMALL)))
    run = await live.ended()
    assert run.state == "done", run.why
    for rank in range(4):
        mine = heard.losses[run.id, 1, rank]
        assert len(mine) == 8
        assert {step: heard.losses[there, 1, rank][step] for step in mine} == mine


def test_a_machine_that_is_killed_comes_back_and_the_run_goes_on_from_its_checkpoint(
    home: Path, tmp_path: Path
) -> None:
    """By a real sshd where there is one."""
    asked = [*TEACHRUN, "run", "failover", "ranks=2", "steps=60", "kill_rank=-1", "width=64"]
    asked += ["--hosts", ",".join(NAMED), "--rdzv", f"127.0.0.1:{free_port()}", "--json"]
    with ExitStack() as stack:
        path = os.environ["PATH"]
        if Path(ssh_here.SSHD).exists():
            (folder := tmp_path / "real").mkdir()
            path = f"{stack.enter_context(ssh_here.real_sshd(folder))}:{path}"
        run = subprocess.Popen(
            asked,
            env=environ(home) | {"PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            until_at = time.monotonic() + 90
            while not list(home.rglob("step-000010/.metadata")) and time.monotonic() < until_at:
                time.sleep(0.05)
            os.kill(ssh_here.agent(1, home), signal.SIGKILL)
            out, err = run.communicate(timeout=150)
        finally:
            run.kill()
    assert run.returncode == 0, err
    found: dict[str, Any] = json.loads(out)
    assert (found["state"], found["world"], len(found["recoveries"])) == ("done", 4, 1)
    assert [row["node"] for row in found["ranks"]] == [0, 0, 1, 1]
    assert all(row["result"]["resumed_at"] >= 10 for row in found["ranks"])
    assert len({row["checksum"] for row in found["ranks"]}) == 1
    assert list(home.rglob("scratch")) == []


SRUN = """#!/bin/bash
[ "$1" = --kill-on-bad-exit=1 ] && shift
for node in 0 1; do
    [ -n "$APART" ] && export XDG_DATA_HOME=$APART/$node
    SLURM_NODEID=$node "$@" &
done
wait
"""
SBATCH = """#!/bin/bash
SLURM_JOB_ID=$$ SLURM_JOB_NODELIST=n[1-2] setsid bash "$1" >job.log 2>&1 </dev/null &
echo Submitted batch job $!
"""


def submitted(home: Path, tmp_path: Path, *words: str, apart: str = "") -> tuple[Ended, str]:
    """A run as a job: its end here, and the log of the job. The stand-in for Slurm starts two agents, each as
    a node, whose data folders are their own in the folder `apart`."""
    pytest.importorskip("cryptography")
    for name, text in (("srun", SRUN), ("sbatch", SBATCH), ("scontrol", "#!/bin/sh\necho 127.0.0.1\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    asked = ["run", *words, "nodes=2", "ranks=2", "--json"]
    asked += ["--slurm", "--submit", "--listen", f"127.0.0.1:{free_port()}"]
    env = os.environ | environ(home) | {"APART": apart}
    done = teachrun(*asked, env=env, cwd=tmp_path)
    return done, (tmp_path / "job.log").read_text()


def test_ranks_that_cannot_share_checkpoints_say_so_and_are_not_started_again(
    home: Path, tmp_path: Path
) -> None:
    done, log = submitted(home, tmp_path, "failover", "steps=60", "kill_rank=-1", apart=str(tmp_path))
    assert done.code == 1, done.err + log
    found = json.loads(done.out)
    assert found["state"] == "failed"
    assert "does not see the checkpoints of rank 0: share the folder" in found["why"], found["why"]
    assert "does not see the checkpoints of rank 0" in found["diagnosis"]["headline"], found["diagnosis"]
    doing = {row["doing"] for row in found["diagnosis"]["ranks"][:2]}
    assert all(it in ("lost the others", "computes") or it.startswith("all-reduce") for it in doing)
    assert found["recoveries"] == []


def test_a_job_of_slurm_comes_to_who_submitted_it_by_tls(home: Path, tmp_path: Path) -> None:
    """What the two agents say comes into one table here."""
    words = ("hsdp", "steps=12", "width=64", "--jsonl", "events.jsonl")
    done, log = submitted(home, tmp_path, *words)
    assert done.code == 0, done.err + log
    found = json.loads(done.out)
    assert (found["state"], [row["node"] for row in found["ranks"]]) == ("done", [0, 0, 1, 1])
    assert found["equal"] is True
    assert found["crossing_bytes_step"] > 0
    assert "Submitted batch job" in done.err
    assert "teachrun-hsdp-NUMBER.log says why" in done.err
    assert "node 1 of 2: ranks 2 to 3 of 4" in log
    assert not list(tmp_path.glob("*.join"))  # the token is of this run alone
    told = [json.loads(line) for line in (tmp_path / "events.jsonl").read_text().splitlines()]
    (file,) = home.rglob(f"{told[0]['run']}/events.jsonl.gz")
    kept = map(json.loads, gzip.decompress(file.read_bytes()).splitlines())
    # Every sign of life, and not only the newest, which is all that a panel needs.
    assert Counter((event["type"], event["rank"]) for event in told) == Counter((e[0], e[3]) for e in kept)
    assert sum(event["type"] == "beat" for event in told) > 4
