"""One connection of a browser: HTTP/1.1 by h11, WebSocket frames by websockets' own protocol object.

Who asks under a name that is not ours is refused (a page elsewhere may have its name point here), so is a
page from another origin. Nothing is waited for without end: a request, a hello, a sign of life have a time.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from typing import Protocol

import h11
import msgspec
from websockets.exceptions import InvalidState, ProtocolError
from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

from runtime.phones import browser_messages, page
from runtime.phones.host_names import Names
from runtime.phones.pictures import Pictures
from runtime.phones.polling import Posted
from runtime.phones.rate_limits import MOST_SIGNS
from runtime.phones.seats import Seat

REQUEST_S = 10.0  # for a request, and then for a hello
SILENT_S = 40.0  # a phone says every 10 s that it is there
LINGER_S = 5.0  # for last words to be taken
POST_S = 2.0  # for what a posted answer is answered with
MOST_HEAD, MOST_BODY = 8192, 4 * browser_messages.MOST_FRAME  # bytes
MOST_BACKLOG = 64 << 10  # bytes that a browser has not taken: it is hung up on, and comes back
PICTURES = b"/picture/"
GONE, REFUSED, TOO_MUCH = 1001, 4000, 4002  # codes of closing; from 4000 on they are ours


class Phone(Protocol):
    """Somebody with a browser: on a WebSocket, or for the length of one POST."""

    seat: Seat | None
    wrong: int  # codes in a row; with a seat, messages that were too many

    def tell(self, payload: bytes) -> None:
        """Send one message."""

    def hang_up(self, code: int, why: str = "") -> None:
        """Close, and say why."""


class Site(Protocol):
    """What connections ask of the gate."""

    secure: bool
    pictures: Pictures
    names: Names

    def full(self) -> bool:
        """Whether nobody more can be taken."""

    def came(self, connection: Connection) -> None:
        """A connection was made."""

    def heard(self, phone: Phone, said: browser_messages.AnySaid) -> None:
        """A phone says something."""

    def left(self, connection: Connection) -> None:
        """A connection is gone."""


def framed(payload: bytes) -> bytes:
    """Return a message as the frame that goes to any browser: frames of a server are not masked."""
    return Frame(Opcode.TEXT, payload).serialize(mask=False)


def _takes_gzip(encodings: bytes) -> bool:
    """Whether a browser says so in its header; one that refuses gives it a weight of 0."""
    named = (one.replace(b" ", b"").partition(b";") for one in encodings.split(b","))
    return any(name == b"gzip" and weight.rstrip(b".0") != b"q=" for name, _, weight in named)


class Connection(asyncio.Protocol):
    """A browser's connection, first HTTP, then perhaps a WebSocket."""

    def __init__(self, site: Site) -> None:
        self.seat: Seat | None = None
        self.wrong = 0
        self._site = site
        self._http: h11.Connection | None = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_HEAD)
        self._head = bytearray()  # of the request that is being read, as it came
        self._request: h11.Request | None = None
        self._body = bytearray()
        self._socket: ServerProtocol | None = None
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._alive = 0.0
        self._signs = 0  # pings since the last message

    # --- the transport ----------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._site.came(self)
        self._wait(REQUEST_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._transport = None
        if self._timer is not None:
            self._timer.cancel()
        self._site.left(self)

    def data_received(self, data: bytes) -> None:
        """Called by asyncio."""
        if self._socket is not None:
            self._frames(data)
        elif self._http is not None:
            self._read(data)

    def _wait(self, seconds: float) -> None:
        """Hang up after so long, unless something is heard before."""
        loop = asyncio.get_running_loop()
        self._alive = loop.time() + seconds
        if self._timer is None:
            self._timer = loop.call_at(self._alive, self._overdue)

    def _overdue(self) -> None:
        self._timer = None
        if (left := self._alive - asyncio.get_running_loop().time()) > 0.0:
            self._wait(left)
        else:
            self.hang_up(GONE, "nothing was heard")

    def _write(self, data: bytes) -> None:
        if self._transport is None or self._transport.is_closing():
            return
        if self._transport.get_write_buffer_size() > MOST_BACKLOG:
            self._transport.abort()
        else:
            self._transport.write(data)

    @property
    def peer(self) -> str:
        """The address at the other end, "" once it is gone."""
        found = self._transport.get_extra_info("peername") if self._transport is not None else None
        return str(found[0]) if found else ""

    # --- what the gate says -----------------------------------------------------------------------------

    @property
    def listens(self) -> bool:
        """Whether it is a WebSocket of somebody who has a seat."""
        return self._socket is not None and self.seat is not None

    def tell(self, payload: bytes) -> None:
        """Send one message."""
        self.send_frame(framed(payload))

    def send_frame(self, frame: bytes) -> None:
        """Send what `framed` made, once for everybody."""
        if self._socket is not None:
            self._write(frame)

    def hang_up(self, code: int, why: str = "") -> None:
        """Close; a WebSocket is told why."""
        if self._socket is not None:
            with contextlib.suppress(ProtocolError, InvalidState):
                self._socket.send_close(code, why)
            self._flush()
        if self._transport is not None:
            self._transport.close()
            if self._transport.get_write_buffer_size():  # who takes nothing would hold it without end
                asyncio.get_running_loop().call_later(LINGER_S, self._transport.abort)

    # --- WebSocket --------------------------------------------------------------------------------------

    def _upgrade(self) -> None:
        """Take the handshake over from h11: it was read as a request, now it is answered as one."""
        socket = ServerProtocol(max_size=browser_messages.MOST_FRAME)
        socket.receive_data(bytes(self._head))
        self._head.clear()
        self._http, self._socket = None, socket
        for event in socket.events_received():
            if isinstance(event, Request):
                socket.send_response(socket.accept(event))
        self._flush()
        if socket.handshake_exc is not None:
            self._socket = None
            self.hang_up(REFUSED)
        else:
            self._wait(REQUEST_S)

    def _frames(self, data: bytes) -> None:
        assert self._socket is not None
        with contextlib.suppress(EOFError):
            self._socket.receive_data(data)
        for event in self._socket.events_received():
            if not isinstance(event, Frame):
                continue
            if event.opcode in (Opcode.PING, Opcode.PONG):
                self._signs += 1  # answered by the protocol object
                if self._signs <= MOST_SIGNS:
                    continue
                self.hang_up(TOO_MUCH, "too many pings")
                return
            self._signs = 0
            if event.opcode is not Opcode.TEXT or not event.fin:
                self.hang_up(REFUSED if event.opcode is not Opcode.CLOSE else GONE)
                return
            try:
                said = browser_messages.heard(bytes(event.data))
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                self.hang_up(REFUSED, "not a message")
                return
            self._site.heard(self, said)
            if self._transport is None or self._transport.is_closing():
                return
            self._wait(SILENT_S if self.seat is not None else REQUEST_S)
        self._flush()

    def _flush(self) -> None:
        assert self._socket is not None
        for data in self._socket.data_to_send():
            if data:
                self._write(data)
            elif self._transport is not None:
                self._transport.close()

    # --- HTTP -------------------------------------------------------------------------------------------

    def _read(self, data: bytes) -> None:
        assert self._http is not None
        if self._request is None:
            self._head += data
        if len(self._head) > MOST_HEAD + MOST_BODY:
            self.hang_up(TOO_MUCH)
            return
        try:
            self._http.receive_data(data)
            self._events()
        except h11.RemoteProtocolError as error:
            self._answer(error.error_status_hint, b"")
            self.hang_up(REFUSED)
        except h11.LocalProtocolError:
            self.hang_up(REFUSED)

    def _events(self) -> None:
        while self._http is not None:
            event = self._http.next_event()
            if event is h11.NEED_DATA:
                return
            if event is h11.PAUSED:
                if self._http.trailing_data[0]:  # no browser asks for the next before it has an answer
                    self.hang_up(REFUSED)
                return
            if isinstance(event, h11.Request):
                self._request = event
                if self._header(b"upgrade").lower() == b"websocket":
                    self._asked_to_upgrade()
                    return
            elif isinstance(event, h11.Data):
                self._body += event.data
                if len(self._body) > MOST_BODY:
                    self._answer(413, b"")
                    self.hang_up(TOO_MUCH)
                    return
            elif isinstance(event, h11.EndOfMessage):
                self._requested()
            elif isinstance(event, h11.ConnectionClosed):
                self.hang_up(GONE)
                return

    def _header(self, name: bytes) -> bytes:
        assert self._request is not None
        found = [value for key, value in self._request.headers if key == name]
        return found[0] if len(found) == 1 else b""

    def _trusted(self) -> bool:
        """Asked for by a name of ours, and from a page of ours if from a page at all."""
        host = self._header(b"host").decode("ascii", "replace")
        origin = self._header(b"origin").decode("ascii", "replace")
        if not self._site.names.allow(host):
            return False
        asked = any(key == b"origin" for key, _ in self._request.headers) if self._request else False
        return not asked or self._site.names.same_origin(origin, host)

    def _asked_to_upgrade(self) -> None:
        assert self._request is not None
        if not self._trusted():
            self._answer(403, b"")
        elif self._request.target != b"/phone":
            self._answer(404, b"")
        elif self._site.full():
            self._answer(503, b"the room is full\n")
        else:
            self._upgrade()
            return
        self.hang_up(REFUSED)

    def _requested(self) -> None:
        """A whole request is here."""
        assert self._request is not None
        method, target = self._request.method, self._request.target.partition(b"?")[0]
        if not self._trusted():
            self._answer(403, b"this class is not served under that name\n")
        elif method in (b"GET", b"HEAD") and target == b"/":
            nonce = secrets.token_urlsafe(12)
            body, headers = page.whole(nonce), page.headers(nonce, self._header(b"host").decode())
            if _takes_gzip(self._header(b"accept-encoding").lower()):
                body, headers = page.shortened(body), (*headers, ("content-encoding", "gzip"))
            self._answer(200, body, headers, head=method == b"HEAD")
        elif method == b"GET" and target.startswith(PICTURES):
            found = self._site.pictures.find(target.removeprefix(PICTURES).decode("ascii", "replace"))
            self._answer(*(404, b"") if found is None else (200, found, page.PICTURE_HEADERS))
        elif method == b"POST" and target == b"/say":
            self._post()
            return
        elif target in (b"/", b"/say"):
            self._answer(405, b"")
        else:
            self._answer(404, b"")
        self._next()

    def _post(self) -> None:
        """Several messages at once, of a phone whose network lets no WebSocket through."""
        try:
            said = browser_messages.posted(bytes(self._body))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            self._answer(400, b"")
            self._next()
            return
        posted = Posted(self._posted)
        for one in said[:16]:
            self._site.heard(posted, one)
        posted.finish(POST_S if any(isinstance(one, browser_messages.Answer) for one in said) else 0.0)

    def _posted(self, messages: list[bytes]) -> None:
        self._answer(200, b"[" + b",".join(messages) + b"]", page.JSON_HEADERS)
        self._next()

    def _next(self) -> None:
        """Wait for the next request on this connection, as long as browsers keep one."""
        self._request = None
        self._body.clear()
        self._head.clear()
        http = self._http
        if (
            http is not None
            and http.our_state is h11.DONE
            and http.their_state is h11.DONE
            and not http.trailing_data[0]  # no browser sends the next before it has an answer
        ):
            http.start_next_cycle()
            self._wait(REQUEST_S)
        else:
            self.hang_up(GONE)

    def _answer(
        self, status: int, body: bytes, headers: tuple[tuple[str, str], ...] = (), head: bool = False
    ) -> None:
        if self._http is None or self._http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        named = headers or (*page.SAFE_HEADERS, ("content-type", "text/plain; charset=utf-8"))
        lines = [*named, ("content-length", str(len(body)))]
        data = self._http.send(h11.Response(status_code=status, headers=lines)) or b""
        data += (self._http.send(h11.Data(data=body)) or b"") if not head else b""
        data += self._http.send(h11.EndOfMessage()) or b""
        self._write(data)
