"""What a wrong tensor usually means, by its numbers."""

from __future__ import annotations

import pytest
import torch

from runtime.ranks.practice import compare_tensors
from runtime.ranks.practice.compare_tensors import compare

HELD = [torch.randn(8, generator=torch.Generator().manual_seed(rank)) for rank in range(4)]
SUM = torch.stack(HELD).sum(0)
FORGOT = torch.cat((SUM[:4], HELD[0][4:6], SUM[6:]))
RIGHT = [HELD[(rank - 1) % 4] for rank in range(4)]


@pytest.mark.parametrize(
    ("got", "wanted", "meaning"),
    [
        (SUM, SUM / 4, "the sum instead of the mean"),
        (SUM / 4, SUM, "divided by 4 once too often"),
        (SUM - HELD[2], SUM, "what rank 2 puts in is missing"),
        (SUM + HELD[1], SUM, "what rank 1 puts in is counted twice"),
        (HELD[3], SUM, "it is what rank 3 put in, alone"),
        (HELD[0], SUM, "it is what this rank began with"),
        (FORGOT, SUM, "chunk 2 was forgotten: still this rank's own numbers"),
        (torch.cat((SUM[:6], SUM[:2])), SUM, "only chunk 3 is wrong"),
        (torch.zeros(8), SUM, "all zeros"),
        (SUM * float("nan"), SUM, "NaNs"),
        (None, SUM, "is a `return` missing?"),
        (SUM[:2], SUM, "the part of one rank instead of the whole"),
        (HELD[2], HELD[3], "that is what rank 3 should have: off by one rank"),
        (HELD[0] + HELD[3], SUM, "the sum of what ranks 0, 3 put in"),
        (SUM.roll(2), SUM, "in the order 3, 0, 1, 2"),
        (96 * SUM, SUM, "every number is 96 times too large"),
        (SUM / 18, SUM, "every number is 18 times too small"),
        (-SUM, SUM, "right but for the sign"),
        (SUM.floor(), SUM, "rounded down to whole numbers"),
    ],
)
def test_patterns(got: torch.Tensor | None, wanted: torch.Tensor, meaning: str) -> None:
    of_ranks = RIGHT if wanted is HELD[3] else ()
    trouble = compare(
        "it",
        got,
        wanted,
        world=4,
        rank=0,
        before=HELD[0],
        parts=HELD if wanted is SUM else (),
        of_ranks=of_ranks,
    )
    assert trouble is not None and meaning in trouble.meaning


def test_what_is_right_is_no_trouble_and_the_first_wrong_element_is_named() -> None:
    assert compare("it", SUM + 1e-7, SUM, world=4, rank=0) is None
    other = SUM.clone()
    other[5] = 9.0
    trouble = compare("it", other, SUM, world=4, rank=0)
    assert trouble is not None and (trouble.where, trouble.got) == ("element [5]", "9")
    assert trouble.text == "it is wrong: 1 of 8 elements"


def test_what_arrives_while_it_is_compared_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """An all-reduce that nobody waited for is still writing into the student's tensor."""
    got = SUM + 1
    same = compare_tensors.isclose

    def late(*args: torch.Tensor, **near: float) -> torch.Tensor:
        found = same(*args, **near)
        got.copy_(SUM)
        return found

    monkeypatch.setattr(compare_tensors, "isclose", late)
    trouble = compare("it", got, SUM, world=4, rank=0)
    assert trouble is not None and trouble.expected != trouble.got


class _Agrees:
    """It says yes to whatever it is compared with."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]


class _Pretends(torch.Tensor):
    """A tensor that answers for itself whether it is close to another."""

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
        return (
            True if "close" in func.__name__ else super().__torch_function__(func, types, args, kwargs or {})
        )


def test_what_answers_for_itself_is_not_asked() -> None:
    assert compare_tensors.alike(torch.tensor(3), 3) and compare_tensors.alike((1, [2.0]), (1, [2.0]))
    assert not compare_tensors.alike(_Agrees(), 3) and not compare_tensors.alike([_Agrees()], [3])
    found = compare("it", torch.zeros(8).as_subclass(_Pretends), SUM, world=4, rank=0)
    assert found is not None and found.kind == "wrong"
