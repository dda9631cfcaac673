"""Pictures of the page that phones are shown."""

from __future__ import annotations


class Pictures:
    """Those of the page, and of the one before it, which some phones are still asking for; WebP, by name."""

    def __init__(self) -> None:
        """None yet."""
        self._now: dict[str, bytes] = {}
        self._before: dict[str, bytes] = {}

    def show(self, pictures: dict[str, bytes]) -> None:
        """Another page is shown, with these."""
        self._before, self._now = self._now, pictures

    def find(self, name: str) -> bytes | None:
        """Return one; None: there is none of this name."""
        return self._now.get(name) or self._before.get(name)
