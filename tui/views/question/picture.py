"""What a picture of a kind of question is: `kinds/NAME.py` has the `PICTURE` of the kind of that name, or
of all kinds that are answered in that way (`options`, `typed`, …)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import Literal, NamedTuple

from quiz.grade import Grade
from quiz.kinds.registry import KINDS, Kind
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.large.letters import Size
from slides.drawing.page_width import TEXT_PAGE
from slides.drawing.text import Line
from tui.views.question.large import SHORT, SIZES, SLIM

_MOST_SAID = 24  # cells of an answer in the line below


class Asked(NamedTuple):
    """A question at a moment. `picked` are 0-based options, places or lines, `typed` what was written; `own`
    is what that is worth by the key that was told, None where there is neither; `say` puts the program's
    words into the deck's language."""

    question: Question
    state: QuestionState | None
    picked: Sequence[int]
    typed: Sequence[str]
    width: int
    own: Grade | None = None
    say: Callable[[str], str] = str

    @property
    def revealed(self) -> QuestionState | None:
        """Its state from the reveal on: nothing else tells what is right."""
        return self.state if self.state is not None and self.state.phase == "revealed" else None

    @property
    def bare(self) -> Asked:
        """The question alone, as it is before anybody does anything."""
        return self._replace(state=None, picked=(), typed=(), own=None)

    @property
    def narrowed(self) -> Asked:
        """The same where its words are in one row each: longer lines are hard to read."""
        return self._replace(width=min(self.width, TEXT_PAGE))

    @property
    def open(self) -> bool:
        """Whether it still takes answers."""
        return self.state is None or self.state.phase == "open"


class Air(NamedTuple):
    """How roomily a question is set: of the stem the whole, its last sentence ("asked") or nothing in letters
    made of blocks, the answers so or not, the `rows` of the block of an answer and empty ones between two;
    `slim`: in the narrowest letters, each answer in one row of them where that is enough; `short`: the
    answers, or the stem too, in letters of two rows."""

    stem: Literal["", "asked", "whole"] = ""
    words: bool = False
    rows: int = 1
    gap: int = 0
    slim: bool = False
    short: Literal["", "answers", "both"] = ""

    @property
    def sizes(self) -> tuple[tuple[Size, ...], ...]:
        """Those of the letters of an answer, from the largest on."""
        if self.short:
            return ((SHORT[-1],),) if self.slim else tuple((one,) for one in SHORT)
        return (SLIM,) if self.slim else (SIZES, SLIM)

    @property
    def cramped(self) -> bool:
        """Whether answers touch, or are larger than what is asked."""
        return (self.words and not self.stem) or (self.rows == 1 and not self.gap)


AIRS = (
    Air("whole", words=True, rows=3, gap=2),
    Air("whole", words=True, rows=3, gap=1),
    Air("whole", words=True, rows=3),
    Air("whole", words=True, rows=3, gap=1, slim=True),
    Air("whole", words=True, rows=3, slim=True),
    Air("asked", words=True, rows=3, gap=1),
    Air("asked", words=True, rows=3),
    Air("asked", words=True, rows=3, gap=1, slim=True),
    Air("asked", words=True, rows=3, slim=True),
    Air("whole", words=True, rows=3, gap=1, short="answers"),
    Air("whole", words=True, rows=3, gap=1, slim=True, short="answers"),
    Air("whole", words=True, rows=3, gap=1, short="both"),
    Air("whole", words=True, rows=3, gap=1, slim=True, short="both"),
    Air("whole", words=True, slim=True, short="both"),
    Air("asked", words=True, rows=3, gap=1, slim=True, short="answers"),
    Air("asked", words=True, rows=3, gap=1, slim=True, short="both"),
    Air("asked", words=True, slim=True, short="both"),
    Air(words=True, rows=3, gap=1),
    Air(words=True, rows=3, gap=1, slim=True),
    Air(words=True, rows=3),
    Air("whole", rows=3, gap=1),
    Air("whole", rows=3, gap=1, slim=True),
    Air("whole", rows=3, gap=1, short="both"),
    Air("asked", rows=3, gap=1),
    Air("whole", rows=2, gap=1),
    Air("asked", rows=2, gap=1),
    Air(rows=3, gap=1),
    Air(rows=2, gap=1),
    Air(gap=1),
    Air(rows=2),
    Air(),
)
"""The roomiest first."""


class Picture:
    """How a kind of question looks; without anything of its own it is a text that asks nothing."""

    reserve = 0  # rows that a reveal may need below the answers
    spares = 0  # how many of these go rather than have answers touch, or a stem smaller than they are

    def kept(self, asked: Asked) -> int:
        """The same of one question of the kind."""
        return self.reserve

    def stem(self, asked: Asked) -> str:
        """The text above the answers."""
        return asked.question.stem

    def listed(self, asked: Asked) -> list[Line]:
        """What stands below the stem, its first line an empty one or the heads of two votes, with all that a
        reveal tells of it."""
        return []

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        """The answers in the room of a screen, as many rows before the reveal as after it; None where they
        cannot be set so."""
        return self.listed(asked)[1:] if air == Air() else None

    def told(self, asked: Asked, air: Air) -> list[Line]:
        """What a reveal tells below that body."""
        return []

    def told_in_brief(self, asked: Asked, air: Air) -> list[Line]:
        """The least of it that is worth telling, where there is no room for all."""
        return self.told(asked, air)

    def least_told(self, asked: Asked) -> list[Line]:
        """What is left of that where there is no room for it either."""
        return self.told(asked, Air())

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        """What a reveal tells in letters made of blocks, in ways from much of it to little; none where there
        are no letters for it."""
        return [] if self.told(asked, Air()) else [[]]

    def all_in_letters(self, asked: Asked) -> list[Line]:
        """The answers with all that a reveal tells of each, in letters made of blocks; empty where there are
        none for it."""
        return []

    def untold(self, asked: Asked) -> bool:
        """Whether there are explanations that `told` leaves to a key."""
        return False

    def given(self, asked: Asked) -> str:
        """The answer given here in the line below, "" for none."""
        said = "; ".join(" ".join(text.split()) for text in asked.typed)
        return cells.clip_text(cells.clean(said), _MOST_SAID)

    def keys(self, asked: Asked) -> list[tuple[str, str]]:
        """The keys that answer it and their words."""
        return [("I", "writes again" if any(asked.typed) else "writes")]


@cache
def of(kind: Kind) -> Picture:
    """The picture of a kind: its own, else that of the way in which it is answered."""
    answered = KINDS[kind].answered
    own = f"tui.views.question.kinds.{kind}"
    if not answered:
        return Picture()
    found: Picture = import_module(own if find_spec(own) else f"tui.views.question.kinds.{answered}").PICTURE
    return found
