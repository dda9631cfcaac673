"""The part of a tensor that a rank holds, as the pictures of the room need it."""

from __future__ import annotations

from typing import Protocol


class Piece(Protocol):
    """As `library.room.Piece`."""

    @property
    def kind(self) -> str:
        """Of which tensors: params, grads, optimizer or activations."""

    @property
    def block(self) -> int:
        """Of which block of the model."""

    @property
    def owner(self) -> int:
        """Which of the shards it is, from 0."""

    @property
    def shards(self) -> int:
        """Into how many the tensor is cut."""

    @property
    def gathered(self) -> bool:
        """Whether it belongs to another rank."""

    @property
    def arriving(self) -> bool:
        """Whether it is on its way."""

    @property
    def busy(self) -> bool:
        """Whether it is at work."""
