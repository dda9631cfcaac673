"""Real ranks of `ddp_by_hand` and `hsdp_by_hand`, beside DDP and `fully_shard` on a mesh."""

from __future__ import annotations

import re

import pytest
from by_hand import FOLDER, printed
from stage_host import Receiver, StageHost

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]


def test_ddp_by_hand_trains_as_ddp_does(stage: StageHost, receiver: Receiver) -> None:
    said = printed(stage, receiver, FOLDER / "ddp_by_hand.py", 3)
    found = re.findall(r"loss ([\d.]+), off (\S+); copies apart by ([\d.]+), then by (\S+)", said)
    assert len(found) == 3 and len({loss for loss, *_ in found}) == 3  # each rank reads its own data
    for loss, off, before, after in found:
        assert float(loss) < 4 and float(off) < 1e-4
        assert float(before) > 1 and float(after) == 0  # other models at first, then the same to the last bit


def test_hsdp_by_hand_trains_as_the_library_does_and_hands_over_more_near_than_far(
    stage: StageHost, receiver: Receiver
) -> None:
    said = printed(stage, receiver, FOLDER / "hsdp_by_hand.py", 4)
    found = re.findall(r"loss ([\d.]+), off (\S+); a step: (\d+) kB near, (\d+) kB far", said)
    assert len(found) == 4 and len({loss for loss, *_ in found}) == 4
    assert all(float(loss) < 4 and float(off) < 1e-4 for loss, off, *_ in found)
    assert {round(int(near) / int(far)) for *_, near, far in found} == {4}  # two whole models, half a one
