"""The ring by hand, with real processes: the right sums on any number of ranks, and as a plain script."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime import catalog

pytestmark = pytest.mark.slow


def environment(home: Path) -> dict[str, str]:
    homes = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("STATE", "DATA", "CONFIG")}
    return {**os.environ, **homes, "OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 8])
def test_every_rank_ends_with_the_sums_that_torch_finds(ranks: int, tmp_path: Path) -> None:
    rounds = 3
    command = [sys.executable, "-P", "-m", "tui.cli", "run", "allreduce", "--json"]
    command += [f"ranks={ranks}", f"rounds={rounds}", "pause_ms=0", "size=5"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    run = json.loads(done.stdout)
    weight = sum(10**rank if ranks <= 6 else rank + 1 for rank in range(ranks))
    sums = [((chunk + rounds - 1) % 9 + 1) * weight for chunk in range(ranks)]
    assert run["values"]["buffer"]["ranks"] == [sums] * ranks
    assert run["values"]["summed"]["ranks"] == [[ranks] * ranks] * ranks
    assert run["tokens_per_s"] is None
    for row in run["ranks"]:
        assert row["steps"] == rounds * (2 * (ranks - 1) + 1)
        assert row["result"] == {"rounds": rounds, "equal": True, "max_difference": 0.0}
        assert row["loss"] is None
        parts = ("data", "compute", "hidden", "exposed", "wait", "optimizer", "other")
        assert sum(row[f"{part}_s"] for part in parts) == pytest.approx(row["step_s"])


def test_it_runs_by_torchrun_alone(tmp_path: Path) -> None:
    script = str(catalog.DEMOS["allreduce"].file)
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command += [script, "--rounds", "2", "--pause_ms", "0"]
    done = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("off by 0 from dist.all_reduce") == 2


def test_it_fits_beside_a_slide() -> None:
    lines = catalog.DEMOS["allreduce"].file.read_text().splitlines()
    assert len(lines) <= 110 and max(map(len, lines)) <= 110
