"""Orders of collectives: what both streams do, and the fewest steps beside every order there is."""

from __future__ import annotations

from itertools import permutations

import pytest

from runtime.puzzles.registry import listed
from runtime.puzzles.streams import Collective, Streams, Work, best
from runtime.puzzles.verdict import Unreadable

TWO = Streams(
    (Work("F1", 2, ("a1",)), Work("F2", 2, ("a2",)), Work("B2", 4, ("a2",)), Work("B1", 4, ("b1",))),
    (
        Collective("a1", 3, "", "F1"), Collective("a2", 3, "", "B2"), Collective("r2", 3, "B2"),
        Collective("b1", 3, "", "B1"), Collective("r1", 3, "B1"),
    ),
    2,
)  # fmt: skip


def test_both_streams_by_hand() -> None:
    """One slot after the other: a2 from 3 to 6 while F1 works, b1 when F1 has let go of its slot."""
    played = TWO.play(["a1", "a2", "b1", "r2", "r1"])
    assert [(one.name, one.start, one.end) for one in played.sent] == [
        ("a1", 0, 3), ("a2", 3, 6), ("b1", 6, 9), ("r2", 12, 15), ("r1", 16, 19),
    ]  # fmt: skip
    assert [(one.name, one.start) for one in played.work] == [("F1", 3), ("F2", 6), ("B2", 8), ("B1", 12)]
    assert TWO.judge("a1 a2 b1 r2 r1").score == 19


@pytest.mark.parametrize("slots", [1, 2, 3])
def test_no_order_takes_fewer_steps(slots: int) -> None:
    streams = Streams(TWO.work, TWO.collectives, slots)
    every = [streams.play(order) for order in permutations(streams.first())]
    assert best(streams)[0] == min(played.steps for played in every if not played.stuck)


def test_the_gradients_of_all_orders() -> None:
    rules = listed()["gradients-first"].rules
    assert isinstance(rules, Streams)
    every = [rules.play(order) for order in permutations(rules.first())]
    assert best(rules)[0] == min(played.steps for played in every if not played.stuck) == 16


def test_an_order_can_stand_still_and_says_why() -> None:
    narrow = Streams(TWO.work, TWO.collectives, 1)
    judged = narrow.judge("a1 b1 a2 r2 r1")
    assert judged.score is None
    assert judged.faults[0].text == (
        "deadlock: a2 waits for a free slot, F2 waits for a2, which comes later in the queue"
    )
    assert "r1 waits for B1" in TWO.judge("r1 a1 a2 b1 r2").faults[0].text


@pytest.mark.parametrize("text", ["a1", "a1 a1 a2 r2 b1 r1", "a1 a2 r2 b1 r1 x", ""])
def test_an_order_names_each_once(text: str) -> None:
    with pytest.raises(Unreadable):
        TWO.judge(text)
