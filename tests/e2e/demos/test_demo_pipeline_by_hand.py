"""`pipeline_by_hand`: four real ranks in the order of 1F1B, and the loss of one process beside theirs."""

from __future__ import annotations

import re

import pytest
from by_hand import FOLDER, printed
from stage_host import Receiver, StageHost

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = FOLDER / "pipeline_by_hand.py"


def test_it_trains_as_one_process_does_and_keeps_as_many_as_there_are_ranks_ahead(
    stage: StageHost, receiver: Receiver
) -> None:
    said = printed(stage, receiver, FILE, 4)
    orders = dict(re.findall(r"rank (\d): ([FB]+)", said))
    assert orders["0"] == "FFFFBFBFBFBFBBBB" and orders["3"] == "FB" * 8
    assert sorted(map(int, re.findall(r"keeps (\d+)", said))) == [1, 2, 3, 4]
    [(loss, off)] = re.findall(r"loss ([\d.]+), off ([\d.]+e[-+]\d+)", said)
    assert float(loss) < 4 and float(off) < 1e-4
    assert len(FILE.read_text("utf-8").splitlines()) <= 100
