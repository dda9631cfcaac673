"""Where agents of other machines come to: a socket of our own that `ssh -R` leads to, and TLS where asked.

Nothing that comes is decoded before the other end has shown that it knows the token
(`runtime.cluster.link.handshake`). Who does not within a few seconds is hung up on without a word, and where
many have not, the one that came first gives way: an agent shows it at once, and no crowd can use up the files
that this process may open.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from runtime.cluster.link import handshake, link_messages
from runtime.cluster.link.handshake import Stranger
from runtime.cluster.link.link_messages import Here, Unreadable
from runtime.protocol.events import AnyEvent
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.rank_decoder import BadFrame
from runtime.supervision.agents.nodes import Nodes
from runtime.supervision.frame_queue import FrameQueue
from runtime.supervision.rank_socket import admit

# Connections that have not shown yet who they are, and as many that speak no TLS yet, beside those of the
# agents that are expected: these may all come in the same moment, and may not push each other out.
MOST_STRANGERS = 64


@dataclass(slots=True)
class _End:
    """What is known of the other end. `nodes` is None until it has shown that it knows their token, and
    `here` is false until it has said who it is."""

    challenge: bytes
    limit: asyncio.TimerHandle
    nodes: Nodes | None = None
    node: int = 0
    here: bool = False


class _Knocking(asyncio.Protocol):
    """A connection that has not begun to speak TLS; nothing of it is read before `knocked` has it begin."""

    def __init__(self, knocked: Callable[[asyncio.Transport], None]) -> None:
        self._knocked = knocked

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Hand it over; called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        transport.pause_reading()
        self._knocked(transport)


class AgentSocket:
    """`nodes_of(invitation)` returns the nodes of a living run by the number of their invitation;
    `on_heard(nodes, events)` is called after events of theirs were taken in, `expected()` says how many
    agents may come."""

    def __init__(
        self,
        nodes_of: Callable[[bytes], Nodes | None],
        on_heard: Callable[[Nodes, Sequence[AnyEvent]], None],
        full: Callable[[], bool] = lambda: False,
        expected: Callable[[], int] = lambda: 0,
    ) -> None:
        self._nodes_of, self._on_heard, self._expected = nodes_of, on_heard, expected
        self._queue = FrameQueue(self._heard, self._forget, full)
        self._ends: dict[FrameProtocol, _End] = {}
        self._knocking: dict[asyncio.Transport, asyncio.Task[None]] = {}  # in the order in which they came
        self._servers: list[asyncio.Server] = []
        self._paths: list[Path] = []

    @property
    def late(self) -> bool:
        """Whether agents send more than can be taken in."""
        return self._queue.late

    def holds_of(self, line: FrameProtocol) -> bool:
        """Whether something that an agent has sent waits here to be taken in."""
        return self._queue.holds_of(line)

    async def listen_at(self, path: Path) -> None:
        """Listen at a socket that only this user can reach. Raises `OSError`."""
        path.unlink(missing_ok=True)
        made = partial(self._connection, ours=True)
        self._servers.append(await asyncio.get_running_loop().create_unix_server(made, str(path)))
        path.chmod(0o600)
        self._paths.append(path)

    async def listen(self, host: str, port: int, context: ssl.SSLContext) -> int:
        """Listen for connections by TLS, at any free port with port 0; returns the port. Raises `OSError`."""
        made = partial(_Knocking, partial(self._knocked, context))
        server = await asyncio.get_running_loop().create_server(made, host, port)
        self._servers.append(server)
        return int(server.sockets[0].getsockname()[1])

    def close(self) -> None:
        """Listen no more, and hang up on everybody."""
        self._queue.close()
        for server in self._servers:
            server.close()
        for transport in list(self._knocking):
            transport.abort()
        for line, end in list(self._ends.items()):
            end.limit.cancel()
            line.close()
        for path in self._paths:
            path.unlink(missing_ok=True)

    @property
    def strangers(self) -> int:
        """Connections that have not shown yet who they are."""
        return len(self._knocking) + len(self._unproven)

    @property
    def _most_strangers(self) -> int:
        return MOST_STRANGERS + 2 * self._expected()  # one that comes again may have its old connection still

    @property
    def _unproven(self) -> list[FrameProtocol]:
        """Those of them that were asked and not hung up on, in the order in which they came."""
        return [line for line, end in self._ends.items() if end.nodes is None and line.connected]

    def _knocked(self, context: ssl.SSLContext, transport: asyncio.Transport) -> None:
        """Begin to speak TLS with a connection. asyncio's own servers count none that has not spoken it."""
        if len(self._knocking) >= self._most_strangers:
            oldest = next(iter(self._knocking))
            del self._knocking[oldest]
            oldest.abort()
        task = asyncio.create_task(self._secure(context, transport), name="tls")
        self._knocking[transport] = task
        task.add_done_callback(lambda _: self._knocking.pop(transport, None))

    async def _secure(self, context: ssl.SSLContext, transport: asyncio.Transport) -> None:
        line, loop = self._connection(ours=False), asyncio.get_running_loop()
        try:
            secured = await loop.start_tls(
                transport, line, context, server_side=True, ssl_handshake_timeout=handshake.WITHIN_S
            )
        except (OSError, ssl.SSLError):
            transport.abort()
            return
        if secured is not None and not transport.is_closing():
            line.connection_made(secured)

    def _connection(self, *, ours: bool) -> FrameProtocol:
        return FrameProtocol(
            self._received, self._queue.hung_up, self._made_here if ours else self._made, most=handshake.MOST
        )

    def _made_here(self, line: FrameProtocol) -> None:
        admit(line)  # `ssh -R` comes as this user
        self._made(line)

    def _made(self, line: FrameProtocol) -> None:
        if len(strangers := self._unproven) >= self._most_strangers:
            strangers[0].abort()
        challenge = handshake.challenge()
        limit = asyncio.get_running_loop().call_later(handshake.WITHIN_S, line.abort)
        self._ends[line] = _End(challenge, limit)
        line.send(challenge)

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        end = self._ends.get(line)
        if end is None:
            line.abort()
        elif end.nodes is not None:
            self._queue.received(line, payload)
        elif not self._admitted(line, end, payload):
            line.abort()

    def _admitted(self, line: FrameProtocol, end: _End, payload: bytes) -> bool:
        """Look at an answer; True: whoever gave it knows the token."""
        try:
            claimed = handshake.claim(payload)
            nodes = self._nodes_of(claimed.invitation)
            # Without such an invitation the answer takes as long as with a wrong token.
            proof = handshake.proof(nodes.token if nodes is not None else b"\0", claimed, end.challenge)
        except Stranger:
            return False
        if nodes is None or claimed.node >= len(nodes.all):
            return False
        end.limit.cancel()
        end.nodes, end.node = nodes, claimed.node
        line.take(link_messages.MOST)
        line.send(proof)
        self._queue.made(line)  # it waits from here on where too much comes: its proof had not to
        return True

    def _heard(self, line: FrameProtocol, payload: bytes) -> None:
        end = self._ends.get(line)
        if end is None or end.nodes is None:
            return
        try:
            message = link_messages.from_agent(payload)
            if isinstance(message, Here):
                if end.here or not end.nodes.greeted(end.node, line, message):
                    line.close()
                end.here = True
                return
            if not end.here:
                line.close()
                return
            if events := end.nodes.heard(end.node, line, message):
                self._on_heard(end.nodes, events)
        except (Unreadable, BadFrame):
            line.close()

    def _forget(self, line: FrameProtocol) -> None:
        end = self._ends.pop(line, None)
        if end is not None:
            end.limit.cancel()
            if end.nodes is not None:
                end.nodes.hung_up(end.node, line)
