"""The teacher's console: its layouts, the clock and what is left out."""

from __future__ import annotations

from typing import Any

import pytest
from made_console import DECK, acts, linked, rows_of, seen
from made_screen import FakeLink, Screenful, press, settle, snapshot, until

from runtime.classroom.actions import Drop, Timer, Until
from runtime.classroom.state import ClassState
from runtime.protocol.messages import Publish, Refused
from slides.deck import Scene
from slides.drawing.large import letters
from slides.export.scene_steps import words
from slides.reading.split import load
from tui.classroom.position.unfinished_class import Stopped
from tui.deck.contents import Contents

SIZES = [(80, 24), (100, 30), (160, 45), (200, 50)]


pytestmark = pytest.mark.usefixtures("every_part_was_drawn")


@pytest.mark.parametrize("size", SIZES)
async def test_every_layout_says_what_a_teacher_needs(size: tuple[int, int]) -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=size) as pilot:
        await pilot.press("right")
        full.now += 50
        for name in ("balanced", "notes", "slides"):
            await pilot.pause()
            assert full.app.classroom.aside_view.layout == name
            text = seen(full)
            for word in ("first", "second"):
                assert f"{word} words" in text or letters.drawn(word, "low")[1] in text, name
            assert "next" in text, name
            assert "NOTES" in text and "from step 2" in text and "Extra" in text, name
            assert "2/5" in text and "0:50" in text and "1:10 left" in text, name
            assert "+1:00 ahead" in text and "audience 0" in text, name
            await pilot.press("c")
        await pilot.pause()
        assert "NOTES" not in full.text() and "second words" not in full.text()


async def test_the_notes_grow_and_shrink() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(160, 45)) as pilot:
        width = full.app.classroom.aside.size.width
        await press(pilot, "plus")
        assert full.app.classroom.aside.size.width > width
        await press(pilot, "minus", "minus")
        assert full.app.classroom.aside.size.width < width


async def test_notes_below_the_slide_are_as_wide_as_the_terminal_that_was_just_made_narrow() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(160, 45)) as pilot:
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert full.app.classroom.aside.size.width == 80
        await pilot.resize_terminal(160, 45)
        await pilot.pause()
        assert full.app.classroom.aside.size.width == 58


async def test_a_terminal_that_grew_has_the_slides_around_drawn() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(80, 24)) as pilot:
        while not full.app.classroom.warm:
            await pilot.pause(0.02)
        await pilot.resize_terminal(160, 45)
        await pilot.pause()
        while not full.app.classroom.warm:
            await pilot.pause(0.02)
        assert "not needed" in full.text()  # of slide 3, which stands on its card only


async def test_at_the_largest_size_the_rows_of_the_notes_stand_apart() -> None:
    deck = "# A\n\n<!-- notes:\n- NOTE-ONE\n- NOTE-TWO\n-->\n"
    full = Screenful(deck, console=True)
    async with full.app.run_test(size=(160, 45)) as pilot:

        def apart() -> int:
            rows = rows_of(full)
            return next(n for n, row in enumerate(rows) if "NOTE-TWO" in row) - next(
                n for n, row in enumerate(rows) if "NOTE-ONE" in row
            )

        await pilot.pause()
        assert apart() == 1
        await press(pilot, "plus", "plus", "plus")
        assert apart() == 2


@pytest.mark.parametrize(("key", "word"), [("b", "ROOM: BLACK"), ("w", "ROOM: WHITE"), ("z", "ROOM: FROZEN")])
async def test_the_console_says_what_the_room_sees(key: str, word: str) -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await press(pilot, key)
        assert word in rows_of(full)[0] and "The first slide." in full.text()


async def test_late_the_console_names_what_to_skip_and_s_skips_it() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await linked(full, pilot)
        await pilot.press("right")
        full.now += 300
        text = seen(full)
        assert "-2:00 behind" in text and "S skips" in text and "3 Extra (-3:00)" in text
        await pilot.press("S")
        assert acts(full.link, Drop) == [Drop(("extra",))]
        await pilot.press("right", "right")
        assert full.session.slide.id == "live"
        await pilot.press("S")
        assert acts(full.link, Drop)[-1] == Drop(())


