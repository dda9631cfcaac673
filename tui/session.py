"""Where a screen stands in a class: its deck, its place, and the class state with its own keys applied.

Pure: no Textual, no socket, time is injected. `state` is the host's newest state with every action of this
screen that the host has not ordered yet applied on top; when the host answers, its order wins.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Literal

from runtime import liveclass
from runtime.liveclass import AnyAction, ClassState, Entry, Move, Position, QuestionState, Undo
from slides.deck import AnyBlock, Columns, Deck, Demo, Head, List, Quiz, Quote, Slide

Role = Literal["console", "audience"]
Parse = Callable[[Deck, int], Slide]


def parse_trusted(deck: Deck, index: int) -> Slide:
    """`slides.parse` with the demo scripts of this installation; imported when the first slide is read."""
    from slides.parse import parse_slide

    return parse_slide(deck, index, demo_file=_demo_file)


def parse_received(deck: Deck, index: int) -> Slide:
    """For a deck that came from the host: nothing on this machine's disk is read for it."""
    from slides.parse import parse_slide

    return parse_slide(deck, index, trusted=False)


def _demo_file(name: str) -> Path | None:
    from runtime.catalog import demo_file

    return demo_file(name)


def walk(blocks: tuple[AnyBlock, ...]) -> Iterator[AnyBlock]:
    """Every block, those inside columns, lists and quotes included, in reading order."""
    for block in blocks:
        yield block
        if isinstance(block, Columns):
            for column in block.columns:
                yield from walk(column)
        elif isinstance(block, List):
            for item in block.items:
                yield from walk(item.blocks)
        elif isinstance(block, Quote):
            yield from walk(block.blocks)


class Contents:
    """A deck read on demand: slides are parsed when first asked for and kept."""

    def __init__(self, deck: Deck, parse: Parse = parse_trusted, rev: str = "") -> None:
        self.deck = deck
        self.rev = rev or deck.rev  # an audience's text differs, its revision is the console's
        self.heads: tuple[Head, ...] = deck.slides or (Head("slide", 0, 1, deck.title, ""),)
        self._parse = parse
        self._slides: dict[int, Slide] = {}
        self._index = {head.id: head.index for head in self.heads}

    def __len__(self) -> int:
        return len(self.heads)

    def slide(self, index: int) -> Slide:
        slide = self._slides.get(index)
        if slide is None:
            if self.deck.slides:
                slide = self._parse(self.deck, index)
            else:
                slide = Slide(id="slide", index=0, line=1, title=self.deck.title, blocks=())
            self._slides[index] = slide
        return slide

    def find(self, id: str) -> int | None:
        return self._index.get(id)

    def hidden(self, index: int) -> bool:
        return self.heads[index].hidden

    @cached_property
    def visible(self) -> tuple[int, ...]:
        """Indices of the slides of the talk: those that count and that next and previous visit."""
        talk = tuple(head.index for head in self.heads if not (head.hidden or head.backup))
        return talk or tuple(range(len(self)))

    @cached_property
    def backup(self) -> tuple[int, ...]:
        """Indices of the slides behind the end mark: next and previous stay among them once one is shown."""
        talk = frozenset(self.visible)
        return tuple(
            head.index for head in self.heads if head.backup and not head.hidden and head.index not in talk
        )

    def number(self, index: int) -> int:
        """1-based number among the slides of the talk; any other has the number of the one before it."""
        return max(1, bisect_right(self.visible, index))

    def label(self, index: int) -> str:
        """The number as it is shown: `12`, `+2` for the second backup slide, `–` for a hidden one."""
        if self.hidden(index) and index not in self.visible:
            return "–"
        at = bisect_right(self.backup, index)
        return f"+{at}" if at and self.backup[at - 1] == index else str(self.number(index))

    def section(self, index: int) -> str:
        """The section a slide stands in: the newest one declared at or before it."""
        return self.heads[index].section

    def demos(self, index: int) -> tuple[Demo, ...]:
        return tuple(block for block in walk(self.slide(index).blocks) if isinstance(block, Demo))

    def quizzes(self, index: int) -> tuple[Quiz, ...]:
        return tuple(block for block in walk(self.slide(index).blocks) if isinstance(block, Quiz))

    def search(self, text: str) -> list[int]:
        """Slides for what was typed: a number (`+2`: of a backup slide), else titles with it, else with its
        letters in order."""
        text = text.strip().casefold()
        if text.startswith("+") and text[1:].isdecimal():
            number = int(text[1:])
            return [self.backup[number - 1]] if 1 <= number <= len(self.backup) else []
        if text.isdecimal():
            number = int(text)
            return [self.visible[number - 1]] if 1 <= number <= len(self.visible) else []
        titles = [(head.index, head.title.casefold()) for head in self.heads]
        ranked = [(rank, n) for n, title in titles if (rank := _match(text, title)) is not None]
        return [n for _, n in sorted(ranked)]


def _match(text: str, title: str) -> int | None:
    """How well a title answers to what was typed: 0 best, None not at all."""
    if title.startswith(text):
        return 0
    if f" {text}" in title:
        return 1
    if text in title:
        return 2
    return 3 if _in_order(text, title) else None


