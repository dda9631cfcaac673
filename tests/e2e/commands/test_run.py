"""`teachrun run` and its neighbours as a user starts them; a run to its end is in `test_runs_command.py`."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from folders import own_folders
from teachrun_process import TEACHRUN, teachrun

from runtime.launch.processes import marked

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def home() -> Iterator[Path]:
    with own_folders() as home:
        yield home


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*TEACHRUN, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def left_of(pid: int) -> list[int]:
    return [process.own.pid for process in marked(f"run-{pid}")]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("ddp", "ranks=0"), "write ranks= with a whole number from 1 to 64"),
        (("ddpd",), "did you mean ddp?"),
        (("ddp", "ranks"), "is not key=value"),
        ((), "no demo is named"),
        (("ddp", "--jsonl", "/nowhere/at/all"), "cannot be written"),
        (("ddp", "--json", "--jsonl", "-"), "both want stdout"),
    ],
)
def test_bad_input_is_one_line_and_status_2(words: tuple[str, ...], says: str) -> None:
    code, out, err = teachrun("run", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1


def test_ctrl_c_stops_all_ranks_and_says_so() -> None:
    process = start("run", "ddp", "ranks=2", "steps=100000", "--jsonl", "-")
    assert process.stdout is not None
    for line in process.stdout:
        if json.loads(line)["type"] == "step":
            break
    assert len(left_of(process.pid)) == 4  # the stage, two ranks and who keeps their store
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "all 2 ranks are gone" in err
    assert "ddp · 2 ranks · gloo · cpu · LIVE CPU" in err  # the table, since stdout has the events
    rows = [line.split()[0] for line in err.splitlines() if len(line.split()) >= 10]
    assert {"0", "1"} <= set(rows), err  # a row per rank; their figures may be dashes
    assert left_of(process.pid) == []


def test_a_closed_pipe_ends_the_run() -> None:
    process = start("run", "ddp", "ranks=2", "steps=100000", "--jsonl", "-")
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=60) == 130
    assert left_of(process.pid) == []


def test_a_timeout_is_a_failure_with_a_reason() -> None:
    code, _, err = teachrun("run", "ddp", "ranks=2", "--timeout", "0.5")
    assert code == 1
    assert "ended by its timeout of 0.5 s" in err


def test_list_path_ps_and_stop_with_nothing_there() -> None:
    code, out, _ = teachrun("path", "ddp")
    assert code == 0 and out.endswith("ddp.py\n") and Path(out.strip()).is_file()
    assert teachrun("path", "ddpd")[0] == 2
    code, out, _ = teachrun("list", "--json")
    assert code == 0 and "ddp" in [demo["name"] for demo in json.loads(out)["demos"]]
    assert "ddp" in teachrun("list")[1]
    assert "bucket_mb" in teachrun("list", "ddp")[1]
    code, _, err = teachrun("list", "ddpd")
    assert code == 2 and "did you mean ddp?" in err
    assert teachrun("stop")[:2] == (0, "nothing to stop: no class is running\n")
    assert teachrun("stop", "--class", "../x")[0] == 2


def test_ps_shows_a_class_and_stop_ends_it() -> None:
    from runtime.host.client import start_host
    from runtime.paths import live_classes

    host = start_host("shown")
    deadline = time.monotonic() + 10
    while "shown" not in live_classes() and time.monotonic() < deadline:
        time.sleep(0.02)
    found = json.loads(teachrun("ps", "--json")[1])["processes"]
    mine = [process for process in found if process["class"] == "shown"]
    assert [(process["pid"], process["what"]) for process in mine] == [(host.pid, "host")]
    code, out, _ = teachrun("stop")
    assert (code, out) == (0, "class shown is stopped: 1 process ended, none left\n")
    assert host.wait(timeout=5) == 0
