"""What the program itself says beside a deck, in a document or on a screen, in the deck's language. Pure."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from pathlib import Path

from slides.scenes import captions

Say = Callable[[str], str]
_TABLES = Path(__file__).parent / "words"
_FACTS = " · "  # between the facts of a line


@cache
def say_in(lang: str) -> Say:
    """Return what puts the program's words into a language, sentence by sentence; what its table
    (`words/LANG.toml`, written as those of scenes) does not have stays English."""
    tables = captions.tables_in(_TABLES, lang)

    @lru_cache(512)  # keys are named at each repaint
    def say(text: str) -> str:
        return _FACTS.join(
            " ".join(captions.in_words(sentence, tables) for sentence in captions.sentences(fact))
            for fact in text.split(_FACTS)
        )

    return say if tables else str
