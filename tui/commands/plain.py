"""`teachrun present --plain`: a class in lines, for screen readers, dumb terminals and pipes.

Every step is told as text, commands are words or numbers on lines of their own. Nothing moves the cursor,
nothing is coloured. It is a screen of the class like any other: audiences follow it, the host runs its demos.
"""

from __future__ import annotations

import asyncio
import shlex
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TextIO

from slides.linear import linear
from tui.commands.progress import progress_line
from tui.telling import ALIVE, Telling

if TYPE_CHECKING:
    from tui.link import Connect
    from tui.room import Change
    from tui.session import Session

CONNECT_S = 15.0


class Command(NamedTuple):
    names: tuple[str, ...]
    words: str
    text: str


COMMANDS = (
    Command(("next", "n"), "", "next step (an empty line does it too)"),
    Command(("prev", "p"), "", "previous step"),
    Command(("goto", "g"), "NUMBER or TITLE", "go to a slide; a number alone does it too"),
    Command(("here", "h"), "", "say this slide again"),
    Command(("notes", "o"), "", "speaker notes of this step"),
    Command(("list", "ls"), "", "all slides"),
    Command(("search", "/"), "WORDS", "lines of slides and notes with these words"),
    Command(("back",), "", "to before a jump"),
    Command(("run", "r"), "[key=value …]", "run the demo of this slide"),
    Command(("stop",), "", "stop the demo"),
    Command(("wait",), "", "read no further command before the demo has ended"),
    Command(("answer", "a"), "NUMBERS", "answer the question; while one is open a number alone does it too"),
    Command(("reveal", "e"), "", "say the right answer, with its reasons"),
    Command(("status", "s"), "", "place, time, demos, who is attached"),
    Command(("help", "?"), "", "this list"),
    Command(("quit", "q"), "", "end the class"),
)
_VERBS = {name: command.names[0] for command in COMMANDS for name in command.names}


def main(session: Session, connect: Connect, joining: bool = False) -> int:
    """Tell the class on stdout and take commands from stdin until it is left; the exit status."""
    plain = Plain(session, sys.stdout, joining)
    return asyncio.run(plain.run(connect, sys.stdin))


