"""What a terminal answers, taken out of what is typed: an answer that is read as keys would drive the class.

Terminals answer questions where keys come in, now, late, in pieces, or never. No key begins as these do.
"""

from __future__ import annotations

import re
import time
from typing import NamedTuple

LAST = "\x1b[c"
QUESTIONS = f"\x1b[>q\x1b[16t\x1b[?1;1;0S{LAST}"
"""Its name (XTVERSION), the pixels of a cell, colour registers (XTSMGRAPHICS), and what every terminal
answers (DA1): the last answer, which says whether it draws sixels."""

_WHOLE = re.compile(
    r"\x1bP>\|(?P<name>[^\x1b\x07]*)(?:\x1b\\|\x07)"
    r"|\x1b\[6;(?P<height>\d+);(?P<width>\d+)t"
    r"|\x1b\[\?1;(?P<status>\d+)(?:;(?P<registers>\d*))*S"
    r"|\x1b\[\?(?P<device>[\d;]*)c"
    r"|\x1b_G[^\x1b]*\x1b\\"  # of kitty, which is asked for none
    r"|\x1b\]1[01];[^\x1b\x07]*(?:\x1b\\|\x07)"  # a colour, asked for before there was a screen
)
# What may become one of these. Its first two characters may also be the Esc and Alt of somebody's hand.
_BEGUN = re.compile(
    r"\x1b(?:P(?:>(?:\|[^\x1b\x07]*\x1b?)?)?|_(?:G[^\x1b]*\x1b?)?|\[(?:6(?:;[\d;]*)?|\?[\d;]*)?"
    r"|\](?:1(?:[01](?:;[^\x1b\x07]*\x1b?)?)?)?)?\Z"
)
HASTY_S = 0.1  # after which a lone Esc was a key
PATIENT_S = 2.0  # after which the rest of an answer is not coming


class Facts(NamedTuple):
    """`cell` is (width, height) in pixels, None where it did not say. `name` as in `kitty(0.41.1)`."""

    name: str = ""
    cell: tuple[int, int] | None = None
    registers: int | None = None
    sixel: bool = False
    complete: bool = False  # the last answer is there


class Ear:
    """Takes answers out of a stream of input. One thread."""

    def __init__(self) -> None:
        self.facts = Facts()
        self._held, self._since = "", 0.0
        self.owed = 0  # last answers that are still to come

    def expect(self, owed: int = 0) -> None:
        """It is asked: until the last answer, even a lone Esc may be the beginning of one. `owed`: answers
        that somebody else has asked for before."""
        self.owed += 1 + owed

    def take(self, data: str, now: float | None = None) -> str:
        """What of `data` was typed."""
        data, self._held = self._held + data, ""
        if "\x1b" not in data:
            return data
        data = _WHOLE.sub(self._note, data)
        begun = _BEGUN.search(data)
        if begun and (len(begun[0]) > 2 or self._waits):
            self._held, self._since = begun[0], time.monotonic() if now is None else now
            data = data[: begun.start()]
        return data

    @property
    def _waits(self) -> bool:
        return self.owed > 0

    def late(self, now: float | None = None) -> str:
        """What was held back as the beginning of an answer and is none. A long one is not a key either."""
        if not self._held:
            return ""
        waited = (time.monotonic() if now is None else now) - self._since
        short = len(self._held) <= 2
        if waited < (HASTY_S if short else PATIENT_S):
            return ""
        held, self._held = self._held, ""
        return held if short else ""

    def _note(self, match: re.Match[str]) -> str:
        facts = self.facts
        if match["name"] is not None:
            facts = facts._replace(name=match["name"])
        elif match["height"]:
            cell = int(match["width"]), int(match["height"])
            facts = facts._replace(cell=cell if all(0 < side < 1000 for side in cell) else None)
        elif match["status"] is not None:
            known = match["status"] == "0" and match["registers"]
            facts = facts._replace(registers=int(match["registers"][:6]) if known else None)
        elif match["device"] is not None:
            self.owed = max(0, self.owed - 1)
            sixel = "4" in match["device"].split(";")[1:]
            facts = facts._replace(sixel=sixel, complete=not self.owed)
        self.facts = facts
        return ""
