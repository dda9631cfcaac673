"""`checkpoint_by_hand`: shares of four ranks are read by two, and nothing of it shows in the loss."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from by_hand import FOLDER, printed
from stage_host import Receiver, StageHost

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = FOLDER / "checkpoint_by_hand.py"
LAST = re.compile(r"step 20, loss of all ([\d.]+), a share of (\d+) kB")


def test_two_go_on_from_the_shares_of_four_as_one_that_never_stopped(
    stage: StageHost, receiver: Receiver, tmp_path: Path
) -> None:
    cut, never = str(tmp_path / "cut"), str(tmp_path / "never")
    printed(stage, receiver, FILE, 4, cut)
    (tmp_path / "cut" / "step-000015").mkdir()  # somebody died while saving: it has no mark
    said = printed(stage, receiver, FILE, 2, cut, "10")
    assert "2 ranks go on with step 10, from the shares of 4" in said
    alone = LAST.findall(printed(stage, receiver, FILE, 1, never, "20"))
    losses, sizes = zip(*LAST.findall(said), strict=True)
    assert len(losses) == 2 and len(alone) == 1
    assert all(float(loss) == pytest.approx(float(alone[0][0]), abs=2e-5) for loss in losses)
    assert all(int(size) == pytest.approx(int(alone[0][1]) / 2, rel=0.02) for size in sizes)