async def test_an_end_time_is_typed_and_counted_down_to() -> None:
    full = Screenful(DECK, console=True, now=1_000_000.0)
    async with full.app.run_test(size=(160, 45)) as pilot:
        await linked(full, pilot)
        await press(pilot, "C", *"soon", "enter")
        assert "write 15:30" in full.text() and acts(full.link, Until) == []
        await press(pilot, "ctrl+u", *"5m", "enter")
        assert acts(full.link, Until) == [Until(1_000_300.0)]
        assert "5:00 to go" in rows_of(full)[0]
        await pilot.press("C", "ctrl+u", "enter")
        assert acts(full.link, Until)[-1] == Until(None)


async def test_the_clock_of_a_class_that_begins_on_a_console_runs_at_once() -> None:
    full = Screenful("# A\n\na\n\n---\n\n# B\n\nb\n", console=True)  # without a plan that counts down
    async with full.app.run_test(size=(100, 30)) as pilot:
        await linked(full, pilot)
        await pilot.press("right")
        assert "elapsed 0:00" in full.text()
        full.now += 3
        for _ in range(60):  # it wakes for the next second: until then only the time of day was awaited
            if "elapsed 0:03" in full.text():
                break
            await pilot.pause(0.05)
        assert "elapsed 0:03" in full.text()


async def test_a_pause_counts_and_zero_can_be_taken_back() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await linked(full, pilot)
        await pilot.press("right")
        full.now += 10
        await pilot.press("t")
        full.now += 65
        text = seen(full)
        assert "paused 1:05" in text and "0:10" in text
        await press(pilot, "ctrl+t")
        assert "paused" not in rows_of(full)[0] and full.session.elapsed == 0
        assert acts(full.link, Timer)[-1] == Timer("reset")


async def test_a_question_says_how_many_answered() -> None:
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await press(pilot, "end", "2")
        assert "1 in, open" in full.text()


async def test_a_class_that_stopped_is_offered_before_a_new_one_begins() -> None:
    for key, joined, slide in (
        ("y", ["old"], "start"),
        ("n", ["new"], "start"),
        ("pagedown", ["new"], "steps"),  # of a clicker: it moves on in the class it begins
    ):
        opened: list[str] = []

        def way(to: str, opened: list[str] = opened) -> Any:
            def connect(receive: Any, word: Any) -> FakeLink:
                opened.append(to)
                return FakeLink(receive, word)

            return connect

        full = Screenful(DECK, stopped=lambda: Stopped("old", "Go on with it?"), again=way)
        full.app.arrival.connect = way("new")
        async with full.app.run_test(size=(80, 24)) as pilot:
            while "Go on with it?" not in full.text():
                await pilot.pause()
            assert opened == [] and "The first slide." in full.text()
            await pilot.press(key)
            assert opened == joined and full.session.slide.id == slide


async def test_a_class_that_is_gone_on_with_reads_its_deck_as_it_did(tmp_path: Any) -> None:
    file = tmp_path / "deck.md"
    file.write_text("# A\n\n<!-- stop -->\n\n# B\n")
    full = Screenful("# A\n", stopped=lambda: Stopped("old", "Go on with it?", "lookatme"))
    full.session.replace_deck(Contents(load(file)))
    full.app.arrival.again = lambda to: full.connect
    async with full.app.run_test(size=(80, 24)) as pilot:
        while "Go on with it?" not in full.text():
            await pilot.pause()
        await pilot.press("y")
        await linked(full, pilot)
        (sent,) = full.link.of(Publish)
        assert sent.format == full.session.contents.deck.format == "lookatme"
        assert len(full.session.contents) == len(load(file, "lookatme").slides) > 1


