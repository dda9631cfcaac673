"""Where a screen stands in a class: its deck, its place, and the class state with its own keys applied.

Pure: no Textual, no socket, time is injected. `state` is the host's newest state with every action of this
screen that the host has not ordered yet applied on top; when the host answers, its order wins.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Literal

from runtime import liveclass
from runtime.liveclass import (
    AnyAction,
    ClassState,
    Entry,
    Lead,
    Move,
    Plan,
    Planned,
    Position,
    QuestionState,
    Timer,
    Undo,
)
from slides.deck import AnyBlock, Code, Deck, Demo, Head, Quiz, Slide
from slides.files import stamp
from slides.walk import blocks as walk
from tui import pace as pacing
from tui.pace import Pace

Role = Literal["console", "audience"]
Parse = Callable[[Deck, int], Slide]


def parse_trusted(deck: Deck, index: int) -> Slide:
    """`slides.parse` with the demo scripts of this installation; imported when the first slide is read."""
    from slides.parse import parse_slide

    return parse_slide(deck, index, demo_file=_demo_file, may_read=agreed(deck))


def parse_received(deck: Deck, index: int) -> Slide:
    """For a deck that came from the host: nothing on this machine's disk is read for it."""
    from slides.parse import parse_slide

    return parse_slide(deck, index, trusted=False)


def agreed(deck: Deck) -> Callable[[Path], bool]:
    """Which files outside its folder a deck may show: asked only where it names such."""
    return _agreed(Path(deck.path))


def open_deck(path: Path | str, format: str = "") -> Deck:
    """`slides.split.load`, with the files outside its folder that were agreed to. Raises `DeckError`."""
    from slides.split import load
    from tui.pulling import pull

    may_read = _agreed(Path(path))
    return load(path, format, may_read, lambda text, deck: pull(text, deck, may_read))


def _agreed(path: Path) -> Callable[[Path], bool]:
    def may_read(file: Path) -> bool:
        from runtime import consent

        return consent.may_read(path, file)

    return may_read


def _demo_file(name: str) -> Path | None:
    from runtime.catalog import demo_file

    return demo_file(name)


