"""The screen of `teachrun replay`: a class that was held, walked again with the arrow keys."""

from __future__ import annotations

import asyncio
import time

from textual.events import Key

from slides.drawing.text import Line
from slides.screen_size import Size
from tui.keys.table import for_role, label
from tui.panes.edges import scrub_bar
from tui.replay.moment_drawing import Walk
from tui.screens.page_program import PageProgram, action_of

TICK_S = 0.25
SPEEDS = (1.0, 2.0, 4.0, 8.0, 16.0)


class ReplayScreen(PageProgram[None]):
    """A moment of a class above the bar of its time. Recordings are read in a thread: no key waits."""

    def __init__(self, walk: Walk, theme: str) -> None:
        super().__init__(theme)
        self.walk = walk
        self.number = 0  # of the moment
        self.after_s = 0.0  # so long into it
        self.speed, self._speeds = 0.0, 0  # it plays; how fast it would
        self._since = 0.0
        self._fetching: dict[str, asyncio.Task[None]] = {}
        came = [0, *(n for n in range(1, len(walk.moments)) if self._other_slide(n))]
        self._slides = [walk.moments[n].at for n in came]

    def _other_slide(self, n: int) -> bool:
        moments = self.walk.moments
        return moments[n].state.pos.slide != moments[n - 1].state.pos.slide

    def on_mount(self) -> None:
        self.set_interval(TICK_S, self._tick)
        self._show()

    # --- what is shown ----------------------------------------------------------------------------------

    @property
    def at_s(self) -> float:
        """Seconds of the bar."""
        return min(self.walk.length_s, self.walk.moments[self.number].at + self.after_s)

    def _draw(self, width: int, height: int) -> list[Line]:
        size = Size(width, max(1, height - scrub_bar.ROWS))
        shown = self.walk.screen(self.number, size, self.after_s)
        shown = [*shown[: size.height], *[()] * (size.height - len(shown))]
        return [*shown, *scrub_bar.lines(self._place(), self._keys(), width)]

    def _place(self) -> scrub_bar.Place:
        moment = self.walk.moments[self.number]
        note = "loading the run …" if self.walk.needed(moment) else ""
        if self.walk.gone(moment):
            note = "the recording of this run is gone"
        elif not note and self.walk.changed:
            note = "the deck as it is now: this class kept none"
        return scrub_bar.Place(
            self.at_s,
            self.walk.length_s,
            self._slides,
            self.walk.place(self.number),
            moment.what,
            note,
            self.speed,
        )

    def _keys(self) -> list[tuple[str, str]]:
        return [
            (label(action.keys[0]), action.hint)
            for action in for_role("replay")
            if action.hint and action.keys
        ]

    def _show(self) -> None:
        for run in self.walk.needed(self.walk.moments[self.number]):
            if run not in self._fetching:
                self._fetching[run] = asyncio.get_running_loop().create_task(self._fetch(run))
        self.lines.redraw()

    async def _fetch(self, run: str) -> None:
        await asyncio.to_thread(self.walk.fetch, run)
        self._show()

    def go(self, number: int) -> None:
        """Go to a moment; the first and the last are the ends."""
        self.number, self.after_s = max(0, min(number, len(self.walk.moments) - 1)), 0.0
        self._since = time.monotonic()
        self._show()

    # --- time -------------------------------------------------------------------------------------------

    def _tick(self) -> None:
        if not self.speed:
            return
        now = time.monotonic()
        at = min(self.walk.length_s, self.at_s + (now - self._since) * self.speed)
        self._since = now
        self.number = self.walk.at(at)
        self.after_s = at - self.walk.moments[self.number].at
        if at >= self.walk.length_s:
            self.speed = 0.0
        self._show()

    def _play(self) -> None:
        if not self.speed and self.at_s >= self.walk.length_s:
            self.go(0)
        self.speed = 0.0 if self.speed else SPEEDS[self._speeds]
        self._since = time.monotonic()
        self._show()

    # --- keys -------------------------------------------------------------------------------------------

    async def on_key(self, event: Key) -> None:
        event.stop()
        match action_of("replay", event):
            case "next_moment":
                self.go(self.number + 1)
            case "previous_moment":
                self.go(self.number - (0 if self.after_s > 1.0 and self.speed else 1))
            case "replay_next_slide":
                self.go(self.walk.slide_from(self.number, 1))
            case "replay_previous_slide":
                self.go(self.walk.slide_from(self.number, -1))
            case "replay_first":
                self.go(0)
            case "replay_last":
                self.go(len(self.walk.moments) - 1)
            case "replay_play":
                self._play()
            case "replay_faster" | "replay_slower" as name:
                by = 1 if name == "replay_faster" else -1
                self._speeds = max(0, min(self._speeds + by, len(SPEEDS) - 1))
                if self.speed:
                    self.speed = SPEEDS[self._speeds]
                self._show()
            case "theme":
                self.next_theme()
            case "leave_replay":
                self.exit()
