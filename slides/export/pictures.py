"""Picture files for a document that must stand alone."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from pathlib import Path

Address = Callable[[str], str]  # of a picture by the path that a deck names, "" where it is not shown

MAX_BYTES = 8 << 20  # of one picture: a document of a class is sent by mail
_KINDS = (
    (b"\x89PNG", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF8", "image/gif"),
    (b"RIFF", "image/webp"),
)


def data_uri(path: Path) -> str:
    """The file as a `data:` address, its kind told by its bytes; "" where it is no picture to take along."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError:
        return ""
    if len(data) > MAX_BYTES:
        return ""
    kind = next((kind for magic, kind in _KINDS if data.startswith(magic)), "")
    if not kind and b"<svg" in data[:1024]:
        kind = "image/svg+xml"  # within an <img> it runs nothing and loads nothing
    return f"data:{kind};base64,{b64encode(data).decode()}" if kind else ""


def within(folder: Path) -> Address:
    """Take pictures along as `data:` addresses; paths of the deck begin in `folder`."""
    return lambda path: data_uri(folder / path)  # an absolute path stays what it is
