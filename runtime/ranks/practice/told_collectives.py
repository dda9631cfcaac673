"""Tells of each collective and transfer as it is entered, and where the rank stands meanwhile."""

from __future__ import annotations

import functools
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

import torch

from runtime.protocol.practice_messages import NOBODY, Call, Message, Stands, Trouble, Verdict
from runtime.ranks.hooks.collective_waits import Collectives, Flight, _members
from runtime.ranks.sensors.tcp_counters import Sockets

EVERY_S = 0.05
HEARTBEAT_S = 0.5
MOST_TOLD = 4000  # calls; a file that makes more of them is followed by its stands alone


class Calls(Collectives):
    """Follows this rank's calls. `file` is the student's, by the name its code objects have."""

    def __init__(self, rank: int, file: str, tell: Callable[[Message], None]) -> None:
        super().__init__(lambda **_: None, lambda **_: None, lambda: 0)
        self.made: list[Call] = []  # since `forget`
        self.idle = False
        self._rank, self._file, self._tell = rank, file, tell
        self._of: deque[tuple[Flight, Call]] = deque(maxlen=256)  # the newest calls
        self._told = 0
        self._works: dict[int, tuple[Flight, Any]] = {}  # since `forget`, by id() of the work kept here
        self._awaited: set[int] = set()  # id() of flights of `_works` that somebody has waited for
        self._thread = threading.main_thread().ident or 0
        self._sockets = Sockets()

    def take_off(
        self, word: str, group: Any, peer: int, size: int, *, reducer: bool, root: int = -1, about: str = ""
    ) -> Flight:
        """Follow a call, and tell of it before it can block. `about`: `Call.about`, where it has no root."""
        flight = super().take_off(word, group, peer, size, reducer=reducer)
        members = tuple(_members(group))
        other = -1
        if word in ("send", "receive"):
            other = members[peer] if 0 <= peer < len(members) else NOBODY
        if 0 <= root < len(members):
            about = f"{'to' if word in ('gather', 'reduce') else 'from'} rank {members[root]}"
        line = self.line()
        call = Call(self._rank, word, flight.seq + 1, flight.group, members, other, size, line, about)
        self.made.append(call)
        self._of.append((flight, call))
        self._told += 1
        if self._told <= MOST_TOLD:
            self._tell(call)
        return flight

    def standing(self) -> Flight | None:
        """Return the call that training waits for; C++ (DDP's reducer) waits for the oldest of its own."""
        stands = super().standing()
        if stands is not None:
            return stands
        return next(
            (flight for flight, _ in list(self._of) if flight.reducer and flight.t_done is None), None
        )

    def follow_new_groups(self) -> None:
        """Follow `dist.new_group` as a call of all ranks: who does not make it holds up the others."""
        dist = torch.distributed
        plain = dist.new_group

        @functools.wraps(plain)
        def new_group(ranks: Sequence[int] | None = None, *args: Any, **kwargs: Any) -> Any:
            world: Any = dist.group.WORLD
            members = range(world.size()) if ranks is None else ranks
            of = f"new_group({list(members)})"
            flight = self.take_off("new_group", world, -1, 0, reducer=False, about=of)
            self.waits(flight)
            try:
                return plain(ranks, *args, **kwargs)
            finally:
                self.waited(flight)

        dist.new_group = new_group

    def never_waited_for(self) -> Call | None:
        """Return a call of this check that was begun (`async_op=True`, `isend`) and never waited for."""
        made = set(map(id, self.made))
        begun = (
            (flight, call)
            for flight, call in list(self._of)
            if id(call) in made and not flight.reducer and call.line and id(flight) not in self._awaited
        )
        return next((call for flight, call in begun if flight.wait_from is None), None)

    def follow(self, flight: Flight, work: Any) -> None:
        """Follow a call that is under way; its handle is kept, so a wait is seen after its end too."""
        self._works[id(work)] = flight, work
        super().follow(flight, work)

    def of_work(self, work: Any) -> Flight | None:
        """Return the call that `work` stands for, as somebody waits for it now."""
        if (known := self._works.get(id(work))) is not None:
            self._awaited.add(id(known[0]))
        return super().of_work(work)

    def stood_still_for(self, op: str) -> bool:
        """Return whether a call of this kind has been waited for, among those of `made`."""
        made = set(map(id, self.made))
        ours = [flight for flight, call in list(self._of) if id(call) in made and call.op == op]
        return any(flight.wait_from is not None for flight in ours)

    def forget(self) -> None:
        """Begin `made` anew."""
        self.made = []
        self._works.clear()
        self._awaited.clear()

    def line(self) -> int:
        """Return the line of the student's file that the training thread is in, 0 if in none of it."""
        frame: FrameType | None = sys._current_frames().get(self._thread)
        while frame is not None:
            if frame.f_code.co_filename == self._file:
                return frame.f_lineno
            frame = frame.f_back
        return 0

    def wire_bytes(self) -> int | None:
        """Return the bytes this rank has given its connections, by the kernel; None: not known.

        What the kernel sends again is not the student's.
        """
        if self._sockets.why:
            return None
        self._sockets.look()
        return sum(max(0, n) for n in self._sockets.sent(again=False))

    def watch(self, look: Callable[[], Trouble | None]) -> None:
        """Tell where the training thread stands, from a thread of its own, as long as the process lives.

        `look` is asked now and then for trouble that a rank which hangs could not tell.
        """
        threading.Thread(target=self._watch, args=(look,), name="practice", daemon=True).start()

    def _watch(self, look: Callable[[], Trouble | None]) -> None:
        last, last_at, began = None, 0.0, time.monotonic()
        sockets = Sockets()
        while True:
            flight, line = self.standing(), self.line()
            sockets.look()
            moved = sum(max(0, n) for n in sockets.sent(again=False)) + sum(self.counts())
            place = (id(flight) if flight is not None else 0, line, moved, self.idle)
            now = time.monotonic()
            if place != last:
                began = now
            if place != last or now - last_at > HEARTBEAT_S:
                call = next((call for known, call in list(self._of) if known is flight), None)
                since = flight.wait_from if flight is not None and flight.wait_from else began
                self._tell(Stands(self._rank, call, line, since, moved, self.idle))
                if now - last_at > HEARTBEAT_S and (trouble := look()) is not None:
                    self._tell(Verdict(self._rank, -1, trouble, 0.0))
                last, last_at = place, now
            time.sleep(EVERY_S)
