"""A network between phones and their gate that breaks: a TCP proxy on loopback which resets connections.

For a share of the messages that pass, in either direction, the connection is reset at once: that message
never arrives, and neither does what was still under way. TCP itself repairs what a network loses within a
connection; what a program has to survive is that a connection is gone and nobody knows what had arrived.
"""

from __future__ import annotations

import asyncio
import random
import socket
import struct


class LossyProxy:
    """Serves on a port of loopback as long as it is entered: `async with LossyProxy(port, 0.1) as proxy`."""

    def __init__(self, to_port: int, cut: float, seed: int = 1) -> None:
        self.port = 0
        self.passed = self.cuts = 0
        self._to, self._cut, self._random = to_port, cut, random.Random(seed)
        self._server: asyncio.Server | None = None

    async def __aenter__(self) -> LossyProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=2048)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, phone: asyncio.StreamReader, to_phone: asyncio.StreamWriter) -> None:
        try:
            gate, to_gate = await asyncio.open_connection("127.0.0.1", self._to)
        except OSError:
            _reset(to_phone)
            return
        ways = (self._carry(phone, to_gate), self._carry(gate, to_phone))
        tasks = [asyncio.ensure_future(way) for way in ways]
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for writer in (to_phone, to_gate):
            _reset(writer)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _carry(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Carry one direction until its end, or until a message is the one with which it breaks."""
        while data := await reader.read(1 << 16):
            if self._random.random() < self._cut:
                self.cuts += 1
                return
            self.passed += 1
            writer.write(data)
            await writer.drain()


def _reset(writer: asyncio.StreamWriter) -> None:
    """End a connection as a network does that is gone: by a reset, without a word to the other end."""
    connection = writer.get_extra_info("socket")
    if connection is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    writer.transport.abort()
