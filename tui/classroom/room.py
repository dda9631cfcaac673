"""A screen's side of the class: what the host says, and what this screen asks of it.

Joins the session with the link, the demos and the questions. No Textual: `changed(what)` tells the app what
to draw again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from runtime.classroom.actions import Answer, AnyAction
from runtime.classroom.state import RunInfo
from runtime.paths import REHEARSAL
from runtime.protocol.messages import (
    Act,
    Answered,
    AnyMessage,
    Blob,
    Called,
    Keep,
    Message,
    Ordered,
    Output,
    Phones,
    Point,
    Publish,
    Recall,
    Refused,
    Report,
    RoomLook,
    RoomVoices,
    RunSnippet,
    Screens,
    Seat,
    Shutdown,
    Snapshot,
    Stage,
    StopRun,
    Unsaved,
    Warm,
    Welcome,
    Yours,
)
from slides.deck import Code, Demo
from slides.drawing import cells
from tui.classroom.answering.questions import Answering
from tui.classroom.host_link import Connect, Link, started
from tui.classroom.phones import PhoneRoom
from tui.classroom.pointing import Pointing
from tui.classroom.projector_look import RoomLooks
from tui.classroom.runs import demo_requests
from tui.classroom.runs.measure_prediction import Measuring
from tui.classroom.runs.run_commands import RunCommands
from tui.classroom.runs.snippet_outputs import ALIVE, Outputs
from tui.classroom.session import Session, looks_alike
from tui.deck import deck_upload

# "lead": another console took the lead or gave it back; "locked": a key was pressed that only the driver has.
# "deckless": nobody of the class has its deck any more.
Change = Literal["place", "deck", "panel", "words", "refused", "lead", "locked", "deckless", "echo", "called"]


class Room:
    """This screen's view of the class, kept from what the host says; `changed` is told what to draw again."""

    def __init__(self, session: Session, changed: Callable[[Change], None], joining: bool = False) -> None:
        """`joining`: the deck is the class's, not ours; until it comes there is nothing to drive."""
        self.session = session
        self.answering = Answering(session)
        self.answering.tell = self._send
        self.measuring = Measuring(self)
        self.changed = changed
        session.on_locked = lambda: changed("locked")
        self.snapshots: dict[str, Snapshot] = {}
        self.outputs = Outputs(session)
        self.pointing, self.looks = Pointing(session, self._send), RoomLooks(session, self._send)
        self.phones = PhoneRoom(session, self.answering, self._send)
        self.refusals: dict[str, tuple[str, str]] = {}
        self.class_id = self._published = ""
        self.link_word = ""  # what the link is doing when it is not simply up
        self.stage = ("cold", "")
        self.consoles, self.audiences = 1, 0
        self.counted: dict[str, tuple[int, int]] = {}  # answers and who could, as the room's screen is told
        self.seats: tuple[Seat, ...] = ()  # who is attached, as a console is told
        self.unsaved = ""  # why the host cannot write the journal
        self.ended = self._closed = False
        self.shutdown_s = 3.0  # how long a leaving screen waits for the host's last word
        self._link: Link | None = None
        self._early: list[Message] = []  # for the link, while it is looked for a class to go on with
        self._joining = joining
        self.called = self.name = ""  # why this screen has another name than it asked for, and which
        self._report: asyncio.Future[Report] | None = None
        self._checks: dict[tuple[str, str], str] = {}
        self._here: dict[str, float | None] = {}
        self.of_run = RunCommands(self._command, lambda: self.demo(), self.outputs)

    # --- the link ---------------------------------------------------------------------------------------

    async def open(self, connect: Connect) -> None:
        """Ask for a host and start listening to it; does nothing once closed."""
        if self._closed:
            return  # left while it was still looked for a class to join: a host started now would stay alone
        self._link = await started(connect(self.receive, self.link_says), self._early)

    @property
    def linked(self) -> bool:
        """Whether this screen asked for a host, be it there or not."""
        return self._link is not None

    async def close(self) -> None:
        """Leave the class; it goes on without this screen."""
        self._closed = True
        if self._link is not None:
            await self._link.close()

    @property
    def has_deck(self) -> bool:
        """Whether the deck is the class's; one that joins has a stand-in until it comes."""
        return bool(self._published)

    def link_says(self, word: str) -> None:
        """Hear how the link is: "up", "connected", "lost", "refused: WHY" or what it is waiting for."""
        self.link_word = "" if word in ("up", "connected") else word
        if word == "lost":
            self._runs_lost()
            self.pointing.lost()
        self.changed("words")

    @property
    def refused(self) -> str:
        """Why this screen has no host and will not get one; "" while it may."""
        kind, _, why = self.link_word.partition(": ")
        return why if kind == "refused" else ""

    def _runs_lost(self) -> None:
        """Without the host every rank ends: figures that stand still must not look alive."""
        for block, snapshot in self.snapshots.items():
            if snapshot.state in ALIVE:
                self.snapshots[block] = replace(snapshot, state="lost", why="its host was lost")
        self.outputs.lost()

    def _send(self, message: Message) -> None:
        (self._link.send if self._link is not None else self._early.append)(message)

    def _command(self, message: Message) -> None:
        """What is done to a run, for everybody to see: the driver's alone."""
        if self.session.driving:
            self._send(message)
        else:
            self.changed("locked")

    @property
    def answerers(self) -> int:
        """How many screens of the room can answer."""
        return sum(seat.answers for seat in self.seats) + self.phones.now.here

    @property
    def rehearsal(self) -> bool:
        """Whether this class is one that nobody attends."""
        return self.class_id.startswith(REHEARSAL)

    @property
    def driver(self) -> str:
        """The console that drives alone, in words; "" while every console does."""
        lead = self.session.state.lead
        where = next((seat.where for seat in self.seats if seat.screen == lead), "")
        return lead and (cells.clean(where) or "another console")

    def _act(self, n: int, action: AnyAction) -> None:
        self._send(Act(n, action, self.session.done_at(n)))

    def receive(self, message: AnyMessage) -> None:
        """Whatever the host says. Unknown kinds change nothing."""
        match message:
            case Welcome():
                self._welcome(message)
            case Ordered(entry=entry, n=n, state=state):
                before = self.session.state
                self.session.ordered(entry, n, state)
                self.pointing.moved()
                self.phones.tell()
                self.ended = self.session.state.ended
                # The echo of one's own key has nothing new to show; a hall's answers wait for the next frame.
                theirs = entry.screen != self.session.screen or not n
                answer = theirs and isinstance(entry.action, Answer)
                alike = answer or looks_alike(before, self.session.state)
                self.changed(("words" if theirs else "echo") if alike else "place")
                if before.lead != self.session.state.lead:
                    self.changed("lead")
            case RoomLook():
                self.looks.hear(message)
            case Phones() | RoomVoices():
                self.phones.hear(message)
                self.changed("place")
            case Point():
                self.pointing.hear(message)
                self.changed("words")
            case Blob(blob=blob, rev=rev):
                self._take_deck(blob, rev)
            case Snapshot(block=block):
                self.snapshots[block] = message
                self.refusals.pop(block, None)
                self.measuring.heard(message)
                self.changed("panel")
            case Output(block=block):
                self.outputs.take(message)
                self.refusals.pop(block, None)
                self.changed("panel")
            case Stage(status=status, detail=detail):
                self.stage = (status, detail)
                self.changed("words")
            case Yours(question=question, round=n, choice=choice, text=text):
                self.answering.recalled(question, n, (choice, text))
                self.changed("place")
            case Called(name=name, wanted=wanted):
                self.name = name
                self.called = f"{wanted} is here already: you are {name}. The same person joins with --me"
                self.changed("called")
            case Unsaved(why=why):
                self.unsaved = why
                self.changed("words")
            case Screens(consoles=consoles, audiences=audiences, seats=seats):
                self.consoles, self.audiences, self.seats = consoles, audiences, seats
                self.changed("words")
            case Answered(question=id, answered=count, people=people):
                self.counted[id] = count, people
                self.changed("words")
            case Refused(block=block, why=why, mend=mend):
                if not self.answering.withdrawn(block):
                    self.refusals[block] = (why, mend)
                    self.outputs.leave(block)
                self.called = f"{why}: {mend}"  # of a run that goes on: its next figures end the refusal
                self.changed("called" if block in self.snapshots and self.alive(block) else "refused")
            case Report():
                if self._report is not None and not self._report.done():
                    self._report.set_result(message)

    def _welcome(self, message: Welcome) -> None:
        self.class_id = message.class_id
        self.stage = (message.stage, message.detail)
        self.link_word = ""
        self.session.welcome(message.state, self._act)
        mine, theirs = self.session.contents.rev, message.state.deck_rev
        driving = self.session.role == "console" and not self._joining
        if driving and (not message.blob or not self._published):
            self.publish()
        elif message.blob:
            self._take_deck(message.blob, theirs)
        elif self.session.role == "console" and message.state.path:
            self.changed("deckless")
        if theirs == mine:
            self._published = mine
        self.ended = message.state.ended
        self.arrived()
        self.pointing.attached(message.points)
        self.looks.attached(message.looks)
        self.phones.attached(message.phones)
        self.changed("place")

    def _take_deck(self, blob: bytes, rev: str) -> None:
        if rev == self.session.contents.rev or not blob:
            return
        try:
            contents = deck_upload.contents(blob, self.session.role)
        except msgspec.DecodeError:
            return
        self._published = rev
        contents.keep(self.session.contents)
        self.session.replace_deck(contents)
        self.changed("deck")

    def publish(self) -> None:
        """Give the host this deck, each role its part, and wake the stage when the deck has demos."""
        deck = self.session.contents.deck
        self._published = deck.rev
        path = str(Path(deck.path).absolute())  # the host may stand elsewhere
        session = self.session
        parts = deck_upload.for_console(deck), deck_upload.for_audience(session.contents, session.state.seed)
        plan = self.session.contents.plan
        self._send(Publish(deck.rev, deck.title, path, *parts, plan, deck.format))
        self._warm()

    def _warm(self) -> None:
        if self.session.contents.has_demos:
            self._send(Warm())

    # --- demos ------------------------------------------------------------------------------------------

    def demo(self) -> Demo | None:
        """The demo of the slide shown; of a prediction the one that is measured."""
        return self.measuring.demo() or next(iter(self.session.contents.demos(self.session.index)), None)

    def run_of(self, block: str) -> RunInfo | None:
        """What the journal of the class knows of the last run in a block."""
        return self.session.state.runs.get(block)

    def run_state(self, block: str) -> str:
        """launching, running, … or "" where nothing was started.

        The snapshot is the fresher of the two, but only the journal knows that a run ended with its host.
        """
        if heard := self.outputs.of.get(block):
            return heard.output.state
        run, snapshot = self.run_of(block), self.snapshots.get(block)
        if snapshot is not None and (run is None or (snapshot.run == run.run and run.state in ALIVE)):
            return "replay" if snapshot.playback is not None else snapshot.state
        return run.state if run is not None else ""

    def alive(self, block: str) -> bool:
        """Whether something in this block is being launched or running."""
        return self.run_state(block) in ALIVE

    def living(self) -> list[str]:
        """Blocks whose demo runs now, whatever slide they are on."""
        blocks = dict.fromkeys((*self.session.state.runs, *self.snapshots, *self.outputs.of))
        return [block for block in blocks if self.alive(block)]

    def trouble(self, demo: Demo) -> str:
        """Why a demo as the deck writes it cannot be started, with the mend; "" when it can."""
        key = (self.session.contents.rev, demo.id)
        if key not in self._checks and self.session.role != "audience":  # which has not even the script
            self._checks[key] = demo_requests.why_not(demo, demo_requests.asked(demo), self.deck_of(demo))
        return self._checks.get(key, "")

    def deck_of(self, demo: Demo) -> Path:
        """The file from which a demo's script is named; the host may stand elsewhere."""
        return Path(self.session.contents.deck.path).absolute()

    def snapshot(self) -> Snapshot | None:
        """The figures of the demo of the slide shown, once there are any."""
        demo = self.demo()
        return self.snapshots.get(demo.id) if demo is not None else None

    def launch(self, demo: Demo, params: dict[str, str] | None = None) -> None:
        """Start it as the deck has it, or with other parameters."""
        self.refusals.pop(demo.id, None)
        if self.refused:
            self.refusals[demo.id] = ("Demos run in the host of a class, and there is none", self.refused)
        self._command(demo_requests.launch(demo, params, self.session.hosts))

    def run_code(self, block: Code) -> None:
        """Run a block of code, with the lines of it that are not shown."""
        self.refusals.pop(block.id, None)
        if self.refused:
            self.refusals[block.id] = ("Code runs in the host of a class, and there is none", self.refused)
        source = block.program or block.source
        limit, picture = block.timeout_s, block.gives == "picture"
        self._command(RunSnippet(block.id, block.lang, source, limit, block.terminal, picture))

    def recall(self, demo: Demo) -> None:
        """Show the recorded run that fits best."""
        self.refusals.pop(demo.id, None)
        self._command(Recall(demo.id, demo.name, demo_requests.asked(demo)))

    def stop(self, block: str) -> None:
        """Ask the host to end what runs in a block."""
        self._command(StopRun(block))

    def toggle_demo(self, demo: Demo) -> None:
        """Stop the demo if it runs, start it as the deck has it if not."""
        if self.alive(demo.id):
            self.stop(demo.id)
        else:
            self.launch(demo)

    def arrived(self) -> None:
        """After every move: demos left behind get their time, those on the slide lose it, questions open."""
        self.pointing.moved()
        if not self.session.driving:
            return
        demos = self.session.contents.demos(self.session.index)
        here = {demo.id: demo_requests.keep_seconds(demo) for demo in demos}
        for block, seconds in self._here.items():
            if block not in here and seconds is not None and self.alive(block):
                self._send(Keep(block, seconds))
        for block in here:
            if block not in self._here and self.alive(block):
                self._send(Keep(block, None))
        self._here = here
        self.answering.open_shown()
        self.phones.arrived()

    async def shutdown(self) -> Report | None:
        """End the class and everything of it; what the host reports, None without an answer in time."""
        self._report = asyncio.get_running_loop().create_future()
        self._send(Shutdown("quit"))
        try:
            # A host that is only just starting must hear of it too, or it would stay behind alone.
            patience = self.shutdown_s if self.class_id else 3 * self.shutdown_s
            return await asyncio.wait_for(self._report, patience)
        except TimeoutError:
            return None
