"""Expert parallelism on real ranks: every token home with its expert's result, and what skew does."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("ranks", "top_k"), [(2, 2), (4, 1), (4, 2)])
def test_every_choice_comes_home_or_is_counted(run: Run, ranks: int, top_k: int) -> None:
    """Result and gradients are those of one process with all experts (in `as_promised`)."""
    ran = run("expert", ranks=ranks, steps=3, tokens=64, width=32, top_k=top_k, capacity=8)
    as_promised(ran)
    calls, _ = ran.issued(step=2)
    assert calls["all-to-all"] == 5  # how many, the tokens, home; and both ways back
    figures = [ran.figures(rank) for rank in range(ranks)]
    assert [f["dropped"] for f in figures] == [0] * ranks
    assert [f["routed"] for f in figures] == [ranks * 3 * 64 * top_k] * ranks
    sent = {v.name: v.ranks for v in ran.snapshot.values}
    came = [int(own[0]) for own in sent["tokens of this expert"]]
    assert came == [sum(int(n) for n in column) for column in zip(*sent["tokens sent to each"], strict=True)]
    assert all(0.9 < own[0] < 1.6 for own in sent["balancing loss"])


def test_skew_fills_one_expert_up_to_its_room(run: Run) -> None:
    wide, tight = (
        run("expert", ranks=4, steps=3, tokens=64, width=32, skew=5, top_k=1, capacity=c) for c in (8, 1.25)
    )
    for ran in (wide, tight):
        as_promised(ran)
    fullest = wide.figures()["fullest"]
    assert isinstance(fullest, float) and fullest > 3 and wide.figures()["dropped"] == 0
    sent = next(v.ranks for v in tight.snapshot.values if v.name == "tokens sent to each")
    assert [own[0] for own in sent] == [20.0] * 4  # ceil(1.25 * 64 / 4)
    for rank in range(4):
        dropped = tight.figures(rank)["dropped"]
        assert isinstance(dropped, int) and dropped > 3 * 20
    [balance] = [v.ranks for v in wide.snapshot.values if v.name == "balancing loss"]
    assert all(own[0] > 2.5 for own in balance)  # four where all want one
