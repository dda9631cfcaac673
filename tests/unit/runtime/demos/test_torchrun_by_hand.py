"""The launcher by hand, and the two scripts that lesson 3 goes from and to."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runtime.demos import torchrun_by_hand as hand
from slides.reading.markdown import diffs

DEMOS = Path(hand.__file__).parent
# In one write: three processes say it into one pipe, and Python may have been told not to buffer.
SAY = "import os; os.write(1, (' '.join(os.environ[n] for n in {names}) + '\\n').encode())"


def test_each_is_told_who_it_is(capfd: pytest.CaptureFixture[str]) -> None:
    names = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")
    assert hand.watch(hand.start(3, [sys.executable, "-c", SAY.format(names=names)])) == 0
    said = sorted(line.split() for line in capfd.readouterr().out.splitlines())
    assert [line[:3] for line in said] == [[str(rank), str(rank), "3"] for rank in range(3)]
    assert len({tuple(line[3:]) for line in said}) == 1  # all meet at one place


def test_when_one_fails_all_others_are_ended(capfd: pytest.CaptureFixture[str]) -> None:
    """They would sleep for an hour."""
    script = "import os, sys, time; os.environ['RANK'] == '1' and sys.exit(7); time.sleep(3600)"
    started = hand.start(3, [sys.executable, "-c", script])
    assert hand.watch(started) == 7
    assert all(process.returncode is not None for process in started)
    assert "rank 1 has ended with 7" in capfd.readouterr().out


def test_the_distributed_script_has_the_loop_of_the_other() -> None:
    old, new = ((DEMOS / f"{name}.py").read_text("utf-8") for name in ("alone", "together"))
    signed = diffs.between(old, new, None)
    rows = list(zip(signed.signs, signed.source.split("\n"), strict=True))
    same = [line for sign, line in rows if sign == " "]
    assert any("loss.backward()" in line for line in same)
    assert any("optimizer.step()" in line for line in same)
    added = "\n".join(line for sign, line in rows if sign == "+")
    for word in (
        "init_process_group",
        "DistributedDataParallel(",
        "sampler=sampler",
        "set_epoch",
        "get_rank",
    ):
        assert word in added
    for name in ("alone", "together", "torchrun_by_hand"):
        assert len((DEMOS / f"{name}.py").read_text("utf-8").splitlines()) <= 100