class Contents:
    """A deck read on demand: slides are parsed when first asked for and kept."""

    def __init__(
        self,
        deck: Deck,
        parse: Parse = parse_trusted,
        rev: str = "",
        pictures: Mapping[str, bytes] | None = None,
    ) -> None:
        """`pictures` came with the deck, by the path that it names; None where its folder is here."""
        self.pictures = pictures
        self.deck = deck
        self.rev = rev or deck.rev  # an audience's text differs, its revision is the console's
        self.heads: tuple[Head, ...] = deck.slides or (Head("slide", 0, 1, deck.title, ""),)
        self._parse = parse
        self._slides: dict[int, Slide] = {}
        self._walked: dict[int, tuple[AnyBlock, ...]] = {}
        self._versions: dict[int, str] = {}  # of slides that were taken over: since which revision
        # Those that the deck is made of and that the slides read so far show, as they were then.
        self.files: dict[str, object] = {file: stamp(file) for file in deck.files}
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
            for file in slide.files:
                self.files.setdefault(file, stamp(file))
        return slide

    def forget(self) -> None:
        """Read every slide anew: other files may be read for them now."""
        self._slides.clear()
        self._walked.clear()
        self._versions.clear()

    def keep(self, before: Contents) -> None:
        """Take over those slides of the revision before that read the same: nothing of them is read again,
        and what was drawn of them stays right."""
        ours, theirs = self.deck, before.deck
        if (ours.path, ours.format, self._parse) != (theirs.path, theirs.format, before._parse):
            return
        if not before._slides or _references(ours) != _references(theirs):
            return
        for head, old in zip(self.heads, before.heads, strict=False):
            slide = before._slides.get(head.index)
            if slide is None or head != old or _places(ours, head) != _places(theirs, old):
                continue
            if any(before.files.get(file) != stamp(file) for file in slide.files):
                continue
            self._slides[head.index] = slide
            self._versions[head.index] = before.version(head.index)
            self.files.update({file: before.files[file] for file in slide.files})

    def version(self, index: int) -> str:
        """The revision since which a slide reads as it does."""
        return self._versions.get(index, self.rev)

    def parsed(self, index: int) -> Slide | None:
        """The slide if somebody has asked for it before."""
        return self._slides.get(index)

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

    @cached_property
    def plan(self) -> Plan:
        """How long the talk is meant to take."""
        talk = frozenset(self.visible)
        planned = {
            head.index: Planned(head.id, head.title, head.time_s, head.optional) for head in self.heads
        }
        slides = tuple(slide for n, slide in planned.items() if n in talk)
        besides = tuple(slide for n, slide in planned.items() if n not in talk)
        return Plan(self.deck.time_s, self.deck.meta.get("end", ""), slides, besides)

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

    def _blocks(self, index: int) -> tuple[AnyBlock, ...]:
        """Every block of a slide, those within others too: asked for at every key."""
        found = self._walked.get(index)
        if found is None:
            found = self._walked[index] = tuple(walk(self.slide(index).blocks))
        return found

    def demos(self, index: int) -> tuple[Demo, ...]:
        return tuple(block for block in self._blocks(index) if isinstance(block, Demo))

    def quizzes(self, index: int) -> tuple[Quiz, ...]:
        return tuple(block for block in self._blocks(index) if isinstance(block, Quiz))

    def snippets(self, index: int) -> tuple[Code, ...]:
        """The code blocks of a slide that can be run."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Code) and block.run)

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


def _references(deck: Deck) -> dict[str, object]:
    from slides.parse import references

    return references(deck.source)


def _places(deck: Deck, head: Head) -> tuple[int, ...]:
    """The lines of the file in which a slide stands, where that is the translation of one."""
    return deck.places[head.row - 1 : head.row + head.raw.count("\n")]


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
        answers: bool = False,
    ) -> None:
        """`answers`: an audience's screen at which somebody of the room answers questions."""
        self.contents = contents
        self.role = role
        self.screen = screen
        self.may_answer = answers and role == "audience"
        self.now = now
        self._send: Callable[[int, AnyAction], None] | None = None
        first = Position(contents.heads[contents.visible[0]].id, 0)
        self._ordered = ClassState(title=contents.deck.title, pos=first)
        self._pending: dict[int, AnyAction] = {}
        self._n = 1  # 1 is kept for the first position, which only a class without one is told
        self._undoable: list[int] = []
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
        return self.role == "console" and liveclass.may_drive(self.state, self.screen)

    @property
    def looking(self) -> bool:
        """Whether this screen looks at another place than the class's."""
        return self._elsewhere is not None

    def rejoin(self) -> bool:
        """Back to where the class is; False where this screen is there."""
        away, self._elsewhere = self.looking, None
        return away

    @property
    def slide(self) -> Slide:
        return self.contents.slide(self.index)

    @property
    def _course(self) -> tuple[int, ...]:
        """The slides that next visits from here: the talk ends where its end mark is."""
        contents = self.contents
        last = contents.visible[-1]
        return contents.backup if contents.backup and self.index > last else self._kept

    @property
    def _kept(self) -> tuple[int, ...]:
        """The slides of the talk, but for those that were dropped."""
        contents, dropped = self.contents, self.state.dropped
        if not dropped:
            return contents.visible
        return tuple(n for n in contents.visible if contents.heads[n].id not in dropped)

    @property
    def _behind(self) -> tuple[int, ...]:
        return tuple(n for n in (*self._kept, *self.contents.backup) if n < self.index)

    @property
    def step(self) -> int:
        return max(0, min(self._here.step, self.slide.steps - 1))

    @property
    def number(self) -> int:
        return self.contents.number(self.index)

    @property
    def percent(self) -> int:
        return round(100 * self.number / len(self.contents.visible))

    def after(self) -> tuple[int, int] | None:
        """(slide, step) that comes next; None at the end of the talk, and of the backup slides behind it."""
        if self.step + 1 < self.slide.steps:
            return self.index, self.step + 1
        following = self.next_slide()
        return None if following is None else (following, 0)

    def next_slide(self) -> int | None:
        return next((n for n in self._course if n > self.index), None)

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

    # --- time -------------------------------------------------------------------------------------------

    @property
    def elapsed(self) -> float:
        """Class time in seconds."""
        return liveclass.elapsed(self.state, self.now())

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
        if isinstance(action, liveclass.DRIVING) and not self.driving:
            self.on_locked()
            return
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
            match entry.action:
                case Timer(op=op):
                    self._undoable += [entry.seq] if op == "reset" else []
                case action if isinstance(action, liveclass.UNDOABLE):
                    self._undoable.append(entry.seq)
        self._ordered = state if state is not None else liveclass.apply(self._ordered, entry)
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
