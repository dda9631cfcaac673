"""What the actions do: one module an idea, a method an action. `tui.actions.table` says which is which."""

from __future__ import annotations

from tui.actions.context import ScreenContext


class ActionGroup:
    """The actions of one idea, done for one screen. Actions are sync or async."""

    def __init__(self, screen: ScreenContext) -> None:
        self._screen = screen
        self._session = screen.session
        self._room = screen.room
        self._classroom = screen.classroom
