"""What matters most in a view, in letters for the last row of a room."""

from __future__ import annotations

import made_snapshots as made
import pytest
from msgspec.structs import replace

from runtime.estimate.request import read, request
from slides.drawing.cells import line_width
from slides.drawing.large import read_letters
from slides.drawing.text import Line, Span, Style, plain
from tui.views.estimate_screen import screen
from tui.views.panel import panel
from tui.views.parts.headline import first_part, headline


def said(lines: list[Line], left: int = 2) -> list[str]:
    """What stands there in letters, without the margin."""
    rows = [plain(line)[left:] for line in lines]
    found = (read_letters.words(rows[n : n + 3]) for n in range(len(rows) - 2))
    return [words for words in found if words]


def test_as_few_rows_of_letters_as_can_be() -> None:
    line = (Span("rank 2 was killed", Style("bad", bold=True)),)
    wide, close, closer = (headline(line, width, 2) for width in (60, 40, 24))
    assert [len(rows) for rows in (wide, close, closer)] == [3, 3, 6]
    assert line_width(wide[0]) > line_width(close[0]) and max(map(line_width, closer)) <= 24
    assert " ".join(said(closer, 0)) == "rank 2 was killed"
    assert headline(line, 24, 1) == [] and headline((Span("名 is no letter"),), 200) == []


def test_of_several_parts_two_are_in_letters_and_the_others_below() -> None:
    parts = ("back after 3 s", "3 steps lost", "forked 41 ms")
    line = tuple(span for part in parts for span in (Span(part), Span(" · ")))[:-1]
    for width, large, small in ((100, "back after 3 s · 3 steps lost", parts[2]), (40, parts[0], parts[1])):
        lines = first_part(line, width)
        assert len(lines) == 4 and said(lines[:3], 0) == [large] and small in plain(lines[3])
    assert first_part(line, 12) == []


@pytest.mark.parametrize("size", [(160, 43), (200, 58)])
def test_the_room_reads_what_went_wrong_and_what_each_rank_said_last(size: tuple[int, int]) -> None:
    stalled = said(panel(made.stalled(), *size, hints=False))
    assert any("rank 2 has been silent" in words for words in stalled)
    assert not any("silent" in words for words in said(panel(made.full(), *size, hints=False)))
    tails = tuple((f"shard {rank} of 4", f"loss {rank}.25") for rank in range(4))
    lines = panel(replace(made.full(), tails=tails), *size, view="log", hints=False)
    assert [words for words in said(lines) if "loss" in words] == [f"loss {rank}.25" for rank in range(4)]
    assert sum("shard" in plain(line) for line in lines) == 4
    assert said(panel(replace(made.full(), tails=tails), 100, 28, view="log", hints=False)) == []


def test_the_collective_that_takes_most_of_a_step_is_in_letters() -> None:
    lines = panel(made.mixed(), 160, 43, view="collectives", hints=False)
    (words,) = [words for words in said(lines) if "scatter" in words]
    assert words.startswith("reduce-scatter") and "7.2 ms" in words and "exposed" in words


def test_an_estimate_says_in_letters_whether_it_fits() -> None:
    for asked, verdict in (("zero=3", "fits"), ("zero=0", "does not fit")):
        found = request(read(f"model=llama3-8b gpu=h100 dp=8 {asked} seq=8192".split()))
        left = [(Span(plain(line).partition("│")[0]),) for line in screen(found, 0, 160, 45)]
        assert any(words.endswith(f"GB {verdict}") for words in said(left, 0))
        assert said([(Span(plain(line)),) for line in screen(found, 0, 100, 30)], 0) == []
