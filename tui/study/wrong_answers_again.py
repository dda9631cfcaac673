"""Which questions come once more in a sitting: those not answered right, with their demo, a few times."""

from __future__ import annotations

from dataclasses import replace

from tui.study.question_selection import Asked

TURNS = 3
AGAIN = "Once more"


def once_more(asked: Asked, *, right: bool) -> Asked | None:
    """The question as it comes again at the end of its sitting; None: it does not."""
    # What real ranks have just shown is no question any more; it is one again another day.
    if right or asked.measured or asked.turn >= TURNS:
        return None
    return replace(asked, turn=asked.turn + 1)
