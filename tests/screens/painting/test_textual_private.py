"""Each private name of Textual is there, means what we think, and costs only speed where it is gone."""

from __future__ import annotations

import io
import threading
from typing import Any

import pyte
import pytest
from made_screen import Screenful, on_painting, until
from textual.app import App
from textual.drivers import linux_driver
from textual.drivers._writer_thread import WriterThread

from tui.rendering import textual_private
from tui.rendering.compositor import RowCompositor
from tui.rendering.driver import WholeFrames
from tui.rendering.textual_private import NAMES, Use, writer_backlog


def gone(monkeypatch: pytest.MonkeyPatch, use: Use) -> None:
    """As if a later Textual had renamed what this use needs."""
    monkeypatch.setitem(NAMES, use, (*NAMES[use], "_renamed_by_textual"))


async def test_every_private_name_is_there() -> None:
    full = Screenful()
    async with full.app.run_test(size=(100, 30)):
        app, screen = full.app, full.app.screen
        holders = {
            "driver": (app,), "rows": (RowCompositor(),), "screen": (screen, app),
            "picture": (app, screen), "answers": (linux_driver,),
        }  # fmt: skip
        for use, objects in holders.items():
            assert textual_private.present(use, *objects), use  # type: ignore[arg-type]
        assert hasattr(app, "_batch_count")
        assert set(NAMES) == {*holders, "backlog", "typed"}  # those: in the next two tests


def test_the_backlog_is_what_the_writer_thread_has_not_written() -> None:
    class Driver:
        _writer_thread = WriterThread(io.StringIO())  # not started: nothing is taken from the queue

    app: App[None] = App()
    app._driver = Driver()  # type: ignore[assignment]
    assert textual_private.present("backlog", app._driver)
    assert writer_backlog(app) == 0
    for _ in range(3):
        Driver._writer_thread.write("x")
    assert writer_backlog(app) == 3


async def test_who_stops_reading_waits_for_the_thread_that_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    app: App[None] = App()
    driver = WholeFrames(app)
    assert textual_private.present("typed", driver)
    reads = driver._key_thread = threading.Thread(target=driver.exit_event.wait)
    reads.start()
    with monkeypatch.context() as renamed:
        gone(renamed, "typed")
        textual_private.stop_reading(driver)
        assert reads.is_alive()
    textual_private.stop_reading(driver)
    assert not reads.is_alive()


def test_a_driver_without_writer_thread_has_no_backlog() -> None:
    app: App[None] = App()
    assert writer_backlog(app) == 0


@pytest.mark.parametrize("use", [None, *NAMES])
async def test_the_screen_is_right_without_any_of_them(
    monkeypatch: pytest.MonkeyPatch, use: Use | None
) -> None:
    if use is not None:
        gone(monkeypatch, use)
    full = Screenful()
    terminal = seen_by_a_terminal(full.app)
    async with full.app.run_test(size=(90, 30)) as pilot:
        assert isinstance(full.app.screen._compositor, RowCompositor) == (use not in ("rows", "screen"))
        await until(pilot, lambda: shows(terminal, "The title slide."))
        await pilot.press("right", "right")
        await until(pilot, lambda: shows(terminal, "second words"))
        await pilot.press("question_mark")
        await until(pilot, lambda: full.app.screen is not full.app.classroom)
        await pilot.press("escape")
        await until(pilot, lambda: shows(terminal, "second words") and shows(terminal, "first words"))
        assert not shows(terminal, "The title slide.")


def seen_by_a_terminal(app: App[Any]) -> pyte.Screen:
    """A terminal that is sent what the app paints: without one Textual paints nothing."""
    terminal = pyte.Screen(100, 30)
    stream = pyte.Stream(terminal)

    def display(update: Any) -> None:
        if update is not None and not app._batch_count:
            stream.feed(update.render_segments(app.console))

    on_painting(app, display)
    return terminal


def shows(terminal: pyte.Screen, text: str) -> bool:
    return any(text in row for row in terminal.display)


async def test_the_whole_screen_is_painted_again_where_no_picture_of_it_can_be_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = Screenful()
    terminal = seen_by_a_terminal(full.app)
    async with full.app.run_test(size=(90, 30)) as pilot:
        await until(pilot, lambda: shows(terminal, "The title slide."))
        whole = list(terminal.display)
        assert "The title slide." in textual_private.picture(full.app)
        gone(monkeypatch, "picture")
        terminal.reset()
        assert textual_private.picture(full.app) == ""
        await until(pilot, lambda: list(terminal.display) == whole)


async def test_without_its_reader_the_terminal_is_asked_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert textual_private.can_listen()
    reader = vars(linux_driver)["XTermParser"]
    with textual_private.heard():
        assert vars(linux_driver)["XTermParser"] is not reader
    assert vars(linux_driver)["XTermParser"] is reader  # as it was: nothing of Textual stays changed
    gone(monkeypatch, "answers")
    assert not textual_private.can_listen()
    with textual_private.heard():
        assert vars(linux_driver)["XTermParser"] is reader


def test_our_driver_is_known_where_the_app_does_not_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    gone(monkeypatch, "driver")
    app: App[None] = App()
    assert textual_private.driver_of(app) is None
    driver = WholeFrames.__new__(WholeFrames)
    textual_private.drives(driver, app)
    assert textual_private.driver_of(app) is driver
