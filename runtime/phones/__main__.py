"""The process of a gate: `python -P -m runtime.phones FD`, `FD` its end of a socket pair with the host."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import socket
import ssl
import sys
from pathlib import Path

import msgspec

import teachrun
from runtime.phones.connection import REQUEST_S, Connection
from runtime.phones.gate import Gate
from runtime.phones.host_names import address_by
from runtime.phones.seats import Seats
from runtime.protocol.class_messages.phone_messages import (
    Failed,
    GateMessage,
    People,
    Ready,
    Serve,
    decode_to_gate,
    encode,
)
from runtime.protocol.framing import FrameProtocol

PORT = 8321  # where it is free
BACKLOG = 2048  # connections that the kernel keeps until they are taken: a whole hall at once


class Process:
    """Serves until the host is gone or says something else than it may."""

    def __init__(self) -> None:
        self.ended = asyncio.Event()
        self._gate: Gate | None = None
        self._host: FrameProtocol | None = None
        self._jobs: set[asyncio.Task[None]] = set()

    def made(self, host: FrameProtocol) -> None:
        """The line to the host stands."""
        self._host = host

    def received(self, host: FrameProtocol, payload: bytes) -> None:
        """Take one message of the host."""
        try:
            message = decode_to_gate(payload)
        except msgspec.DecodeError:
            self.ended.set()
            return
        if isinstance(message, Serve):
            task = asyncio.ensure_future(self._serve(message))
            self._jobs.add(task)
            task.add_done_callback(self._jobs.discard)
        elif self._gate is not None:
            self._gate.obey(message)

    def lost(self, host: FrameProtocol) -> None:
        """Without a host there is no class to serve."""
        if self._gate is not None:
            self._gate.close()
        self.ended.set()

    def _send(self, message: GateMessage) -> None:
        if self._host is not None:
            self._host.send(encode(message))

    async def _serve(self, serve: Serve) -> None:
        try:
            seats = Seats(Path(serve.seats))
            secure = _tls(serve)
            gate = self._gate = Gate(serve, seats, self._send, secure is not None)
            port = await _listen(gate, serve.bind, serve.port or seats.port, secure)
            seats.listens(port)
        except (OSError, ssl.SSLError, ValueError) as error:
            self._send(Failed(_why(error, serve), "name another interface or port, or leave phones out"))
            self.ended.set()
            return
        address = f"[{serve.bind}]" if ":" in serve.bind else serve.bind
        url = f"{'https' if secure else 'http'}://{address}:{port}"
        self._send(Ready(address_by(serve.hosts[0], url) if serve.hosts else url, port, seats.code))
        self._send(People(0, len(seats)))


def _tls(serve: Serve) -> ssl.SSLContext | None:
    if not serve.cert:
        return None
    for file in filter(None, (serve.cert, serve.key)):
        if not os.access(file, os.R_OK):
            raise ValueError(f"{file} cannot be read")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(serve.cert, serve.key or None)
    return context


async def _listen(gate: Gate, bind: str, port: int, secure: ssl.SSLContext | None) -> int:
    """Listen at `port`, or where none was asked for at ours, else at any; returns which. Raises `OSError`."""
    loop = asyncio.get_running_loop()
    for wanted in (port,) if port else (PORT, 0):
        try:
            server = await loop.create_server(
                lambda: Connection(gate),
                bind,
                wanted,
                ssl=secure,
                backlog=BACKLOG,
                ssl_handshake_timeout=REQUEST_S if secure else None,
            )
        except OSError as error:
            if port or not wanted or error.errno != errno.EADDRINUSE:
                raise
            continue
        return int(server.sockets[0].getsockname()[1])
    raise OSError("no port is free")


def _why(error: Exception, serve: Serve) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return f"port {serve.port} of {serve.bind} is taken by another program"
    if isinstance(error, OSError) and error.errno == errno.EADDRNOTAVAIL:
        return f"{serve.bind} is not an address of this machine"
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"phones cannot be served at {serve.bind}: {said}"


async def serve(fd: int) -> None:
    """Serve phones for the host at the other end of `fd`, until it is gone."""
    process = Process()
    line = socket.socket(fileno=fd)
    await asyncio.get_running_loop().create_connection(
        lambda: FrameProtocol(process.received, process.lost, process.made), sock=line
    )
    await process.ended.wait()
    await asyncio.sleep(0.05)  # last words leave on a later turn of the loop


def main() -> int:
    """Run the gate; returns the exit code."""
    teachrun.be_quick()
    os.umask(0o077)
    with contextlib.suppress(OSError, ValueError):  # a phone is a file; many systems give 1024 unasked
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (most if most != resource.RLIM_INFINITY else 65536, most))
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(int(sys.argv[1])))
    return 0


if __name__ == "__main__":
    sys.exit(main())
