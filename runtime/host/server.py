"""The host of a class: journal, state, runs. It outlives every screen and ends by itself.

Screens attach by a socket in the run directory, which only this user can enter; a lock file lets one host
live per class (`class_lock.py`), and `__main__.py` is its process. The host orders actions, tells every
screen what it may know, and sends it the newest snapshot of each run. It understands no deck: the console's
blob goes to consoles, the audience's to audiences.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import time
from importlib import metadata
from pathlib import Path

import msgspec

from runtime import paths
from runtime.classroom import journal
from runtime.classroom import state as class_state
from runtime.classroom.actions import Answer, AnyAction, Begin, Deck, End, Lead, Role, Undo
from runtime.classroom.driving_console import may_drive
from runtime.host import class_without_screens, kept_decks, overdue_questions
from runtime.host.attached_screens import MOST_BACKLOG, Screen
from runtime.host.audience.answer_counts import AnswerCounts
from runtime.host.audience.audience_updates import Seen
from runtime.host.audience.names_of_people import called
from runtime.host.audience.phones import PhoneGate
from runtime.host.audience.screen_answers import reply, yours
from runtime.host.blocks.running_blocks import Blocks, Driven
from runtime.host.pointing import Pointing
from runtime.host.visibility import public, visibility
from runtime.launch.processes import Own, wall_clock
from runtime.protocol import messages
from runtime.protocol.framing import MAX_FRAME, FrameProtocol
from runtime.protocol.messages import (
    Act,
    AnyMessage,
    Attach,
    Blob,
    Called,
    Keep,
    Message,
    OpenPhones,
    Ordered,
    PhonePage,
    PickQuestion,
    Point,
    Process,
    Publish,
    Refused,
    Reply,
    Report,
    RoomLook,
    Screens,
    Seat,
    Shutdown,
    ShutPhones,
    Stage,
    StageStatus,
    Status,
    Unsaved,
    Warm,
    Welcome,
    Yours,
)
from runtime.supervision.rank_socket import admit

LEAD_LOST_S = 20.0  # so long may a console that drives alone be gone, to come back; `L` takes over at once
PATROL_S = 1.0
MOST_SAID = 256 << 10  # bytes of a frame from any screen but a console: an answer, at most
COUNTED_S = 0.05  # after somebody came or left, everybody is told how many are there


def version() -> str:
    """Return the version of teachrun that is installed, "unknown" from a plain checkout."""
    try:
        return metadata.version("teachrun")
    except metadata.PackageNotFoundError:
        return "unknown"


class Host:
    """The host of one class. `ended` is set when its process should end."""

    def __init__(self, class_id: str) -> None:
        self.class_id = class_id
        self.journal = journal.Journal(paths.journal_file(class_id))
        self.state = class_state.fold(self.journal.entries)
        self._seen = Seen(self.state)
        self.ended = asyncio.Event()
        self._deck = Publish("", "", "", b"", b"")
        self.screens: dict[FrameProtocol, Screen] = {}
        self._shared: dict[str, list[Screen]] = {}  # names that are answered under at several screens
        self._of: dict[Role, dict[FrameProtocol, Screen]] = {
            "console": {},
            "audience": {},
        }  # the same by role
        self.blocks = Blocks(class_id, self.screens, self.order, self._stage_changed)
        self._strangers: set[FrameProtocol] = set()
        self._acted: dict[tuple[str, int], int] = {}  # newest `n` ordered, by screen and its process
        self._jobs: set[asyncio.Task[None]] = set()
        self._alone_since = time.monotonic()
        self._counting: asyncio.TimerHandle | None = None
        self._counts = AnswerCounts()
        self._pointing = Pointing()
        told = (lambda: self.state), (lambda: self._seen.state)
        self.phones = PhoneGate(class_id, self.journal, self.screens, self.order, *told, self._count_soon)
        self._server: asyncio.Server | None = None
        self._socket = Path()
        self._shutting = False

    # --- life -------------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Begin or take up the class, and listen for screens. Raises `OSError`."""
        self.journal.keep_flushed()
        if not self.journal.entries or self.state.ended:
            self.order(Begin(self.class_id, version(), secrets.token_hex(16)))
        await self.blocks.start(self.state.runs)
        self._job(self._free_lead())
        path = self._socket = paths.screen_socket(self.class_id)
        path.unlink(missing_ok=True)
        self._server = await asyncio.get_running_loop().create_unix_server(
            lambda: FrameProtocol(self.receive, self.hung_up, self._connected), str(path)
        )
        path.chmod(0o600)
        self._job(self._patrol())

    async def close(self, why: str = "") -> int:
        """End every process of the class and hang up; returns how many could not be ended."""
        left = await self._end_all(why)
        if self._server is not None:
            self._server.close()
            self._socket.unlink(missing_ok=True)
        for line in (*self.screens, *self._strangers):
            line.close()
        for task in self._jobs:
            if task is not asyncio.current_task():
                task.cancel()
        await asyncio.sleep(0)  # closing transports flush on the next turn of the loop
        return left

    async def _end_all(self, why: str) -> int:
        self._shutting = True
        self.phones.close()
        return await self.blocks.close(why)

    def _job(self, work: object) -> None:
        assert asyncio.iscoroutine(work)
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)

    @property
    def patience(self) -> float:
        """Seconds that the host lives on without a screen."""
        return class_without_screens.host_s(self.class_id, has_deck=bool(self.state.deck_rev))

    async def _patrol(self) -> None:
        """Close questions at their time; end runs and at last the host while no screen is attached."""
        while True:
            await asyncio.sleep(PATROL_S)
            for lock in list(overdue_questions.locks(self.state.questions.values(), time.time())):
                self.order(lock)
            self.blocks.show_owed()
            if self.journal.failed and self.journal.keep():  # whether anybody does something meanwhile or not
                self._tell(Unsaved(""), "console")
                self.phones.after(None)
            if self.screens:
                self._alone_since = time.monotonic()
                continue
            alone = time.monotonic() - self._alone_since
            self.blocks.unwatched(alone)
            # Without its socket no screen can ever find this host again (its folder was removed).
            if alone > self.patience or not self._socket.exists():
                self.ended.set()

    # --- screens ----------------------------------------------------------------------------------------

    def _connected(self, line: FrameProtocol) -> None:
        self._strangers.add(line)
        line.take(MOST_SAID)
        admit(line)

    def hung_up(self, line: FrameProtocol) -> None:
        """A screen is gone."""
        self._strangers.discard(line)
        if (screen := self.screens.pop(line, None)) is not None:
            self._of[screen.role].pop(line)
            self._alone_since = time.monotonic()
            self._count_soon()
            self._job(self._free_lead())

    async def _free_lead(self) -> None:
        """Give up the lead of a console that is gone for good: every console drives again."""
        lead = self.state.lead
        if not lead or lead in self._attached():
            return
        await asyncio.sleep(LEAD_LOST_S)
        if self.state.lead == lead and lead not in self._attached():
            self.order(Lead(""))

    def _attached(self) -> set[str]:
        return {screen.name for screen in self.screens.values()}

    def receive(self, line: FrameProtocol, payload: bytes) -> None:
        """Take in one frame of a screen or a helper; what cannot be read closes its connection."""
        try:
            message = messages.decode(payload)
        except (msgspec.DecodeError, RecursionError):
            line.close()
            return
        screen = self.screens.get(line)
        # `ps` and `stop` ask without being a screen, and of any version.
        if isinstance(message, Status) and (screen is None or screen.role == "console"):
            if line.backlog > MOST_BACKLOG:
                line.abort()  # it asks and asks, and takes no answer
            else:
                line.send(messages.encode(self.report()))
        elif isinstance(message, Shutdown) and (screen is None or screen.role == "console"):
            self._job(self._shutdown(line, message.why))
        elif isinstance(message, Attach):
            self._attach(line, message)
        elif screen is not None and screen.role == "console":
            self._obey(screen, message)
        elif screen is not None and isinstance(message, Reply):
            if (answer := reply(screen, message, self.state)) is not None:
                self.order(answer, screen.name)
                self._tell_person(screen, answer)
            elif screen.answers:  # it shows as its answer what does not count
                screen.send(Refused(message.question, "the answer came too late", ""))
        else:
            line.close()

    def _attach(self, line: FrameProtocol, attach: Attach) -> None:
        if attach.version != messages.VERSION:
            refused = Refused(
                "",
                f"this class is run by teachrun {version()} (protocol {messages.VERSION}), "
                f"this screen speaks protocol {attach.version}",
                f"end it with `teachrun stop --class {self.class_id}`, then start again",
            )
            line.send(messages.encode(refused))
            line.close()
            return
        before = self.screens.get(line)
        if before is not None and (before.role, attach.role) == ("audience", "console"):
            line.close()  # what came as a screen of the room stays one
            return
        self._strangers.discard(line)
        line.take(MAX_FRAME if attach.role == "console" else MOST_SAID)
        if before is not None:
            del self.screens[line]
            self._of[before.role].pop(line)  # who says twice who it is, is the one that it said last
        screen = Screen(line, called(attach, self.screens.values()))
        self.screens[line] = self._of[screen.role][line] = screen
        stage = self.blocks.supervisor.stage
        screen.send(
            Welcome(
                messages.VERSION,
                self.class_id,
                os.getpid(),
                self.state if screen.role == "console" else self._seen.state,
                self._blob(screen.role),
                stage.status,
                stage.detail,
                points=True,
                looks=True,
                phones=True,
            )
        )
        self._pointing.welcome(screen, self.state)
        self.phones.welcome(screen)
        if self.journal.failed and screen.role == "console":
            screen.send(Unsaved(self.journal.failed))
        if attach.again and screen.who:  # found once: an answer must not look through the room
            same = [one for one in self.screens.values() if one.answers and one.who == screen.who]
            self._shared[screen.who] = same
        for own in yours(screen, self.state):
            screen.send(own)
        if screen.who != attach.name and screen.answers:
            screen.send(Called(screen.who, attach.name))
        self.blocks.show_all(screen)
        self._count_soon()

    def _tell_person(self, screen: Screen, answer: Answer) -> None:
        """Show an answer on the other screens of the same person."""
        for other in self._shared.get(screen.who, ()):
            if other is not screen and self.screens.get(other.line) is other:
                asked = self.state.questions[answer.question]
                other.send(Yours(answer.question, len(asked.before), answer.choice, answer.text))

    def _count_soon(self) -> None:
        """Announce who is attached, once for all that come or leave together, as a whole audience does."""
        if self._counting is None:
            self._counting = asyncio.get_running_loop().call_later(COUNTED_S, self._tell_count)

    def _tell_count(self) -> None:
        self._counting = None
        seats = tuple(Seat(s.name, s.role, s.where, s.answers) for s in self.screens.values())
        roles = [seat.role for seat in seats]
        counts = roles.count("console"), roles.count("audience")
        self._tell(Screens(*counts, seats), "console")
        self._tell(Screens(*counts), "audience")
        self._counts.after(None, self.state, self.screens.values(), self.phones)

    def _blob(self, role: Role) -> bytes:
        return self._deck.console if role == "console" else self._deck.audience

    def _tell(self, message: Message, role: Role | None = None) -> None:
        payload = messages.encode(message)
        for screen in (self.screens if role is None else self._of[role]).values():
            screen.tell(payload)

    # --- what consoles ask for --------------------------------------------------------------------------

    def _obey(self, screen: Screen, message: AnyMessage) -> None:
        match message:
            case Act():
                if message.n > self._acted.get((screen.name, screen.pid), 0):
                    self._acted[screen.name, screen.pid] = message.n
                    self.order(message.action, screen.name, message.n, message.at)
            case Publish():
                self._publish(screen, message)
            case Point() | RoomLook():
                if may_drive(self.state.lead, screen.name):
                    self._pointing.take(screen, message, self.state, self.screens.values())
            case Keep() | Warm():
                self.blocks.obey(screen, message)
            case OpenPhones() | ShutPhones() | PhonePage() | PickQuestion():
                if may_drive(self.state.lead, screen.name):
                    self.phones.obey(message)
            case _ if isinstance(message, Driven):
                if may_drive(self.state.lead, screen.name):
                    self.blocks.obey(screen, message)
                else:
                    screen.send(Refused(message.block, "another console drives", "L takes over"))
            case _:
                screen.line.close()  # only a host says anything else

    def order(self, action: AnyAction, screen: str = "", n: int = 0, at: float = 0.0) -> None:
        """Append an action to the journal, apply it, and send it to every screen that may know."""
        before, failed = self.state, self.journal.failed
        entry = self.journal.append(action, screen, visibility(action), at)
        if self.journal.failed != failed:
            self._tell(Unsaved(self.journal.failed), "console")
        undo = isinstance(action, Undo)
        self.state = class_state.fold(self.journal.entries) if undo else class_state.apply(before, entry)
        self._counts.after(action, self.state, self.screens.values(), self.phones)
        self._tell(Ordered(entry, n, self.state if undo else None), "console")
        seen = self._seen.after(action, self.state)
        if seen is not None:
            told = self._seen.state if undo else seen
            self._tell(Ordered(public(entry, seen), 0, told, partial=not undo), "audience")
        self.phones.after(self._seen.state if undo else seen, whole=undo)
        self._pointing.after(action, self.state, self.screens.values())

    def _publish(self, sender: Screen, deck: Publish) -> None:
        self._deck = deck
        kept_decks.keep_soon(paths.journal_file(self.class_id).parent, deck.rev, deck.audience)
        self.blocks.deck = Path(deck.path) if deck.path else None
        state = self.state
        known = (state.deck_rev, state.title, state.path, state.format)
        if (deck.rev, deck.title, deck.path, deck.format) != known:
            self.order(Deck(deck.rev, deck.title, deck.path, deck.plan, deck.format))
        for screen in self.screens.values():
            if screen is not sender:
                screen.send(Blob(deck.rev, self._blob(screen.role)))

    async def _shutdown(self, line: FrameProtocol, why: str) -> None:
        if self._shutting:
            return
        self.order(End(why))
        left = await self._end_all(why or "the class was ended")
        line.send(messages.encode(self.report(left)))
        self.ended.set()

    def report(self, left: int = 0) -> Report:
        """Return how the class stands; `left` counts processes that a shutdown could not end."""
        me = Own.of(os.getpid())
        own = Process(os.getpid(), "host", None, "", wall_clock(me.started) if me else 0.0)
        stage = self.blocks.supervisor.stage
        return Report(
            self.class_id,
            os.getpid(),
            self.state,
            stage.status,
            stage.detail,
            (own, *self.blocks.processes(), *self.phones.processes()),
            tuple(f"{s.role} {s.where or s.name} (pid {s.pid})" for s in self.screens.values()),
            left,
        )

    # --- what runs tell ---------------------------------------------------------------------------------

    def _stage_changed(self, status: StageStatus, detail: str) -> None:
        self._tell(Stage(status, detail))
