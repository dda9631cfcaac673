"""The gate: what phones are told, and what they answer on its way to the host.

Everything it knows came from the host and may be known by the room. It is told of each answer that it is in
the journal, and only then tells the phone. Killed, it is started again, and asks nobody to join anew.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable

import msgspec

from runtime.classroom.question_state import QuestionState, team_of, voters
from runtime.phones import browser_messages, nicknames, rate_limits
from runtime.phones.browser_messages import cleaned, told
from runtime.phones.connection import REFUSED, TOO_MUCH, Connection, Phone, framed
from runtime.phones.connection_limit import Connected
from runtime.phones.host_names import Names
from runtime.phones.messages_to_lecturer import PhoneVoices
from runtime.phones.pictures import Pictures
from runtime.phones.polling import POLLED_S, Polling
from runtime.phones.rate_limits import Bucket
from runtime.phones.seats import Seat, Seats
from runtime.protocol.class_messages.phone_messages import (
    Answers,
    Doors,
    FromRoom,
    GateMessage,
    Given,
    People,
    Questions,
    SeatAnswer,
    Serve,
    ShowPage,
    Taken,
    ToGate,
    Written,
)

GATHER_S = 0.05  # answers go to the host together
SPREAD_S = 0.05  # changes go to the phones together
PEOPLE_S = 0.5  # between two words on how many are here
_NOTHING = b'{"questions":[]}'


class _Shown(msgspec.Struct):
    """Of the page only the ids of its questions are read here."""

    questions: list[dict[str, object]] = []


class Mine(msgspec.Struct):
    """What a seat has answered to a question: the newest, and the newest that is in the journal."""

    round: int
    newest: SeatAnswer
    written: SeatAnswer | None = None


class Gate:
    """All phones of a class, as the host asked for them; `send` is the way to it. `secure`: by TLS."""

    def __init__(
        self, asked: Serve, seats: Seats, send: Callable[[GateMessage], None], secure: bool = False
    ) -> None:
        self.secure, self.names, self._reactions = secure, Names(asked.hosts), asked.reactions
        self._seats, self._send, self._named, self._teams = seats, send, asked.names, asked.teams
        self._open = True
        self._connected = Connected()
        self._at: dict[str, Connection] = {}  # by seat
        self._polling = Polling()
        self._people = (0, 0)
        self._buckets: dict[str, Bucket] = {}  # by seat
        self._codes, self._joins = (
            Bucket(rate_limits.CODE_RATE, rate_limits.CODE_BURST),
            Bucket(rate_limits.JOIN_RATE, rate_limits.JOIN_BURST),
        )
        self._page, self._version = _NOTHING, 1
        self.pictures = Pictures()
        self._shown: tuple[str, ...] = ()
        self._questions: dict[str, QuestionState] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._mine: dict[str, dict[str, Mine]] = {}
        self._gathered: dict[tuple[str, str], SeatAnswer] = {}
        self._asked: dict[tuple[str, int], Phone] = {}  # POSTs that wait, by seat and answer
        self._voices = PhoneVoices(send, asked.reactions)
        self._state = b""
        self._ahead_s = 0.0  # of the host's clock
        self._stale = True
        self._timers: dict[str, asyncio.TimerHandle] = {}

    # --- what connections ask ---------------------------------------------------------------------------

    def full(self) -> bool:
        """Whether nobody more can be taken."""
        return len(self._at) >= rate_limits.MOST_CONNECTIONS

    @property
    def connections(self) -> set[Connection]:
        """All that are connected now."""
        return self._connected.all

    def came(self, connection: Connection) -> None:
        """A connection was made."""
        self._connected.came(connection)

    def left(self, connection: Connection) -> None:
        """A connection is gone."""
        self._connected.left(connection)
        if connection.seat is not None and self._at.get(connection.seat.id) is connection:
            del self._at[connection.seat.id]
            self._soon("people", PEOPLE_S, self._tell_people)

    def heard(self, phone: Phone, said: browser_messages.AnySaid) -> None:
        """A phone says something."""
        if isinstance(said, browser_messages.Hello):
            self._hello(phone, said)
        elif phone.seat is None:
            phone.hang_up(REFUSED, "hello comes first")
        elif not self._bucket(phone.seat.id).take():
            phone.tell(told("slow"))
            phone.wrong += 1
            if phone.wrong > rate_limits.MOST_SLOWED:
                phone.hang_up(TOO_MUCH, "too many messages")
        elif isinstance(said, browser_messages.Answer):
            self._answer(phone, phone.seat, said)
        elif isinstance(said, browser_messages.Alive):
            phone.tell(told("alive"))
        else:
            self._voices.take(phone, phone.seat, said)
            self._soon("voices", GATHER_S, self._voices.send)

    def _bucket(self, seat: str) -> Bucket:
        return self._buckets.setdefault(seat, Bucket(rate_limits.SEAT_RATE, rate_limits.SEAT_BURST))

    # --- joining ----------------------------------------------------------------------------------------

    def _hello(self, phone: Phone, said: browser_messages.Hello) -> None:
        if phone.seat is not None:
            phone.hang_up(REFUSED, "hello was said")
            return
        if said.v != browser_messages.VERSION:
            phone.tell(told("no", why="version"))
            return
        seat, token = self._seats.find(said.token), said.token
        if seat is None:
            why = self._why_not(phone, said)
            if why:
                # Whoever has the code may see the teams, that with the fewest first.
                teams = self._seats.smallest_first(self._teams) if why in ("name", "team") else []
                phone.tell(told("no", why=why, teams=teams))
                if phone.wrong >= rate_limits.MOST_WRONG:
                    phone.hang_up(REFUSED, "too many wrong codes")
                return
            try:
                given = self._seats.take(said.name if self._named else "", said.team)
            except OSError:  # it cannot be written down: the token stays with the phone, which asks again
                phone.tell(told("no", why="later"))
                return
            if given is None:
                phone.tell(told("no", why="full"))
                return
            seat, token = given
        if seat.out:
            phone.tell(told("no", why="out"))
            return
        self._seat(phone, seat, token)

    def _why_not(self, phone: Phone, said: browser_messages.Hello) -> str:
        """Why somebody without a seat gets none, in a word that the page knows; "" when they do."""
        if not self._seats.right(said.code):
            phone.wrong += 1
            return "code" if self._codes.take() else "later"
        if not self._open:
            return "shut"
        if self._named and not nicknames.accepted(said.name):
            return "name"
        if said.team not in self._teams and (self._teams or said.team):
            return "team"
        return "" if self._joins.take() else "later"

    def _seat(self, phone: Phone, seat: Seat, token: str) -> None:
        phone.seat = seat
        if isinstance(phone, Connection):
            before = self._at.pop(seat.id, None)
            if before is not None and before is not phone:
                before.tell(told("elsewhere"))
                before.seat = None
                before.hang_up(REFUSED, "opened again elsewhere")
            self._at[seat.id] = phone
            self._connected.seated(phone)
            phone.wrong = 0
        else:
            self._polling.asked(seat.id)
        self._soon("people", PEOPLE_S, self._tell_people)
        phone.tell(
            told("seat", token=token, name=seat.name, team=team_of(seat.id), reactions=self._reactions)
        )
        phone.tell(self._page_told())
        phone.tell(self._state_told())
        if self._voices.picked:
            phone.tell(self._voices.told())
        for mine in self._mine.get(seat.id, {}).values():
            self._tell_mine(phone, mine)

    def _tell_mine(self, phone: Phone, mine: Mine) -> None:
        if (kept := mine.written) is not None:
            said = {"q": kept.question, "round": kept.round, "n": kept.n}
            phone.tell(told("mine", choice=kept.choice, text=kept.text, **said))

    # --- answers ----------------------------------------------------------------------------------------

    def _answer(self, phone: Phone, seat: Seat, said: browser_messages.Answer) -> None:
        question = self._questions.get(said.q)
        if question is None or question.phase != "open" or len(question.before) != said.round:
            self._late(phone, said.q, said.n, "closed")
            return
        if len(said.choice) > browser_messages.MOST_CHOICES or len(said.text) > browser_messages.MOST_CHOICES:
            phone.hang_up(REFUSED, "too many parts")
            return
        mine = self._mine.setdefault(seat.id, {})
        known = mine.get(said.q)
        if known is not None and known.round == said.round and said.n <= known.newest.n:
            if known.written is not None and known.written.n >= said.n:
                phone.tell(told("in", n=said.n))
            return  # on its way; the word on it comes once
        text = tuple(cleaned(one, browser_messages.MOST_TYPED) for one in said.text)
        answer = SeatAnswer(seat.id, said.n, said.q, said.round, said.choice, text, seat.name)
        if known is None or known.round != said.round:
            known = mine[said.q] = Mine(said.round, answer)
        known.newest = answer
        self._gathered[seat.id, said.q] = answer
        if not isinstance(phone, Connection):
            self._asked[seat.id, said.n] = phone
        self._soon("answers", GATHER_S, self._send_answers)

    def _late(self, phone: Phone, question: str, n: int, why: str) -> None:
        phone.tell(told("late", q=question, n=n, why=why))

    def _send_answers(self) -> None:
        gathered, self._gathered = self._gathered, {}
        self._send(Answers(tuple(gathered.values())))

    def _written(self, taken: Taken) -> None:
        mine = self._mine.get(taken.seat, {})
        found = next((one for one in mine.values() if one.newest.n == taken.n), None)
        phone: Phone | None = self._asked.pop((taken.seat, taken.n), None) or self._at.get(taken.seat)
        if taken.why:
            if found is not None:
                question = found.newest.question
                if found.written is None:
                    del mine[question]
                else:
                    found.newest = found.written
                if phone is not None:
                    self._late(phone, question, taken.n, taken.why)
            return
        if found is not None:
            found.written = found.newest
        if phone is not None:
            phone.tell(told("in", n=taken.n))

    # --- what the host says -----------------------------------------------------------------------------

    def obey(self, message: ToGate) -> None:
        """Take what the host says."""
        match message:
            case ShowPage():
                self._show(message.body, message.pictures)
            case Questions():
                self._take_questions(message)
            case Given(answers=answers):
                for one in answers:
                    self._mine.setdefault(one.seat, {})[one.question] = Mine(one.round, one, one)
            case Written(taken=taken):
                for each in taken:
                    self._written(each)
            case Doors():
                self._doors(message)
            case FromRoom(questions=asked):
                self._voices.picked = asked
                self._soon("voices told", SPREAD_S, self._tell_voices)
            case _:
                pass

    def _show(self, body: bytes, pictures: dict[str, bytes]) -> None:
        try:
            shown = msgspec.json.decode(body, type=_Shown)
        except msgspec.DecodeError:
            return
        if body != self._page:
            self._page, self._version = body, self._version + 1
            self.pictures.show(pictures)
            self._shown = tuple(str(one.get("id", "")) for one in shown.questions)
            self._stale = True
            self._soon("page", SPREAD_S, self._tell_page)

    def _take_questions(self, message: Questions) -> None:
        self._ahead_s = message.now - time.time()
        if message.whole:
            self._questions.clear()
        for question in message.questions:
            before = self._questions.get(question.id)
            if before is not None and (before.before, before.opened) != (question.before, question.opened):
                for mine in self._mine.values():  # another round: everybody answers anew
                    mine.pop(question.id, None)
            self._questions[question.id] = question
        for id, count in message.counts.items():
            self._counts[id] = count
        self._stale = True
        self._soon("state", SPREAD_S, self._tell_state)

    def _doors(self, message: Doors) -> None:
        self._open = message.open
        if message.mute and (seat := self._seats.change(message.mute, mute=True)) is not None:
            phone = self._at.get(seat.id)
            if phone is not None:
                phone.seat = seat
        if message.out and (seat := self._seats.change(message.out, out=True)) is not None:
            phone = self._at.pop(seat.id, None)
            if phone is not None:
                phone.tell(told("no", why="out"))
                phone.seat = None
                phone.hang_up(REFUSED, "out")
        self._stale = True
        self._soon("state", SPREAD_S, self._tell_state)

    # --- what phones are told ---------------------------------------------------------------------------

    def _page_told(self) -> bytes:
        return b'{"t":"page","v":%d,"page":%b}' % (self._version, self._page)

    def _state_told(self) -> bytes:
        if self._stale:
            now = time.time() + self._ahead_s
            shown = {id: self._known(id, now) for id in self._shown if id in self._questions}
            self._state = told("state", v=self._version, q=shown, here=self._here, open=self._open)
        # A limit of time runs on: what was made for others some seconds ago has another rest.
        self._stale = any(q.closes_at() is not None for q in self._questions.values())
        return self._state

    def _known(self, id: str, now: float) -> dict[str, object]:
        """What the page needs of a question beside its text; `left` in seconds."""
        question = self._questions[id]
        known: dict[str, object] = {"p": question.phase, "r": len(question.before)}
        if (count := self._counts.get(id)) is not None:
            known["n"], known["of"] = count
        if (closes := question.closes_at()) is not None:
            known["left"] = round(max(0.0, closes - now), 1)
        if question.phase == "revealed":
            known |= {"key": question.key, "votes": question.votes}
            known["before"] = [one.votes for one in question.before]
            known["undecided"], known["all"] = question.undecided, voters(question, question.kind)
        return known

    def _tell_voices(self) -> None:
        self._everybody(self._voices.told())

    def _tell_page(self) -> None:
        self._everybody(self._page_told())
        self._tell_state()

    def _tell_state(self) -> None:
        self._everybody(self._state_told())

    def _everybody(self, payload: bytes) -> None:
        frame = framed(payload)
        for connection in tuple(self._at.values()):
            connection.send_frame(frame)

    @property
    def _here(self) -> int:
        """How many are here: on a WebSocket, or asking again and again."""
        return len(self._at) + self._polling.here(self._at)

    def _tell_people(self) -> None:
        before, self._people = self._people, (self._here, len(self._seats))
        if self._people != before:
            self._send(People(*self._people))
        if self._people[0] > len(self._at):  # who stops asking says nothing of it
            self._soon("people", POLLED_S, self._tell_people)

    def close(self) -> None:
        """Hang up on everybody: they come back at moments of their own, not all at once."""
        for connection in tuple(self.connections):
            connection.tell(told("back", s=round(0.5 + 2.0 * random.random(), 2)))
            connection.hang_up(1001, "the class is away")

    def _soon(self, what: str, seconds: float, work: Callable[[], None]) -> None:
        """Do it in a moment, once for all that comes until then."""
        if what not in self._timers:

            def due() -> None:
                del self._timers[what]
                work()

            self._timers[what] = asyncio.get_running_loop().call_later(seconds, due)
