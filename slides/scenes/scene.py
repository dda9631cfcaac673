"""A scene: a pure function of a step and its parameters, which says what there is, not how it is drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from slides.scenes.shapes import State

Value = int | float | str
Values = Mapping[str, Value]
"""Parameters as a scene reads them: each there, of its own type and within its range."""

MOST_STEPS = 400


class NotDrawn(ValueError):
    """Why a scene cannot be drawn, with what to write instead."""


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter of a scene. The type of `default` is its type.

    Args:
        name: As a deck writes it.
        default: What it is where nobody says.
        about: What it does, in a few words.
        low, high: The range of a number, both included.
        choices: What a word may be; empty: anything.
    """

    name: str
    default: Value
    about: str
    low: float = -math.inf
    high: float = math.inf
    choices: tuple[str, ...] = ()

    def read(self, text: str) -> Value:
        """Return the value that `text` says.

        Raises:
            NotDrawn: It is of another type or outside the range.
        """
        if isinstance(self.default, str):
            if self.choices and text not in self.choices:
                raise NotDrawn(f"{self.name} is one of {', '.join(self.choices)}, not {text[:40]!r}")
            return text
        try:
            value: int | float = int(text) if isinstance(self.default, int) else float(text)
        except ValueError:
            kind = "a whole number" if isinstance(self.default, int) else "a number"
            raise NotDrawn(f"{self.name} is {kind}, not {text[:40]!r}: write {self._example()}") from None
        if not self.low <= value <= self.high:
            raise NotDrawn(f"{self.name} is {self.low:g} to {self.high:g}, not {text[:40]!r}")
        return value

    def _example(self) -> str:
        return f"{self.name}={self.default}"


@dataclass(frozen=True, slots=True)
class Scene:
    """A scene by name.

    Args:
        name: As decks and the command line write it.
        title: What it shows, in a few words.
        params: Its parameters in the order they are listed.
        steps: How many steps it has with these values, at least 1.
        state: Step `n`, from 0, with these values. Pure: the same step and values give the same state.
        check: What is wrong with values that are each within their range, and what to write; "" is nothing.
    """

    name: str
    title: str
    steps: Callable[[Values], int]
    state: Callable[[int, Values], State]
    params: tuple[Param, ...] = ()
    check: Callable[[Values], str] = field(default=lambda values: "")

    def values(self, words: Mapping[str, str]) -> Values:
        """Return the value of each parameter, where the deck says `words`.

        Raises:
            NotDrawn: A parameter that there is not, or a value that it cannot have.
        """
        known = {param.name: param for param in self.params}
        for name in words:
            if name not in known:
                takes = ", ".join(known) or "no parameters"
                raise NotDrawn(f"{self.name} does not know {name[:40]!r}: it takes {takes}")
        values = {
            name: param.read(words[name]) if name in words else param.default for name, param in known.items()
        }
        wrong = self.check(values)
        if wrong:
            raise NotDrawn(wrong)
        if not 1 <= self.steps(values) <= MOST_STEPS:
            raise NotDrawn(f"{self.name} would have {self.steps(values)} steps: {MOST_STEPS} are the most")
        return values
