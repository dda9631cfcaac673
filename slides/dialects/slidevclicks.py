"""What comes click by click on a slide of Slidev."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from slides.dialects import html
from slides.dialects.draft import Draft

_STEPS = frozenset(["v-click", "vclick", "v-after", "vafter", "v-clicks", "vclicks"])
MOST_CLICKS = 40


class _Come(NamedTuple):
    """What comes with a click: the block on `line`, at the click that `at` says, or with the one before."""

    line: int
    at: str
    after: bool = False


@dataclass
class Clicks:
    """All that comes with a click of its own, in whatever order it was met."""

    draft: Draft
    found: list[_Come] = field(default_factory=list)

    def tag(self, line: int, name: str, text: str) -> bool:
        low = name.lower().lstrip("/")
        if low in _STEPS:
            if not name.startswith("/") and low not in ("v-clicks", "vclicks"):
                self.found.append(_Come(line, html.attributes(text).get("at", ""), "after" in low))
            return True
        known = html.attributes(text) if "v-" in text else {}
        key = next((key for key in known if re.fullmatch(r"v-(?:click|after)(?:\.\w+)*", key)), "")
        if key:
            self.found.append(_Come(line, known[key], "after" in key))
        return False

    def settle(self) -> None:
        """Pauses above each, so many that it comes at its click."""
        last = most = 0  # the last click that another one is counted from, and the last of all
        for line, at, after in sorted(self.found, key=lambda come: come.line):
            match = re.fullmatch(r"([+-]?)([0-9]{1,3})", at.strip("[]' ").split(",")[0].strip("' "))
            click = last + (0 if after else 1)
            if match and not after:
                by = int(match[2]) * (-1 if match[1] == "-" else 1)
                click = last + by if match[1] else by
            if not match or match[1]:
                last = max(last, click)
            click = min(click, most + MOST_CLICKS)
            for _ in range(click - most):
                self.draft.pause(line)
            most = max(most, click)

    def regions(self) -> None:
        """The children of each `<v-clicks>`: items to the depth asked for, or else blocks."""
        lines = self.draft.shown
        opened: tuple[int, dict[str, str]] | None = None
        for line, text in enumerate(lines):
            if self.draft.coded[line] or "<" not in text:
                continue
            match = re.search(r"<(?:v-clicks|VClicks)\b([^<>]*)>|<\w+\s[^<>]*\bv-clicks\b([^<>]*)>", text)
            if match and opened is None:
                opened = (line, html.attributes(match[1] or match[2] or ""))
            elif opened is not None and re.search(r"</(?:v-clicks|VClicks|div|ul|ol)>", text):
                self._children(opened[0] + 1, line, opened[1])
                opened = None

    def _children(self, start: int, end: int, known: Mapping[str, str]) -> None:
        depth = int(known["depth"]) if known.get("depth", "").isdecimal() else 1
        every = int(known["every"]) if known.get("every", "").isdecimal() else 1
        items = self.draft.outline.items_in(start, end)
        least = min((item.depth for item in items), default=0)
        lines = [item.line for item in items if item.depth - least < depth]
        held = {line for item in items for line in range(item.line, item.end)}
        blocks = [b.first for b in self.draft.outline.blocks if start <= b.first < end]
        lines += [line for line in blocks if line not in held and self.draft.bare[line].strip()]
        for n, line in enumerate(sorted(set(lines))):
            if n % max(every, 1) == 0:
                self.found.append(_Come(line, "" if n else known.get("at", "")))
