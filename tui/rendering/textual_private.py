"""Every private name of Textual that we use is here or in `tui.rendering.compositor`, each with a test."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol
from weakref import WeakKeyDictionary

from textual._compositor import LayoutUpdate
from textual._context import visible_screen_stack
from textual._xterm_parser import XTermParser
from textual.app import App
from textual.drivers import linux_driver
from textual.message import Message
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


class Output:
    """What lies between the screen and the terminal's driver, as long as somebody put something there.

    `sinks` hear everything that is written; `lens` makes of it what the terminal gets.
    """

    def __init__(self, app: App[Any]) -> None:
        self._driver = app._driver
        self.sinks: list[Callable[[str], None]] = []
        self.lens: Callable[[str], str] | None = None

    def _write(self, data: str) -> None:
        for sink in self.sinks:
            sink(data)
        assert self._driver is not None
        type(self._driver).write(self._driver, data if self.lens is None else self.lens(data))

    def settle(self) -> None:
        """Cover the driver's `write` while there is a reason to: nothing is paid without one."""
        if self._driver is None:
            return
        if self.sinks or self.lens is not None:
            self._driver.__dict__["write"] = self._write
        else:
            self._driver.__dict__.pop("write", None)


_outputs: WeakKeyDictionary[App[Any], Output] = WeakKeyDictionary()


def output(app: App[Any]) -> Output:
    """The one of this app; after a change of it, `settle()`."""
    found = _outputs.get(app)
    if found is None or found._driver is not app._driver:
        found = _outputs[app] = Output(app)
    return found


def tap(app: App[Any], sink: Callable[[str], None]) -> Callable[[], None]:
    """Everything that is written goes to `sink` first, until the function returned is called."""
    ours = output(app)
    ours.sinks.append(sink)
    ours.settle()

    def untap() -> None:
        if sink in ours.sinks:
            ours.sinks.remove(sink)
            ours.settle()

    return untap


def look_through(app: App[Any], lens: Callable[[str], str] | None) -> None:
    """What is written reaches the terminal as `lens` makes it; None: as it is."""
    ours = output(app)
    ours.lens = lens
    ours.settle()


def has_terminal(app: App[Any]) -> bool:
    """Whether a terminal is drawn on and listened to: not in tests of screens, and not without one."""
    return isinstance(app._driver, linux_driver.LinuxDriver) and app._driver.input_tty


class _Hearing(XTermParser):
    """Textual's reader of keys, behind somebody who takes answers of the terminal out of them."""

    def feed(self, data: str) -> Iterable[Message]:
        if _ear is not None and data:  # without any it is the end
            data = _ear.take(data)
            if not data:
                return ()
        return super().feed(data)

    def tick(self) -> Iterable[Message]:
        if _ear is not None and (late := _ear.late()):
            yield from super().feed(late)
        yield from super().tick()


# The driver makes its reader by this name, in its own thread, each time it takes the terminal.
linux_driver.XTermParser = _Hearing  # type: ignore[attr-defined]


class Ear(Protocol):
    """Called by the thread that reads the terminal."""

    def take(self, data: str) -> str:
        """What of the input is for Textual."""

    def late(self) -> str:
        """What was held back, and is for Textual after all."""


_ear: Ear | None = None


def listen(ear: Ear) -> None:
    """All that comes from the terminal passes `ear` first. There is one terminal to a process."""
    global _ear
    _ear = ear


def picture(app: App[Any]) -> str:
    """What draws the whole screen as it is now; what waits to be repainted goes on waiting."""
    visible_screen_stack.set(app._background_screens)
    compositor = app.screen._compositor
    strips: list[Iterable[Strip]] = [[strip] for strip in compositor.render_strips()]
    return LayoutUpdate(strips, compositor.size.region).render_segments(app.console)
