"""A question as frozen data. Stem, options and explanations are Markdown as the author wrote it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["single", "multi"]


@dataclass(frozen=True, slots=True)
class Option:
    text: str
    right: bool
    explain: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    id: str
    kind: Kind
    stem: str
    options: tuple[Option, ...]
    explain: str = ""
    points: float = 1.0
    tags: tuple[str, ...] = ()
    line: int = 0

    @property
    def key(self) -> tuple[int, ...]:
        """The right options, 0-based."""
        return tuple(n for n, option in enumerate(self.options) if option.right)


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why a question could not be read, with the 1-based line of the file and what to write instead."""

    line: int
    message: str
    mend: str
