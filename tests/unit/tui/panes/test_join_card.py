"""The card by which phones join: in letters for the back row where there is room, and never wider."""

from __future__ import annotations

import pytest
from read_letters import read

from runtime.protocol.messages import Phones
from slides.drawing import cells
from slides.drawing.text import plain
from tui.panes import join_card

URL = "http://192.168.178.125:18765"


def card(width: int, height: int, url: str = URL) -> str:
    """As it is, and once more without what is scanned beside it, whose blocks are no letters."""
    lines = join_card.lines(Phones("on", url, "ELPMT", here=3, seats=4), width, height, console=True)
    assert len(lines) <= height and all(cells.line_width(line) <= width for line in lines)
    shown = [plain(line) for line in lines]
    beside = next(found for line in shown if (found := line.find("code ELPMT")) >= 0)
    return "\n".join([*shown, *(line[beside:] for line in shown)])


@pytest.mark.parametrize(
    ("width", "height"), [(60, 16), (80, 22), (100, 28), (120, 34), (160, 43), (200, 58)]
)
def test_what_is_to_be_done_is_there_at_any_size(width: int, height: int) -> None:
    for url in (URL, "https://a-rather-long-name-of-a-class.example.org:8443"):
        shown = read(card(width, height, url))
        assert "Answer with your phone" in shown and "ELPMT" in shown
        assert url in shown


@pytest.mark.parametrize(("width", "height"), [(160, 43), (200, 58)])
def test_the_address_is_in_letters_where_a_room_looks_at_it(width: int, height: int) -> None:
    assert URL not in card(width, height)
