"""What phones say of their own accord, on its way to the host: questions to the lecturer, and how it goes."""

from __future__ import annotations

from collections.abc import Callable

from runtime.phones import browser_messages
from runtime.phones.connection import Phone
from runtime.phones.seats import Seat
from runtime.protocol.class_messages.phone_messages import AskedBy, GateMessage, Voices

MOST_ASKED = 20  # by one seat
MOST_TEXT = 280  # characters


class PhoneVoices:
    """Gathers what is said and hands it on; what came twice, sent again, is one. `picked` is what of it the
    room may read, by id: text, and how many ask it."""

    def __init__(self, send: Callable[[GateMessage], None], reactions: bool = False) -> None:
        self._send, self._reactions = send, reactions
        self.picked: dict[int, tuple[str, int]] = {}
        self._last: dict[str, int] = {}  # by seat: the newest count
        self._asked: dict[str, int] = {}  # by seat: how many
        self._new: list[AskedBy] = []
        self._supported: list[tuple[str, int]] = []
        self._felt: dict[str, str] = {}
        self._reacted: dict[str, str] = {}

    def take(
        self,
        phone: Phone,
        seat: Seat,
        said: browser_messages.Ask
        | browser_messages.Support
        | browser_messages.Feel
        | browser_messages.React,
    ) -> None:
        """Take one; who asks is told that it has arrived. Of who is muted nothing is taken."""
        match said:
            case browser_messages.Ask(n=n) if seat.mute:
                phone.tell(browser_messages.told("asked", n=n, why="often"))
            case _ if seat.mute:
                pass
            case browser_messages.Ask(n=n, text=text):
                self._ask(phone, seat, n, browser_messages.cleaned(text, MOST_TEXT))
            case browser_messages.Support(id=id) if id in self.picked:
                self._supported.append((seat.id, id))
            case browser_messages.Feel(word=word):
                self._felt[seat.id] = word
            case browser_messages.React(word=word) if self._reactions:
                self._reacted[seat.id] = word
            case _:
                pass

    def _ask(self, phone: Phone, seat: Seat, n: int, text: str) -> None:
        if n > self._last.get(seat.id, 0) and text:
            if self._asked.get(seat.id, 0) >= MOST_ASKED:
                phone.tell(browser_messages.told("asked", n=n, why="often"))
                return
            self._asked[seat.id] = self._asked.get(seat.id, 0) + 1
            self._new.append(AskedBy(seat.id, seat.name, n, text))
        self._last[seat.id] = max(n, self._last.get(seat.id, 0))
        phone.tell(browser_messages.told("asked", n=n))

    def send(self) -> None:
        """Hand on what was gathered."""
        felt, reacted = tuple(self._felt.items()), tuple(self._reacted.items())
        self._send(Voices(tuple(self._new), tuple(self._supported), felt, reacted))
        self._new, self._supported, self._felt, self._reacted = [], [], {}, {}

    def told(self) -> bytes:
        """What every phone may read of it, the most wanted first."""
        listed = sorted(self.picked.items(), key=lambda item: (-item[1][1], item[0]))
        return browser_messages.told("room", asked=[[id, text, votes] for id, (text, votes) in listed[:12]])
