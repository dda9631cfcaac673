"""The code of a deck that whoever opens it has to agree to before it may run (`runtime.consent`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import slides
from runtime import consent
from slides import cells
from slides.deck import Demo, Slide
from slides.walk import blocks as walk
from tui.session import Contents

# Only slides that may hold such code are read for it: a deck of 300 is opened at once.
_MAY_RUN = re.compile(
    r"^\W*(?:`{3,}|~{3,}).*(?:run|exec)|:::\s*demo\s.*(?:\.py|/)|include|src:", re.MULTILINE
)


def unasked(contents: Contents) -> tuple[str, ...]:
    """What has to be asked about when this deck is loaded; of our own lessons nothing."""
    deck = Path(contents.deck.path)
    missing = consent.missing(deck, _runnable(contents))
    if missing and deck.resolve().is_relative_to(Path(slides.__file__).parent.resolve()):
        consent.agree(deck, missing)
        return ()
    return missing


def follow(before: Contents, after: Contents) -> None:
    """A deck that was agreed to stays so when it is read again, with what is new in it. Raises `OSError`."""
    if _runnable(before) and not unasked(before):
        agree(after, unasked(after))


def question(blocks: tuple[str, ...]) -> str:
    """One short line for people, safe to print."""
    scripts = [block for block in blocks if not consent.is_snippet(block)]
    count = len(blocks) - len(scripts)
    words = []
    if scripts:
        more = f" and {len(scripts) - 1} more scripts" if len(scripts) > 1 else ""
        words.append(f"{cells.clean(Path(scripts[0]).name)}{more}")
    if count:
        words.append("a code block" if count == 1 else f"{count} code blocks")
    return f"This deck runs {' and '.join(words)} on this machine, as you. Trust it?"


def agree(contents: Contents, blocks: tuple[str, ...]) -> None:
    """Remember that they may run. Raises `OSError`."""
    consent.agree(Path(contents.deck.path), blocks)


def _runnable(contents: Contents) -> list[str]:
    """The scripts and code blocks it would run."""
    deck = Path(contents.deck.path)
    found = (contents.slide(head.index) for head in contents.heads if _MAY_RUN.search(head.raw))
    return [block for slide in found for block in _of(slide, contents, deck)]


def _of(slide: Slide, contents: Contents, deck: Path) -> Iterator[str]:
    for code in contents.snippets(slide.index):
        yield consent.snippet(code.lang, code.program or code.source)
    for demo in walk(slide.blocks):
        if isinstance(demo, Demo) and (script := consent.runnable(demo.name, demo.params, deck)):
            yield script
