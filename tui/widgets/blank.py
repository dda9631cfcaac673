"""Nothing but a colour, over what is on the screen."""

from __future__ import annotations

from textual.widget import Widget


class Blank(Widget, can_focus=False, inherit_bindings=False):
    """A screen of one colour."""

    def render(self) -> str:
        return ""
