"""What a console uploads of a deck for each role, and how a screen reads it back.

The host never looks inside. An audience's blob has no notes, no keys, no explanations and no folder names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path, PurePath

import msgspec

from slides import header_and_footer
from slides.deck import NATIVE, Deck, Head
from slides.problems import Mistake
from slides.reading.from_disk.named_files import locate
from tui.config import user_theme
from tui.deck.contents import Contents, Received, agreed, parse_trusted

LARGEST, MOST_BYTES = 1 << 20, 8 << 20  # of a picture, and of all pictures of a deck
_PICTURE = re.compile(r"!\[[^\]\n]*\]\(<?([^\s()<>]+)")


class Shown(msgspec.Struct, frozen=True, array_like=True):
    """A slide of an audience's deck: what is known of it, and which lines of the source are its own."""

    id: str
    line: int
    title: str
    row: int
    rows: int
    section: str
    time_s: float | None
    optional: bool
    hidden: bool
    backup: bool
    layout: str
    steps: int


class DeckBlob(msgspec.Struct, frozen=True):
    """Deck as it travels through the host: its source and what reading it again needs."""

    source: str
    path: str
    rev: str
    pictures: dict[str, bytes] = {}  # by the path that the source names
    # Of the file that the source was made from, for reading it again: see `Deck`.
    format: str = NATIVE
    places: tuple[int, ...] = ()
    files: tuple[str, ...] = ()
    # Of an audience's deck: what a console finds by reading the source.
    title: str = ""
    time_s: float | None = None
    meta: dict[str, str] = {}
    colours: dict[str, str] = {}  # of a theme that stands beside the deck
    captions: str = ""  # what its scenes say in its language, by a table that stands beside it
    slides: tuple[Shown, ...] = ()


def for_console(deck: Deck) -> bytes:
    """Encode a deck for another console, with its absolute path and without its pictures."""
    # A screen that attaches may run in another folder.
    path = str(Path(deck.path).absolute())
    blob = DeckBlob(
        deck.source,
        path,
        deck.rev,
        {},
        deck.format,
        deck.places,
        deck.files,
        colours=user_theme.colours_of(deck),
    )
    return msgspec.msgpack.encode(blob)


def for_audience(contents: Contents, seed: str = "") -> bytes:
    """`seed` is that of the class: what its questions shuffle arrives in the order of its screens."""
    from runtime.catalog.registry import demo_file
    from slides.audience_deck import audience_deck
    from tui.deck.question_of_block import Withheld

    deck = contents.deck
    theirs = audience_deck(deck, demo_file, agreed(deck), Withheld(contents, seed).body)
    blob = DeckBlob(
        theirs.source,
        PurePath(deck.path).name,
        deck.rev,
        _pictures(theirs.source, Path(deck.path).parent, header_and_footer.of(deck.meta).picture),
        title=theirs.title,
        time_s=theirs.time_s,
        meta=theirs.meta,
        colours=user_theme.colours_of(deck),
        captions=_captions(deck),
        slides=tuple(map(_shown, theirs.slides)),
    )
    return msgspec.msgpack.encode(blob)


def _shown(head: Head) -> Shown:
    told = head.section, head.time_s, head.optional, head.hidden, head.backup, head.layout, head.steps
    return Shown(head.id, head.line, head.title, head.row, head.raw.count("\n") + 1, *told)


def _head(index: int, shown: Shown, lines: Sequence[str]) -> Head:
    return Head(
        id=shown.id,
        index=index,
        line=shown.line,
        title=shown.title,
        raw="\n".join(lines[shown.row - 1 : shown.row - 1 + shown.rows]),
        section=shown.section,
        time_s=shown.time_s,
        optional=shown.optional,
        hidden=shown.hidden,
        backup=shown.backup,
        layout=shown.layout,
        row=shown.row,
        steps=shown.steps,
    )


def _pictures(source: str, folder: Path, logo: str) -> dict[str, bytes]:
    """The logo and the pictures that the source names, as far as they are such and small enough to travel."""
    from urllib.parse import unquote

    from slides.drawing.blocks.image import SIGNATURES

    found: dict[str, bytes] = {}
    room = MOST_BYTES
    for written in dict.fromkeys([*filter(None, [logo]), *_PICTURE.findall(source)]):
        try:
            with locate(folder, unquote(written)).open("rb") as file:
                data = file.read(min(room, LARGEST) + 1)
        except (Mistake, OSError, ValueError):
            continue  # the slide says what is wrong
        if len(data) <= min(room, LARGEST) and data.startswith(SIGNATURES):
            found[written] = data
            room -= len(data)
    return found


def _captions(deck: Deck) -> str:
    """The course's own table for its scenes, as far as it is in the deck's folder and small enough."""
    from slides.scenes import captions

    folder = Path(deck.path).parent
    for file in captions.files(folder, deck.meta.get("lang", "").strip())[:-1]:
        name = str(Path(file).relative_to(folder))
        with suppress(Mistake, OSError, ValueError), locate(folder, name).open("rb") as table:
            text = table.read(captions.MOST_BYTES + 1)
            return text.decode("utf-8") if len(text) <= captions.MOST_BYTES else ""
    return ""


def contents(blob: bytes, role: str) -> Contents:
    """The deck in a blob. Raises `msgspec.DecodeError` on bytes that are none."""
    from slides.reading.split import made_of
    from slides.scenes.captions import sent

    read = msgspec.msgpack.decode(blob, type=DeckBlob)
    if role != "console":
        lines = read.source.split("\n")
        slides = tuple(_head(n, shown, lines) for n, shown in enumerate(read.slides))
        theirs = Deck(read.path, read.rev, read.title, slides, read.time_s, read.meta, read.source)
        user_theme.received(theirs, read.colours)
        return Contents(theirs, Received(sent(read.captions)), rev=read.rev, pictures=read.pictures)
    deck = made_of(read.source, read.path, read.format, read.places, read.files)
    user_theme.received(deck, read.colours)
    return Contents(deck, parse_trusted, rev=read.rev)
