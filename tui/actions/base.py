"""What the actions do: one module per idea, a method per action, named as the action table names it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tui.app import TeachApp


class ActionGroup:
    """The actions of one idea, done for one screen. Every public method is an action, sync or async."""

    def __init__(self, app: TeachApp) -> None:
        self._app = app
        self._session = app.session
        self._room = app.room
        self._classroom = app.classroom
