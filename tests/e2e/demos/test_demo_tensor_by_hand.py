"""`tensor_by_hand`: four real ranks, whole tokens and a share of them, and the loss of one process beside."""

from __future__ import annotations

import re

import pytest
from by_hand import FOLDER, printed
from stage_host import Receiver, StageHost

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = FOLDER / "tensor_by_hand.py"


@pytest.mark.parametrize(("ranks", "way"), [(4, "sequence"), (2, "tensor")])
def test_it_trains_as_one_process_does(stage: StageHost, receiver: Receiver, ranks: int, way: str) -> None:
    said = printed(stage, receiver, FILE, ranks, way)
    found = re.findall(rf"{way}, loss ([\d.]+), off ([\d.]+e[-+]\d+)", said)
    assert len(found) == ranks and len({loss for loss, _ in found}) == 1  # one batch for all
    assert all(float(loss) < 4 and float(off) < 1e-4 for loss, off in found)
    assert len(FILE.read_text("utf-8").splitlines()) <= 100
