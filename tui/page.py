"""Which state of which slide."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """A slide's index in the deck and the step."""

    slide: int
    step: int
