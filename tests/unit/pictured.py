"""Golden text: what a pure renderer draws, as somebody has looked at it."""

from __future__ import annotations

import os
from pathlib import Path

PICTURES = Path(__file__).parent / "pictures"


def same_as_picture(name: str, text: str) -> None:
    """`UPDATE_PICTURES=1` draws it anew: look at every change before keeping it."""
    file = PICTURES / f"{name}.txt"
    if os.environ.get("UPDATE_PICTURES"):
        file.write_text(text, encoding="utf-8")
    assert text == file.read_text(encoding="utf-8"), f"{name} looks like this now:\n{text}"
