"""Short answers compared as a kind marker would: case, accents' spelling, dashes and spaces do not matter."""

from __future__ import annotations

import re
import unicodedata

_DASHES = dict.fromkeys(map(ord, "‐‑‒–—−_"), "-")
_STAR = "\ufdd0"  # a noncharacter: no text has one


def normal(text: str, case: bool = False) -> str:
    """The text in its compared form: NFKC, case folded unless `case`, any dash a `-`, spaces single, no full
    stop at its end."""
    text = unicodedata.normalize("NFKC", text).translate(_DASHES)
    text = " ".join(text.split()).strip(" .!?\"'`“”‘’")
    return text if case else text.casefold()


def fits(accepted: str, typed: str, case: bool = False) -> bool:
    """Whether `typed` is the accepted answer. `all reduce`, `all-reduce` and `allreduce` are one word; with
    `case` every letter and space counts. In `accepted` a `*` stands for any text, `\\*` for a star."""
    if "*" not in accepted:
        wanted, given = normal(accepted, case), normal(typed, case)
        return bool(given) and (wanted == given or (not case and _joined(wanted) == _joined(given)))
    parts = accepted.replace("\\*", _STAR).split("*")
    # Each part keeps the spaces at its ends by standing between stars, which normalising would cut.
    pattern = ".*".join(re.escape(_part(part, case)) for part in parts)
    return bool(typed.strip()) and bool(re.fullmatch(pattern, normal(typed, case), re.DOTALL))


def _part(text: str, case: bool) -> str:
    text = unicodedata.normalize("NFKC", text.replace(_STAR, "*")).translate(_DASHES)
    text = re.sub(r"\s+", " ", text)
    return text if case else text.casefold()


def _joined(text: str) -> str:
    return re.sub(r"[ -]", "", text)
