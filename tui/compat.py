"""Every private name of Textual that we use, here and nowhere else, each with a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from textual._compositor import LayoutUpdate
from textual._context import visible_screen_stack
from textual.app import App
from textual.strip import Strip


def writer_backlog(app: App[Any]) -> int:
    """Writes queued for the terminal and not yet taken by it; 0 where the driver has no writer thread.

    The queue blocks the event loop when it is full, so a screen on a slow line must look before it paints.
    """
    thread = getattr(app._driver, "_writer_thread", None)
    return 0 if thread is None else int(thread._queue.qsize())


def write(app: App[Any], data: str) -> None:
    """Say something to the terminal besides what is painted: a clipboard's contents."""
    if app._driver is not None:
        app._driver.write(data)


def tap(app: App[Any], sink: Callable[[str], None]) -> Callable[[], None]:
    """Everything that is written to the terminal goes to `sink` first, until the function returned is called.

    The driver's `write` is covered only as long as it lasts: nothing is paid while nobody listens.
    """
    driver = app._driver
    if driver is None:
        return lambda: None
    write = driver.write

    def both(data: str) -> None:
        sink(data)
        write(data)

    def untap() -> None:
        driver.__dict__.pop("write", None)

    driver.__dict__["write"] = both
    return untap


def picture(app: App[Any]) -> str:
    """What draws the whole screen as it is now; what waits to be repainted goes on waiting."""
    visible_screen_stack.set(app._background_screens)
    compositor = app.screen._compositor
    strips: list[Iterable[Strip]] = [[strip] for strip in compositor.render_strips()]
    return LayoutUpdate(strips, compositor.size.region).render_segments(app.console)
