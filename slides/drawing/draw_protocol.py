"""How a layout has blocks drawn, without knowing what draws them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from slides.deck import AnyBlock
from slides.drawing.text import Line
from slides.drawing.text_size import Mode


class Draw(Protocol):
    """The lines of some blocks of the slide at a width; `rows` is the most that a picture may have, `mode`
    another than that of the slide."""

    def __call__(
        self, blocks: Sequence[AnyBlock], width: int, /, *, rows: int = 0, mode: Mode | None = None
    ) -> list[Line]: ...
