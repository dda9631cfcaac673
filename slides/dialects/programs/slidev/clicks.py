"""What comes click by click on a slide of Slidev."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from slides.dialects.html import markup
from slides.dialects.html.tags import Page
from slides.dialects.translation import Draft

_STEPS = frozenset(["v-click", "vclick", "v-after", "vafter", "v-clicks", "vclicks"])
# Components that arrange what is in them; `<v-switch>` shows a part of it at a time.
_FRAMES = frozenset(["transform", "autofittext", "v-drag", "vdrag", "v-switch", "vswitch", "renderwhen"])
MOST_CLICKS = 40
_COMES = re.compile(r"v-(?:click|after|mark)(?:\.[\w-]+)*")
_SWITCHED = re.compile(r"(?:^|\s)(?:#|v-slot:)[1-9]")
# `3`, `'+1'`, `[2, 4]` (there from one click to before the other), `{ at: 3, color: 'red' }`
_AT = re.compile(r"(?:\{.*?\bat\s*:\s*)?\[?\s*['\"]?([+-]?)([0-9]{1,3})['\"]?\s*(?:,\s*([0-9]{1,3})\s*\])?")


class _Come(NamedTuple):
    """What comes with a click: the block on `line`, at the click that `at` says, or with the one before."""

    line: int
    at: str
    after: bool = False
    seen: bool = False
    """It is there before its click, which only marks it."""


@dataclass
class Clicks:
    """All that comes with a click of its own, in whatever order it was met."""

    draft: Draft
    found: list[_Come] = field(default_factory=list)
    total: int = 0
    """The last click of all, once they are settled."""

    def tag(self, line: int, name: str, text: str) -> bool:
        """Note what a tag makes come with a click; True: the tag itself is only a frame and shows nothing."""
        low = name.lower().lstrip("/")
        if low in _STEPS:
            if not name.startswith("/") and low not in ("v-clicks", "vclicks"):
                self.found.append(_Come(line, markup.attributes(text).get("at", ""), "after" in low))
            return True
        if name == "template" and _SWITCHED.search(text):
            self.found.append(_Come(line, ""))
        known = markup.attributes(text) if "v-" in text else {}
        key = next((key for key in known if _COMES.fullmatch(key)), "")
        if key:
            self.found.append(_Come(line, known[key], "v-after" in key, "v-mark" in key))
        return low in _FRAMES

    def settle(self) -> None:
        """Pauses above each, so many that it comes at its click."""
        last = paused = 0  # the last click that another one is counted from, and the pauses so far
        for line, at, after, seen in sorted(self.found, key=lambda come: come.line):
            match = _AT.match(at.strip())
            click = last + (0 if after else 1)
            if match and not after:
                by = int(match[2]) * (-1 if match[1] == "-" else 1)
                click = last + by if match[1] else by
            if not match or match[1]:
                last = max(last, click)
            click = min(click, paused + MOST_CLICKS)
            gone = int(match[3]) if match and match[3] else 0
            self.total = max(self.total, click, min(gone, click + MOST_CLICKS))
            for _ in range(0 if seen else click - paused):
                self.draft.pause(line)
            paused = paused if seen else max(paused, click)

    def regions(self) -> None:
        """The children of each `<v-clicks>`: items to the depth asked for, or else blocks."""
        page = Page(self.draft.shown)
        done = -1
        for n, tag in enumerate(page.tags):
            if (
                tag.line <= done
                or tag.closing
                or not (tag.low in ("v-clicks", "vclicks") or "v-clicks" in tag.attributes)
            ):
                continue
            close = page.partner.get(n)
            if close is not None:
                done = page.tags[close].line
                self._children(tag.last + 1, done, tag.attributes)

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
