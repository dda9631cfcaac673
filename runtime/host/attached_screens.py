"""The screens that are attached, and what each was sent."""

from __future__ import annotations

from runtime.protocol import messages
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import Attach, Message

MOST_BACKLOG = 2 << 20  # bytes that a screen has not taken, beside the last thing it was sent


class Screen:
    """An attached screen, and what it has been sent."""

    def __init__(self, line: FrameProtocol, attach: Attach) -> None:
        self.line, self.role, self.name, self.pid = line, attach.role, attach.screen, attach.pid
        self.where = attach.where
        self.answers, self.who = attach.answers, attach.name
        self.sees_pointing, self.sees_looks = attach.points, attach.looks
        self.sees_phones = attach.phones
        self.replies: dict[tuple[str, int], int] = {}  # how often it answered a round of a question
        self.owed: set[str] = set()  # blocks whose newest snapshot it could not take yet
        # By block: run of a snippet, its next line, and whether its picture was sent.
        self.heard: dict[str, tuple[str, int, bool]] = {}

    def send(self, message: Message) -> None:
        """Encode a message and `tell` it."""
        self.tell(messages.encode(message))

    def tell(self, payload: bytes) -> None:
        """Send an encoded message. A screen that reads nothing is disconnected: once it reads again it
        attaches anew and gets the state of that moment."""
        if self.line.backlog > MOST_BACKLOG:
            self.line.abort()
        else:
            self.line.send(payload)
