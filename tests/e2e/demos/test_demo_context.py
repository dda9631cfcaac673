"""Ring attention on real ranks: the result of the whole sequence, and who has how much to do."""

from __future__ import annotations

import pytest
from demo_run import Run, as_promised

from runtime.catalog import registry
from runtime.catalog.registry import Refusal
from runtime.protocol.events import Collective

pytest.importorskip("torch")
pytestmark = pytest.mark.slow


@pytest.mark.parametrize(("ranks", "order"), [(2, "zigzag"), (4, "zigzag"), (4, "plain")])
def test_the_ring_gives_attention_over_the_whole_sequence(run: Run, ranks: int, order: str) -> None:
    ran = run("context", ranks=ranks, steps=3, seq=256, order=order)
    as_promised(ran)
    pairs = [ran.figures(rank)["pairs"] for rank in range(ranks)]
    assert pairs == [2 * ranks + 1 if order == "zigzag" else 4 * rank + 3 for rank in range(ranks)]


def test_keys_and_values_go_round_once_and_their_gradients_back(run: Run) -> None:
    ran = run("context", ranks=4, steps=3, seq=256, order="plain")
    share = 4 * 2 * 4 * 64 * 32  # fp32, keys and values, heads, tokens, width
    calls, size = ran.issued(step=2, rank=1)
    assert calls == {"send": 6, "receive": 6}
    assert size == {"send": 6 * share, "receive": 6 * share}
    peers = {(e.op, e.peer) for e in ran.events if isinstance(e, Collective) and e.rank == 1}
    assert peers == {("send", 2), ("receive", 0), ("send", 0), ("receive", 2)}


def test_a_sequence_that_does_not_fall_into_chunks_is_refused() -> None:
    refusal = registry.check("context", {"ranks": "3", "seq": "64"})
    assert isinstance(refusal, Refusal) and refusal.mend == "write seq=66"
