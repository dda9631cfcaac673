"""What a screen holds of a deck: its slides, read when they are first wanted, found by id, number and title.

Pure: no Textual, no socket.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from slides.deck import AnyBlock, Box, Code, Deck, Demo, Exercise, Head, Quiz, Slide
from slides.palette import names
from slides.reading.from_disk.named_files import stamp
from slides.reading_order import blocks as walk

if TYPE_CHECKING:
    from runtime.classroom.actions import Plan
    from slides.problems import Problem

_OF_DEMOS = frozenset({"demo", "compare", "include"})  # an included file may have either
_SOON_READ = 500  # slides
Parse = Callable[[Deck, int], Slide]


def parse_trusted(deck: Deck, index: int) -> Slide:
    """`slides.reading.parse` with the demo scripts of this installation; imported when the first slide is
    read."""
    from slides.reading.parse import parse_slide

    return parse_slide(deck, index, demo_file=_demo_file, may_read=agreed(deck))


class Received(Struct, frozen=True):
    """Reads a deck that came from the host: nothing on this machine's disk is read for it. `table` came with
    it (`slides.scenes.captions.sent`)."""

    table: str = ""

    def __call__(self, deck: Deck, index: int) -> Slide:
        """Return the slide at `index`."""
        from slides.reading.parse import parse_slide

        return parse_slide(deck, index, trusted=False, table=self.table)


parse_received = Received()


def agreed(deck: Deck) -> Callable[[Path], bool]:
    """Which files outside its folder a deck may show: asked only where it names such."""
    return _agreed(Path(deck.path))


def open_deck(path: Path | str, format: str = "", lang: str = "") -> Deck:
    """`slides.reading.split.load`, with the files outside its folder that were agreed to; in the words of a
    translation where it has one in `lang`. Raises `DeckError`."""
    from slides.reading.split import load
    from tui.deck.questions_directive import pull

    may_read = _agreed(Path(path))
    deck = load(path, format, may_read, lambda text, deck: pull(text, deck, may_read))
    if lang:
        from tui.deck.languages import translated

        deck = translated(deck, lang)
    theme = deck.meta.get("theme", "").strip()
    if theme.endswith(".toml"):
        from tui.config import user_theme

        deck = user_theme.beside(deck)
    elif theme and theme not in names():
        from tui.config import user_theme

        if (problem := user_theme.bring(theme)) is not None:
            deck = replace(deck, problems=(*deck.problems, problem._replace(file=deck.path)))
    return deck


def _agreed(path: Path) -> Callable[[Path], bool]:
    def may_read(file: Path) -> bool:
        from runtime.host import consent

        return consent.may_read(path, file)

    return may_read


def _demo_file(name: str) -> Path | None:
    from runtime.catalog.registry import demo_file

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
        self.within_s: float | None = None  # the talk is to take so long, whatever its deck says

    def __len__(self) -> int:
        return len(self.heads)

    def slide(self, index: int) -> Slide:
        """Parse a slide when it is first asked for; an empty deck has one slide with its title."""
        slide = self._slides.get(index)
        if slide is None:
            if self.deck.slides:
                slide = self._parse(self.deck, index)
            else:
                slide = Slide(id="slide", index=0, line=1, title=self.deck.title, blocks=())
            self._slides[index] = slide
            for file in slide.files:
                self.watch(file)
        return slide

    def read(self) -> None:
        """Read all slides, as long as that is soon done: what is wrong on them is known then."""
        for index in range(len(self.heads) if len(self.heads) <= _SOON_READ else 0):
            self.slide(index)

    @property
    def mistakes(self) -> tuple[Problem, ...]:
        """What is wrong with the deck as a whole, and on the slides that have been read."""
        found = [*self.deck.problems]
        for _, slide in sorted(self._slides.items()):
            found += slide.problems
            found += (block.problem for block in walk(slide.blocks) if isinstance(block, Box))
        return tuple(found)

    def watch(self, file: str) -> None:
        """The deck is to be read again when this file has changed."""
        self.files.setdefault(file, stamp(file))

    def forget(self) -> None:
        """Read every slide anew: other files may be read for them now."""
        self._slides.clear()
        self._walked.clear()
        self._versions.clear()

    def keep(self, before: Contents) -> None:
        """Take over those slides of the revision before that read the same: nothing of them is read again,
        and what was drawn of them stays right."""
        self.within_s = before.within_s
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
        """Return the index of the slide with this id, None if there is none."""
        return self._index.get(id)

    def hidden(self, index: int) -> bool:
        """Tell whether the slide is left out of the course of the talk."""
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
        from runtime.classroom.actions import Plan, Planned  # not on the way to the first slide

        talk = frozenset(self.visible)
        planned = {
            head.index: Planned(head.id, head.title, head.time_s, head.optional) for head in self.heads
        }
        slides = tuple(slide for n, slide in planned.items() if n in talk)
        besides = tuple(slide for n, slide in planned.items() if n not in talk)
        whole = self.deck.time_s if self.within_s is None else self.within_s
        return Plan(whole, self.deck.meta.get("end", ""), slides, besides)

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
        """Return the demos of a slide, in the order of the text."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Demo))

    @cached_property
    def has_demos(self) -> bool:
        """Whether a slide has something for ranks to do."""
        return self.next_demo(-1) is not None

    def next_demo(self, index: int) -> int | None:
        """The first slide behind `index` with a demo or a comparison, not an example of how to write one.
        Only slides with such a line are read for it."""
        from slides.reading.directives import name_of

        def directives(raw: str) -> Iterator[str]:
            for line in raw.split("\n") if ":::" in raw else ():
                if directive := name_of(line):
                    yield directive[0]

        later = (head for head in self.heads[index + 1 :] if not _OF_DEMOS.isdisjoint(directives(head.raw)))
        return next((head.index for head in later if self.demos(head.index)), None)

    def quizzes(self, index: int) -> tuple[Quiz, ...]:
        """Return the questions of a slide, in the order of the text."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Quiz))

    def exercises(self, index: int) -> tuple[Exercise, ...]:
        """Return the exercises of a slide, in the order of the text."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Exercise))

    def boxes(self, index: int) -> tuple[Box, ...]:
        """What of a slide could not be read."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Box))

    def snippets(self, index: int) -> tuple[Code, ...]:
        """The code blocks of a slide that can be run."""
        return tuple(block for block in self._blocks(index) if isinstance(block, Code) and block.run)

    def search(self, text: str) -> list[int]:
        """Slides for what was typed: a number (`+2`: of a backup slide), else the one of that id, then titles
        with it, then with its letters in order."""
        named = self.find(text.strip())
        text = text.strip().casefold()
        if text.startswith("+") and text[1:].isdecimal():
            number = int(text[1:])
            return [self.backup[number - 1]] if 1 <= number <= len(self.backup) else []
        if text.isdecimal():
            number = int(text)
            return [self.visible[number - 1]] if 1 <= number <= len(self.visible) else []
        titles = [(head.index, head.title.casefold()) for head in self.heads]
        ranked = [(rank, n) for n, title in titles if (rank := _match(text, title)) is not None]
        found = [n for _, n in sorted(ranked)]
        return found if named is None else [named, *(n for n in found if n != named)]


def _references(deck: Deck) -> dict[str, object]:
    from slides.reading.parse import references

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
