"""What a slide asks to be tried (`<!-- slide: {try: freeze} -->`), and whether it was done. Pure.

The words are names of the action table; keys and texts come from there.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from slides.deck import Head
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from slides.problems import did_you_mean, quoted
from tui.keys import table
from tui.keys.action import Action
from tui.keys.table import label

KEY, DONE, DIM = Style("accent", bold=True), Style("good", bold=True), Style("dim")
HEAD = Style("dim", bold=True)
KEYS_WIDTH = 14
_OPEN, _DONE = Span("○ ", DIM), Span("✓ ", DONE)


def action_of(name: str) -> Action | None:
    """The action of that name with the keys it has here; `digit` is any of the digits."""
    verbs = (action for action in table.for_role("console") if action.name.partition("(")[0] == name)
    return next(verbs, None)


class Practice:
    """Counts what was done on each slide, as long as the screen lives."""

    def __init__(self) -> None:
        self._done: dict[str, list[str]] = {}

    def did(self, head: Head, name: str) -> bool:
        """An action of the table was done with this slide before one's eyes; whether it was asked for."""
        verb = name.partition("(")[0]
        done = self._done.setdefault(head.id, []) if head.tries else []
        if done.count(verb) >= head.tries.count(verb):
            return False
        done.append(verb)
        return True

    def token(self, head: Head) -> Hashable:
        """What the drawing of a slide depends on here: how many of its keys were pressed."""
        return len(self._done.get(head.id, ()))

    def marks(self, head: Head) -> list[bool]:
        """Whether it was done, for each that is asked for; one named twice wants two presses."""
        done = list(self._done.get(head.id, ()))
        found = []
        for name in head.tries:
            found.append(name in done)
            if name in done:
                done.remove(name)
        return found

    def lines(self, head: Head, width: int) -> list[Line]:
        """What stands under the slide."""
        if not head.tries:
            return []
        marks = self.marks(head)
        rows = [_row(name, done, width) for name, done in zip(head.tries, marks, strict=True)]
        left = marks.count(False)
        word = f"{left} left" if left else "all done: → goes on"
        title = (Span("TRY IT  ", HEAD), Span(word, DIM if left else DONE))
        return [(), cells.clip(title, width), *rows]


def first_open(lines: Sequence[Line]) -> int | None:
    """The row of the first thing that is still to be tried."""
    return next((row for row, line in enumerate(lines) if line[:1] == (_OPEN,)), None)


def _row(name: str, done: bool, width: int) -> Line:
    mark = _DONE if done else _OPEN
    action = action_of(name)
    if action is None:
        near = did_you_mean(name, tuple(action.name for action in table.ACTIONS))
        mend = f"; did you mean `{near}`?" if near else ""
        wrong = f"there is no action {quoted(name)} to try{mend}"
        return cells.clip((mark, Span(cells.clean(wrong), Style("warning"))), width)
    keys = "1 … 9" if name == "digit" else "  ".join(_few(action.keys))
    word = Span(_text(action), DIM if done else Style("text"))
    room = max(KEYS_WIDTH, cells.width(keys) + 2)
    end = (Span("  done", DONE),) if done else ()
    return cells.clip((mark, Span(keys.ljust(room), KEY), word, *end), width)


def _few(keys: Sequence[str]) -> list[str]:
    return [label(key) for key in keys[:2]]


def _text(action: Action) -> str:
    return "Look at it another way, or answer" if action.name.startswith("digit(") else action.text
