"""Every private name of Textual that we use, by what it is used for, and what is done where it is gone.

A name that a later Textual has no more costs what was built on it and nothing else: `present` says so, and
the slower way is taken. `tests/screens/painting/test_textual_private.py` names each, and takes each away.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol
from weakref import WeakKeyDictionary

from textual.app import App
from textual.driver import Driver
from textual.drivers import linux_driver
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

if TYPE_CHECKING:
    from textual._compositor import Compositor, CompositorUpdate, LayoutUpdate
    from textual._xterm_parser import XTermParser
    from textual.message import Message
else:
    try:
        from textual._compositor import Compositor, CompositorUpdate, LayoutUpdate
    except ImportError:
        Compositor = CompositorUpdate = LayoutUpdate = object
    try:
        from textual._xterm_parser import XTermParser
    except ImportError:
        XTermParser = object

__all__ = ["Compositor", "CompositorUpdate", "LayoutUpdate"]

Use = Literal["driver", "backlog", "rows", "screen", "picture", "answers", "typed"]
# The objects that are asked for these names are given where the use is.
NAMES: dict[Use, tuple[str, ...]] = {
    "driver": ("_driver",),
    "backlog": ("_writer_thread",),
    "rows": ("_dirty_regions", "_regions_to_spans", "render_full_update", "render_partial_update"),
    "screen": (
        "_compositor", "_dirty_widgets", "_set_dirty", "_layout_required", "_scroll_required",
        "_repaint_required", "_compositor_refresh", "_handle_exception",
    ),
    "picture": ("_compositor", "_background_screens"),
    "answers": ("XTermParser",),
    "typed": ("_key_thread",),
}  # fmt: skip


def present(use: Use, *objects: object) -> bool:
    """Whether these objects have, together, all private names of a use."""
    return all(any(hasattr(one, name) for one in objects) for name in NAMES[use])


_drivers: WeakKeyDictionary[App[Any], Driver] = WeakKeyDictionary()


def drives(driver: Driver, app: App[Any]) -> None:
    """Remember the driver of this app, for where Textual no longer says it."""
    _drivers[app] = driver


def driver_of(app: App[Any]) -> Driver | None:
    """What writes to the terminal and reads from it; None before the app runs."""
    return app._driver if present("driver", app) else _drivers.get(app)


def writer_backlog(app: App[Any]) -> int:
    """Writes queued for the terminal and not yet taken by it; 0 where the driver has no writer thread.

    The queue blocks the event loop when it is full, so a screen on a slow line must look before it paints.
    Without the name every frame is painted, as any Textual app does.
    """
    driver = driver_of(app)
    thread = getattr(driver, "_writer_thread", None) if present("backlog", driver) else None
    queue = getattr(thread, "_queue", None)
    return 0 if queue is None else int(queue.qsize())


def write(app: App[Any], data: str) -> None:
    """Say something to the terminal besides what is painted: a clipboard's contents."""
    if (driver := driver_of(app)) is not None:
        driver.write(data)


class Output:
    """What lies between the screen and the terminal's driver, as long as somebody put something there.

    `sinks` hear everything that is written; `lens` makes of it what the terminal gets.
    """

    def __init__(self, app: App[Any]) -> None:
        self._driver = driver_of(app)
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
    if found is None or found._driver is not driver_of(app):
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
    driver = driver_of(app)
    return isinstance(driver, linux_driver.LinuxDriver) and driver.input_tty


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


@contextmanager
def heard() -> Iterator[None]:
    """While a driver reads the terminal: the reader it makes, by this name, is ours."""
    if not can_listen():
        yield
        return
    theirs = vars(linux_driver)["XTermParser"]
    vars(linux_driver)["XTermParser"] = _Hearing
    try:
        yield
    finally:
        vars(linux_driver)["XTermParser"] = theirs


def can_listen() -> bool:
    """Whether answers of the terminal can be told from keys; where not, it must not be asked anything."""
    return XTermParser.__name__ == "XTermParser" and present("answers", linux_driver)


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


def listener() -> Ear | None:
    """Who listens so."""
    return _ear


def stop_reading(driver: linux_driver.LinuxDriver) -> None:
    """Read the terminal no more, and leave in it what was typed since.

    Without the name Textual ends the reading itself, and throws that away.
    """
    if present("typed", driver):
        driver.exit_event.set()
        if (thread := driver._key_thread) is not None:
            thread.join()


def picture(app: App[Any]) -> str:
    """What draws the whole screen as it is now; what waits to be repainted goes on waiting.

    Without the names it is "", and the whole screen is painted again, and a tap gets it that way.
    """
    try:
        from textual._context import visible_screen_stack
    except ImportError:
        visible_screen_stack = None  # type: ignore[assignment]
    if visible_screen_stack is None or not _composes() or not present("picture", app, app.screen):
        app.screen.refresh()
        return ""
    visible_screen_stack.set(app._background_screens)
    strips: list[Iterable[Strip]] = [[row] for row in rows(app.screen)]
    return LayoutUpdate(strips, app.screen._compositor.size.region).render_segments(app.console)


def rows(screen: Screen[Any]) -> list[Strip]:
    """The rows of a screen, put together as for a terminal."""
    return list(screen._compositor.render_strips())


def _composes() -> bool:
    parts = (Compositor, CompositorUpdate, LayoutUpdate)
    return all(part.__module__ == "textual._compositor" for part in parts)


def can_paint_rows(screen: Screen[Any]) -> bool:
    """Whether a screen can be painted by its changed rows at once, and not by Textual's own clock."""
    return _composes() and present("rows", Compositor()) and present("screen", screen, App)


def set_compositor(screen: Screen[Any], compositor: Compositor) -> None:
    """Have this screen put together by another compositor than Textual's."""
    screen._compositor = compositor


def take_dirty(compositor: Compositor) -> list[tuple[int, int, int]]:
    """What waits to be painted anew, as `(y, x1, x2)`; after it nothing waits."""
    dirty = [region.intersection(compositor.size.region) for region in compositor._dirty_regions]
    compositor._dirty_regions.clear()
    return list(compositor._regions_to_spans(region for region in dirty if region))


def set_dirty(screen: Screen[Any], widget: Widget, regions: tuple[Region, ...]) -> None:
    """Note that these regions of a widget, or with none all of it, are to be painted anew."""
    widget._set_dirty(*regions)
    screen._dirty_widgets.add(widget)


def is_settled(screen: Screen[Any], app: App[Any]) -> bool:
    """Whether nothing but rows is to be painted anew: no layout, no scrolling, no batch of changes."""
    waits = screen._layout_required or screen._scroll_required or screen._repaint_required
    unsettled = any(widget._layout_required for widget in screen._compositor.widgets)
    batches = getattr(app, "_batch_count", 0)  # without the name a batch may be painted in its middle
    return not (waits or unsettled or batches)


def paint_dirty(screen: Screen[Any], app: App[Any]) -> None:
    """Paint what was noted by `set_dirty`, now. What a widget raises goes to the app, as in a frame."""
    try:
        screen._compositor.update_widgets(screen._dirty_widgets)
        screen._compositor_refresh()
    except Exception as error:
        app._handle_exception(error)
