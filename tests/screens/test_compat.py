"""The private names of Textual we use are still there and mean what we think."""

from __future__ import annotations

import io

from textual.app import App
from textual.drivers._writer_thread import WriterThread

from tui.rendering.textual_private import writer_backlog


def test_the_backlog_is_what_the_writer_thread_has_not_written() -> None:
    class Driver:
        _writer_thread = WriterThread(io.StringIO())  # not started: nothing is taken from the queue

    app: App[None] = App()
    app._driver = Driver()  # type: ignore[assignment]
    assert writer_backlog(app) == 0
    for _ in range(3):
        Driver._writer_thread.write("x")
    assert writer_backlog(app) == 3


def test_a_driver_without_writer_thread_has_no_backlog() -> None:
    app: App[None] = App()
    assert writer_backlog(app) == 0
