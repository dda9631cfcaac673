"""The host's side of the phones: starts the gate, tells it what the room may know, orders what phones answer.

The gate (`runtime.phones`) is a process of its own, so that a browser's bytes are read where no class is
lost by it. It ends with the host's end of the socket pair; when it ends by itself it is started again, with
the same seats, code and port.
"""

from __future__ import annotations

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from runtime import paths
from runtime.classroom.actions import Answer, AnyAction
from runtime.classroom.journal import Journal
from runtime.classroom.question_state import PHONE, QuestionState
from runtime.classroom.state import ClassState
from runtime.host.attached_screens import Screen
from runtime.host.audience.room_questions_and_pace import REACTED_S, RoomQuestions
from runtime.host.audience.screen_answers import MOST_REPLIES
from runtime.launch import processes
from runtime.protocol import messages
from runtime.protocol.class_messages.phone_messages import (
    Answers,
    Doors,
    Failed,
    GateMessage,
    Given,
    People,
    Questions,
    Ready,
    SeatAnswer,
    Serve,
    ShowPage,
    Taken,
    Voices,
    Written,
    decode_from_gate,
    encode,
)
from runtime.protocol.framing import FrameProtocol
from runtime.protocol.messages import OpenPhones, PhonePage, Phones, PickQuestion, Process, ShutPhones

NEEDED = ("h11", "websockets", "segno")  # of the extra `phones`
MOST_PAGE = 1 << 20  # bytes, pictures among them
TRIES, WITHIN_S = 5, 60.0  # so often is a gate that ended started again, then it is said
AGAIN_S = 0.3
COUNT_S = 0.5  # between two counts that phones are told


