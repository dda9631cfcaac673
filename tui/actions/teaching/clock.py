"""The class's clock: started, paused and set; and what is left out to be on time."""

from __future__ import annotations

import time

from runtime.classroom.actions import Drop, Show, Timer, TimerOp, Until
from tui.actions.action_group import ActionGroup
from tui.classroom import pace, typed_end_time
from tui.keys.table import key_of


class ClockActions(ActionGroup):
    """Keys for the class's clock."""

    def timer(self) -> None:
        """Start, or pause for a question."""
        self._clock("pause" if self._session.state.timer.running else "start")

    def start_talk(self) -> None:
        """F5 of a clicker: un-blank, or start the clock; never anything else."""
        if self._session.state.shown in ("black", "white"):
            self._session.act(Show("live"))
            self._classroom.show()
        elif not self._session.state.timer.running:
            self._clock("start")

    def reset_timer(self) -> None:
        """Set the clock to zero; it starts again with the next slide."""
        self._clock("reset")
        word = f"the clock is at zero and starts with the next slide; {key_of('undo')} takes that back"
        self._screen.say(word, "dim")

    def _clock(self, op: TimerOp) -> None:
        self._session.shows_clock = True
        self._session.act(Timer(op))
        self._classroom.show()

    async def end_time(self) -> None:
        """Ask for the time at which the class has to end; nothing typed: as the deck says."""
        from tui.screens.run_menus import Edit

        session = self._session
        now = session.now()
        end = pace.until(session.contents.plan, session.state, now)
        shown = time.strftime("%H:%M", time.localtime(end)) if end is not None else ""

        def check(text: str) -> str:
            return (
                ""
                if not text.strip() or typed_end_time.meant(text, session.now()) is not None
                else "write 15:30, or 45m from now"
            )

        def about(word: str) -> str:
            return "15:30, or from now on: 45m, 1h10m; empty: as the deck says"

        async def done(text: str) -> None:
            session.act(Until(typed_end_time.meant(text, session.now())))
            self._classroom.show()

        ask = Edit(self._screen.painter, "the class ends at", shown, check, about, None, done, "sets it")
        await self._screen.cover(ask)

    def drop(self) -> None:
        """Leave out the optional slides that make the class late; without any, take those left out back."""
        session = self._session
        drop, dropped = session.pace.drop, session.state.dropped
        heads = {head.id: head for head in session.contents.heads}
        if drop:
            won = session.pace.drop_s
            session.act(Drop((*dropped, *drop)))
            titles = ", ".join(heads[slide].title for slide in drop)
            self._screen.say(
                f"skipped, {pace.signed(won)[1:]} saved: {titles}. {key_of('drop')} brings them back", "good"
            )
        elif dropped:
            session.act(Drop(()))
            self._screen.say("no slides are left out any longer", "good")
        else:
            bank = len(session.pace.bank)
            slides = "1 optional slide" if bank == 1 else f"{bank} optional slides"
            word = f"not late; {slides} could be left out" if bank else "no optional slides are left to skip"
            self._screen.say(word, "dim")
        self._classroom.show()
