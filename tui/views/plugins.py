"""Views that other installed packages bring: entry points `teachrun.views`, each a `tui.views.view.View`.

What is wrong with one is said in its place: the run and the other views go on.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path

import teachrun
from runtime.protocol.messages import Snapshot
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.frame import framed
from tui.views.view import View

_MEND = "Fix it, or remove that package; 0 is the demo's own view."


def find(name: str) -> View | None:
    """The view a package brings under that name, one that says what is wrong where it cannot be used; None
    where nobody brings it. Never raises."""
    if name not in teachrun.brought("views"):
        return None
    if why := trouble(name):
        return View(
            name, why, lambda run, width, height, rank: _box(why, "", width, height), in_handout=False
        )
    return _guarded(name, teachrun.bring("views", name))


def every(but: Container[str]) -> list[View]:
    """All that packages bring, without those named as one in `but`."""
    return [found for name in teachrun.brought("views") if name not in but and (found := find(name))]


def trouble(name: str) -> str:
    """Why the view that a package brings under that name cannot be used; "" where it can."""
    try:
        found = teachrun.bring("views", name)
    except teachrun.Unusable as error:
        return str(error)
    if isinstance(found, View):
        return ""
    return f"{teachrun.bringer('views', name)} brings {name}, which is not a tui.views.view.View"


def _guarded(name: str, found: View) -> View:
    """The view, which raises no more and draws what a terminal may see."""

    def draw(snapshot: Snapshot, width: int, height: int, rank: int | None) -> list[Line]:
        try:
            lines = [_cleaned(line) for line in found.draw(snapshot, width, height, rank)]
            return framed(lines, width, height)
        except Exception as error:  # theirs, so it may be anything
            why = f"{teachrun.bringer('views', name)} brings {name}, which cannot be drawn"
            return _box(why, f"{type(error).__name__}: {error}{_place(error)}", width, height)

    def has(snapshot: Snapshot) -> bool:
        try:
            return bool(found.has(snapshot))
        except Exception:
            return True  # drawing it says what is wrong

    def rows(snapshot: Snapshot) -> int:
        try:
            return max(1, int(found.rows(snapshot)))
        except Exception:
            return 3  # of the box

    about = cells.clean(str(found.about))
    return View(name, about, draw, has, rows, in_handout=bool(found.in_handout))


def _cleaned(line: Line) -> Line:
    spans = [Span(*span) for span in line]
    return tuple(Span(cells.clean(span.text), Style(*span.style)._replace(link="")) for span in spans)


def _place(error: Exception) -> str:
    """The file and line that raised it, in brackets."""
    at, place = error.__traceback__, ""
    while at is not None:
        place = f" ({Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno})"
        at = at.tb_next
    return place


def _box(why: str, error: str, width: int, height: int) -> list[Line]:
    said = [(why, Style("bad", bold=True)), (error, Style("text")), (_MEND, Style("dim"))]
    lines: list[Line] = []
    for text, style in said:
        if text and width > 0:
            lines += cells.wrap((Span(cells.clean(text), style),), width)
    return framed(lines, width, height)
