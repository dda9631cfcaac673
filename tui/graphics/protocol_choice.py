"""Which way a terminal is shown pictures: by what it says of itself, never by what it might be."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Literal

from tui.graphics.terminal_replies import Facts

Name = Literal["kitty", "sixel", "iterm2", "blocks"]
# Names as XTVERSION has them. WezTerm and Konsole speak kitty's protocol too, without its placeholders.
_KITTY = re.compile(r"kitty\((\d+)\.(\d+)|ghostty\b")
_KITTY_SINCE = (0, 28)
_ITERM2 = re.compile(r"iTerm2|WezTerm")


def chosen(facts: Facts, *, away: bool) -> Name:
    """`away`: over a line, where pixels that are sent with every repaint would keep keys waiting."""
    if is_kitty(facts.name):
        return "kitty"
    if away:
        return "blocks"
    if _ITERM2.match(facts.name):
        return "iterm2"
    return "sixel" if facts.sixel else "blocks"


def is_kitty(name: str) -> bool:
    """Whether a terminal of this name shows pictures where placeholders stand."""
    match = _KITTY.match(name)
    if match is None:
        return False
    return match[1] is None or (int(match[1]), int(match[2])) >= _KITTY_SINCE


def may_ask(environ: Mapping[str, str]) -> bool:
    """Whether questions are safe: what cannot read them shows them, or blinks the keyboard's lamps."""
    unread = environ.get("TERM", "") in ("", "dumb", "unknown", "linux")
    return not (unread or environ.get("TERM_PROGRAM") == "Apple_Terminal" or environ.get("STY"))
