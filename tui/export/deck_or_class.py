"""What is exported, a deck or a class, and what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runtime.classroom.state import ClassState
    from tui.deck.contents import Contents


@dataclass(frozen=True)
class Options:
    """What is asked of an export.

    Args:
        output: a file, or a folder of pictures; "-" is stdout, "" a name made of the source's.
        notes: with what the teacher says.
        size: of the screen, as `100x30`; "" is the deck's own.
        slide: the one that is meant, by number or id.
        theme: by name; "" is the deck's own.
        answers: below each slide of a PDF what is right of its questions.
    """

    output: str = ""
    notes: bool = False
    size: str = ""
    slide: str = ""
    theme: str = ""
    answers: bool = False


@dataclass
class Source:
    """What is exported: a deck, and the class that was held with it. `counted`: its pages are slides of a
    talk, which have numbers, and not those of a paper."""

    contents: Contents
    name: str
    state: ClassState | None = None
    ran: dict[str, list[str]] = field(default_factory=dict)
    facts: tuple[str, ...] = ()
    counted: bool = True


def find(what: str, format: str = "", lang: str = "") -> Source | str:
    """The deck or class that is meant, or why there is none. Raises `DeckError`."""
    from runtime import paths
    from tui.deck.contents import Contents, open_deck

    if what != "last" and (Path(what).exists() or not paths.valid_class_id(what)):
        return Source(_drawn(Contents(open_deck(what, format, lang))), Path(what).stem)
    class_id = paths.newest_class() if what == "last" else what
    if class_id is None:
        return "no class was held here yet. Export a deck: teachrun export DECK --html"
    if not paths.journal_file(class_id).exists():
        return f"there is no deck and no class {what!r}. A class is named by its id or as `last`"
    return _class(class_id)


def _drawn(contents: Contents) -> Contents:
    """A deck with the scenes of its Python files, as far as somebody has agreed that they run."""
    from tui.deck import scene_files

    return scene_files.run_agreed(contents) or contents


def _class(class_id: str) -> Source | str:
    """A class by its journal. Raises `DeckError` where its deck is gone."""
    import time

    from runtime import paths
    from runtime.classroom import actions, class_clock, journal
    from runtime.classroom import state as class_state
    from tui.deck.contents import Contents, open_deck

    entries = journal.read(paths.journal_file(class_id))
    state = class_state.fold(entries)
    if not state.path:
        return f"class {class_id} never showed a deck"
    contents = _drawn(Contents(open_deck(state.path)))
    ran: dict[str, list[str]] = {}
    for entry in entries:
        if isinstance(entry.action, actions.Run) and entry.action.run not in ran.setdefault(
            entry.action.block, []
        ):
            ran[entry.action.block].append(entry.action.run)
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(entries[0].t))
    minutes = class_clock.elapsed(state.timer, entries[-1].t) / 60
    facts = [f"Class of {began}" + (f", {minutes:.0f} minutes" if minutes >= 1 else "")]
    if contents.rev != state.deck_rev:
        facts.append("The deck has changed since this class: slides are as they are now.")
    return Source(contents, class_id, state, ran, tuple(facts))
