"""One node of a run on several machines, as the host knows it: its agent, and what it has said."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from runtime.cluster.link.clock import Difference
from runtime.cluster.link.link_messages import Ended, Message, encode
from runtime.protocol.framing import FrameProtocol

STALE_S = 3.0  # an agent says something every second
GONE_S = 60.0  # so long it has to come back, and after that it ends its ranks by itself


@dataclass(slots=True)
class Node:
    """Node `number`, by the name people know it by, with its `ranks`. Times are of the monotonic clock."""

    number: int
    name: str
    ranks: range
    line: FrameProtocol | None = None
    session: str = ""  # of the agent that speaks for it, "" before the first
    taken: int = 0  # the newest number of that session that was taken in
    heard_at: float = 0.0
    waits_here: bool = False  # while it is stale: what it has said has come, and was not looked at
    shown_at: float = 0.0  # when it was last told, without being heard, that the host is there
    clock: Difference | None = None
    late_s: float = 0.0  # how long ago that happened of which it was heard last, by the host's clock
    at_work: bool = False  # whether one of its ranks ran or wanted to when it was heard last
    told: int = 0  # the generation that it was last told to begin
    ended: Ended | None = None  # how its part of the present generation ended
    lost: str = ""  # why nothing will be heard of it any more in this generation
    owed: asyncio.TimerHandle | None = None  # an acknowledgement that is still to be sent
    machine: str = ""  # what it calls itself, untrusted
    torch: str = ""  # the version that it has, untrusted
    gpus: tuple[str, ...] = ()  # the models of its GPUs, untrusted
    said: list[str] = field(default_factory=list)  # the last lines that its ssh has printed, untrusted

    @property
    def over(self) -> bool:
        """Whether its part of the present generation is over."""
        return self.ended is not None or bool(self.lost)

    def send(self, message: Message) -> bool:
        """Send a message; False where no agent is there to hear it."""
        if self.line is None or not self.line.connected:
            return False
        self.line.send(encode(message))
        return True

    def owes_nothing(self) -> None:
        """Say nothing later of what was taken in: it was said."""
        if self.owed is not None:
            self.owed.cancel()
            self.owed = None

    def stale_s(self, now: float) -> float:
        """For how long it has not been heard, 0 where that is as it should be."""
        silent = now - self.heard_at
        return silent if self.session and not self.over and silent > STALE_S else 0.0

    @property
    def behind_s(self) -> float:
        """How much older what is heard of it is than it should be: its link is slower than its ranks."""
        return self.late_s if self.late_s > STALE_S and not self.over else 0.0

    def begin_again(self) -> None:
        """Forget how the generation before ended."""
        self.ended, self.lost, self.late_s, self.at_work = None, "", 0.0, False