class PhoneGate:
    """The gate of one class, as its host has it.

    `state` returns what the class knows, `seen` what the room may know; `changed` is called when phones came
    or left.
    """

    def __init__(
        self,
        class_id: str,
        journal: Journal,
        screens: Mapping[FrameProtocol, Screen],
        order: Callable[[AnyAction, str], None],
        state: Callable[[], ClassState],
        seen: Callable[[], ClassState],
        changed: Callable[[], None],
    ) -> None:
        self._class_id, self._journal, self._screens = class_id, journal, screens
        self._put, self._state, self._seen, self._changed = order, state, seen, changed
        self._wish: OpenPhones | None = None
        self._page = PhonePage(b"")
        self._line: FrameProtocol | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._started: deque[float] = deque(maxlen=TRIES)
        self._replies: dict[tuple[str, str, int], int] = {}  # by seat, question, round
        self._unkept: list[SeatAnswer] = []  # in the journal's memory, not on the disk
        self._lacking = False  # this gate began while there were some, and does not know them
        self._port = 0  # that phones know, 0 before there is one
        self._told: dict[str, QuestionState] = {}
        self._counts: dict[str, tuple[int, int]] = {}
        self._again: asyncio.TimerHandle | None = None
        self._counting: asyncio.TimerHandle | None = None
        self._passing: asyncio.TimerHandle | None = None
        self._jobs: set[asyncio.Task[None]] = set()
        self._room = RoomQuestions(paths.journal_file(class_id).with_name("voices.jsonl"))
        self.now = Phones()

    @property
    def here(self) -> int:
        """How many phones are connected."""
        return self.now.here

    # --- what consoles ask ------------------------------------------------------------------------------

    def obey(self, message: OpenPhones | ShutPhones | PhonePage | PickQuestion) -> None:
        """Carry out what a console asks."""
        match message:
            case OpenPhones():
                self._open(message)
            case ShutPhones():
                self.close()
                self._become(Phones())
            case PhonePage() if len(message.body) + sum(map(len, message.pictures.values())) <= MOST_PAGE:
                self._page = message
                self._send(ShowPage(message.body, message.pictures))
            case PickQuestion():
                self._room.pick(message)
                self._tell_voices()
                self._send(self._room.for_phones())
            case _:
                pass

    def _open(self, wish: OpenPhones) -> None:
        before, self._wish = self._wish, wish
        place = ("bind", "port", "hosts", "names", "cert", "key", "teams", "reactions")
        moved = before is None or any(getattr(before, name) != getattr(wish, name) for name in place)
        if self._line is None or moved:
            self._hang_up()
            self._started.clear()
            self._start()
        else:
            self._send(Doors(wish.open, wish.out, wish.mute))
            self._become(msgspec.structs.replace(self.now, **_shown(wish)))

    def close(self) -> None:
        """End the gate; phones are told that the class is away."""
        self._wish = None
        self._hang_up()

    def _hang_up(self) -> None:
        for timer in (self._again, self._counting, self._passing):
            if timer is not None:
                timer.cancel()
        self._again = self._counting = self._passing = None
        line, self._line = self._line, None
        if line is not None:
            line.close()
        child, self._child = self._child, None
        if child is not None:
            self._job(_reap(child))

    def _job(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    def _become(self, phones: Phones) -> None:
        if phones != self.now:
            self.now = phones
            payloads = [messages.encode(self._told_to(console)) for console in (False, True)]
            for screen in self._screens.values():
                if screen.sees_phones:
                    screen.tell(payloads[screen.role == "console"])
            self._changed()

    def _told_to(self, console: bool) -> Phones:
        return self.now if console else msgspec.structs.replace(self.now, asked=None)

    # --- the process ------------------------------------------------------------------------------------

    def _start(self) -> None:
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            why = f"phones need {', '.join(missing)}, which is not installed"
            self._become(
                Phones("failed", card=True, why=why, mend="install teachrun with its extra `phones`")
            )
            return
        ours, theirs = socket.socketpair()
        mark = {processes.CLASS_MARK: self._class_id, processes.PART_MARK: "phones"}
        log = paths.log_dir() / f"phones-{self._class_id}.log"
        try:
            with log.open("ab") as out:
                self._child = subprocess.Popen(
                    [sys.executable, "-P", "-m", "runtime.phones", str(theirs.fileno())],
                    stdin=subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env={**os.environ, **mark},
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
        except OSError as error:
            ours.close()
            self._become(Phones("failed", why=f"the gate for phones cannot start: {error}", mend="try again"))
            return
        finally:
            theirs.close()
        self._started.append(time.monotonic())
        self._become(
            msgspec.structs.replace(
                self.now,
                state="starting",
                here=0,
                why="",
                mend="",
                card=self._wish is not None and self._wish.card,
            )
        )
        self._job(self._connect(ours))

    async def _connect(self, ours: socket.socket) -> None:
        line = FrameProtocol(self._received, self._lost)
        self._line = line
        await asyncio.get_running_loop().create_connection(lambda: line, sock=ours)
        wish = self._wish
        if wish is None or self._line is not line:
            line.close()
            return
        seats = paths.journal_file(self._class_id).parent / "phones.jsonl"
        port = wish.port or self._port
        place = (wish.bind, port, wish.hosts, wish.names, wish.cert, wish.key)
        self._send(Serve(self._class_id, str(seats), *place, wish.teams, wish.reactions))

    def _lost(self, line: FrameProtocol) -> None:
        """The gate has ended by itself: it is started again, unless it ends again and again."""
        if line is not self._line:
            return
        self._hang_up()
        if self._wish is None or self.now.state == "failed":
            return
        recent = [at for at in self._started if time.monotonic() - at < WITHIN_S]
        if len(recent) >= TRIES:
            log = paths.log_dir() / f"phones-{self._class_id}.log"
            why = f"the gate for phones has ended {TRIES} times within a minute (its words: {log})"
            self._become(Phones("failed", why=why, mend="start it again with the key"))
            return
        self._become(msgspec.structs.replace(self.now, state="starting", here=0))
        self._again = asyncio.get_running_loop().call_later(AGAIN_S, self._start)

    def _send(self, message: GateMessage) -> None:
        if self._line is not None and (self.now.state == "on" or isinstance(message, Serve)):
            self._line.send(encode(message))

    # --- what the gate says -----------------------------------------------------------------------------

    def _received(self, line: FrameProtocol, payload: bytes) -> None:
        if line is not self._line:
            return
        try:
            message = decode_from_gate(payload)
        except msgspec.DecodeError:
            line.abort()
            return
        match message:
            case Ready():
                self._ready(message)
            case Failed(why=why, mend=mend):
                self._wish = None
                self._become(Phones("failed", card=self.now.card, why=why, mend=mend))
            case People(here=here, seats=seats):
                self._become(msgspec.structs.replace(self.now, here=here, seats=seats))
            case Answers(answers=answers):
                self._order(answers)
            case Voices():
                self._room.hear(message)
                self._tell_voices()
                if message.supported:
                    self._send(self._room.for_phones())
                if message.reacted:
                    self._forget_soon()

    def _ready(self, ready: Ready) -> None:
        wish = self._wish
        assert wish is not None
        self._port = ready.port
        self._become(Phones("on", ready.url, ready.code, teams=wish.teams, **_shown(wish)))
        state = self._seen()
        self._told = dict(state.questions)
        self._lacking = bool(self._unkept)
        self._send(Given(tuple(self._answered())))
        self._send(Questions(tuple(state.questions.values()), time.time(), whole=True, counts=self._counts))
        self._send(Doors(wish.open))
        self._send(self._room.for_phones())
        if self._page.body:
            self._send(ShowPage(self._page.body, self._page.pictures))

    def _answered(self) -> Iterable[SeatAnswer]:
        """What phones have answered in the present rounds, as far as it is on the disk; `n` 0: a phone counts
        on."""
        unkept = {(one.seat, one.question) for one in self._unkept}
        for question in self._state().questions.values():
            for seat, who in question.people.items():
                if seat.startswith(PHONE) and (seat, question.id) not in unkept:
                    choice, text = question.answers.get(seat, ()), question.texts.get(seat, ())
                    yield SeatAnswer(seat, 0, question.id, len(question.before), choice, text, who)

    def _order(self, answers: Iterable[SeatAnswer]) -> None:
        taken, put = [], []
        names = {screen.who for screen in self._screens.values() if screen.answers and screen.who}
        for one in answers:
            why = self._why_not(one)
            if not why:
                who = f"{one.who} (phone)" if one.who in names else one.who
                self._put(Answer(one.question, one.choice, one.text, who), one.seat)
                put.append(one)
            taken.append(Taken(one.seat, one.n, why))
        if self._journal.failed:
            self._unkept += put
            taken = [one for one in taken if one.why]
        if taken:
            self._send(Written(tuple(taken)))

    def _why_not(self, one: SeatAnswer) -> str:
        """Why an answer does not count, in a word that the page knows; "" when it does."""
        question = self._state().questions.get(one.question)
        if question is None or question.phase != "open" or len(question.before) != one.round:
            return "closed"
        asked = (one.seat, one.question, one.round)
        given = self._replies[asked] = self._replies.get(asked, 0) + 1
        return "often" if given > MOST_REPLIES else ""

    # --- what the class does ----------------------------------------------------------------------------

    def welcome(self, screen: Screen) -> None:
        """Tell a screen that has come how phones stand, if there are any."""
        if screen.sees_phones and self.now.state != "off":
            screen.send(self._told_to(screen.role == "console"))
            if screen.role == "console":
                screen.send(self._room.voices())

    def after(self, seen: ClassState | None, whole: bool = False) -> None:
        """Tell the gate of questions that have changed for the room; all of them when `whole`."""
        if self._unkept and not self._journal.failed:
            kept, self._unkept = self._unkept, []
            self._send(Written(tuple(Taken(one.seat, one.n) for one in kept)))
            if self._lacking:
                seats = {one.seat for one in kept}
                self._send(Given(tuple(one for one in self._answered() if one.seat in seats)))
        if seen is None or self._line is None:
            return
        changed = [q for id, q in seen.questions.items() if whole or self._told.get(id) is not q]
        if whole:
            self._told = dict(seen.questions)
        else:
            self._told |= {question.id: question for question in changed}
        if changed or whole:
            self._send(Questions(tuple(changed), time.time(), whole))

    def counted(self, counts: dict[str, tuple[int, int]]) -> None:
        """Tell the gate, in a moment, how many have answered and how many could."""
        if self._line is None or counts == self._counts:
            return
        self._counts = counts
        if self._counting is None:
            self._counting = asyncio.get_running_loop().call_later(COUNT_S, self._tell_counts)

    def _tell_voices(self) -> None:
        """Consoles have all that is asked; the room's screens what the teacher shows of it."""
        payload = messages.encode(self._room.voices())
        for screen in self._screens.values():
            if screen.sees_phones and screen.role == "console":
                screen.tell(payload)
        self._become(msgspec.structs.replace(self.now, question=self._room.text, board=self._room.board))

    def _forget_soon(self) -> None:
        """Reactions are of a moment: consoles are told again when it has passed."""
        if self._passing is not None:
            self._passing.cancel()
        self._passing = asyncio.get_running_loop().call_later(REACTED_S + 0.1, self._tell_voices)

    def _tell_counts(self) -> None:
        self._counting = None
        self._send(Questions((), time.time(), counts=self._counts))

    def processes(self) -> tuple[Process, ...]:
        """The gate's process, for `teachrun ps`."""
        child = self._child
        if child is None or child.poll() is not None:
            return ()
        own = processes.Own.of(child.pid)
        started = processes.wall_clock(own.started) if own else 0.0
        return (Process(child.pid, "phones", None, "", started),)


def _shown(wish: OpenPhones) -> dict[str, Any]:
    """What screens are told of a wish."""
    return {"open": wish.open, "card": wish.card, "asked": msgspec.structs.replace(wish, out="", mute="")}


async def _reap(child: subprocess.Popen[bytes], within_s: float = 2.0) -> None:
    """Wait for a gate that was hung up on; one that does not go is killed."""
    patience = time.monotonic() + within_s
    while child.poll() is None and time.monotonic() < patience:
        await asyncio.sleep(0.02)
    if child.poll() is None:
        child.kill()
        while child.poll() is None:
            await asyncio.sleep(0.02)
