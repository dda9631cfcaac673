"""The screen of `teachrun replay`: a class that was held, walked again with the arrow keys."""

from __future__ import annotations

import asyncio
import time

from textual.app import App, ComposeResult
from textual.events import Key

from slides.check import Size
from slides.drawing.text import Line
from tui.keys.table import for_role, label
from tui.panes.edges import scrub_bar
from tui.rendering import themed_strips
from tui.rendering.themed_strips import Painter
from tui.replay.moment_drawing import Walk
from tui.widgets.lines import Lines

TICK_S = 0.25
SPEEDS = (1.0, 2.0, 4.0, 8.0, 16.0)


class ReplayScreen(App[None], inherit_bindings=False):
    """A moment of a class above the bar of its time. Recordings are read in a thread: no key waits."""

    ENABLE_COMMAND_PALETTE = False
    DEFAULT_CSS = "#replay { width: 100%; height: 100%; }"

    def __init__(self, walk: Walk, theme: str) -> None:
        super().__init__()
        self.walk, self.look = walk, theme or "dark"
        self.number = 0  # of the moment
        self.after_s = 0.0  # so long into it
        self.speed, self._speeds = 0.0, 0  # it plays; how fast it would
        self._since = 0.0
        self._fetching: dict[str, asyncio.Task[None]] = {}
        self.lines = Lines(Painter(themed_strips.resolve(self.look)), self._draw, id="replay")
        came = [0, *(n for n in range(1, len(walk.moments)) if self._other_slide(n))]
        self._slides = [walk.moments[n].at for n in came]

    def _other_slide(self, n: int) -> bool:
        moments = self.walk.moments
        return moments[n].state.pos.slide != moments[n - 1].state.pos.slide

    def compose(self) -> ComposeResult:
        yield self.lines

    def on_mount(self) -> None:
        self._colour()
        self.set_interval(TICK_S, self._tick)
        self._show()

    def _colour(self) -> None:
        self.lines.painter = Painter(themed_strips.resolve(self.look))
        self.screen.styles.background = self.lines.painter.colour("background") or "ansi_default"
        self.lines.redraw()

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
        keys = {key: action.name for action in for_role("replay") for key in action.keys}
        match keys.get(event.key) or keys.get(event.character or ""):
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
                self.look = themed_strips.following(self.look)
                self._colour()
            case "leave_replay":
                self.exit()
