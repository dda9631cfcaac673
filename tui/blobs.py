"""What a console uploads of a deck for each role, and how a screen reads it back.

The host never looks inside. An audience's blob has no notes, no keys, no explanations and no folder names.
"""

from __future__ import annotations

from pathlib import Path, PurePath

import msgspec

from slides.deck import Deck
from tui.session import Contents, Parse, parse_received, parse_trusted


class DeckBlob(msgspec.Struct, frozen=True):
    source: str
    path: str
    rev: str


def for_console(deck: Deck) -> bytes:
    # Whoever attaches stands in another folder.
    return msgspec.msgpack.encode(DeckBlob(deck.source, str(Path(deck.path).absolute()), deck.rev))


def for_audience(deck: Deck) -> bytes:
    from runtime.catalog import demo_file
    from slides.redact import audience_source

    source = audience_source(deck, demo_file)
    return msgspec.msgpack.encode(DeckBlob(source, PurePath(deck.path).name, deck.rev))


def contents(blob: bytes, role: str) -> Contents:
    """The deck in a blob. Raises `msgspec.DecodeError` on bytes that are none."""
    from slides.split import split

    read = msgspec.msgpack.decode(blob, type=DeckBlob)
    parse: Parse = parse_trusted if role == "console" else parse_received
    return Contents(split(read.source, read.path), parse, rev=read.rev)
