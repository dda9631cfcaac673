"""The tour: what it asks for exists, is noticed when it is done, and nothing it says is out of date."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_screen import Screenful, until

import slides
from slides.deck import Head
from slides.drawing import cells
from slides.drawing.text import plain
from slides.reading.split import load, split
from tui.classroom.things_to_try import Practice, action_of
from tui.deck.contents import Contents
from tui.keys import table
from tui.keys.table import ACTIONS, label
from tui.keys.user_keymap import keymap

TOUR = Path(slides.__file__).parent / "courses" / "tour.md"


def head(*tries: str) -> Head:
    return Head("a", 0, 1, "A", "# A", tries=tries)


def test_the_setting_is_words() -> None:
    deck = split(
        "<!-- slide: {try: freeze blank} -->\n# A\n\n---\n\n<!-- slide:\ntry: help, quit\n-->\n# B\n", "d.md"
    )
    assert [slide.tries for slide in deck.slides] == [("freeze", "blank"), ("help", "quit")]
    assert deck.problems == ()


def test_a_mark_appears_for_what_was_done_and_for_nothing_else() -> None:
    practice, slide = Practice(), head("freeze", "digit", "timer", "timer")

    def shown() -> list[str]:
        return [plain(line) for line in practice.lines(slide, 80)]

    assert shown() == [
        "",
        "TRY IT  4 left",
        "○ z             Freeze the audience",
        "○ 1 … 9         Look at it another way, or answer",
        "○ t             Timer: start or pause",
        "○ t             Timer: start or pause",
    ]
    before = practice.token(slide)
    assert not practice.did(slide, "blank") and practice.token(slide) == before
    assert practice.did(slide, "digit(3)") and practice.token(slide) != before
    assert not practice.did(slide, "digit(4)")
    assert practice.did(slide, "timer")
    assert practice.marks(slide) == [False, True, True, False]
    assert practice.did(slide, "timer") and practice.did(slide, "freeze")
    assert (
        shown()[1] == "TRY IT  all done: → goes on"
        and shown()[2] == "✓ z             Freeze the audience  done"
    )
    assert practice.marks(head("blank")) == [False]


def test_a_misspelt_action_is_named_on_its_slide() -> None:
    lines = Practice().lines(head("freze"), 80)
    assert plain(lines[-1]) == "○ there is no action `freze` to try; did you mean `freeze`?"
    assert all(cells.line_width(line) <= 30 for line in Practice().lines(head("freze", "digit"), 30))


def test_everything_the_tour_asks_for_is_in_the_table() -> None:
    deck = load(TOUR)
    assert deck.problems == ()
    contents = Contents(deck)
    asked = {name for slide in deck.slides for name in slide.tries}
    assert all(action_of(name) for name in asked)
    # Who has done the tour has pressed what a class needs.
    assert asked >= {
        *(
            "next_step",
            "help",
            "palette",
            "go_to",
            "overview",
            "search",
            "layout",
            "blank",
            "freeze",
            "timer",
        ),
        *("demo", "digit", "panel", "reveal", "recall", "faults", "play", "narrate", "record", "theme"),
    }
    for index in range(len(contents)):
        assert contents.slide(index).problems == ()


def test_keys_that_the_tour_names_in_its_words_are_the_tables() -> None:
    text = TOUR.read_text()
    keys = {label(key) for action in ACTIONS for key in action.keys}
    for named in ("Esc", "Enter", "q"):
        assert named in text and named in keys


@pytest.mark.parametrize("preset", ["", "pdfpc"])
async def test_every_key_that_it_tells_is_noticed(preset: str, tmp_path: Path) -> None:
    table.rebind(keymap(tmp_path / "none", preset).keys)
    try:
        full = Screenful(TOUR.read_text())
        async with full.app.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            for slide in full.session.contents.heads:
                full.app.classroom.notes_wanted = False  # as who has tried it leaves it
                for n, name in enumerate(slide.tries):
                    full.app.jumped((slide.index, 0))
                    action = action_of(name)
                    assert action is not None and action.keys, name
                    for _ in range(100):  # where the layout has changed, it is scrolled to
                        if name == "digit" or f"○ {label(action.keys[0])}" in full.text():
                            break
                        await pilot.pause(0.01)
                    assert name == "digit" or f"○ {label(action.keys[0])}" in full.text(), name
                    await pilot.press(action.keys[0])
                    done = full.app.classroom.drawing.practice.marks(slide)
                    assert done[: n + 1] == [True] * (n + 1), (slide.id, name)
                    while full.app.screen is not full.app.classroom:
                        await pilot.press("escape")
                    full.app.actions.audience.close()
    finally:
        table.rebind({})


async def test_pressing_a_key_marks_it_and_the_marks_stay() -> None:
    full = Screenful(TOUR.read_text())
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "1 left" in full.text() and "Next step" in full.text()
        await pilot.press("right", "right", "left")
        await until(pilot, lambda: "1 left" in full.text())
        assert "1 left" in full.text()
        await pilot.press("z")  # something else just works
        assert full.session.state.shown == "frozen"
        await pilot.press("z", "right_square_bracket", "left_square_bracket")
        await until(pilot, lambda: "all done: → goes on" in full.text())
        assert "all done: → goes on" in full.text()
        await pilot.press("right_square_bracket", "question_mark", "escape", "colon", "escape")
        await pilot.pause(0.1)
        assert "all done: → goes on" in full.text() and full.session.slide.id == "help"


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
async def test_every_slide_of_it_fits(size: tuple[int, int]) -> None:
    full = Screenful(TOUR.read_text())
    async with full.app.run_test(size=size) as pilot:
        await pilot.pause()
        for index in full.session.contents.visible:
            full.app.jumped((index, full.session.contents.slide(index).steps - 1))
            assert full.app.classroom.slide.overflow == 0, full.session.slide.id


async def test_an_audience_is_asked_nothing() -> None:
    full = Screenful(TOUR.read_text(), role="audience")
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "TRY IT" not in full.text()
