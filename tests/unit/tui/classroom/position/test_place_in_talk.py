"""Where in the talk a slide is, as its footer says it."""

from __future__ import annotations

from made_decks import read
from msgspec.structs import replace

from tui.classroom.position.place_in_talk import before_a_class
from tui.deck.contents import Contents


def test_what_is_the_teachers_is_not_said_before_a_class() -> None:
    contents = Contents(read("# A\n\n---\n\n# B\n\n---\n\n<!-- end -->\n\n# C\n", "native"))
    first, _, backup = (before_a_class(contents, index) for index in range(3))
    assert first.words == "slide 1/2" and first.percent is None
    assert backup.words == "backup +1"
    assert replace(backup, backups=3).words == "backup +1/3"
    assert replace(first, backups=3).words == "slide 1/2 (+3 backup)"
