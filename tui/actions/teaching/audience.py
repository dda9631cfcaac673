"""What the room sees, and how this screen looks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.classroom.actions import Show
from tui.actions.action_group import ActionGroup
from tui.actions.context import ScreenContext
from tui.actions.running.demo import DemoActions
from tui.actions.showing.appearance import AppearanceActions
from tui.actions.showing.pointing import PointingActions
from tui.actions.teaching.phones import PhoneActions
from tui.keys.table import for_role, key_of, label
from tui.panes.console import console_layout
from tui.screens.overlay import Found, Help, Pick

if TYPE_CHECKING:
    from runtime.classroom.actions import ShowMode


class AudienceActions(ActionGroup):
    """Keys for what the room sees, for the console's layout and notes, palette and help."""

    def __init__(
        self, screen: ScreenContext, appearance: AppearanceActions, demo: DemoActions, phones: PhoneActions
    ) -> None:
        """What `appearance`, `demo` and `phones` have open, `close` closes."""
        super().__init__(screen)
        self._appearance, self._demo, self._phones = appearance, demo, phones
        self._pointer = PointingActions(screen)

    # --- the room ---------------------------------------------------------------------------------------

    def _toggle_shown(self, mode: ShowMode) -> None:

        self._session.act(Show("live" if self._session.state.shown == mode else mode))
        self._classroom.show()

    def blank(self) -> None:
        """Show the room a black screen, or the slide again."""
        self._toggle_shown("black")

    def white(self) -> None:
        """Show the room a white screen, or the slide again."""
        self._toggle_shown("white")

    def freeze(self) -> None:
        """Keep the room on this slide, or let it follow again."""
        self._toggle_shown("frozen")

    # --- this screen ------------------------------------------------------------------------------------

    def layout(self) -> None:
        """Go to the console's next layout; after the last one notes are hidden."""
        if self._classroom.small:
            self._screen.say("the console needs 60x16", "dim")
            return
        room = self._classroom
        if not room.notes_wanted:
            room.notes_wanted = True
        else:
            view = room.aside_view
            at = console_layout.LAYOUTS.index(view.layout) + 1
            room.notes_wanted = at < len(console_layout.LAYOUTS)
            view.layout = console_layout.LAYOUTS[at % len(console_layout.LAYOUTS)]
        room.show()
        room.warm_pages()
        word = (
            f"console: {console_layout.NAMES[room.aside_view.layout]}"
            if room.notes_wanted
            else "the slide alone"
        )
        self._screen.say(f"{word} ({key_of('layout')}: next layout)", "dim")

    def notes_larger(self) -> None:
        """Give the notes more of the screen."""
        self._resize(1)

    def notes_smaller(self) -> None:
        """Give the notes less of the screen."""
        self._resize(-1)

    def _resize(self, by: int) -> None:
        view = self._classroom.aside_view
        view.size = max(console_layout.SMALLEST, min(console_layout.LARGEST, view.size + by))
        self._classroom.show()
        self._classroom.warm_pages()

    def notes_down(self) -> None:
        """Scroll the notes three rows down."""
        self._scroll_notes(3)

    def notes_up(self) -> None:
        """Scroll the notes three rows up."""
        self._scroll_notes(-3)

    def _scroll_notes(self, by: int) -> None:
        self._classroom.aside_view.notes.scroll(by)
        self._classroom.aside.redraw()

    async def palette(self) -> None:
        """Open the list of this seat's actions, narrowed by the words typed."""
        entries = [
            Found(action.name, label(action.keys[0]) if action.keys else "", action.text)
            for action in for_role(self._session.seat)
            if action.name != "palette"
        ]

        def search(text: str) -> list[Found]:
            words = text.casefold().split()
            return [e for e in entries if all(word in e.text.casefold() for word in words)]

        await self._screen.cover(Pick(self._screen.painter, "command", search, self._screen.do))

    async def help(self) -> None:
        """Open the list of this seat's keys."""
        await self._screen.cover(Help(self._screen.painter, self._session.seat))

    def close(self) -> None:
        """Esc: one thing less on the screen; never quits."""
        self._screen.stop_playing()
        demo = self._room.demo()
        if self._screen.cancel_recording():
            return
        if self._session.role == "console" and self._session.state.shown in ("black", "white"):
            self._toggle_shown(self._session.state.shown)
        elif (
            (self._session.role == "console" and self._phones.leave())
            or self._pointer.leave()
            or self._appearance.leave_full_screen()
            or self._appearance.unmark()
        ):
            pass
        elif self._session.rejoin():
            self._classroom.show()
        elif self._classroom.unsay():
            pass
        elif demo is not None and demo.id in self._room.refusals:
            del self._room.refusals[demo.id]
            self._classroom.show()
        elif self._session.role == "console":
            self._demo.leave_look()
