"""Compares short answers leniently: case, encoding of accents, dashes and spaces do not matter."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_SPELT = dict.fromkeys(map(ord, "‐‑‒–—−_"), "-") | dict.fromkeys(map(ord, "‘’ʼ´`"), "'")
_STAR = "\ufdd0"  # a noncharacter: no text has one


def normal(text: str, case: bool = False) -> str:
    """Return the text as it is compared: NFKC, case folded unless `case`, any dash a `-`, single spaces, no
    full stop at its end."""
    text = " ".join(_spelt(text).split()).strip(" .!?\"'“”")
    return text if case else text.casefold()


def _spelt(text: str) -> str:
    """In one form, with one dash, one apostrophe, and nothing that does not show (marks of direction)."""
    text = unicodedata.normalize("NFKC", text).translate(_SPELT)
    return text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")


def fits(accepted: str, typed: str, case: bool = False) -> bool:
    """Whether `typed` is the accepted answer. `all reduce`, `all-reduce` and `allreduce` are one word; with
    `case` every letter and space counts. In `accepted` a `*` stands for any text, `\\*` for a star."""
    if "*" not in accepted:
        wanted, given = normal(accepted, case), normal(typed, case)
        return bool(given) and (wanted == given or (not case and _joined(wanted) == _joined(given)))
    parts = [_part(part, case) for part in accepted.replace("\\*", _STAR).split("*")]
    return bool(typed.strip()) and _held(parts, normal(typed, case))


def _held(parts: Sequence[str], text: str) -> bool:
    """Whether `text` is the parts with anything between them. Each is looked for once, from the left: a
    pattern of many stars would try every way to part the text."""
    if len(parts) == 1:  # its stars were all escaped
        return text == parts[0]
    first, *between, last = parts
    if len(text) < len(first) + len(last) or not (text.startswith(first) and text.endswith(last)):
        return False
    at, end = len(first), len(text) - len(last)
    for part in between:
        found = text.find(part, at, end)
        if found < 0:
            return False
        at = found + len(part)
    return True


def _part(text: str, case: bool) -> str:
    """Between stars: the blanks at its ends count, which `normal` would cut."""
    text = re.sub(r"\s+", " ", _spelt(text.replace(_STAR, "*")))
    return text if case else text.casefold()


def form(text: str, case: bool = False) -> str:
    """Return a form that is equal for answers that mean the same: `all reduce` and `All-Reduce`. With `case`
    every letter and space counts."""
    return text if case else _joined(normal(text)) or text


def _joined(text: str) -> str:
    """Without what parts words: neither the sign of a number nor what parts two numbers."""
    return re.sub(r"(?<=[^\W\d]) ?-? ?(?=\w)|(?<=\d) ?-? ?(?=[^\W\d])", "", text)
