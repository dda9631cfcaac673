"""Where a class stands, before it is drawn: the place in the talk, and what is not as usual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from tui.deck.contents import Contents


# Structs: as a dataclass, each takes most of a millisecond to be made, and they stand before the first words.
class Badge(Struct, frozen=True):
    """A word or two in the footer that say what is not as usual."""

    text: str
    ink: str = "warning"


class Place(Struct, frozen=True):
    """What footer and top bar say. `elapsed` is None before the clock first started.

    `label` is the number as it is shown where the slide is none of the talk's; `backups` are behind its end.
    `footer` is the deck's own, in the place of title and section, `numbered` where that says which slide it
    is. `noun` is what is counted.
    """

    title: str
    section: str
    number: int
    total: int
    percent: int | None  # None: not to be said here
    step: int
    steps: int
    elapsed: float | None
    running: bool
    badges: tuple[Badge, ...] = ()
    label: str = ""
    backups: int = 0
    footer: str = ""
    numbered: bool = False
    noun: str = "slide"

    @property
    def words(self) -> str:
        """`slide 12/18 (+3 backup)`; of a backup slide `backup +2/3`, of a hidden one `hidden slide`.
        Where it is not said how many backup slides there are: `backup +2`."""
        if self.label.startswith("+"):
            return f"backup {self.label}/{self.backups}" if self.backups else f"backup {self.label}"
        if self.label == "–":
            return "hidden slide"
        more = f" (+{self.backups} backup)" if self.backups else ""
        return f"{self.noun} {self.number}/{self.total}{more}"


def before_a_class(contents: Contents, index: int, steps: int = 1, noun: str = "slide") -> Place:
    """The place of a slide that no class shows yet, or not any more, as a room would read it."""
    from tui.deck import header_and_footer_of_slide

    number, total = contents.number(index), len(contents.visible)
    return Place(
        title=contents.deck.title,
        section=contents.section(index),
        number=number,
        total=total,
        percent=None,
        step=0,
        steps=steps,
        elapsed=None,
        running=False,
        label="" if index in contents.visible else contents.label(index),
        footer=header_and_footer_of_slide.footer(contents, index),
        numbered=header_and_footer_of_slide.of(contents).numbered,
        noun=noun,
    )
