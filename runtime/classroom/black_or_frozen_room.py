"""What keeps the room's screens as they are while frozen, black or white, as the teacher goes on."""

from __future__ import annotations

from typing import NamedTuple

from runtime.classroom.actions import ShowMode


class RoomView(NamedTuple):
    """How the room is shown the class. `held`: it is frozen beneath the empty screen that it is shown;
    `here`: what it keeps from now on is the place of this moment."""

    shown: ShowMode
    held: bool
    here: bool


def stands(shown: ShowMode, held: bool) -> bool:
    """Whether the room's view is frozen, even if it is blanked as well."""
    return held or shown == "frozen"


def changed(shown: ShowMode, held: bool, mode: ShowMode) -> RoomView:
    """Return the view after `mode` was chosen; one that was frozen before it was blanked is frozen again
    after."""
    if mode in ("black", "white"):
        return RoomView(mode, stands(shown, held), False)
    if held:
        return RoomView("frozen", False, False)
    return RoomView(mode, False, True)
