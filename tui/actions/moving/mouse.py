"""The mouse over a class: the wheel scrolls what is under it, a click does what a key would.

Only clicks and the wheel are reported, a handful of bytes each; movement only while a spotlight is on.
Selecting text stays the terminal's own, with Shift held (on a Mac Option). No click on the class starts,
stops or breaks anything; a command clicked in a list asks as its key does.
"""

from __future__ import annotations

from textual.events import MouseDown, MouseEvent, MouseMove, MouseScrollDown, MouseScrollUp, MouseUp

from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.moving.links import LinkActions
from tui.actions.running.code import CodeActions
from tui.actions.running.demo import DemoActions
from tui.actions.running.number_keys import NumberActions
from tui.actions.showing.pointing import PointingActions
from tui.keys.table import for_role
from tui.terminal.mouse_reports import MOVES_OFF

WHEEL_ROWS = 3
TOLD_AFTER_S = 0.1  # the other screens hear of a wheel that is turned once, not at each notch


class MouseActions(ActionGroup):
    """What the mouse does on the screen of a class; over it, an overlay takes it first."""

    def __init__(
        self,
        screen: ScreenContext,
        pointing: PointingActions,
        links: LinkActions,
        code: CodeActions,
        demo: DemoActions,
        number: NumberActions,
    ) -> None:
        """A click does what these do."""
        super().__init__(screen)
        self._pointing, self._links, self._code, self._demo, self._number = (
            pointing,
            links,
            code,
            demo,
            number,
        )
        self._down: tuple[int, int] | None = None  # where a button was pressed
        self._telling = False

    async def take(self, event: MouseEvent) -> None:
        """One event of the mouse; its place is that on the terminal."""
        x, y = int(event.screen_x), int(event.screen_y)
        if event.ctrl or event.meta or event.shift:
            return  # the terminal's own, to open a link or to select
        if isinstance(event, MouseScrollDown | MouseScrollUp):
            self._wheel(x, y, 1 if isinstance(event, MouseScrollDown) else -1)
        elif isinstance(event, MouseMove):
            self._moved(x, y, held=event.button == 1)
        elif isinstance(event, MouseDown):
            self._down = (x, y) if event.button == 1 else None
        elif isinstance(event, MouseUp):
            down, self._down = self._down, None
            pointing = down is not None and self._room.pointing.light is not None
            if down == (x, y) or pointing:  # who draws the mouse away from a link has changed his mind
                await self._click(x, y)

    def _part(self, x: int, y: int) -> tuple[str, int, int]:
        """Which part of the screen is there, and where in it."""
        room = self._classroom
        for name, part in (
            ("slide", room.slide),
            ("panel", room.panel),
            ("aside", room.aside),
            ("below", room.below),
        ):
            region = part.region
            if part.display and region.contains(x, y):
                return name, x - region.x, y - region.y
        return "", 0, 0

    def _may(self, action: str) -> bool:
        return any(known.name == action for known in for_role(self._session.seat))

    # --- wheel ------------------------------------------------------------------------------------------

    def _wheel(self, x: int, y: int, by: int) -> None:
        part, _, _ = self._part(x, y)
        if part == "aside" and self._may("notes_down"):
            self._classroom.aside_view.notes.scroll(WHEEL_ROWS * by)
            self._classroom.aside.redraw()
        elif part == "panel" and self._session.state.look.snippet and self._session.role == "console":
            self._code.scroll_code(by)
        elif part == "slide" and self._classroom.slide.scroll_rows(WHEEL_ROWS * by) and not self._telling:
            self._telling = True
            self._classroom.later(TOLD_AFTER_S, self._tell)

    def _tell(self) -> None:
        self._telling = False
        self._session.scroll(self._classroom.slide.down)

    # --- clicks -----------------------------------------------------------------------------------------

    async def _click(self, x: int, y: int) -> None:
        part, column, row = self._part(x, y)
        if part:
            self._screen.stop_playing()
        if part == "slide":
            await self._on_slide(column, row)
        elif part == "panel":
            await self._on_panel(column, row)
        elif part == "below":
            self._on_thumbnail(column)

    async def _on_slide(self, column: int, row: int) -> None:
        from tui.panes import click_target

        slide = self._classroom.slide
        lines, at, column = slide.lines, slide.line_at(row), column - slide.margin
        if not 0 <= at < len(lines) or column < 0:
            return
        if self._room.pointing.light is not None and self._may("pen"):
            if self._pointing.aim(at, column, cell=True):
                self._pointing.pen()
        elif (target := click_target.link(lines[at], column)) and self._may("links"):
            await self._links.follow(target)
        elif self._picks and (number := click_target.option(lines, at)) is not None and number < 10:
            await self._number.digit(number)

    @property
    def _picks(self) -> bool:
        """Whether a question takes one of its options here."""
        answering = self._room.answering
        return self._may("digit(1)") and answering.taking and not answering.types

    async def _on_panel(self, column: int, row: int) -> None:
        snapshot = self._room.snapshot()
        lines = self._classroom.panel.lines
        if snapshot is None or self._session.role != "console" or row >= len(lines):
            return
        from tui.panes import click_target
        from tui.views import registry
        from tui.views.parts.ranks.rank_of_row import rank_of

        look = self._session.state.look
        for margin in (0, 1, 2):
            tabs = registry.tabs(look.view, snapshot, self._classroom.panel.size.width - 2 * margin)
            if (digit := click_target.tab(lines[row], tabs, column)) is not None:
                if not self._room.answering.taking:
                    await self._number.digit(digit)
                return
        if (rank := rank_of(lines[row], snapshot.world)) is not None:
            self._demo.look(rank=None if rank == look.rank else rank)

    def _on_thumbnail(self, column: int) -> None:
        view = self._classroom.aside_view
        if view.layout == "notes" or not self._may("overview"):
            return
        grid = view.grid(*self._classroom.below.size)
        card = grid.card_at(column, 1)
        shown = view.neighbours(grid)
        if card is not None and card < len(shown):
            self._screen.jumped((shown[card], 0))

    # --- while a spotlight is on ------------------------------------------------------------------------

    def _moved(self, x: int, y: int, *, held: bool) -> None:
        if self._room.pointing.light is None or not self._session.driving:
            self._screen.to_terminal(MOVES_OFF)  # it went with its slide
            return
        part, column, row = self._part(x, y)
        slide = self._classroom.slide
        if part == "slide" and column >= slide.margin:
            self._pointing.aim(slide.line_at(row), column - slide.margin, cell=held)
