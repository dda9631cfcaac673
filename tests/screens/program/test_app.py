"""Keys to what is on the terminal, with a host made of a list."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from made_screen import DECK, FakeLink, Screenful, on_painting, press, settle, snapshot, until
from read_letters import read
from textual.events import Key

from runtime.classroom.actions import Answer, Lock, Move, Reveal, Show, Timer, Undo
from runtime.classroom.class_clock import TimerState
from runtime.classroom.state import ClassState, Position
from runtime.protocol.messages import Act, Blob, Publish, Screens
from slides import palette
from slides.reading.split import split
from tui.deck import deck_upload, reloading
from tui.deck.contents import Contents
from tui.keys.table import ACTIONS, BOTH, for_role


def acts(link: FakeLink) -> list[Any]:
    return [message.action for message in link.of(Act)]


@pytest.mark.parametrize("role", BOTH)
def test_every_action_has_its_method_and_every_key_is_bound(role: str) -> None:
    app = Screenful(role=role).app
    for action in for_role(role):
        assert action.name in app.handlers, action.name
        for key in action.keys:
            assert app.keys[key] == action.name


def test_every_row_of_the_key_table_has_its_method_and_no_method_is_without_a_row() -> None:
    rows = {action.name for action in ACTIONS if set(action.roles) & set(BOTH)}
    assert set(Screenful().app.handlers) == rows | {"edit"}  # `reveal` does it where its slide has a demo


async def test_the_first_slide_then_the_clickers_keys() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        assert "The title slide." in full.text() and "slide 1/5" in full.text()
        await pilot.press("pagedown")
        assert "first words" in full.text() and "second words" not in full.text()
        assert "Four copies  ·  Practice" in full.text()
        await pilot.press("pagedown")
        assert "second words" in full.text()
        await pilot.press("pageup")
        assert "second words" not in full.text()
        await pilot.press("pageup", "pageup", "pageup")
        assert "The title slide." in full.text()
        assert acts(full.link)[:2] == [Move("start", 0), Move("steps", 0)]


async def test_a_warm_key_lays_nothing_out() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        slide = full.app.classroom.slide
        while not full.app.classroom.warm:
            await pilot.pause(0.05)
        before = slide.laid_out
        for key in ("right", "right", "left", "home", "end", "left"):
            await pilot.press(key)
        assert slide.laid_out == before


async def test_nothing_is_painted_while_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        while not full.app.classroom.warm:
            await pilot.pause(0.05)
        await pilot.pause()
        painted: list[object] = []
        on_painting(full.app, painted.append)
        await pilot.pause(1.2)
        assert painted == []


async def test_a_running_clock_paints_once_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("t")
        assert "0:00" in full.text()
        full.now += 61
        await pilot.pause(1.3)
        assert "1:01" in full.text()
        await pilot.press("t")
        assert "paused" in full.text()
        assert [a for a in acts(full.link) if isinstance(a, Timer)] == [Timer("start"), Timer("pause")]


async def test_down_scrolls_what_does_not_fit_and_steps_only_at_its_end() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("end")
        assert "row 0" in full.text() and "↓ 101 more" in full.text()
        await pilot.press("down")
        assert "↑ 5 more" in full.text() and full.session.index == 4
        await pilot.press(*["j"] * 24)
        assert "row 59" in full.text() and "↓" not in full.text() and "↑ 101 more" in full.text()
        await pilot.press(*["up"] * 25)
        assert full.session.index < 4


async def test_go_to_by_number_title_and_twice() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("g", "4", "enter")
        assert full.session.slide.id == "question"
        await pilot.press("g", "s", "t", "e", "p", "enter")
        assert full.session.slide.id == "steps"
        await pilot.press("g", "g")
        assert full.session.slide.id == "start"
        await pilot.press("g", "9", "9", "enter")
        assert full.session.slide.id == "start"
        await pilot.press("g", "4", "escape", "right")
        assert full.session.slide.id == "steps"


async def test_keys_typed_in_one_burst_arrive_in_order() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        for key, letter in (("g", "g"), ("3", "3"), ("enter", "\r"), ("right", None), ("right", None)):
            full.app.post_message(Key(key, letter))
        await settle(pilot)
        assert full.session.slide.id == "long"


async def test_help_and_palette_take_every_key() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.press("question_mark")
        assert "key closes" in full.text()
        await pilot.press("right")
        assert "any key closes" not in full.text() and full.session.index == 0
        await press(pilot, "colon", *"last slide", "enter")
        assert full.session.slide.id == "long"


async def test_escape_and_f5_never_quit() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        for key in ("escape", "f5", "escape", "b", "escape", "question_mark", "escape", "g", "escape", "f5"):
            await pilot.press(key)
        assert full.app.is_running and full.session.state.shown == "live"
        assert full.session.state.timer.running


async def test_notes_are_the_consoles_and_follow_the_step() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)) as pilot:
        assert "SECRET-NOTE" not in full.text()
        await press(pilot, "c")
        assert "SECRET-NOTE of the first slide" in full.text() and "NEXT" in full.text()
        await pilot.press("right")
        assert "from step 2" in full.text() and "▎" not in full.text()
        await pilot.press("right")
        assert "SECRET-NOTE for the second" in full.text()
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert "SECRET-NOTE" in full.text()


async def test_black_and_white_cover_the_screen_and_freeze_says_so() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        for key in ("b", "w", "full_stop"):
            await press(pilot, key)
            assert full.text().strip() == ""
        await press(pilot, "full_stop")
        assert "The title slide." in full.text()
        await press(pilot, "z")
        assert "room frozen" in full.text() and "The title slide." in full.text()
        modes = [action.mode for action in acts(full.link) if isinstance(action, Show)]
        assert modes == ["black", "white", "black", "live", "frozen"]


async def test_a_question_is_picked_locked_revealed_and_taken_back() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 30)) as pilot:
        await pilot.press("1")
        assert not [a for a in acts(full.link) if isinstance(a, Answer)]
        await pilot.press("g", "4", "enter", "enter")
        assert "pick an answer first" in full.text()
        await pilot.press("1", "2", "enter")
        locked = [a for a in acts(full.link) if isinstance(a, Lock)]
        assert locked == [Lock("ring", (1,), 2.0, 2.0)]
        assert "SECRET-WHY" not in read(full.text())
        await press(pilot, "e")
        assert "SECRET-WHY" in read(full.text())
        (reveal,) = [a for a in acts(full.link) if isinstance(a, Reveal)]
        assert reveal.key == (1,)
        await pilot.press("U")
        assert isinstance(acts(full.link)[-1], Undo)


async def test_the_audience_has_no_notes_no_keys_and_follows() -> None:
    full = Screenful("# waiting", role="audience", joining=True)
    deck = split(DECK, "/home/teacher/deck.md")
    blob = deck_upload.for_audience(Contents(deck))
    assert b"SECRET" not in blob and b"/home/teacher" not in blob and b"[x]" not in blob
    async with full.app.run_test(size=(90, 30)) as pilot:
        await settle(pilot)
        full.link.receive(Blob(deck.rev, blob))
        full.link.order(Move("start", 0))
        await settle(pilot)
        assert "The title slide." in full.text()
        for key in ("right", "c", "e", "1", "d", "q"):
            if key != "q":
                await pilot.press(key)
        assert full.link.of(Act) == [] and full.session.index == 0
        seen = [read(full.text())]
        for move in (Move("steps", 0), Move("steps", 1), Move("live", 0), Move("question", 0)):
            full.link.order(move)
            await settle(pilot)
            seen.append(read(full.text()))
        assert "second words" in seen[2] and "RIGHT-ANSWER" in seen[4]
        full.link.order(Show("black"))
        await settle(pilot)
        assert full.text().strip() == ""
        full.link.order(Show("live"))
        await settle(pilot)
        assert all("SECRET" not in text for text in seen)
        assert full.link.of(Publish) == []


async def test_attach_brings_back_slide_step_clock_and_panel() -> None:
    full = Screenful("# waiting", joining=True, now=5000.0)
    deck = split(DECK, "deck.md")

    def connect(receive: Any, word: Any) -> FakeLink:
        link = FakeLink(receive, word)
        link.blob = deck_upload.for_console(deck)
        link.state = ClassState(
            rev=9,
            deck_rev=deck.rev,
            pos=Position("steps", 1),
            timer=TimerState(running=True, started=True, since=4940.0, elapsed=60.0),
        )
        full.links.append(link)
        return link

    full.app.arrival.connect = connect
    async with full.app.run_test(size=(90, 30)) as pilot:
        await settle(pilot)
        full.link.receive(Screens(consoles=1, audiences=1))
        await settle(pilot)
        assert "second words" in full.text() and "2:00" in full.text()
        assert full.link.of(Publish) == [] and acts(full.link) == []
        await pilot.press("right")
        assert full.session.slide.id == "live"


async def test_resize_during_everything() -> None:
    full = Screenful()
    sizes = [(80, 24), (20, 5), (160, 45), (1, 1), (59, 15), (2, 40), (200, 3)]
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        full.link.receive(snapshot(full.session.contents.demos(2)[0].id))
        for keys in (
            ["home"],
            ["c"],
            ["right"],
            ["g"],
            ["escape"],
            ["question_mark"],
            ["x"],
            ["end"],
            ["left"],
            ["2"],
            ["left"],
            ["enter"],
            ["b"],
            ["b"],
            ["colon"],
            ["escape"],
            ["T"],
            ["c"],
        ):
            for size in sizes:
                await pilot.resize_terminal(*size)
            await pilot.press(*keys)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: "slide 3/5" in full.text())


async def test_a_small_terminal_says_what_it_needs() -> None:
    full = Screenful()
    async with full.app.run_test(size=(50, 12)) as pilot:
        await pilot.pause()
        assert "The title slide." in full.text() and "needs 60x16" in full.text()


async def test_reload_keeps_the_place_and_a_broken_file_keeps_the_deck(tmp_path: Any) -> None:
    file = tmp_path / "deck.md"
    file.write_text(DECK)
    full = Screenful()
    full.session.contents = type(full.session.contents)(split(DECK, str(file)))
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        await pilot.press("g", "4", "enter")
        file.write_text(DECK.replace("How many bytes?", "How many words?"))
        await pilot.press("ctrl+r")
        await settle(pilot)
        assert "How many words?" in read(full.text()) and full.session.slide.id == "question"
        assert len(full.link.of(Publish)) == 2
        file.unlink()
        await pilot.press("ctrl+r")
        assert "How many words?" in read(full.text()) and "the old deck stays" in full.text()


async def test_a_change_that_is_seen_while_it_is_read_by_key_is_published_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "deck.md"
    file.write_text(DECK)
    full = Screenful()
    full.session.contents = type(full.session.contents)(split(DECK, str(file)))
    before = full.session.contents.rev
    read = reloading.read

    def slow_for_the_key(contents: Contents) -> reloading.Fresh | None:
        fresh = read(contents)
        by_key = threading.current_thread().name.startswith("asyncio")
        for _ in range(6000 if by_key else 0):  # until the watcher's is shown
            if full.session.contents.rev != before:
                break
            time.sleep(0.01)
        return fresh

    monkeypatch.setattr(reloading, "read", slow_for_the_key)
    async with full.app.run_test(size=(80, 24)) as pilot:
        await settle(pilot)
        file.write_text(DECK.replace("The title slide.", "The first slide."))
        await full.app.do("reload")
        await settle(pilot)
        assert "The first slide." in full.text() and len(full.link.of(Publish)) == 2


async def test_the_themes_go_round() -> None:
    full = Screenful()
    async with full.app.run_test(size=(80, 24)) as pilot:
        await pilot.pause()
        grounds = []
        for _ in range(len(palette.NAMES) + 1):
            grounds.append(full.app.screen.styles.background.hex)
            await pilot.press("T")
        assert (
            len(set(grounds)) == len(palette.NAMES) - 1 and grounds[0] == grounds[-1]
        )  # system is dark here


@pytest.mark.parametrize("theme", ["dark", "light", "projector", "mono"])
async def test_every_theme_draws_every_slide(theme: str) -> None:
    full = Screenful(theme=theme)
    async with full.app.run_test(size=(80, 24)) as pilot:
        for _ in range(6):
            await pilot.press("right")
        assert full.session.slide.id == "long"