class Plain:
    def __init__(self, session: Session, out: TextIO, joining: bool = False) -> None:
        from tui.room import Room
        from tui.trail import Trail

        self._session = session
        self._out = out
        self.room = Room(session, self._changed, joining)
        self._telling = Telling(self.room, out)
        self._say = self._telling.say
        self._driving = self._telling.driving
        self._trail = Trail(session)
        self._calm = asyncio.Event()  # set by every change
        self._over = False

    # --- the loop -------------------------------------------------------------------------------------------

    async def run(self, connect: Connect, commands: TextIO) -> int:
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._read(commands, lines)
        self._say(f"{self._session.contents.deck.title}. Type help for the commands.")
        self._telling.place()
        await self.room.open(connect)
        self.room.arrived()
        self._telling.consent()
        status = 0
        try:
            await self._obey(lines, commands.isatty())
        except asyncio.CancelledError:  # ctrl-c
            status = 130
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        word = ""
        if self._session.role == "console" and not self.room.ended:
            last = self.room.consoles <= 1
            word = await self.room.end_class() if last else "this screen left; the class goes on"
        await self.room.close()
        self._say(word)
        return status

    async def _obey(self, lines: asyncio.Queue[str | None], typed: bool) -> None:
        """Command after command, until it is left or the input ends."""
        while not self._over and not self.room.ended:
            if typed:
                print("> ", end="", file=self._out, flush=True)
            line = await self._either(lines)
            if line is None:
                if not typed:
                    await self._until_idle()
                return
            try:
                await self._do(line.strip())
            except Exception as error:  # a class goes on, whatever one command does
                self._say(f"that failed: {type(error).__name__}: {error}")

    async def _either(self, lines: asyncio.Queue[str | None]) -> str | None:
        """The next command, or the end of the class."""
        asked = asyncio.create_task(lines.get())
        while not asked.done():
            changed = asyncio.create_task(self._calm.wait())
            await asyncio.wait((asked, changed), return_when=asyncio.FIRST_COMPLETED)
            changed.cancel()
            self._calm.clear()
            if self.room.ended and not asked.done():
                asked.cancel()
                return None
        return asked.result()

    @staticmethod
    def _read(commands: TextIO, lines: asyncio.Queue[str | None]) -> None:
        """By a thread of its own: a read from a terminal cannot be given up."""
        loop = asyncio.get_running_loop()

        def read() -> None:
            with suppress(RuntimeError):  # the class is over
                with suppress(ValueError, OSError):
                    for line in commands:
                        loop.call_soon_threadsafe(lines.put_nowait, line)
                loop.call_soon_threadsafe(lines.put_nowait, None)

        threading.Thread(target=read, name="commands", daemon=True).start()

    async def _until(self, done: Callable[[], bool], within_s: float | None = None) -> bool:
        until = None if within_s is None else time.monotonic() + within_s
        while not done():
            left = None if until is None else until - time.monotonic()
            if left is not None and left <= 0:
                return False
            self._calm.clear()
            try:
                await asyncio.wait_for(self._calm.wait(), left)
            except TimeoutError:
                return done()
        return True

    async def _until_idle(self) -> None:
        room = self.room

        def idle() -> bool:
            # The journal knows of an end before the snapshot that tells it.
            alive = any(snapshot.state in ALIVE for snapshot in room.snapshots.values())
            return room.ended or not (alive or room.living())

        await self._until(idle)

    def _changed(self, what: Change) -> None:
        self._calm.set()
        self._telling.changed(what)

    # --- commands -------------------------------------------------------------------------------------------

    async def _do(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        if line.startswith("/"):
            word, rest = "/", line[1:]
        verb = _VERBS.get(word.casefold(), "")
        if not line:
            verb = "next"
        elif not verb and word[0].isdigit() | (word[0] == "+"):
            verb, rest = ("answer" if self.room.answering.taking else "goto"), line
        if not verb:
            self._say(f"there is no command {word!r}; help lists them")
        elif not self._driving and verb not in ("here", "list", "status", "help", "quit"):
            self._say("an audience only follows: here, list, status, help, quit")
        else:
            done = getattr(self, f"_{verb}")(rest.strip())
            if done is not None:
                await done

    def _moved(self, moved: bool, otherwise: str = "") -> None:
        if moved:
            self.room.arrived()
            self._telling.place()
        else:
            self._say(otherwise)

    def _next(self, rest: str) -> None:
        backups = len(self._session.contents.backup)
        more = f"; behind it {backups} backup slides, goto +1" if backups else ""
        self._moved(self._session.next(), f"the end of the talk{more}")

    def _prev(self, rest: str) -> None:
        self._moved(self._session.previous(), "this is the first slide")

    def _goto(self, rest: str) -> None:
        found = self._session.contents.search(rest) if rest else []
        if not found:
            self._say(f"no slide {rest!r}" if rest else "goto which slide? A number or a title")
        else:
            self._moved(self._trail.jump((found[0], 0)), "this slide is shown already")

    def _back(self, rest: str) -> None:
        self._moved(self._trail.back(), "no jump to go back from")

    def _here(self, rest: str) -> None:
        self._telling.place(again=True)

    def _notes(self, rest: str) -> None:
        from slides.parse import parse_blocks

        shown = [note for note in self._session.slide.notes if note.at <= self._session.step]
        self._say(*(line for note in shown for line in linear(parse_blocks(note.markdown), -1, 99)))
        if not shown:
            self._say("no notes on this slide")

    def _list(self, rest: str) -> None:
        contents, section = self._session.contents, ""
        for head in contents.heads:
            if head.section != section:
                section = head.section
                self._say(f"section {section}")
            marks = [
                word
                for word, on in (("optional", head.optional), ("now", head.index == self._session.index))
                if on
            ]
            said = f" ({', '.join(marks)})" if marks else ""
            self._say(f"  {contents.label(head.index)}  {head.title or 'without a title'}{said}")

    def _search(self, rest: str) -> None:
        from tui.search import Index

        index = Index(self._session.contents, self.room.answering.parsed)
        index.read(float("inf"))
        found = index.find(rest)
        for hit in found[:40]:
            note = "note: " if hit.note else ""
            self._say(f"  slide {self._session.contents.label(hit.slide)}: {note}{hit.text}")
        more = f", the first 40 of {len(found)} are above" if len(found) > 40 else ""
        self._say(f"{len(found)} lines{more}" if found else "no slide and no note says so")

    async def _run(self, rest: str) -> None:
        demo = self.room.demo()
        if demo is None:
            self._say("no demo on this slide")
            return
        if not await self._until(lambda: bool(self.room.class_id or self.room.refused), CONNECT_S):
            self._say("the host of the class does not answer; try again")
            return
        params = None
        if rest:
            from runtime import catalog

            try:
                read = catalog.parse_words([demo.name, *shlex.split(rest)])
            except ValueError:
                self._say("a quotation mark is not closed")
                return
            if isinstance(read, catalog.Refusal):
                self._say(f"{read.why}: {read.mend}")
                return
            params = self.room.asked(demo) | read[1]
        self._telling.started(demo.id)
        before = self.room.snapshot()
        self.room.launch(demo, params)
        self._say(f"starting {demo.name} …")
        await self._until(
            lambda: self.room.snapshot() is not before or demo.id in self.room.refusals, CONNECT_S
        )

    def _stop(self, rest: str) -> None:
        living = self.room.living()
        for block in living:
            self.room.stop(block)
        self._say("" if living else "no demo is running")

    async def _wait(self, rest: str) -> None:
        await self._until_idle()

    def _answer(self, rest: str) -> None:
        answering = self.room.answering
        if not answering.taking:
            self._say("no question is open here")
            return
        trouble = answering.why_not(rest) if rest.strip() else "answer with what you mean, as in answer 2"
        if not trouble:
            answering.type(rest)
            trouble = answering.lock()
        self._say(trouble or f"answered {rest}; reveal says what is right")

    def _reveal(self, rest: str) -> None:
        if self.room.answering.current() is None:
            self._say("no question here")
        else:
            self._say(self.room.answering.reveal())
            self._telling.revealed()

    def _status(self, rest: str) -> None:
        from tui.chrome import clock

        session, room = self._session, self.room
        label, total = session.contents.label(session.index), len(session.contents.visible)
        steps = self._telling.steps_of(session.slide.steps, session.step)
        self._say(
            f"slide {label} of {total}{f', {steps}' if steps else ''}, {clock(session.elapsed)} of class time"
        )
        for block in room.living():
            if (snapshot := room.snapshots.get(block)) is not None:
                self._say(progress_line(snapshot, ""))
        link = room.link_word or f"class {room.class_id}, {room.audiences} in the audience"
        self._say(link)

    def _help(self, rest: str) -> None:
        for command in COMMANDS:
            self._say(f"  {' or '.join(command.names)} {command.words}".rstrip() + f": {command.text}")

    def _quit(self, rest: str) -> None:
        self._over = True
