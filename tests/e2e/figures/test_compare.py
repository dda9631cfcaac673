"""`teachrun compare` on real ranks: one training, several strategies, a table that is true."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from teachrun_process import TEACHRUN, teachrun

from tui import cli

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


def test_the_same_training_by_three_strategies() -> None:
    line = ["ddp", "zero stage=1", "fsdp", "--ranks", "2", "--steps", "6", "--runs", "2", "--json"]
    code, out, err = teachrun("compare", *line)
    assert code == 0, err
    table = json.loads(out)
    assert (table["ranks"], table["steps"], table["runs"]) == (2, 6, 2)
    ddp, zero, fsdp = table["strategies"]
    assert [row["same_loss"] for row in (ddp, zero, fsdp)] == [True] * 3
    assert [row["runs"] for row in (ddp, zero, fsdp)] == [2] * 3
    for row in (ddp, zero, fsdp):
        assert 0 < row["step_low_s"] <= row["step_s"] <= row["step_high_s"]
        assert 0 <= row["exposed"] < 1 and row["tokens_per_s"] > 0
    whole = ddp["memory_by_kind_bytes"]
    assert zero["memory_by_kind_bytes"]["optimizer_bytes"] < 0.6 * whole["optimizer_bytes"]
    assert fsdp["memory_by_kind_bytes"]["params"] == whole["params"] / 2
    # Every gradient is all-reduced once; in one step of the mean DDP tells all ranks its new buckets besides.
    assert ddp["payload_bytes_step"] == pytest.approx(whole["grads"], rel=1e-3)
    assert ddp["wire_bytes_step"] == pytest.approx(ddp["theory_bytes_step"], rel=0.03)
    assert ddp["memory_bytes"] == sum(whole.values()) > fsdp["memory_bytes"]


def test_a_markdown_table() -> None:
    line = ["ddp", "fsdp", "steps=2", "runs=1", "ranks=1", "--markdown"]
    code, out, err = teachrun("compare", *line)
    assert code == 0, err
    rows = [row for row in out.splitlines() if row.startswith("|")]
    assert len(rows) == 4 and rows[2].startswith("| ddp |")
    assert "LIVE CPU" in out


def test_a_refusal_is_said_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compare", "ddp", "fdsp"]) == 2
    assert "did you mean fsdp?" in capsys.readouterr().err


def test_ctrl_c_ends_everything() -> None:
    line = ["ddp", "fsdp", "steps=100000", "ranks=2"]
    running = subprocess.Popen(
        [*TEACHRUN, "compare", *line], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stderr is not None
    for said in running.stderr:
        if "step" in said:
            break
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 130
    assert out == ""
    deadline = time.monotonic() + 3
    while _ours(running.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _ours(running.pid)


def _ours(pid: int) -> list[str]:
    """Processes that bear the mark of the run with this process id."""
    mark = f"TEACHRUN_CLASS=run-{pid}".encode()
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit():
            with contextlib.suppress(OSError):
                if mark in (process / "environ").read_bytes():
                    found.append(process.name)
    return found
