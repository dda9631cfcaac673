"""Dialects that other installed packages bring: entry points `teachrun.dialects`, objects as our modules are.

A deck is read by one where `--format` or the `format:` of its front matter names it. Its `marks(text)` are
asked by `teachrun check` alone, for the way to the first slide asks no other package.
"""

from __future__ import annotations

import teachrun
from slides.dialects.native import Translation
from slides.dialects.source import Source
from slides.dialects.translation import Text
from slides.problems import Problem, one_line, quoted


def read(name: str, text: Text, source: Source) -> Translation:
    """Return the package's translation; if it fails, the text itself, and why. Never raises."""
    try:
        dialect = teachrun.bring("dialects", name)
        found = dialect.read(text, source)
        if not isinstance(found, Translation) or len(found.places) != found.text.count("\n") + 1:
            raise TypeError("it gave no Translation with a place for each of its lines")
        if not all(isinstance(place, int) and 0 < place <= len(text.lines) for place in found.places):
            raise TypeError("a place is a line of the deck, from 1")
        return found
    except teachrun.Unusable as error:
        why = str(error)
    except Exception as error:  # theirs, so it may be anything
        who = teachrun.bringer("dialects", name) if name in teachrun.brought("dialects") else "nobody"
        why = f"{who} reads {name} and failed: {type(error).__name__}: {error}"
    problem = Problem(str(source.path), 1, one_line(why), "The deck is shown as one of ours.")
    return Translation("\n".join(text.lines), tuple(range(1, len(text.lines) + 1)), (problem,))


def suspected(text: str, path: str) -> list[Problem]:
    """Notes: other packages whose marks a deck has that is read as one of ours."""
    notes = []
    for name in teachrun.brought("dialects"):
        try:
            marks = getattr(teachrun.bring("dialects", name), "marks", None)
            met = bool(marks(text)) if marks is not None else False
        except teachrun.Unusable as error:
            notes.append(Problem(path, 1, one_line(str(error)), "Fix or remove it."))
            continue
        except Exception as error:
            why = f"{teachrun.bringer('dialects', name)} failed to look: {type(error).__name__}: {error}"
            notes.append(Problem(path, 1, one_line(why), "Fix or remove it."))
            continue
        if met:
            who = teachrun.bringer("dialects", name)
            what = f"it looks like a deck of {quoted(name)}, which {who} reads"
            notes.append(Problem(path, 1, what, f"Write `format: {one_line(name)}` in its front matter."))
    return notes
