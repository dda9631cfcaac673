"""What people at screens of the room are called: of two with the same name one gets a number."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import structs

from runtime.classroom.namesakes import told_apart
from runtime.host.attached_screens import Screen
from runtime.protocol.messages import Attach


def called(attach: Attach, screens: Iterable[Screen]) -> Attach:
    """Return the screen under a name that no other answering screen has: of two Anns one is `Ann 2`, since a
    name is one person of a class, at whatever screen. A screen that claims to be the same person keeps it."""
    if attach.again:
        return attach
    taken = {other.who for other in screens if other.answers and other.name != attach.screen}
    name = told_apart(attach.name, taken) if attach.answers and attach.name else attach.name
    return attach if name == attach.name else structs.replace(attach, name=name, where=name)
