"""Header, footer and logo of a deck's pages at its slides: what `slides.header_and_footer` says of each."""

from __future__ import annotations

from pathlib import Path

from slides import header_and_footer
from slides.header_and_footer import HeaderAndFooter, Place
from slides.problems import Mistake
from tui.deck.contents import Contents


def of(contents: Contents) -> HeaderAndFooter:
    """What the front matter of this deck asks for."""
    return header_and_footer.of(contents.deck.meta)


def place(contents: Contents, index: int) -> Place:
    """Where in the talk a slide is, as header and footer say it."""
    return Place(contents.section(index), contents.label(index), str(len(contents.visible)))


def footer(contents: Contents, index: int) -> str:
    """The line under a slide, "" where the deck has none of its own."""
    found = of(contents)
    return found.under(place(contents, index)) if found.footer else ""


def logo(contents: Contents) -> str:
    """The picture that is the logo, by its file or by the name under which it came with the deck; "" for none
    that can be shown: `check` says why."""
    written = of(contents).picture
    if not written or contents.pictures is not None:
        return written
    try:
        return str(header_and_footer.located(written, Path(contents.deck.path).absolute().parent))
    except Mistake:
        return ""
