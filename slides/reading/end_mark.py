"""The comment `<!-- end -->`, which ends the talk: the slides behind it are backup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from slides.reading.scan import Comment

END = "end"


class Place(NamedTuple):
    """Where on a slide the talk ends: `above` all its words, `below` some of them, or on another slide."""

    above: bool = False
    below: bool = False


NOWHERE = Place()


def is_one(comment: Comment) -> bool:
    """Whether a comment ends the talk."""
    return comment.body.strip() == END


def place(lines: Sequence[str], start: int, marks: Sequence[Comment]) -> Place:
    """Where the first of these marks stands on the slide that begins at line `start`."""
    if not marks:
        return NOWHERE
    below = any(line.strip() for line in lines[start : marks[0].first])
    return Place(not below, below)


def behind(places: Sequence[Place]) -> list[bool]:
    """Which slides are backup. A mark above the first one would leave no talk, and counts for nothing."""
    backup, found = False, []
    for index, ends in enumerate(places):
        backup = backup or (ends.above and index > 0)
        found.append(backup)
        backup = backup or ends.below
    return found
