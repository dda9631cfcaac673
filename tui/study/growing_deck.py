"""A deck that grows while it is read: questions come back on slides of their own, with their demo."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from msgspec.structs import replace

from slides.deck import Deck, Demo, Head, Heading, Inline, Quiz, Slide
from slides.reading import titles
from tui.deck.contents import Contents, parse_trusted

_ASKING = re.compile(r":::[ \t]*(?:quiz|predict|poll)\b")
_DEMO = re.compile(r":::[ \t]*(?:demo|compare)\b")


class GrowingDeck(Contents):
    """`pages` are slides made here; all others are read from the deck."""

    def __init__(self, deck: Deck, pages: Sequence[Slide] = ()) -> None:
        self._pages = {page.index: page for page in pages}
        super().__init__(deck, lambda deck, index: self._pages.get(index) or parse_trusted(deck, index))

    def add(self, page: Slide) -> None:
        """One page more, at the end of what is visited."""
        self._pages[page.index] = page
        self.heads = (*self.heads, head_of(page))
        self._index[page.id] = page.index
        for counted in ("visible", "backup", "plan"):
            self.__dict__.pop(counted, None)


def head_of(page: Slide) -> Head:
    """Return the head of a page that was made rather than read from a file."""
    # What is learnt of a slide before it is parsed: that it will want the stage, and whose block it has.
    demos = [f"::: demo {block.name} {{#{block.id}}}" for block in page.blocks if isinstance(block, Demo)]
    return Head(
        *(page.id, page.index, page.line, page.title, "\n".join(demos)),
        section=page.section,
        hidden=page.hidden,
    )


def page(index: int, block: str, title: str, section: str, quiz: Quiz, demo: Demo | None = None) -> Slide:
    """One question on a slide of its own as the block of that id, its demo below it.

    A slide without a heading is called by its first words: where these are the question's they stand once.
    """
    begins = next((line for line in quiz.body.split("\n") if line.strip()), "")
    called = title and titles.tidy(begins) != title
    above = (Heading(line=quiz.line, level=1, content=(Inline(title),)),) if called else ()
    asked = replace(quiz, id=block, at=0)
    demos = (replace(demo, at=0),) if demo is not None else ()
    blocks = (*above, asked, *demos)
    return Slide(
        id=f"study-{block}", index=index, line=quiz.line, title=title, blocks=blocks, section=section
    )


def demo_page(index: int, demo: Demo, title: str) -> Slide:
    """A demo that no slide shows."""
    return Slide(
        *(f"study-{demo.id}", index, demo.line, title),
        blocks=(replace(demo, at=0),),
        hidden=True,
    )


def questions(contents: Contents) -> list[tuple[Quiz, int]]:
    """Every question block of a deck with the slide it stands on."""
    # Only slides that have one are parsed: a long deck is not read for its questions.
    written = (head.index for head in contents.heads if _ASKING.search(head.raw))
    return [(quiz, index) for index in written for quiz in contents.quizzes(index)]


def demo_near(contents: Contents, index: int, tags: Collection[str] = ()) -> Demo | None:
    """The demo that a question of this slide is about: on it, else the nearest that one of its tags names,
    else the nearest before it."""
    written = {head.index for head in contents.heads if _DEMO.search(head.raw)}
    near = (index, *range(index - 1, -1, -1), *range(index + 1, len(contents)))
    first = None
    for demo in (demo for n in near if n in written for demo in contents.demos(n)):
        first = first or demo
        if not tags or index in written or demo.name in tags:
            return demo
    return first
