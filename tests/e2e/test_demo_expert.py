"""Expert parallelism on real ranks: every token home with its expert's result, and what skew does."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize("ranks", [2, 4])
def test_every_token_comes_home(run: Run, ranks: int) -> None:
    ran = run("expert", ranks=ranks, steps=3)
    as_promised(ran)
    fullest = ran.figures()["fullest"]
    assert isinstance(fullest, float) and fullest < 1.25
    calls, size = ran.issued(step=2)
    assert calls["all-to-all"] == 3  # how many, the tokens, and home
    sent = {v.name: v.ranks for v in ran.snapshot.values}
    came = [int(figures[0]) for figures in sent["tokens of this expert"]]
    # What an all-to-all counts is its larger side; int64 counts, then rows of 128 floats.
    assert size["all-to-all"] == 8 * ranks + 2 * 4 * 128 * max(512, came[0])
    assert came == [sum(int(n) for n in column) for column in zip(*sent["tokens sent to each"], strict=True)]


def test_skew_fills_one_expert(run: Run) -> None:
    ran = run("expert", ranks=4, steps=4, skew=3, tokens=1024)
    as_promised(ran)
    fullest = ran.figures()["fullest"]
    assert isinstance(fullest, float) and fullest > 3
    [came] = [v.ranks for v in ran.snapshot.values if v.name == "tokens of this expert"]
    assert came[0][0] > 3 * sum(n for rank in came[1:] for n in rank)
