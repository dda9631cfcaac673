"""Progress of a lesson whose file lies elsewhere now, or has another number."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

from tui.study.course import Lesson


def moved(
    known: Mapping[str, Collection[str]],
    lessons: Sequence[Lesson],
    questions: Callable[[Lesson], Collection[str]],
) -> dict[str, Lesson]:
    """Which lesson each old id means now. `known`: the questions that there are cards of, by lesson.

    A lesson nobody has studied takes the progress of one whose file is gone, or is the same by another way,
    if it has the name or the folder of that, and half of its questions at least.
    """
    lost = {id: set(asked) for id, asked in known.items() if asked and id.startswith("/")}
    found: dict[str, Lesson] = {}
    for lesson in lessons:
        if lesson.id in known:
            continue
        able = [id for id in lost if id not in found and _could_be(Path(id), lesson.path)]
        if not able:
            continue
        here = set(questions(lesson))
        best = max(able, key=lambda id: len(lost[id] & here))
        if 2 * len(lost[best] & here) >= len(lost[best]):
            found[best] = lesson
    return found


def _could_be(old: Path, new: Path) -> bool:
    try:
        if old.is_file():
            return old.samefile(new)
    except OSError:  # in a folder that is not ours to look into
        return False
    new = new.absolute()
    return new.name == old.name or new.parent == old.parent
