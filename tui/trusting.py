"""The scripts of a deck that whoever opens it has to agree to before they may run (`runtime.consent`)."""

from __future__ import annotations

from pathlib import Path

from runtime import consent
from slides import cells
from tui.session import Contents


def unasked(contents: Contents) -> tuple[str, ...]:
    """What has to be asked about when this deck is loaded."""
    return consent.missing(Path(contents.deck.path), _runnable(contents))


def follow(before: Contents, after: Contents) -> None:
    """A deck that was agreed to stays so when it is read again, with what is new in it. Raises `OSError`."""
    if _runnable(before) and not unasked(before):
        agree(after, unasked(after))


def question(blocks: tuple[str, ...]) -> str:
    """One short line for people, safe to print."""
    first = cells.clean(Path(blocks[0]).name)
    more = f" and {len(blocks) - 1} more" if len(blocks) > 1 else ""
    return f"This deck runs {first}{more} on this machine, as you. Trust it?"


def agree(contents: Contents, blocks: tuple[str, ...]) -> None:
    """Remember that they may run. Raises `OSError`."""
    consent.agree(Path(contents.deck.path), blocks)


def _runnable(contents: Contents) -> list[str]:
    """The scripts it names; reads only slides that may name one."""
    deck = Path(contents.deck.path)
    found = (
        consent.runnable(demo.name, demo.params, deck)
        for head in contents.heads
        if "::: demo" in head.raw and (".py" in head.raw or "/" in head.raw)
        for demo in contents.demos(head.index)
    )
    return [block for block in found if block]
