"""The connection of an agent to its host: made again when it breaks, and nothing is lost or told twice.

Every message that must arrive has a number, and is kept until the host says that it has recorded it. On each
connection the host says first what it has, and only the rest goes out again: a host that is late gets nothing
twice, however often its agents take it for dead. When too much is kept, `full` says so, and the ranks are not
listened to: they drop what is too much for them, and count it.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
import socket
import ssl
import time
from collections import deque
from collections.abc import Callable
from importlib import metadata

import msgspec

from runtime.cluster.link import certificate, handshake, link_messages
from runtime.cluster.link.clock import Clock
from runtime.cluster.link.handshake import Stranger
from runtime.cluster.link.invitation import Invitation
from runtime.cluster.link.link_messages import Ended, Events, FromHost, Here, Ping, Pong, Taken, Unreadable
from runtime.launch import gpus
from runtime.protocol.events import Event
from runtime.protocol.framing import FrameProtocol
from runtime.recordings import recorder
from runtime.supervision import load_shedding

GATHER_S = 0.05  # events are gathered for so long: 20 messages a second, however many ranks there are
# Of all agents together: from 13 nodes on each of them gathers for longer, 128 for half a second. Of as many
# ranks a host draws about once a second (`runtime.host.blocks.snapshot_pace`).
MESSAGES_S = 256
PING_S = 1.0
FIRST_TRIPS = 8  # round trips at once after connecting, which tell the difference of the clocks
DEAD_S = 10.0  # without an answer the connection is taken for half open
OURS_S = 1.0  # of a longer turn of the loop the rest was ours: who has no turn hears nobody
RETRY_S = 0.5
GONE_S = 60.0  # without a host: nobody else ends the ranks then
REFUSALS = 3  # one after the other: a crowd at the host's door can push out who comes once, or twice
COPY = "copy the one of the run that waits now"
SILENT = "it does not answer"
NOT_YET, EXPIRED = 9, 10  # X509_V_ERR_CERT_NOT_YET_VALID and _HAS_EXPIRED of OpenSSL
FULL_BYTES = 8 << 20
_encode = msgspec.msgpack.Encoder().encode


class HostConnection:
    """`on_message` gets what the host says, `on_gone(why)` is called once when there is no host any more."""

    def __init__(
        self,
        invitation: Invitation,
        node: int,
        here: tuple[int, int],
        on_message: Callable[[FromHost], None],
        on_gone: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
        at_work: Callable[[], bool] = lambda: False,
    ) -> None:
        """`here` is the number of nodes and of the ranks of this one; `clock` is that of the events;
        `at_work()` says whether ranks ran or wanted to since it was asked last."""
        self._invitation, self._node = invitation, node
        self._token = bytes.fromhex(invitation.token)
        self._on_message, self._on_gone, self._now, self._at_work = on_message, on_gone, clock, at_work
        session, has = secrets.token_hex(8), (_torch(), tuple(gpus.models()))
        self._here = Here(session, os.getpid(), socket.gethostname(), *here, *has)
        self.gather_s = max(GATHER_S, here[0] / MESSAGES_S)
        self.clock = Clock()
        self._number = 0
        self._kept: deque[tuple[int, bytes]] = deque()  # until they are acknowledged
        self._kept_bytes = 0
        self._events: list[Event] = []
        self._generation = 0
        self._line: FrameProtocol | None = None
        self._proof: bytes | None = None  # that the host has still to show
        self._known = False  # the host has shown that it knows the token
        self._told = False  # what it has taken, on this connection
        self._refused: int | None = 0  # how often in a row; None: it has taken us once, and is waited for
        self._heard_at = time.monotonic()
        self._trips = 0
        self._lost = asyncio.Event()
        self._why = SILENT
        self._began = time.monotonic()  # to connect, the last time
        self._silent_s = 0.0  # for how long it has said nothing

    @property
    def admitted(self) -> bool:
        """Whether the host has shown that it knows the token, and so that it takes us."""
        return self._known

    @property
    def full(self) -> bool:
        """Whether more is kept than should be: no further events should be made."""
        return self._kept_bytes > FULL_BYTES

    def put(self, generation: int, events: list[Event]) -> None:
        """Send events, gathered with others."""
        if generation != self._generation:
            self._gather()
            self._generation = generation
        self._events += events

    def end(
        self, generation: int, state: str, why: str, rank: int | None, *, victim: bool, left: int
    ) -> None:
        """Say how a generation ended, after all of its events."""
        self._gather()
        self._keep(Ended(self._next(), generation, state, why, rank, victim, left))

    async def flushed(self, within_s: float) -> bool:
        """Wait until the host has recorded all; False: it has not in time."""
        self._gather()
        until = time.monotonic() + within_s
        while self._kept and time.monotonic() < until:
            await asyncio.sleep(0.02)
        return not self._kept

    async def run(self) -> None:
        """Keep up the connection until there is no host any more; a task of its own."""
        while True:
            try:
                await self._connect()
                await self._serve()
            except ssl.SSLCertVerificationError as error:
                self._refuse(*_distrusted(error))
            except TimeoutError:
                self._why = SILENT
            except (OSError, ssl.SSLError, ValueError) as error:
                self._why = _in_words(error)
            finally:
                if self._line is not None:
                    self._line.abort()
                # Without a proof to wait for, a connection that we hang up on is none that was refused.
                self._line, self._proof, self._known, self._told = None, None, False, False
            if self._refused is not None and self._refused >= REFUSALS:
                self._on_gone(
                    f"the host at {self._invitation.address} does not let this machine in: {self._why}"
                )
                return
            if time.monotonic() - self._heard_at > GONE_S:
                self._on_gone(f"no host at {self._invitation.address} for {GONE_S:.0f} s: {self._why}")
                return
            await asyncio.sleep(RETRY_S * random.uniform(0.5, 1.5))  # not all agents in the same moment

    # --- the connection ---------------------------------------------------------------------------------

    async def _connect(self) -> None:
        self._lost.clear()
        self._trips, self._silent_s, self._began = 0, 0.0, time.monotonic()
        self._why = "it hung up"
        loop = asyncio.get_running_loop()

        def made() -> FrameProtocol:
            return FrameProtocol(self._received, self._hung_up, most=handshake.MOST)

        if self._invitation.path:
            connecting = loop.create_unix_connection(made, self._invitation.path)
            _, line = await asyncio.wait_for(connecting, handshake.WITHIN_S)
        else:
            host, port = self._invitation.endpoint
            context = certificate.client(self._invitation.certificate)
            _, line = await asyncio.wait_for(
                loop.create_connection(made, host, port, ssl=context, server_hostname=certificate.NAME),
                2 * handshake.WITHIN_S,
            )
        self._line = line

    async def _serve(self) -> None:
        """Send what there is until the connection is lost, or has been silent for too long."""
        before, ping_at = time.monotonic(), 0.0
        while not self._lost.is_set():
            now = time.monotonic()
            self._silent_s += min(now - before, self.gather_s + OURS_S)
            before = now
            if self._silent_s > DEAD_S:
                self._why = SILENT
                return
            if self._known:
                self._gather()
                if now >= ping_at:
                    ping_at = now + PING_S
                    self._ping()
            try:
                await asyncio.wait_for(self._lost.wait(), self.gather_s)
            except TimeoutError:
                pass

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        self._silent_s = 0.0
        if self._known:
            self._heard(payload)
        elif self._proof is None:
            try:
                number = bytes.fromhex(self._invitation.number)
                answer, self._proof = handshake.answer(self._token, number, self._node, payload)
            except Stranger as error:
                self._why = str(error)
                line.abort()
                return
            line.send(answer)
        elif not handshake.same(self._proof, payload):
            self._proof = None
            self._refuse("it does not know the token", COPY)
            line.abort()
        else:
            self._known, self._heard_at, self._refused = True, time.monotonic(), None
            line.take(link_messages.MOST)
            self._line = line
            line.send(link_messages.encode(self._here))
            self._ping()

    def _heard(self, payload: bytes) -> None:
        try:
            message = link_messages.from_host(payload)
        except Unreadable as error:
            self._why = f"it says what cannot be read: {error}"
            self._lost.set()
            return
        self._heard_at = time.monotonic()
        match message:
            case Taken():
                self._taken(message.number)
                if not self._told and self._line is not None:
                    self._told = True
                    for _, kept in self._kept:
                        self._line.send(kept)
            case Pong():
                self.clock.heard(message.sent, message.at, self._now())
                self._taken(message.taken)
                self._trips += 1
                if self._trips < FIRST_TRIPS:
                    self._ping()
            case _:
                self._on_message(message)

    def _taken(self, number: int) -> None:
        while self._kept and self._kept[0][0] <= number:
            self._kept_bytes -= len(self._kept.popleft()[1])

    def _hung_up(self, line: FrameProtocol) -> None:
        if self._line is line or self._line is None:
            if self._proof is not None and not self._known:
                self._sent_away()
            self._lost.set()

    def _sent_away(self) -> None:
        """A host hangs up at once on who does not know the token. One that took its time for that was late,
        or we were: it is there, and waited for."""
        if time.monotonic() - self._began < handshake.WITHIN_S:
            self._refuse("it does not take this invitation", COPY)
        else:
            self._why, self._heard_at = "it is late", time.monotonic()

    def _refuse(self, why: str, mend: str) -> None:
        self._why = f"{why}: {mend}"
        if self._refused is not None:
            self._refused += 1

    # --- what is sent -----------------------------------------------------------------------------------

    def _ping(self) -> None:
        known = self.clock.difference
        ahead, within = (None, None) if known is None else known
        if self._line is not None:
            at_work = self._at_work()  # reads /proc: before the clock is read, or it is in the round trip
            self._line.send(link_messages.encode(Ping(self._now(), ahead, within, at_work)))

    def _next(self) -> int:
        self._number += 1
        return self._number

    def _gather(self) -> None:
        if self._events:
            events, self._events = self._events, []
            for at in range(0, len(events), 2000):  # a frame stays far below its limit
                piece = events[at : at + 2000]
                drawn = _encode(load_shedding.newest(piece))
                self._keep(Events(self._next(), self._generation, drawn, recorder.member(piece)))

    def _keep(self, message: Events | Ended) -> None:
        payload = link_messages.encode(message)
        self._kept.append((message.number, payload))
        self._kept_bytes += len(payload)
        if self._told and self._line is not None:
            self._line.send(payload)


def _torch() -> str:
    try:
        return metadata.version("torch")
    except metadata.PackageNotFoundError:
        return ""


def _in_words(error: Exception) -> str:
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError) and (error.errno or 0) > 0:
        return os.strerror(error.errno or 0)  # asyncio says it by the call and the address
    return str(error) or type(error).__name__


def _distrusted(error: ssl.SSLCertVerificationError) -> tuple[str, str]:
    """Return in words why a host's certificate is not taken, and the mend."""
    if error.verify_code in (NOT_YET, EXPIRED):
        when = "not valid yet" if error.verify_code == NOT_YET else "over"
        return (
            f"by the clock of this machine the host's certificate is {when}",
            "set the clocks of both machines",
        )
    return "it shows another certificate than this invitation has", COPY
