"""Which theme an export wears: the one that is asked for, else the deck's, else none in particular."""

from __future__ import annotations

import sys

from slides.deck import Deck
from slides.drawing.cells import clean
from slides.palette import THEMES, names
from tui.config import user_theme

SYSTEM = "system"  # an export asks no terminal


class UnknownTheme(ValueError):
    """`--theme` names no theme, or one that cannot be used. The message says which there are."""


def worn(deck: Deck, asked: str, instead: str) -> str:
    """Name of the theme, "" where neither `asked` nor the deck names one of these.

    A deck's that is not known here is told on stderr, with what is taken `instead`. Raises `UnknownTheme`.
    """
    named = asked.strip() or deck.meta.get("theme", "").strip()
    if not named or named == SYSTEM:
        return ""
    problem = user_theme.bring(named) if named not in THEMES else None
    if named in THEMES:
        if problem:
            print(f"teachrun: {problem.message}", file=sys.stderr)
        return named
    why = problem.message if problem else f"{clean(named)} is not a theme here"
    if asked:
        raise UnknownTheme(f"{why}. --theme takes {', '.join(names())}")
    print(f"teachrun: {why}, {instead} is taken: see --theme", file=sys.stderr)
    return ""
