"""The notes beside a slide: which are marked, which stand first, and what scrolling does to them."""

from __future__ import annotations

import pytest

from slides.drawing.text import Line, plain
from slides.reading.split import split
from tui.classroom.room import Room
from tui.classroom.session import Session
from tui.deck.contents import Contents
from tui.deck.search import is_marked, row_of
from tui.panes.console.speaker_notes import Notes
from tui.rendering.pages.slide_painter import Drawing, Hits

MANY = "\n\n".join(f"first {n}" for n in range(12))
DECK = f"""\
# A

one

<!-- notes:
{MANY}
-->

<!-- pause -->

two

<!-- pause -->

three

<!-- notes: third, once -->
<!-- notes: third, twice -->

<!-- pause -->

four

---

# B

five

<!-- notes: of B -->

<!-- pause -->

six
"""


class Held:
    def __init__(self, deck: str = DECK) -> None:
        self.session = Session(Contents(split(deck, "deck.md")), screen="me")
        self.drawing = Drawing(Room(self.session, lambda what: None))
        self.notes = Notes(self.session, self.drawing)

    def window(self, height: int = 8, width: int = 40, **how: bool) -> list[str]:
        return [plain(line).rstrip() for line in self.notes.window(width, height, (), **how)]


def test_the_notes_of_this_step_are_marked_and_those_to_come_are_named_once() -> None:
    held = Held()
    rows = held.window(40)
    assert rows[1] == "▎ first 0"
    assert [row for row in rows if "from step" in row] == ["  from step 3"]
    held.session.scrub(2)
    rows = held.window(40)
    assert "  first 0" in rows and "▎ third, once" in rows and "▎ third, twice" in rows
    assert not [row for row in rows if "from step" in row]


def test_a_step_with_notes_of_its_own_brings_them_in_sight_and_one_without_leaves_them() -> None:
    held = Held()
    assert held.window()[1] == "▎ first 0" and "J K ↓" in held.window()[0]
    held.session.scrub(1)  # says nothing new
    held.notes.scroll(3)
    assert held.window()[1] == "▎" and held.window()[2] == "▎ first 2"
    held.session.scrub(1)
    rows = held.window(4)
    assert rows[1:] == ["▎ third, once", "▎", "▎ third, twice"]
    held.session.scrub(1)
    assert held.window(4) == rows


def test_scrolling_ends_at_both_ends_and_other_notes_begin_anew() -> None:
    held = Held()
    held.notes.scroll(-9)
    assert held.window()[1] == "▎ first 0"
    held.notes.scroll(900)
    assert held.window()[-1] == "  third, twice" and "J K ↑" in held.window()[0]
    held.notes.scroll(-3)
    assert held.window()[-1] != "  third, twice"
    held.session.skip(1)
    assert held.window()[1] == "of B"
    held.session.skip(-1)
    assert held.window()[1] == "▎ first 0"


def test_what_was_looked_for_is_brought_in_sight() -> None:
    held = Held()
    held.drawing.hits = Hits(0, "first")
    held.notes.bring(row_of("first 11"))
    lines: list[Line] = held.notes.window(40, 8, ())
    assert "first 11" in "".join(map(plain, lines)) and "first 2" not in "".join(map(plain, lines))
    assert any(is_marked(line) for line in lines)


@pytest.mark.parametrize("size", [(8, 12), (30, 2), (40, 1), (1, 1)])
def test_a_window_of_any_size_is_as_high_as_it_was_asked_for(size: tuple[int, int]) -> None:
    held = Held()
    width, height = size
    for _ in range(5):
        assert len(held.window(height, width)) == max(2, height)
        held.notes.scroll(2)
        held.session.next()


def test_rows_that_stand_apart_begin_at_the_same_note() -> None:
    held = Held()
    held.session.scrub(2)
    assert held.window(4, loose=True)[1] == "▎ third, once"


def test_notes_that_are_withheld_say_why() -> None:
    held = Held()
    notes = Notes(held.session, held.drawing, "LECTURE", lambda: "comes later")
    rows = [plain(line).rstrip() for line in notes.window(40, 4, ())]
    assert rows[0].startswith("LECTURE") and rows[1] == "comes later"
