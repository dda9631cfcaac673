"""The holes of a script: what a student fills in stands between two marks."""

from __future__ import annotations

import re

BEGIN, END = "# --- yours: from here", "# --- to here"
_HOLE = re.compile(rf"^( *)({re.escape(BEGIN)}\n)(?:.*\n)*?( *{re.escape(END)}\n)", re.MULTILINE)


def any_in(script: bytes) -> bool:
    """Whether a script has a hole."""
    return bool(_HOLE.search(script.decode("utf-8", "replace")))


def emptied(script: str) -> str:
    """Return a script whose holes hold nothing but `raise NotImplementedError`."""
    return _HOLE.sub(r"\1\2\1raise NotImplementedError\n\3", script)
