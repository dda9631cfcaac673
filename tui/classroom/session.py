"""Where a screen stands in a class: its deck, its place, and the class state with its own keys applied.

Pure: no Textual, no socket, time is injected. `state` is the host's newest state with every action of this
screen that the host has not ordered yet applied on top; when the host answers, its order wins.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from runtime.classroom import actions, class_clock
from runtime.classroom import state as class_state
from runtime.classroom.actions import AnyAction, Entry, Lead, Move, Role
from runtime.classroom.driving_console import may_drive
from runtime.classroom.question_state import QuestionState
from runtime.classroom.state import ClassState, Position
from runtime.classroom.undo import OwnUndo
from slides.deck import Slide
from tui.classroom import pace as pacing
from tui.classroom.pace import Pace
from tui.classroom.position import next_slides
from tui.deck import languages
from tui.deck.contents import Contents


def looks_alike(before: ClassState, after: ClassState) -> bool:
    """Whether two states look the same but for what a running clock counts by itself."""
    running = before.timer.running == after.timer.running
    return running and replace(before, rev=after.rev, timer=after.timer) == after


class Session:
    """The class as one screen sees it. `send(n, action)` takes what the host must hear, once it is there."""

    def __init__(
        self,
        contents: Contents,
        *,
        role: Role = "console",
        screen: str = "",
        now: Callable[[], float] = time.time,
        answers: bool = False,
    ) -> None:
        """`answers`: an audience's screen at which somebody of the room answers questions."""
        self.contents = contents
        self.role = role
        self.screen = screen
        self.may_answer = answers and role == "audience"
        self.now = now
        self.hosts: tuple[str, ...] = ()  # machines that its demos may run on
        self.shows_clock = False  # a key of this screen has set it, so it is to be seen whoever looks
        self._send: Callable[[int, AnyAction], None] | None = None
        first = Position(contents.heads[contents.visible[0]].id, 0)
        self._ordered = ClassState(title=contents.deck.title, pos=first)
        self._pending: dict[int, AnyAction] = {}
        self._done: dict[int, float] = {}  # when each of them was done: what it does to a clock, it did then
        self._n = 1  # 1 is kept for the first position, which only a class without one is told
        self._own_undo = OwnUndo()
        self._index = contents.visible[0]
        self._elsewhere: Position | None = None  # what this screen looks at while another one drives
        self.on_locked: Callable[[], None] = lambda: (
            None
        )  # something was to be done that only the driver does
        self.state = self._ordered

    @property
    def seat(self) -> str:
        """Whose actions there are here: those of its role, or of a student."""
        return "student" if self.may_answer else self.role

    # --- place ------------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The slide shown. An id that a new deck revision lost stays at the same number."""
        found = self.contents.find(self._here.slide)
        if found is not None:
            self._index = found
        return min(self._index, len(self.contents) - 1)

    @property
    def _here(self) -> Position:
        return self._elsewhere or self.state.pos

    @property
    def driving(self) -> bool:
        """Whether what is done here is done to the class: at a console, unless another one has the lead."""
        return self.role == "console" and may_drive(self.state.lead, self.screen)

    @property
    def looking(self) -> bool:
        """Whether this screen looks at another place than the class's."""
        return self._elsewhere is not None

    def rejoin(self) -> bool:
        """Back to where the class is; False where this screen is there."""
        away, self._elsewhere = self.looking, None
        return away

    @property
    def say(self) -> Callable[[str], str]:
        """Puts the program's own words into the language of the deck."""
        return languages.words_of(self.contents.deck)

    @property
    def slide(self) -> Slide:
        """Slide on which this screen stands, parsed."""
        return self.contents.slide(self.index)

    @property
    def _ahead(self) -> tuple[int, ...]:
        return next_slides.ahead(self.contents, self.state.dropped, self.index)

    @property
    def _behind(self) -> tuple[int, ...]:
        return next_slides.behind(self.contents, self.state.dropped, self.index)

    @property
    def step(self) -> int:
        """Step within the slide, from 0; never beyond the last one after a reload."""
        return max(0, min(self._here.step, self.slide.steps - 1))

    @property
    def number(self) -> int:
        """Number of the slide as the footer counts it."""
        return self.contents.number(self.index)

    @property
    def percent(self) -> int:
        """How much of the visible slides is reached, 0 to 100."""
        return round(100 * self.number / len(self.contents.visible))

    def after(self) -> tuple[int, int] | None:
        """(slide, step) that comes next; None at the end of the talk, and of the backup slides behind it."""
        if self.step + 1 < self.slide.steps:
            return self.index, self.step + 1
        following = self.next_slide()
        return None if following is None else (following, 0)

    def next_slide(self) -> int | None:
        """Index of the next slide of the course, None on the last."""
        return next(iter(self._ahead), None)

    def before(self) -> tuple[int, int] | None:
        """(slide, step) that was before: the previous step, else the previous slide as it was left."""
        if self.step > 0:
            return self.index, self.step - 1
        previous = next(reversed(self._behind), None)
        return None if previous is None else (previous, self.contents.slide(previous).steps - 1)

    def go(self, place: tuple[int, int] | None) -> bool:
        """Move to (slide, step); False where there is nothing to move to."""
        if place is None or self.role != "console":
            return False
        index, step = place
        target = Move(self.contents.heads[index].id, step)
        if (target.slide, target.step) == (self._here.slide, self.step):
            return False
        if self.driving:
            self.act(target)
        else:  # looking around moves nobody else
            there = (target.slide, target.step) == (self.state.pos.slide, self.state.pos.step)
            self._elsewhere = None if there else Position(target.slide, target.step)
        return True

    def scroll(self, down: float) -> None:
        """The slide of the class is scrolled here: the other screens go along."""
        if self.driving and not self.looking:
            self.act(Move(self.state.pos.slide, self.state.pos.step, down))

    def next(self) -> bool:
        """Go to the next step or slide; False where there is none."""
        return self.go(self.after())

    def previous(self) -> bool:
        """Go to the step or slide before; False where there is none."""
        return self.go(self.before())

    def skip(self, by: int) -> bool:
        """To the first step of another slide: 1 the next, or what is left of the last; -1 the previous."""
        chosen = self._ahead[:1] if by > 0 else self._behind[-1:]
        if not chosen and by > 0:
            return self.go((self.index, self.slide.steps - 1))
        return self.go((chosen[0], 0)) if chosen else False

    def first(self) -> bool:
        """Go to the first visible slide; False where it is shown already."""
        return self.go((self.contents.visible[0], 0))

    def last(self) -> bool:
        """Go to the last visible slide; False where it is shown already."""
        return self.go((self.contents.visible[-1], 0))

    def scrub(self, by: int) -> bool:
        """A step on or back without leaving the slide."""
        step = self.step + by
        return self.go((self.index, step)) if 0 <= step < self.slide.steps else False

    # --- time -------------------------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Class time in seconds."""
        return class_clock.elapsed(self.state.timer, self.now())

    @property
    def pace(self) -> Pace:
        """How the class stands against its plan, wherever this screen looks."""
        contents = self.contents
        at = contents.find(self.state.pos.slide)
        to_come = [contents.heads[n].id for n in contents.visible if at is None or n >= at]
        return pacing.pace(contents.plan, self.state, to_come, self.now())

    # --- the class --------------------------------------------------------------------------------------

    def act(self, action: AnyAction) -> None:
        """Apply an action here at once and tell the host."""
        if isinstance(action, actions.DRIVING) and not self.driving:
            self.on_locked()
            return
        self._n += 1
        self._pending[self._n] = action
        self._done[self._n] = self.now()
        self.state = self._apply(self.state, action, self._done[self._n])
        if self._send is not None:
            self._send(self._n, action)

    def done_at(self, n: int) -> float:
        """When this screen did its `n`th action, in wall-clock seconds; 0: long ordered."""
        return self._done.get(n, 0.0)

    def _apply(self, state: ClassState, action: AnyAction, at: float) -> ClassState:
        return class_state.apply(state, Entry(state.rev, at, self.screen, "all", action))

    def _settle(self) -> None:
        state = self._ordered
        for n, action in self._pending.items():
            state = self._apply(state, action, self._done.get(n) or self.now())
        self.state = state
        if self.driving:
            self._elsewhere = None

    def welcome(self, state: ClassState, send: Callable[[int, AnyAction], None]) -> None:
        """The host's whole state. What was done here before it answered is told to it, in order."""
        first_time, self._send = self._send is None, send
        unheard = self._pending if first_time else {}
        if first_time and self.role == "console" and not state.pos.slide:
            first = self._ordered.pos
            unheard = self._pending = {1: Move(first.slide, first.step), **self._pending}
        self._ordered = state
        self._settle()
        for n, action in list(unheard.items()):
            send(n, action)

    def ordered(self, entry: Entry, n: int, state: ClassState | None) -> None:
        """An entry in the host's order, with the state after it where that cannot be told from the entry."""
        if entry.screen == self.screen and n:
            self._pending = {k: action for k, action in self._pending.items() if k > n}
            self._done = {k: at for k, at in self._done.items() if k > n}
            self._own_undo.ordered(entry)
        self._ordered = state if state is not None else class_state.apply(self._ordered, entry)
        self._settle()

    @property
    def settled(self) -> bool:
        """Whether the host has ordered everything that was done here."""
        return not self._pending

    def lead(self) -> None:
        """Drive alone from now on; who does that already lets everybody drive again."""
        self._elsewhere = None
        self.act(Lead("" if self.state.lead == self.screen else self.screen))

    def undo(self) -> bool:
        """Take back this screen's newest answer, lock, reveal or reset; the host folds the state again."""
        if (newest := self._own_undo.newest()) is not None:
            self.act(newest)
        return newest is not None

    def question(self, id: str) -> QuestionState | None:
        """Return the class's state of a question, None before it was opened."""
        return self.state.questions.get(id)

    def replace_deck(self, contents: Contents) -> None:
        """Another revision of the deck; the place stays by id, else by number."""
        self._index = min(self.index, len(contents) - 1)
        self.contents = contents
