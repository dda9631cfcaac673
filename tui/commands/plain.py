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
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TextIO

from slides.cells import clean
from slides.linear import linear
from tui.commands.progress import progress_line

if TYPE_CHECKING:
    from runtime.messages import Snapshot
    from slides.deck import AnyBlock, Quiz
    from tui.link import Connect
    from tui.room import Change
    from tui.session import Session

TELL_S = 5.0  # between two lines about a run that goes on
ALIVE = ("launching", "running", "stopping")
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
        self._trail = Trail(session)
        self._told: tuple[str, int, int] = ("", -1, -1)  # revision, slide and step
        self._runs: dict[str, tuple[str, float]] = {}  # block -> state and time of the last line about it
        self._refused: set[tuple[str, str]] = set()
        self._link_told = ""
        self._revealed: set[str] = set()
        self._calm = asyncio.Event()  # set by every change
        self._over = False

    # --- the loop -------------------------------------------------------------------------------------------

    async def run(self, connect: Connect, commands: TextIO) -> int:
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._read(commands, lines)
        self._say(f"{self._session.contents.deck.title}. Type help for the commands.")
        self._tell()
        await self.room.open(connect)
        self.room.arrived()
        self._consent()
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

    # --- what is said ---------------------------------------------------------------------------------------

    def _say(self, *lines: str) -> None:
        for line in lines:
            if line:
                print(clean(line), file=self._out, flush=True)

    def _consent(self) -> None:
        from tui import trusting

        if self._session.role == "console" and trusting.unasked(self._session.contents):
            self._say(
                "This deck asks to run programs or read files; --trust agrees to that. It goes on without."
            )

    def _tell(self, again: bool = False) -> None:
        """The place, if it was not told yet: of the same slide only what has come."""
        session = self._session
        rev, index, step = session.contents.rev, session.index, session.step
        if (rev, index, step) == self._told and not again:
            return
        slide = session.slide
        onward = not again and self._told[:2] == (rev, index) and self._told[2] < step
        since = self._told[2] if onward else -1
        self._told = rev, index, step
        if not onward:
            of = f"{session.contents.label(index)} of {len(session.contents.visible)}"
            section = session.contents.section(index)
            parts = (f"slide {of}", section and f"section {section}", self._steps_of(slide.steps, step))
            self._say("", f"--- {', '.join(filter(None, parts))}: {slide.title or 'without a title'}")
        lines = linear(slide.blocks, since, step, self._special)
        if lines and lines[0] == clean(slide.title) and not onward:
            del lines[0]
        if onward:
            self._say(f"step {step + 1} of {slide.steps}:")
        self._say(*lines)
        if session.role == "console" and any(note.at == step for note in slide.notes):
            self._say("(notes)")

    @staticmethod
    def _steps_of(steps: int, step: int) -> str:
        return f"step {step + 1} of {steps}" if steps > 1 else ""

    def _special(self, block: AnyBlock) -> list[str] | None:
        from slides.deck import Demo, Quiz

        if isinstance(block, Demo):
            trouble = self.room.trouble(block)
            params = " ".join(f"{key}={value}" for key, value in self.room.asked(block).items())
            how = f"cannot be started: {trouble}" if trouble else "type run to start it"
            return [
                f"demo {block.name} {params}".rstrip() + f"; {how if self._driving else 'runs in the class'}"
            ]
        return list(self._question(block)) if isinstance(block, Quiz) else None

    @property
    def _driving(self) -> bool:
        return self._session.role == "console"

    def _question(self, block: Quiz) -> Iterator[str]:
        from quiz.question import Question
        from slides.parse import parse_blocks

        read = self.room.answering.parsed(block)
        if not isinstance(read, Question):
            yield from (f"question that cannot be asked, line {t.line}: {t.message}. {t.mend}" for t in read)
            return
        yield "question:"
        yield from linear(parse_blocks(read.stem), -1, 0)
        for number, option in enumerate(read.options, 1):
            first, *rest = linear(parse_blocks(option.text), -1, 0) or [""]
            yield f"  {number}. {first}"
            yield from (f"     {line}" for line in rest)
        if self._driving and read.options:
            several = "several numbers, as in 1,3" if read.kind == "multi" else "a number"
            yield f"answer with {several}; reveal says what is right"

    # --- what happens meanwhile -----------------------------------------------------------------------------

    def _changed(self, what: Change) -> None:
        self._calm.set()
        if what == "deck":
            self._say("the deck was read again" if self._told[0] else "")
            self._told = ("", -1, -1)
        if what in ("place", "deck"):
            self._tell()
            self._tell_revealed()
        if (word := self.room.link_word) != self._link_told:
            self._link_told = word
            if word not in ("", "connecting"):
                self._say(f"the class: {word}")
        for block, (why, mend) in self.room.refusals.items():
            if (block, why) not in self._refused:
                self._refused.add((block, why))
                self._say(f"refused: {why}. {mend}")
        for block, snapshot in self.room.snapshots.items():
            self._tell_run(block, snapshot)

    def _tell_run(self, block: str, snapshot: Snapshot) -> None:
        state, at = self._runs.get(block, ("", 0.0))
        now, key = time.monotonic(), f"{snapshot.run} {snapshot.state}"
        if key == state and (snapshot.state not in ALIVE or now - at < TELL_S):
            return
        self._runs[block] = key, now
        if snapshot.state in ALIVE:
            if key != state and snapshot.state == "running":
                bent = f" ({', '.join(snapshot.bent)})" if snapshot.bent else ""
                ranks = f"{snapshot.world} rank{'s' if snapshot.world > 1 else ''}"
                self._say(f"{snapshot.demo}  runs on {ranks}, {snapshot.badge}{bent}")
            else:
                self._say(progress_line(snapshot, ""))
            return
        self._say(*_ended(snapshot))

    def _tell_revealed(self) -> None:
        from slides.parse import parse_blocks

        for question in self.room.answering.shown():
            state = self._session.question(question.id)
            if state is None or state.phase != "revealed" or question.id in self._revealed:
                continue
            self._revealed.add(question.id)
            right = ", ".join(str(n + 1) for n in state.key) or "nothing"
            self._say(f"right: {right}")
            explain = [
                *(f"{n}. {text}" for n, text in enumerate(state.explain, 1) if text),
                state.general,
            ]
            for text in filter(None, explain):
                self._say(*linear(parse_blocks(text), -1, 0))

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
            self._tell()
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
        self._tell(again=True)

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
        self._refused = {known for known in self._refused if known[0] != demo.id}
        self._runs.pop(demo.id, None)
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
        picked = [word for word in rest.replace(",", " ").split() if word]
        if not picked or not all(word.isdecimal() for word in picked):
            self._say("answer with numbers, as in 2 or 1,3")
            return
        current = answering.current()
        wanted = {int(word) - 1 for word in picked}
        if current is not None:
            # A choice of several is switched option by option.
            wanted ^= set(answering.picked(current[0].id)) if current[0].kind == "multi" else set()
        trouble = next((said for option in sorted(wanted) if (said := answering.pick(option))), "")
        self._say(trouble or answering.lock() or f"answered {rest}; reveal says what is right")

    def _reveal(self, rest: str) -> None:
        if self.room.answering.current() is None:
            self._say("no question here")
        else:
            self._say(self.room.answering.reveal())
            self._tell_revealed()

    def _status(self, rest: str) -> None:
        from tui.chrome import clock

        session, room = self._session, self.room
        label, total = session.contents.label(session.index), len(session.contents.visible)
        steps = self._steps_of(session.slide.steps, session.step)
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


def _ended(snapshot: Snapshot) -> Iterator[str]:
    """How a run ended, and a line for each rank."""
    why = f": {snapshot.why}" if snapshot.why and snapshot.why != snapshot.state else ""
    yield f"{snapshot.demo}  {snapshot.state} after {snapshot.ran_s:.1f} s{why}"
    for row in snapshot.rows:
        parts = [f"  rank {row.rank}: {row.state}"]
        if row.step is not None:
            parts.append(f"{row.step + 1} steps")
        if row.loss is not None:
            parts.append(f"loss {row.loss:.4f}")
        if row.step_s is not None:
            parts.append(f"{row.step_s * 1000:.0f} ms a step")
        if row.wait is not None:
            parts.append(f"waiting {row.wait * 1000:.0f} ms of it")
        yield ", ".join(parts)
    if snapshot.equal is not None:
        equal = "equal on all ranks" if snapshot.equal else "not equal on all ranks"
        yield f"  parameters {equal} after step {snapshot.equal_step}"
