"""The object of a `config.json`, read by key with the bounds that a size has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from runtime.estimate.inputs.layout import divisors, nearest


class Unreadable(Exception):
    """`why` a file is not a model, and `mend`."""

    def __init__(self, why: str, mend: str) -> None:
        super().__init__(why)
        self.why, self.mend = why, mend


@dataclass(frozen=True, slots=True)
class Config:
    """The object of a file, read by key with the bounds a size has."""

    values: Mapping[str, Any]
    file: str

    def size(self, key: str, default: int | None = None, least: int = 1) -> int:
        """A whole number; Unreadable where there is none and no default."""
        found = self.values.get(key)
        if found is None:
            if default is None:
                raise Unreadable(
                    f"{self.file} has no {key}", "add it, or give the model by layers= hidden= heads="
                )
            return default
        if isinstance(found, bool) or not isinstance(found, int) or not least <= found <= 10**9:
            raise Unreadable(f"{self.file}: {key} is not a size", f"write a whole number from {least}")
        return found

    def flag(self, key: str, default: bool) -> bool:
        """A boolean key; `default` where it is absent or null, Unreadable where it is no boolean."""
        found = self.values.get(key)
        if found not in (None, True, False):
            raise Unreadable(f"{self.file}: {key} is neither true nor false", "write true or false")
        return default if found is None else bool(found)

    def heads(self, key: str, width: str) -> tuple[int, int]:
        """The heads under `key` and the hidden size under `width`; Unreadable where one does not divide the
        other."""
        heads, hidden = self.size(key), self.size(width)
        if hidden % heads:
            raise self.undivided(key, heads, width, hidden)
        return heads, hidden

    def undivided(self, key: str, heads: int, width: str, whole: int) -> Unreadable:
        """That the heads under `key` do not divide the `width` of `whole`, and which next to them do."""
        why = f"{self.file}: {heads} heads do not divide {width} {whole}"
        return Unreadable(why, f"write {key}={nearest(heads, divisors(whole))}, or fix the other")
