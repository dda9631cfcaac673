"""A deck read again: what becomes of the one that is shown, and of the place in it. Pure but for the files.

A class goes on with the last good deck: one that cannot be read, or has an element that could be read before
and cannot now, is not shown until it is mended or asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import NamedTuple

from msgspec.structs import replace

from quiz.parse import parse_question
from quiz.question import Question
from runtime.classroom.actions import Move
from slides.deck import Box, Quiz
from slides.problems import Problem
from slides.reading.from_disk.named_files import stamp
from slides.reading.from_disk.source import DeckError
from slides.reading_order import blocks as walk
from tui.classroom.session import Session
from tui.deck.contents import Contents, open_deck


class Fresh(NamedTuple):
    """`contents` is None where the file holds no deck; `problem` says why it should not be shown as it is.
    `changed` are the indices of the slides that differ from those before."""

    contents: Contents | None
    problem: Problem | None
    changed: tuple[int, ...] = ()

    @property
    def why(self) -> str:
        """The problem in one line of a screen."""
        return self.problem.short if self.problem is not None else ""


def read(before: Contents) -> Fresh | None:
    """The deck of `before` as its file is now; None if neither that nor a file that it shows has changed."""
    path = before.deck.path
    known = dict(before.files)  # a slide that is read meanwhile adds to them
    files = {file: stamp(file) for file in known}
    same = all(known[file] == now for file, now in files.items())
    try:
        deck = open_deck(path, before.deck.format, before.deck.meta.get("lang", ""))
    except DeckError as error:
        return Fresh(None, error.problem)
    if same and deck.rev == before.rev.partition("-")[0]:
        return None
    if not same:
        deck = replace(deck, rev=f"{deck.rev}-{hashlib.sha256(repr(files).encode()).hexdigest()[:8]}")
    after = Contents(deck)
    after.keep(before)
    changed = tuple(_changed(before, after))
    return Fresh(after, next(_worse(before, after, changed), None), changed)


def successor(before: Contents, after: Contents, slide: str) -> int | None:
    """Where a slide of the deck before is now that its id is gone: itself under another name, else its
    neighbour. None: it is there."""
    if after.find(slide) is not None:
        return None
    old, new = ([head.id for head in contents.heads] for contents in (before, after))
    at = before.find(slide)
    if at is None:
        return None
    for tag, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if a <= at < b:
            chosen = min(c + at - a, d - 1) if tag == "replace" else c
            return max(0, min(chosen, len(new) - 1))
    return None


def adopt(session: Session, fresh: Fresh) -> Contents:
    """Show the deck that was read; where the slide of the class is gone, its successor."""
    assert fresh.contents is not None
    before, after = session.contents, fresh.contents
    here, step = session.state.pos.slide, session.state.pos.step
    moved_to = successor(before, after, here)
    session.replace_deck(after)
    if moved_to is not None and session.driving:
        session.act(Move(after.heads[moved_to].id, min(step, after.slide(moved_to).steps - 1)))
    return after


def _changed(before: Contents, after: Contents) -> Iterator[int]:
    known = {head.id: head for head in before.heads}
    for head in after.heads:
        old = known.get(head.id)
        if after.parsed(head.index) is not None:
            continue  # kept: it reads the same
        if old is None or old.raw != head.raw or _shows_changed(before, old.index):
            yield head.index


def _shows_changed(contents: Contents, index: int) -> bool:
    """Whether a slide shows a file that has changed since. One that nobody asked for shows nothing yet."""
    slide = contents.parsed(index)
    return slide is not None and any(contents.files.get(file) != stamp(file) for file in slide.files)


def _worse(before: Contents, after: Contents, changed: tuple[int, ...]) -> Iterator[Problem]:
    """Elements of changed slides that cannot be read, where the slide had none such."""
    for index in changed:
        at = before.find(after.heads[index].id)
        had = len(list(_unread(before, at))) if at is not None else 0
        found = list(_unread(after, index))
        if len(found) > had:
            yield found[0]


def _unread(contents: Contents, index: int) -> Iterator[Problem]:
    for block in walk(contents.slide(index).blocks):
        if isinstance(block, Box):
            yield block.problem
        elif isinstance(block, Quiz) and block.directive == "quiz":
            read = parse_question(block.id, block.kind, block.attrs, block.body, block.body_line)
            if not isinstance(read, Question):
                for trouble in read:
                    yield Problem(contents.deck.path, trouble.line, trouble.message, trouble.mend)


def described(fresh: Fresh) -> str:
    """What was read, in words."""
    assert fresh.contents is not None
    if not fresh.changed:
        return "deck reloaded"
    first = fresh.contents.label(fresh.changed[0])
    more = f" and {len(fresh.changed) - 1} more" if len(fresh.changed) > 1 else ""
    return f"deck reloaded: slide {first}{more} changed"