async def test_a_key_shows_the_deck_in_its_next_language_on_the_same_slide_and_step(tmp_path: Any) -> None:
    file = tmp_path / "deck.md"
    (tmp_path / "hi-Latn").mkdir()
    text = "# {} {{#a}}\n\nx\n\n---\n\n# {} {{#b}}\n\n- one\n\n<!-- pause -->\n\n- {}\n"
    file.write_text(text.format("Start", "Two", "second"))
    (tmp_path / "hi-Latn" / "deck.md").write_text(text.format("Shuru", "Do", "doosra"))
    full = Screenful("# A\n")
    full.session.replace_deck(Contents(load(file)))
    async with full.app.run_test(size=(60, 20)) as pilot:
        await linked(full, pilot)
        await pilot.press("right", "right")
        for word in ("doosra", "second"):
            await pilot.press("~")
            await until(pilot, lambda word=word: word in full.text())
            assert (full.session.index, full.session.step) == (1, 1)
            full.app.say("no more hints")
            told = {"doosra": "aur ishaare nahin", "second": "no more hints"}[word]
            await until(pilot, lambda told=told: told in full.text())
        assert len({sent.rev for sent in full.link.of(Publish)}) == 2


async def test_a_class_without_a_deck_gets_it_from_its_file(tmp_path: Any) -> None:
    from msgspec.structs import replace

    from runtime.classroom.state import Position

    file = tmp_path / "deck.md"
    file.write_text(DECK)
    full = Screenful("# waiting", joining=True)

    def connect(receive: Any, word: Any) -> FakeLink:
        link = FakeLink(receive, word)
        link.state = replace(ClassState(), path=str(file), pos=Position("steps", 1), deck_rev="r")
        full.links.append(link)
        return link

    full.app.arrival.connect = connect
    async with full.app.run_test(size=(90, 30)) as pilot:
        await linked(full, pilot)
        while "second words" not in full.text():
            await pilot.pause()
        assert [message.title for message in full.link.of(Publish)] == ["Four copies"]


async def test_a_refusal_of_the_host_reaches_its_slide() -> None:
    """Two consoles at once: what the host had to refuse says how to get it done."""
    full = Screenful(DECK, console=True)
    async with full.app.run_test(size=(100, 30)) as pilot:
        await linked(full, pilot)
        await pilot.press("g", *"live", "enter")
        block = full.session.contents.demos(full.session.index)[0].id
        full.link.receive(snapshot(block))
        full.link.receive(Refused(block, "another console drives", "L takes over"))
        await pilot.pause()
        assert "another console drives" in full.text()


async def test_a_question_too_long_for_a_line_has_more_and_names_its_keys() -> None:
    long = "The class of 15:19 stopped at slide 3 of 18, 12:34 in. Go on with it?"
    full = Screenful(DECK, stopped=lambda: Stopped("old", long), again=lambda to: lambda *_: FakeLink(*_))
    async with full.app.run_test(size=(80, 24)) as pilot:
        while long not in full.text():
            await pilot.pause()
        assert full.text().splitlines()[-1].strip() == "y yes   n no"
        await pilot.resize_terminal(60, 16)
        while "Go on\n" not in full.text() and "with it?\n" not in full.text():
            await pilot.pause()
        assert full.text().splitlines()[-1].strip() == "y yes   n no"
        await pilot.resize_terminal(100, 30)
        while f"{long}   y yes   n no" not in full.text():
            await pilot.pause()


async def test_of_a_picture_that_has_no_room_the_next_step_is_said_in_words() -> None:
    full = Screenful("# Ring\n\n::: scene ring\n\n---\n\n# After\n", console=True)
    async with full.app.run_test(size=(160, 45)) as pilot:
        await settle(pilot)
        deck = full.app.session.contents
        [scene] = [block for block in deck.slide(0).blocks if isinstance(block, Scene)]
        shown = full.text()
        assert "NEXT STEP 2/" in shown and "7 steps, then slide 2" in shown
        at = shown.index("NEXT STEP 2/")
        said = " ".join(shown[at:].split())
        for word in words(scene)[1].split()[:4]:
            assert word in said
        assert "0.25 S" not in "".join(row.partition("│")[2] for row in shown[at:].splitlines())
