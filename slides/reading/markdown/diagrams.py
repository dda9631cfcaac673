"""Diagrams that are written as code: those of mermaid that can be drawn become pictures."""

from __future__ import annotations

from typing import Protocol

from slides.deck import Scene
from slides.problems import Mistake
from slides.reading.markdown.fences import Info


class Page(Protocol):
    """What the reader of a slide is to a diagram on it."""

    def warn(self, line: int, message: str, mend: str) -> None:
        """Say what is wrong with a line."""

    def reach(self, line: int, frames: int = 1) -> int:
        """The step at which a block of so many frames begins."""

    def place(self, line: int) -> int:
        """The line of the file that a line of the slide is."""


def read(page: Page, info: Info, source: str, line: int) -> Scene | None:
    """A diagram of mermaid as a picture that moves; None where it cannot be drawn, and is shown as text.

    It is left alone where it is to be run by another program, or stands in a file.
    """
    if "run" in info.flags or info.get("file"):
        return None
    from slides.scenes import mermaid

    stepwise = "steps" in info.flags
    try:
        frames = mermaid.scene(source, stepwise).steps({})
    except Mistake as why:
        page.warn(line, why.message, why.mend)
        return None
    params = {"steps": "yes"} if stepwise else {}
    at = page.reach(line, frames)
    return Scene("mermaid", params, line=page.place(line), at=at, frames=frames, body=source)