def _in_order(letters: str, title: str) -> bool:
    rest = iter(title)
    return all(letter in rest for letter in letters if letter != " ")


class Session:
    """The class as one screen sees it. `send(n, action)` takes what the host must hear, once it is there."""

    def __init__(
        self,
        contents: Contents,
        *,
        role: Role = "console",
        screen: str = "",
        now: Callable[[], float] = time.time,
    ) -> None:
        self.contents = contents
        self.role = role
        self.screen = screen
        self.now = now
        self._send: Callable[[int, AnyAction], None] | None = None
        first = Position(contents.heads[contents.visible[0]].id, 0)
        self._ordered = ClassState(title=contents.deck.title, pos=first)
        self._pending: dict[int, AnyAction] = {}
        self._n = 1  # 1 is kept for the first position, which only a class without one is told
        self._undoable: list[int] = []
        self._index = contents.visible[0]
        self.state = self._ordered

    # --- place ------------------------------------------------------------------------------------------

    @property
    def index(self) -> int:
        """The slide shown. An id that a new deck revision lost stays at the same number."""
        found = self.contents.find(self.state.pos.slide)
        if found is not None:
            self._index = found
        return min(self._index, len(self.contents) - 1)

    @property
    def slide(self) -> Slide:
        return self.contents.slide(self.index)

    @property
    def _course(self) -> tuple[int, ...]:
        """The slides that next visits from here: the talk ends where its end mark is."""
        contents = self.contents
        last = contents.visible[-1]
        return contents.backup if contents.backup and self.index > last else contents.visible

    @property
    def _behind(self) -> tuple[int, ...]:
        contents = self.contents
        return tuple(n for n in (*contents.visible, *contents.backup) if n < self.index)

    @property
    def step(self) -> int:
        return max(0, min(self.state.pos.step, self.slide.steps - 1))

    @property
    def number(self) -> int:
        return self.contents.number(self.index)

    @property
    def percent(self) -> int:
        return round(100 * self.number / len(self.contents.visible))

    @property
    def elapsed(self) -> float:
        """Class time in seconds."""
        return liveclass.elapsed(self.state, self.now())

    def after(self) -> tuple[int, int] | None:
        """(slide, step) that comes next; None at the end of the talk, and of the backup slides behind it."""
        if self.step + 1 < self.slide.steps:
            return self.index, self.step + 1
        following = next((n for n in self._course if n > self.index), None)
        return None if following is None else (following, 0)

    def before(self) -> tuple[int, int] | None:
        """(slide, step) that was before: the previous step, else the previous slide as it was left."""
        if self.step > 0:
            return self.index, self.step - 1
        previous = next(
            (n for n in reversed((*self.contents.visible, *self.contents.backup)) if n < self.index), None
        )
        return None if previous is None else (previous, self.contents.slide(previous).steps - 1)

    def go(self, place: tuple[int, int] | None) -> bool:
        """Move to (slide, step); False where there is nothing to move to."""
        if place is None or self.role != "console":
            return False
        index, step = place
        target = Move(self.contents.heads[index].id, step)
        if (target.slide, target.step) == (self.state.pos.slide, self.step):
            return False
        self.act(target)
        return True

    def next(self) -> bool:
        return self.go(self.after())

    def previous(self) -> bool:
        return self.go(self.before())

    def skip(self, by: int) -> bool:
        """To the first step of another slide: 1 the next, -1 the previous."""
        ahead = [n for n in self._course if n > self.index]
        chosen = ahead[:1] if by > 0 else self._behind[-1:]
        return self.go((chosen[0], 0)) if chosen else False

    def first(self) -> bool:
        return self.go((self.contents.visible[0], 0))

    def last(self) -> bool:
        return self.go((self.contents.visible[-1], 0))

    def scrub(self, by: int) -> bool:
        """A step on or back without leaving the slide."""
        step = self.step + by
        return self.go((self.index, step)) if 0 <= step < self.slide.steps else False

    # --- the class --------------------------------------------------------------------------------------

    def act(self, action: AnyAction) -> None:
        """Apply an action here at once and tell the host."""
        self._n += 1
        self._pending[self._n] = action
        self.state = self._apply(self.state, action)
        if self._send is not None:
            self._send(self._n, action)

    def _apply(self, state: ClassState, action: AnyAction) -> ClassState:
        return liveclass.apply(state, Entry(state.rev, self.now(), self.screen, "all", action))

    def _settle(self) -> None:
        state = self._ordered
        for action in self._pending.values():
            state = self._apply(state, action)
        self.state = state

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
            if isinstance(entry.action, (liveclass.Answer, liveclass.Lock, liveclass.Reveal)):
                self._undoable.append(entry.seq)
        self._ordered = state if state is not None else liveclass.apply(self._ordered, entry)
        self._settle()

    def undo(self) -> bool:
        """Take back this screen's newest answer, lock or reveal; the host folds the state again."""
        if not self._undoable:
            return False
        self.act(Undo(self._undoable.pop()))
        return True

    def question(self, id: str) -> QuestionState | None:
        return self.state.questions.get(id)

    def replace_deck(self, contents: Contents) -> None:
        """Another revision of the deck; the place stays by id, else by number."""
        self._index = min(self.index, len(contents) - 1)
        self.contents = contents
