"""`tensor_by_hand`: four real ranks, whole tokens and a share of them, and the loss of one process beside."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.demos import torchrun_by_hand

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = Path(torchrun_by_hand.__file__).with_name("tensor_by_hand.py")


@pytest.mark.parametrize(("ranks", "way"), [("4", "sequence"), ("2", "tensor")])
def test_it_trains_as_one_process_does(ranks: str, way: str) -> None:
    command = [sys.executable, torchrun_by_hand.__file__, ranks, str(FILE), way]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=200)
    assert ran.returncode == 0, ran.stderr
    found = re.findall(rf"{way}, loss ([\d.]+), off ([\d.]+e[-+]\d+)", ran.stdout)
    assert len(found) == int(ranks) and len({loss for loss, _ in found}) == 1  # one batch for all
    assert all(float(loss) < 4 and float(off) < 1e-4 for loss, off in found)
    assert len(FILE.read_text("utf-8").splitlines()) <= 100
