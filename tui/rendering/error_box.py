"""One part that cannot be drawn must not end a lesson: it says so in its own place, the rest goes on."""

from __future__ import annotations

import logging
from collections.abc import Callable

from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

failures: list[BaseException] = []  # what was caught, for the tests to find empty


def drawn(draw: Callable[[], list[Line]]) -> list[Line]:
    """What `draw` gives, or lines that name the fault; the log has the whole of it."""
    try:
        return draw()
    except Exception as error:
        logging.getLogger("teachrun").exception("a part of the screen could not be drawn")
        failures.append(error)
        text = cells.clean(f"{type(error).__name__}: {error}")
        return [
            (Span("This part could not be drawn.", Style("bad", bold=True)),),
            (Span(text, Style("dim")),),
            (Span("A fault of teachrun, not of the deck: the rest goes on.", Style("dim")),),
        ]
