"""The screen of `teachrun estimate --screen`: arrows choose and turn, every change redraws in a frame."""

from __future__ import annotations

import asyncio

from textual.events import Key

from runtime.estimate.request import Request
from runtime.estimate.sliders import SLIDERS, turned
from slides.drawing.text import Line
from tui.screens.page_program import PageProgram
from tui.views.estimate_screen import formula_count, formulas, scaled, screen

CLOSE = ("q", "ctrl+c")
DEVICES = next(slider for slider in SLIDERS if slider.key == "dp")


class EstimateScreen(PageProgram[None]):
    """Nothing of a class: a request and the slider chosen."""

    def __init__(self, asked: Request, theme: str) -> None:
        super().__init__(theme)
        self.asked = asked
        self.chosen = 0
        self.first: int | None = None  # of the formulas shown; None: the sliders are
        self.scaling = False  # the devices are shown, not the sliders
        self.checked = ""  # what was measured here, or why not
        self._measuring: asyncio.Task[None] | None = None

    def _draw(self, width: int, height: int) -> list[Line]:
        if self.first is not None:
            return formulas(self.asked, self.first, width, height)
        if self.scaling:
            return scaled(self.asked, width, height)
        return screen(self.asked, self.chosen, width, height, self.checked)

    async def _measure(self) -> None:
        """Run the matching demo; the screen goes on meanwhile."""
        from runtime.catalog.params import Refusal
        from tui.reports.runs.memory_measured import measure, summary

        try:
            found = await measure(self.asked.layout)
        except OSError as error:
            self.checked = f"it cannot be measured: {error}"
        else:
            self.checked = f"{found.why}: {found.mend}" if isinstance(found, Refusal) else summary(found)
        self.lines.redraw()

    async def _leave(self) -> None:
        """Whatever was started for a measurement is ended first."""
        if self._measuring is not None:
            self._measuring.cancel()
            await asyncio.gather(self._measuring, return_exceptions=True)
        self.exit()

    async def on_key(self, event: Key) -> None:
        event.stop()
        key = event.key
        if key in CLOSE or (key == "escape" and self.first is None and not self.scaling):
            await self._leave()
            return
        if key == "escape":
            self.first, self.scaling = None, False
        elif key == "f":
            self.first = 0 if self.first is None else None
        elif key == "s":
            self.first, self.scaling = None, self.first is not None or not self.scaling
        elif key == "m" and (self._measuring is None or self._measuring.done()):
            self.checked = "running the demo that splits the same way …"
            self._measuring = asyncio.create_task(self._measure())
        elif event.character == "T":
            self.next_theme()
        elif key in ("up", "k", "down", "j"):
            self._move(-1 if key in ("up", "k") else 1)
        elif key in ("left", "h", "right", "l") and self.first is None:
            slider = DEVICES if self.scaling else SLIDERS[self.chosen]
            self.asked = turned(slider, self.asked, -1 if key in ("left", "h") else 1)
        self.lines.redraw()

    def _move(self, by: int) -> None:
        if self.first is None and not self.scaling:
            self.chosen = (self.chosen + by) % len(SLIDERS)
        elif self.first is not None:
            self.first = max(0, min(self.first + by, formula_count(self.asked) - 1))
