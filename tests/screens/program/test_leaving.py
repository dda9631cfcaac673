"""What is lost and what is left: a host, a stage, a class."""

from __future__ import annotations

from made_screen import DECK, Screenful, press, settle, snapshot
from msgspec.structs import replace

from runtime.classroom.actions import Move
from runtime.protocol.messages import Act, Blob, Screens, Shutdown, Stage, StopRun
from slides.reading.split import split
from tui.classroom.quit_warning import LIVE_S
from tui.deck import deck_upload


async def test_the_badge_says_in_words_what_is_lost() -> None:
    full = Screenful()
    async with full.app.run_test(size=(90, 30)) as pilot:
        await settle(pilot)
        full.link.word("lost")
        await settle(pilot)
        assert "host lost, restarting" in full.text()
        await pilot.press("right")
        assert "first words" in full.text()
        full.link.word("up")
        full.link.receive(Stage("lost", ""))
        await settle(pilot)
        assert "torch was lost" in full.text() and "host lost" not in full.text()


async def test_figures_of_a_lost_host_do_not_look_alive() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        await pilot.press("g", "3", "enter")
        full.link.receive(snapshot("live/1"))
        await settle(pilot)
        assert "running" in full.text()
        full.link.word("lost")
        await settle(pilot)
        assert "running" not in full.text() and "lost" in full.text()
        assert full.app.room.living() == []


async def test_q_asks_while_a_demo_runs_and_ends_the_class() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.receive(snapshot("live/1"))
        await press(pilot, "q")
        assert "A demo runs" in full.text()
        await pilot.press("n")
        assert full.link.of(Shutdown) == [] and full.app.is_running
        await pilot.press("q", "y")
        await settle(pilot)
    assert full.link.of(Shutdown) and full.link.closed
    assert full.app.return_value == "class test-class ended: 4 ranks ended, nothing left"


async def test_q_asks_before_it_ends_a_class_that_others_sit_in() -> None:
    """Beside the notes of a whole room one key is quickly pressed."""
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.receive(Screens(1, 3))
        await press(pilot, "q")
        assert "3 screens follow. End the class?" in full.text()
        await pilot.press("n")
        assert full.link.of(Shutdown) == [] and full.app.is_running
        full.link.receive(Screens(1, 0))
        await pilot.press("g", *"Question", "enter")
        await settle(pilot)
        await press(pilot, "q")
        assert "A question is open. End the class?" in full.text()
        await pilot.press("n")
        full.link.receive(Screens(2, 3))
        await pilot.press("q")
        await settle(pilot)
    assert full.link.of(Shutdown) == [] and "still open" in (full.app.return_value or "")


async def test_q_asks_before_it_ends_a_class_that_has_gone_on_for_a_while() -> None:
    """A laptop on a projector has no other screen; a look at a deck is left at once."""
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right")
        full.now += LIVE_S + 1
        await press(pilot, "q")
        assert "The class is under way. End the class?" in full.text()
        await pilot.press("n")
        assert full.link.of(Shutdown) == [] and full.app.is_running
    brief = Screenful()
    async with brief.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right")
        brief.now += LIVE_S / 2
        await pilot.press("q")
        await settle(pilot)
    assert brief.link.of(Shutdown)


async def test_the_room_reads_that_the_class_is_over_and_not_how_to_start_one() -> None:
    why = "the class was ended; `teachrun present` starts another"
    for role, shown, hidden in (("audience", "End of class", "teachrun present"), ("console", why, "End of")):
        full = Screenful(role=role)
        async with full.app.run_test(size=(90, 24)) as pilot:
            await settle(pilot)
            full.session.state = replace(full.session.state, ended=True)
            full.app.room.ended = True
            full.link.word(f"refused: {why}")
            await settle(pilot)
            assert shown in full.text() and hidden not in full.text()


async def test_q_beside_another_console_only_leaves() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.receive(Screens(2, 1))
        await pilot.press("q")
        await settle(pilot)
    assert full.link.of(Shutdown) == [] and "still open" in (full.app.return_value or "")


async def test_ctrl_c_stops_the_demo_first_and_quits_at_the_second() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.receive(snapshot("live/1"))
        await pilot.press("ctrl+c")
        assert full.link.of(StopRun) == [StopRun("live/1")] and full.app.is_running
        assert "ctrl+c again" in full.text()
        await pilot.press("ctrl+c")
        await settle(pilot)
    assert full.link.of(Shutdown)


async def test_a_host_that_does_not_answer_does_not_hold_the_screen() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.quiet = True
        full.app.room.shutdown_s = 0.2
        await pilot.press("q")
        await pilot.pause(0.5)
    assert "did not answer" in (full.app.return_value or "")


async def test_a_screen_left_while_it_looks_for_a_class_starts_none() -> None:
    """A host begun by a screen that is gone would stay behind alone."""
    full = Screenful()
    full.app.arrival.connect = None
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("q")
        await settle(pilot)
        full.app.arrival.connect = full.connect
        await full.app.arrival.come()
    assert full.links == []


async def test_keys_typed_while_a_screen_comes_back_are_done_when_its_deck_is_there() -> None:
    """A screen that was killed is there again within a second or more, and its teacher talks on meanwhile."""
    full = Screenful(deck="# Class c\n\nwaiting for its deck\n", joining=True)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("right", "right", "g", "2", "enter", "right")
        assert full.session.index == 0
        deck = split(DECK, "deck.md")
        full.link.receive(Blob(deck.rev, deck_upload.for_console(deck)))
        await settle(pilot)
        await settle(pilot)
        assert (full.session.index, full.session.step) != (0, 0)
        moves = [act.action for act in full.link.of(Act) if isinstance(act.action, Move)]
        assert full.session.contents.deck.title == deck.title
        typed = Screenful()
    async with typed.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("right", "right", "g", "2", "enter", "right")
        await settle(pilot)
        at_leisure = [act.action for act in typed.link.of(Act) if isinstance(act.action, Move)]
    assert moves[-1] == at_leisure[-1] and (full.session.index, full.session.step) == (
        typed.session.index,
        typed.session.step,
    )
