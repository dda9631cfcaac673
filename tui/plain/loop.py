"""The loop of a class in lines: commands from one end, what the class says out of the other."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO

from tui.plain import typed_commands
from tui.plain.announcements import Announcements
from tui.plain.deck import OwnDeck
from tui.plain.demos_questions_clock import TeachingCommands
from tui.plain.navigation import Navigation
from tui.plain.phones import PhoneLines
from tui.plain.pointing import PointingCommands

if TYPE_CHECKING:
    from runtime.protocol.messages import OpenPhones
    from tui.classroom.host_link import Connect
    from tui.classroom.room import Change
    from tui.classroom.session import Session
from tui.classroom.quit_warning import end_class, stake

TICK_S = 0.5  # between two looks at the time of an open question


def main(session: Session, connect: Connect, phones: OpenPhones | None = None, joining: bool = False) -> int:
    """Tell the class on stdout and take commands from stdin until it is left; the exit status. `phones`: let
    them in, so and so."""
    plain = Plain(session, sys.stdout, joining)
    if phones is not None:
        plain.room.phones.ask(phones)
    return asyncio.run(plain.run(connect, sys.stdin))


class Plain:
    """Class in lines: reads commands, says what happens."""

    def __init__(self, session: Session, out: TextIO, joining: bool = False) -> None:
        from tui.classroom.room import Room

        self._session = session
        self._out = out
        self.room = Room(session, self._changed, joining)
        self._telling = Announcements(self.room, out)
        self._say = self._telling.say
        self._deck = OwnDeck(self.room, self._say, self._telling.anew)
        self._doing = TeachingCommands(self.room, self._telling, self._until)
        self._phones = PhoneLines(self.room, self._say)
        pointing = PointingCommands(self.room, self._say)
        self._doers = (
            *(Navigation(self.room, self._telling), self._doing, self._deck, self._phones),
            *(pointing, self),
        )
        self._calm = asyncio.Event()  # set by every change
        self._over = False
        self._warned = ""  # of what would end with this screen

    # --- the loop -------------------------------------------------------------------------------------------

    async def run(self, connect: Connect, commands: TextIO) -> int:
        """Read commands until the end; return the exit code."""
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._read(commands, lines)
        title = self._session.contents.deck.title
        self._say(f"{title}{'' if title[-1:] in '.?!…' else '.'} Type help for the commands.")
        self._telling.place()
        await self.room.open(connect)
        self.room.arrived()
        self._deck.ask()
        self._deck.watch()
        ticking = asyncio.create_task(self._tick())
        status = 0
        try:
            await self._obey(lines, commands.isatty())
        except asyncio.CancelledError:  # ctrl-c
            status = 130
            if (task := asyncio.current_task()) is not None:
                task.uncancel()
        self._deck.unwatch()
        ticking.cancel()
        word = ""
        if self._session.role == "console" and not self.room.ended:
            last = self.room.consoles <= 1
            word = await end_class(self.room) if last else "this screen left; the class is still running"
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
                    await self._until(self._doing.idle)
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
                try:
                    for line in commands:
                        loop.call_soon_threadsafe(lines.put_nowait, line)
                except (ValueError, OSError):
                    pass
                finally:  # whatever ended the reading, the class is not to wait for more
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

    async def _tick(self) -> None:
        """An open question is locked when it has had its time."""
        while True:
            await asyncio.sleep(TICK_S)
            self.room.answering.tick()
            self._telling.questions()

    def _changed(self, what: Change) -> None:
        self._calm.set()
        self._telling.changed(what)
        self._phones.changed()

    # --- commands -------------------------------------------------------------------------------------------

    async def _do(self, line: str) -> None:
        answering = self.room.answering
        found = typed_commands.understood(line, self._session.seat, answering.taking, answering.labelled)
        if isinstance(found, str):
            self._say(found)
            return
        verb, rest = found
        if verb != "quit":
            self._warned = ""
        done: Awaitable[None] | None = next(
            getattr(doer, verb) for doer in self._doers if hasattr(doer, verb)
        )(rest)
        if done is not None:
            await done

    def help(self, rest: str) -> None:
        """Say the commands of this seat."""
        self._say(*typed_commands.helped(self._session.seat))

    def quit(self, rest: str) -> None:
        """Who reads on a pipe or types ahead says it twice, as every command here is a line."""
        lost = stake(self.room)
        if not lost or lost == self._warned:
            self._over = True
        else:
            self._warned = lost
            self._say(f"{lost}: quit again ends the class")
