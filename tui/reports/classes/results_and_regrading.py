"""The results of a class that was held, from its journal and the keys of its deck."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from quiz.question import Question
    from tui.reports.classes.result_types import Change, Results


def read(class_id: str, regrade: str | None = None) -> tuple[Results, tuple[Change, ...] | None]:
    """The results of a class; with a deck to regrade by, what that changes too. Raises ValueError where that
    deck cannot be read; the class's own may be gone."""
    from runtime import paths
    from runtime.classroom import journal
    from runtime.classroom import state as class_state
    from tui.reports.classes.results_from_journal import changes, results

    entries = journal.read(paths.journal_file(class_id))
    state = class_state.fold(entries)
    try:
        own = questions(state.path, state.seed) if state.path else {}
    except ValueError:
        own = {}
    shown = results(entries, own)
    if regrade is None:
        return shown, None
    now = results(entries, own | questions(regrade, state.seed), regrade=True)
    return now, changes(shown, now)


def questions(path: str, seed: str) -> dict[str, Question]:
    """The questions of a deck by id, in the arrangement of a class. Raises ValueError."""
    from quiz.shuffle import arranged
    from slides.reading.from_disk.source import DeckError
    from tui.deck import question_of_block
    from tui.deck.contents import Contents, open_deck

    try:
        contents = Contents(open_deck(path))
    except DeckError as error:
        raise ValueError(str(error.problem)) from error
    found = {}
    for block in (block for index in range(len(contents)) for block in contents.quizzes(index)):
        question = question_of_block.question(block)
        if question is not None:
            found[block.id] = arranged(question, seed)
    return found


def called(found: Results, names: bool) -> dict[str, str]:
    """What each screen is called: `console`, the name chosen there if names are asked for, else a number."""
    told: dict[str, str] = {}
    number = 0
    for person in found.people:
        if person.console:
            told[person.screen] = "console"
        else:
            number += 1
            told[person.screen] = (names and person.name) or f"person {number}"
    return told
