"""What is done to a class in lines: its demos and code, its questions, the clock, and what the room sees."""

from __future__ import annotations

import shlex
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from runtime.classroom.actions import Show, Timer, Until
from tui.classroom import pace, turned_estimate, typed_end_time
from tui.classroom.answering import duel_votes
from tui.classroom.runs import demo_requests, other_demos
from tui.classroom.runs.snippet_outputs import ALIVE
from tui.classroom.runs.start_on_slide import no_demo, start_code, start_demo, startable
from tui.plain.questions import answer_first

if TYPE_CHECKING:
    from runtime.classroom.actions import ShowMode, TimerOp
    from slides.deck import Demo
    from tui.classroom.room import Room
    from tui.plain.announcements import Announcements

CONNECT_S = 15.0
UntilDone = Callable[[Callable[[], bool], float | None], Awaitable[bool]]


class TeachingCommands:
    """A function a command, each takes what was typed after its name. `until(done, seconds)` waits for a
    change of the class with which `done()` holds; False where none came in time."""

    def __init__(self, room: Room, telling: Announcements, until: UntilDone) -> None:
        self._room, self._session, self._answering = room, room.session, room.answering
        self._telling, self._say, self._until = telling, telling.say, until

    # --- demos and code -------------------------------------------------------------------------------------

    async def _host(self) -> bool:
        room = self._room
        if await self._until(lambda: bool(room.class_id or room.refused), CONNECT_S):
            return True
        self._say("the class host does not answer; try again")
        return False

    async def run(self, rest: str) -> None:
        """Start what is on this slide: a measurement, code, or the demo."""
        room, here = self._room, startable(self._room)
        if here.measuring and not rest:
            if await self._host():
                going = room.measuring.going
                said = room.measuring.toggle()
                self._say("stopped; run goes on measuring" if going else said)
            return
        if here.code is not None:
            await self.code(rest)
            return
        demo = room.demo()
        if demo is None:
            self._say(no_demo(self._room))
            return
        if not await self._host():
            return
        params = self._params(demo, rest) if rest else None
        if rest and params is None:
            return
        self._telling.started(demo.id)
        before = room.snapshot()
        for block in other_demos.running(room):
            self._say(f"stopping {other_demos.named(room, block)}")
        start_demo(room, demo, params)
        self._say(f"starting {demo.name} …")
        await self._until(lambda: room.snapshot() is not before or demo.id in room.refusals, CONNECT_S)

    def _params(self, demo: Demo, rest: str) -> dict[str, str] | None:
        """The deck's parameters with those that were typed; None, and said, where they cannot be."""
        from runtime.catalog import registry
        from tui.deck import consent_question

        try:
            read = registry.parse_words([demo.name, *shlex.split(rest)])
        except ValueError:
            self._say("a quotation mark is not closed")
            return None
        if isinstance(read, registry.Refusal):
            self._say(f"{read.why}: {read.mend}")
            return None
        params = demo_requests.asked(demo) | read[1]
        try:
            consent_question.typed(self._room.deck_of(demo), demo, params)
        except OSError as error:
            self._say(f"that cannot be remembered: {error}")
        return params

    async def recorded(self, rest: str) -> None:
        """Show the recorded run of this slide's demo."""
        demo = self._room.demo()
        if demo is None:
            self._say(no_demo(self._room))
        elif await self._host():
            self._telling.started(demo.id)
            before = self._room.snapshot()
            self._room.recall(demo)
            found = lambda: self._room.snapshot() is not before or demo.id in self._room.refusals  # noqa: E731
            await self._until(found, CONNECT_S)

    async def code(self, rest: str) -> None:
        """Run a block of code of this slide, the first unless `rest` is a number."""
        room = self._room
        blocks = room.outputs.runnable()
        if not blocks:
            self._say("no code block here is marked `run`")
            return
        if rest and not (rest.isdecimal() and 1 <= int(rest) <= len(blocks)):
            self._say(f"which code? A number from 1 to {len(blocks)}")
            return
        if not await self._host():
            return
        block = blocks[int(rest) - 1] if rest else blocks[0]
        if block.terminal:
            self._say("that is a terminal, which needs a screen: teachrun attach, in another window")
            return
        self._telling.started(block.id)
        before = room.outputs.of.get(block.id)
        start_code(room, block)
        await self._until(
            lambda: room.outputs.of.get(block.id) is not before or block.id in room.refusals, CONNECT_S
        )

    def stop(self, rest: str) -> None:
        """Stop everything that runs in the class."""
        living = self._room.living()
        for block in living:
            self._room.stop(block)
        self._say("" if living else "nothing runs")

    async def wait(self, rest: str) -> None:
        """Wait until nothing runs any more."""
        await self._until(self.idle, None)

    def idle(self) -> bool:
        """Whether nothing of the class runs, as far as the host has told."""

        room = self._room
        # The journal knows of an end before the snapshot that tells it.
        alive = any(snapshot.state in ALIVE for snapshot in room.snapshots.values())
        waits = room.measuring.going and not room.refusals  # for the next of its runs
        return room.ended or not (alive or waits or room.living())

    # --- questions ------------------------------------------------------------------------------------------

    def answer(self, rest: str) -> None:
        """Give `rest` as the answer to the open question, or say why it cannot be one."""
        if not self._answering.taking:
            self._say("no question is open here")
            return
        if not rest.strip():
            self._say("answer with what you mean, as in answer 2")
            return
        trouble = self._answering.why_not(rest)
        if not trouble:
            self._answering.type(rest)
        ours = "; reveal says what is right" if self._session.role == "console" else ""
        self._say(trouble or f"answered {rest}{ours}")

    def lock(self, rest: str) -> None:
        """Lock the answer to the open question."""
        if not self._answering.taking:
            self._say("no question is open here")
            return
        current = self._answering.current()
        refused = self._answering.lock()
        self._say(answer_first(current[0]) if refused and current is not None else refused)
        self._telling.questions()

    def reveal(self, rest: str) -> None:
        """Show the right answer, or the best layout known for a duel."""
        block = turned_estimate.here(self._session)
        if block is not None and block.duel and self._answering.current() is None:
            words = turned_estimate.revealed(self._session, block)
            if words is not None:
                self._turn(words)
        elif self._answering.current() is None:
            self._say("no question here")
        else:
            self._say(self._answering.reveal())
            self._telling.questions()

    def layout(self, rest: str) -> None:
        """Give sides of a duel the layouts they chose."""
        from runtime.estimate.request import Refused

        block = turned_estimate.here(self._session)
        if block is None or not block.duel:
            self._say("no duel on this slide")
            return
        try:
            self._turn(turned_estimate.chosen(self._session, block, rest.split()))
        except Refused as refused:
            self._say(f"{refused.why}: {refused.mend}")

    def _turn(self, words: tuple[str, ...]) -> None:
        self._session.act(replace(self._session.state.look, estimate=words))
        self._telling.changed("echo")

    def hint(self, rest: str) -> None:
        """Show the next hint."""
        self._say(self._answering.hint())
        self._telling.questions()

    def hands(self, rest: str) -> None:
        """Enter how many raised a hand for each option, or for each value of what a side of a duel turns."""
        if self._answering.hands.countable() is None:
            found = duel_votes.counted(self._session, rest)
            if isinstance(found, str):
                self._say(found)
            else:
                self._turn(found.words)
                self._say(found.said)
            return
        counts = self._answering.hands.read(rest)
        if isinstance(counts, str):
            self._say(counts)
            return
        self._answering.hands.send(counts)
        self._say(f"{sum(counts)} hands; undo takes that back" if counts else "no hands")

    def again(self, rest: str) -> None:
        """Ask the question once more, as another round."""
        self._say(self._answering.again())
        self._telling.questions()

    def undo(self, rest: str) -> None:
        """Take back what this screen did last in the class."""
        self._say("taken back" if self._session.undo() else "nothing from this screen to take back")

    # --- the room and the clock -----------------------------------------------------------------------------

    def timer(self, rest: str) -> None:
        """Start, pause or reset the clock; without a word start or pause it."""
        running = self._session.state.timer.running
        match rest.casefold():
            case "":
                self._clock("pause" if running else "start")
            case "start" | "pause" | "reset" as op:
                self._clock(op)
            case _:
                self._say("timer start, timer pause, timer reset, or timer alone")

    def _clock(self, op: TimerOp) -> None:
        self._session.act(Timer(op))
        running = self._session.state.timer.running
        self._say("the clock is at zero" if op == "reset" else f"the clock {'runs' if running else 'stands'}")

    def end(self, rest: str) -> None:
        """Set when the class ends; without a time clear what was set."""

        at = typed_end_time.meant(rest, self._session.now()) if rest else None
        if rest and at is None:
            self._say("write end 15:30, or end 45m from now")
            return
        self._session.act(Until(at))
        shown = pace.until(self._session.contents.plan, self._session.state, self._session.now())
        clock = time.strftime("%H:%M", time.localtime(shown)) if shown is not None else ""
        self._say(f"the class ends at {clock}" if clock else "no end is set")

    def blank(self, rest: str) -> None:
        """Show the room a black screen."""
        self._show("black", "the room sees black; blank again shows the slide")

    def white(self, rest: str) -> None:
        """Show the room a white screen."""
        self._show("white", "the room sees white; white again shows the slide")

    def freeze(self, rest: str) -> None:
        """Keep the room on this slide."""
        self._show("frozen", "the room stays at this slide; freeze again lets it follow")

    def live(self, rest: str) -> None:
        """Show the room the slide again."""
        self._show("live", "")

    def _show(self, mode: ShowMode, said: str) -> None:
        shown = "live" if self._session.state.shown == mode else mode
        self._session.act(Show(shown))
        self._say("the room sees the slide" if shown == "live" else said)

    def lead(self, rest: str) -> None:
        """Drive alone, or let every console drive again."""
        self._session.lead()
        alone = self._session.state.lead == self._session.screen
        self._say("you drive alone; lead again lets every console drive" if alone else "every console drives")
