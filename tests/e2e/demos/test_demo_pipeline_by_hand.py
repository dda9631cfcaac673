"""`pipeline_by_hand`: four real ranks in the order of 1F1B, and the loss of one process beside theirs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.demos import torchrun_by_hand

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = Path(torchrun_by_hand.__file__).with_name("pipeline_by_hand.py")


def test_it_trains_as_one_process_does_and_keeps_as_many_as_there_are_ranks_ahead() -> None:
    command = [sys.executable, torchrun_by_hand.__file__, "4", str(FILE)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert ran.returncode == 0, ran.stderr
    orders = dict(re.findall(r"rank (\d): ([FB]+)", ran.stdout))
    assert orders["0"] == "FFFFBFBFBFBFBBBB" and orders["3"] == "FB" * 8
    assert sorted(map(int, re.findall(r"keeps (\d+)", ran.stdout))) == [1, 2, 3, 4]
    [(loss, off)] = re.findall(r"loss ([\d.]+), off ([\d.]+e[-+]\d+)", ran.stdout)
    assert float(loss) < 4 and float(off) < 1e-4
    assert len(FILE.read_text("utf-8").splitlines()) <= 100
