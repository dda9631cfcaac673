"""What a deck does to this machine, and its user has to agree to first (`runtime.host.consent`):
scripts and code blocks that it runs, and files outside its folder that it shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec.structs import replace

import slides
from runtime.catalog import script_imports, scripts
from runtime.host import consent
from slides.deck import NATIVE, Demo, Scene, Slide
from slides.drawing import cells
from slides.reading.from_disk import named_files
from slides.reading.from_disk.source import DeckError
from slides.reading_order import blocks as walk
from tui.deck.contents import Contents, open_deck

# Only slides that may hold such are read for it: a deck of 300 is opened at once.
_MAY_ASK = re.compile(
    r"^\W*(?:`{3,}|~{3,}).*(?:run|exec|file=|diff=)|:::\s*(?:demo\s.*(?:\.py|/)|terminal|(?:scene|animate)\s.*file=)|include|src:|!\[",
    re.MULTILINE,
)


def unasked(contents: Contents) -> tuple[str, ...]:
    """What has to be asked about when this deck is loaded; of our own lessons nothing, where that can be
    remembered."""
    deck = Path(contents.deck.path)
    missing = consent.missing(deck, _doings(contents))
    if missing and is_ours(deck):
        try:
            consent.agree(deck, missing)
        except OSError:
            return missing  # who is asked and agrees is told why it cannot be
        return ()
    return missing


def is_ours(deck: Path) -> bool:
    """Whether that is one of our own lessons, about which nobody is asked."""
    return named_files.is_inside(deck.resolve(), Path(slides.__file__).parent)


def typed(deck: Path, demo: Demo, params: dict[str, str]) -> None:
    """The teacher has typed other arguments for a script than the deck's, and so agrees to them;
    not to a script that nobody has agreed to. Raises `OSError`."""
    block = consent.runnable(demo.name, params, deck)
    if block and consent.refusal(deck, demo.name, demo.params) is None:
        consent.agree(deck, [block])


def question(contents: Contents, blocks: tuple[str, ...]) -> str:
    """One short line for people, safe to print, about `blocks` of a deck."""
    return asked(blocks, consent.known(Path(contents.deck.path)))


def asked(blocks: tuple[str, ...], changed: bool = False) -> str:
    """The same. `changed`: the deck, or a script of it, is another one than somebody has said yes to."""
    code = sum(map(consent.is_snippet, blocks))
    read = [block for block in blocks if consent.is_reading(block)]
    run = [block for block in blocks if not consent.is_snippet(block) and not consent.is_reading(block)]
    words = []
    if run:
        words.append(_first_and_more(run))
    if code:
        words.append("a code block" if code == 1 else f"{code} code blocks")
    runs = f"runs {' and '.join(words)} on this machine, as you" if words else ""
    reads = f"shows {_first_and_more(read)} from outside its folder" if read else ""
    now = " now" if changed else ""
    return f"This deck{now} {' and '.join(filter(None, (runs, reads)))}. Trust it?"


def _first_and_more(found: list[str]) -> str:
    more = f" and {len(found) - 1} more" if len(found) > 1 else ""
    return f"{cells.clean(consent.name_of(found[0]))}{more}"


def agree(contents: Contents, blocks: tuple[str, ...]) -> bool:
    """Remember that they may; whether slides look different now. Raises `OSError`."""
    consent.agree(Path(contents.deck.path), blocks)
    shows_more = any(map(consent.is_reading, blocks))
    if shows_more:
        contents.forget()
    return shows_more


def trusted(contents: Contents) -> Contents:
    """The deck again, now that more files may be read: another program's takes them in when it is read."""
    deck = contents.deck
    if deck.format != NATIVE:
        try:
            deck = open_deck(deck.path, deck.format, deck.meta.get("lang", ""))
        except DeckError:
            pass  # what is shown stays, as when a file is read again
    return Contents(replace(deck, rev=f"{contents.rev.partition('-')[0]}-trusted"))


def _doings(contents: Contents) -> list[str]:
    """The scripts and code blocks it would run, and the files elsewhere that it would show."""
    deck = Path(contents.deck.path)
    asking = (contents.slide(head.index) for head in contents.heads if _MAY_ASK.search(head.raw))
    return [
        *_reading(contents.deck.files, deck),
        *(block for slide in asking for block in _of(slide, contents, deck)),
    ]


def _of(slide: Slide, contents: Contents, deck: Path) -> Iterator[str]:
    for code in contents.snippets(slide.index):
        yield consent.snippet(code.lang, code.program or code.source)
    for block in walk(slide.blocks):
        if isinstance(block, Demo):
            name, params = block.name, block.params
        elif isinstance(block, Scene) and block.script:
            name, params = block.script, {}  # what its line says are values, no arguments of a program
        else:
            continue
        if script := consent.runnable(name, params, deck):
            file = scripts.locate(name, deck.parent)
            for watched in (file, *(helper for helper, _ in script_imports.beside(file, deck.parent))):
                contents.watch(str(watched))  # another one is asked about
            yield script
    yield from _reading(slide.files, deck)


def _reading(found: Iterable[str], deck: Path) -> Iterator[str]:
    for file in found:
        if (elsewhere := _elsewhere(file, deck)) is not None:
            yield consent.reading(elsewhere)


def _elsewhere(file: str, deck: Path) -> Path | None:
    """Where a file lies, links followed, if it is there and outside the deck's folder."""
    try:
        real = Path(file).resolve()
        inside = named_files.is_inside(real, deck.parent)
        return real if not inside and real.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None
