"""A screen that repaints only rows that changed, and those at once: the rest is Textual's."""

from __future__ import annotations

import asyncio
from typing import Any, NamedTuple

from rich.console import Console
from textual.filter import ANSIToTruecolor
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.strip import Strip
from textual.widget import Widget

from tui.rendering import textual_private
from tui.rendering.frame_clock import MAX_BACKLOG
from tui.rendering.row_strip import RowStrip, WholeRow
from tui.rendering.textual_private import Compositor, CompositorUpdate, LayoutUpdate, writer_backlog
from tui.rendering.themed_strips import Painter


class Painted(Widget, can_focus=False, inherit_bindings=False):
    """A widget whose rows are whole as `render_line` gives them: no border, no padding, as wide as it is."""

    painter: Painter

    @property
    def size(self) -> Size:
        """What it was given. Textual looks the widget up in the layout and takes borders off, each time."""
        return self.outer_size if self.display else Size(0, 0)

    def render_lines(self, crop: Region) -> list[Strip]:
        if not self.paints_itself:
            return super().render_lines(crop)
        strips = [plain(strip) for strip in self.quick_lines(crop)]
        if crop.width != self.size.width:
            return [strip.crop(crop.x, crop.right) for strip in strips]
        return strips

    @property
    def paints_itself(self) -> bool:
        """Whether its strips are written as they are. What the theme leaves to the terminal, Textual colours;
        dimming needs to know what is behind it."""
        filters = self.get_line_filters()
        return bool(self.painter.colour("background")) and all(
            isinstance(one, ANSIToTruecolor) for one in filters
        )

    def quick_lines(self, crop: Region) -> list[Strip]:
        """Rows of the whole width as they are drawn, ready to be written."""
        return [self.render_line(y) for y in crop.line_range]


def plain(strip: Strip) -> Strip:
    """Return a strip whose segments can be looked at; see `PictureStrip`."""
    found: Strip = getattr(strip, "plain", strip)
    return found


class Piece(NamedTuple):
    """A part of a row of the terminal, and where it begins."""

    y: int
    x: int
    strip: Strip


class RowsUpdate(CompositorUpdate):
    """Pieces of rows that are painted anew."""

    def __init__(self, pieces: list[Piece]) -> None:
        self.pieces = pieces

    def render_segments(self, console: Console) -> str:
        """The sequence that writes each piece at its place."""
        return "".join(f"\x1b[{y + 1};{x + 1}H{_written(strip, console, x)}" for y, x, strip in self.pieces)


def _written(strip: Strip, console: Console, x: int) -> str:
    return strip.render_at(console, x) if isinstance(strip, RowStrip) else strip.render(console)


class RowCompositor(Compositor):
    """Asks nothing but the dirty rows, and only of the widgets that are seen there.

    Textual's own renders for two changed rows everything between them, of the containers behind as well:
    more than half of what a key cost.
    """

    def render_full_update(self, simplify: bool = False) -> LayoutUpdate:
        """Textual's, in strips of ours, which write only what changes along a row."""
        update = super().render_full_update(simplify)
        row_type = RowStrip if update.region.x else WholeRow
        return LayoutUpdate([[row_type(Strip.join(row))] for row in update.strips], update.region)

    def render_partial_update(self) -> RowsUpdate | None:  # type: ignore[override]
        """The dirty pieces of rows, each from the foremost widget; None where nothing is dirty."""
        left = textual_private.take_dirty(self)
        pieces: list[Piece] = []
        for widget, (region, clip) in self.visible_widgets.items():  # the foremost first
            if not left:
                break
            seen = region.intersection(clip)
            rows = [y for y, x1, x2 in left if seen.y <= y < seen.bottom and x1 < seen.right and x2 > seen.x]
            if not rows:
                continue
            top, bottom = rows[0], rows[-1] + 1
            crop = Region(seen.x - region.x, top - region.y, seen.width, bottom - top)
            strips = _lines_of(widget, crop)
            behind: list[tuple[int, int, int]] = []
            for y, x1, x2 in left:
                a, b = max(x1, seen.x), min(x2, seen.right)
                if not (seen.y <= y < seen.bottom and a < b):
                    behind.append((y, x1, x2))
                    continue
                strip = strips[y - top]
                whole = (a, b) == (seen.x, seen.right)
                pieces.append(Piece(y, a, strip if whole else strip.crop(a - seen.x, b - seen.x)))
                behind += [(y, *part) for part in ((x1, a), (b, x2)) if part[0] < part[1]]
            left = behind
        return RowsUpdate(sorted(pieces, key=lambda piece: piece[:2])) if pieces else None


def _lines_of(widget: Widget, crop: Region) -> list[Strip]:
    if isinstance(widget, Painted) and widget.paints_itself and crop.width == widget.size.width:
        return widget.quick_lines(crop)
    return widget.render_lines(crop)


class ByRows(Screen[Any], inherit_bindings=False):
    """A screen whose widgets name their changed rows by `repaint`: painted at the end of this
    turn of the loop. By `Widget.refresh` word of it goes through three queues and a timer first."""

    def __init__(self) -> None:
        super().__init__()
        self._by_rows = textual_private.can_paint_rows(self)
        self.due = False  # rows wait for the end of this turn
        if self._by_rows:
            textual_private.set_compositor(self, RowCompositor())

    def repaint(self, widget: Widget, *regions: Region) -> None:
        """Have regions of a widget, or all of it, painted at the end of this turn of the loop."""
        if not self._by_rows:
            widget.refresh(*regions)
            return
        textual_private.set_dirty(self, widget, regions)
        if not self.due:
            self.due = True
            asyncio.get_running_loop().call_soon(self.paint_due)

    def paint_due(self) -> None:
        """Paint the rows that have changed, unless the terminal has too much to write already."""
        self.due = False
        app = self.app
        if not self.is_running or not app.screen_stack:  # it is just being left
            return
        settled = textual_private.is_settled(self, app) and app.screen is self
        if settled and writer_backlog(app) <= MAX_BACKLOG:
            textual_private.paint_dirty(self, app)
        else:
            self.check_idle()  # by Textual's own clock: with the new layout, or when the line is free


def repaint(widget: Widget, *regions: Region) -> None:
    """Have a widget's rows painted anew; without `regions` all of it. One that is gone has none."""
    if not widget.is_attached:
        return
    screen = widget.screen
    if isinstance(screen, ByRows):
        screen.repaint(widget, *regions)
    else:
        widget.refresh(*regions)
