"""`fsdp_by_hand`: three real ranks, uneven slices, and the losses of `fully_shard` beside its own."""

from __future__ import annotations

import re

import pytest
from by_hand import FOLDER, printed
from stage_host import Receiver, StageHost

pytest.importorskip("torch")
pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]
FILE = FOLDER / "fsdp_by_hand.py"


def test_it_trains_as_the_library_does_and_never_holds_more_than_a_unit(
    stage: StageHost, receiver: Receiver
) -> None:
    said = printed(stage, receiver, FILE, 3)
    found = re.findall(r"loss ([\d.]+), off (\S+); gathered at most (\d+) kB", said)
    assert len(found) == 3 and len({loss for loss, _, _ in found}) == 3  # each rank reads its own data
    assert all(float(loss) < 4 and float(off) < 1e-3 for loss, off, _ in found)
    assert {int(most) for _, _, most in found} == {198}  # the largest unit, a block
    assert len(FILE.read_text("utf-8").splitlines()) <= 100
