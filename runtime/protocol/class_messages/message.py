"""The base of messages between screens and host."""

from __future__ import annotations

from msgspec import Struct


class Message(Struct, frozen=True, tag_field="is"):
    """Base of every message; its kind is the tag in the field `is`."""
