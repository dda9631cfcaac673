"""What a console uploads of a deck for each role, and how a screen reads it back.

The host never looks inside. An audience's blob has no notes, no keys, no explanations and no folder names.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath

import msgspec

from slides.deck import NATIVE, Deck
from tui.contents import Contents, agreed, parse_received, parse_trusted

LARGEST, MOST_BYTES = 1 << 20, 8 << 20  # of a picture, and of all pictures of a deck
_PICTURE = re.compile(r"!\[[^\]\n]*\]\(<?([^\s()<>]+)")


class DeckBlob(msgspec.Struct, frozen=True):
    source: str
    path: str
    rev: str
    pictures: dict[str, bytes] = {}  # by the path that the source names
    # Of the file that the source was made of, for whoever reads it again: see `Deck`.
    format: str = NATIVE
    places: tuple[int, ...] = ()
    files: tuple[str, ...] = ()


def for_console(deck: Deck) -> bytes:
    # Whoever attaches stands in another folder.
    path = str(Path(deck.path).absolute())
    blob = DeckBlob(deck.source, path, deck.rev, {}, deck.format, deck.places, deck.files)
    return msgspec.msgpack.encode(blob)


def for_audience(contents: Contents, seed: str = "") -> bytes:
    """`seed` is that of the class: what its questions shuffle arrives in the order of its screens."""
    from runtime.catalog import demo_file
    from slides.redact import audience_source
    from tui.asked import Withheld

    deck = contents.deck
    source = audience_source(deck, demo_file, agreed(deck), Withheld(contents, seed).body)
    return msgspec.msgpack.encode(
        DeckBlob(source, PurePath(deck.path).name, deck.rev, _pictures(source, Path(deck.path).parent))
    )


def _pictures(source: str, folder: Path) -> dict[str, bytes]:
    """The pictures that the source names, as far as they are such and not too large to travel."""
    from urllib.parse import unquote

    from slides.files import locate
    from slides.image import SIGNATURES
    from slides.problems import Mistake

    found: dict[str, bytes] = {}
    room = MOST_BYTES
    for written in dict.fromkeys(_PICTURE.findall(source)):
        try:
            with locate(folder, unquote(written)).open("rb") as file:
                data = file.read(min(room, LARGEST) + 1)
        except (Mistake, OSError, ValueError):
            continue  # the slide says what is wrong
        if len(data) <= min(room, LARGEST) and data.startswith(SIGNATURES):
            found[written] = data
            room -= len(data)
    return found


def contents(blob: bytes, role: str) -> Contents:
    """The deck in a blob. Raises `msgspec.DecodeError` on bytes that are none."""
    from slides.split import made_of

    read = msgspec.msgpack.decode(blob, type=DeckBlob)
    deck = made_of(read.source, read.path, read.format, read.places, read.files)
    if role == "console":
        return Contents(deck, parse_trusted, rev=read.rev)
    return Contents(deck, parse_received, rev=read.rev, pictures=read.pictures)
