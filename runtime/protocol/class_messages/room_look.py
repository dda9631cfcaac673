"""How a class's projector looks, where the teacher has chosen it. It is in no journal: a screen that comes
later is told what stands now.

Both ways it is this message: from the console that drives to the host, from the host to the other screens. A
host that knows it says so in its `Welcome`, a screen in its `Attach`: an older one is sent nothing.
"""

from __future__ import annotations

from runtime.protocol.class_messages.message import Message

LONGEST = 64  # characters of a word


class RoomLook(Message, frozen=True, tag="room look"):
    """Each is "" where nobody has said so: the name of a `theme`, the size of the `text`, how `pictures` are
    drawn, and whether there is `motion` ("on", "off")."""

    theme: str = ""
    text: str = ""
    pictures: str = ""
    motion: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """All of them."""
        return self.theme, self.text, self.pictures, self.motion
