"""Wrong solutions of an exercise, which its checks must tell apart, each with what a student is told of it.

wrong.yaml     mistakes, told as what they change in solution.py: a list of

    - name: not_waited
      told: "wrong: what arrived is all zeros"       # KIND: WORDS, the words being part of what is told
      changes:
        - old: works[0].wait()                       # whole lines, which must stand there exactly once
          new: works[0]                              # the lines in their place; none: they are gone

    Indentation that all lines of `old` or of `new` have in common does not count. A change without `old` is
    of all that stands between the marks of the hole.

wrong/*.py     whole files, for what is no change of the solution; a line `# told: KIND: WORDS` in each
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent
from typing import Annotated

import msgspec
import yaml

from runtime.practice.exercise import BrokenExercise, Exercise
from runtime.practice.holes import BEGIN, END

FILE = "wrong.yaml"
_TOLD = re.compile(r"^# told: (\w+): (.+)$", re.MULTILINE)


class _Change(msgspec.Struct, forbid_unknown_fields=True):
    old: str = ""
    new: str = ""


class _Mistake(msgspec.Struct, forbid_unknown_fields=True):
    name: Annotated[str, msgspec.Meta(pattern=r"^\w{1,40}\Z")]  # of a file, once it runs
    told: Annotated[str, msgspec.Meta(pattern=r"^\w+: .")]
    changes: Annotated[list[_Change], msgspec.Meta(min_length=1)]


@dataclass(frozen=True)
class WrongSolution:
    """A script that fails, the kind of diagnosis it must get, and words that must be in it."""

    name: str
    place: str  # in the exercise's folder, as findings name it
    kind: str
    words: str
    text: str

    def put(self, folder: Path) -> Path:
        """Write the script into `folder`; returns its file."""
        file = folder / f"{self.name}.py"
        file.write_text(self.text, "utf-8")
        return file


def of(exercise: Exercise) -> list[WrongSolution]:
    """Return the wrong solutions that come with an exercise.

    Raises `BrokenExercise` with file and line where one lacks what it is told, or does not fit solution.py.
    """
    return [*_mistakes(exercise), *_whole_files(exercise.folder / "wrong")]


def _whole_files(folder: Path) -> list[WrongSolution]:
    found = []
    for file in sorted(folder.glob("*.py")):
        text = file.read_text("utf-8")
        if (told := _TOLD.search(text)) is None:
            raise BrokenExercise(f"{file}: no line `# told: KIND: WORDS` says what it should be told")
        found.append(WrongSolution(file.stem, f"wrong/{file.name}", told[1], told[2].strip(), text))
    return found


def _mistakes(exercise: Exercise) -> list[WrongSolution]:
    file = exercise.folder / FILE
    if not file.is_file():
        return []
    found: dict[str, WrongSolution] = {}
    for line, mistake in _read(file):
        text = exercise.solution.read_text("utf-8")
        if mistake.name in found:
            raise BrokenExercise(f"{file}:{line}: {mistake.name} is there already: name it otherwise")
        for change in mistake.changes:
            try:
                text = _changed(text, change)
            except ValueError as error:
                raise BrokenExercise(f"{file}:{line}: {mistake.name}: {error}") from None
        kind, _, words = mistake.told.partition(": ")
        found[mistake.name] = WrongSolution(mistake.name, f"{FILE}:{line} {mistake.name}", kind, words, text)
    return list(found.values())


def _read(file: Path) -> list[tuple[int, _Mistake]]:
    """Return each mistake with its line."""
    try:
        text = file.read_text("utf-8")
        root, data = yaml.compose(text, yaml.SafeLoader), yaml.safe_load(text)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise BrokenExercise(
            f"{file}:{line}: {error.problem}: does a text with `: ` in it stand in quotes?"
        ) from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:  # no text, no date, too deep
        raise BrokenExercise(f"{file}:1: {error}") from error
    if not isinstance(root, yaml.SequenceNode):
        raise BrokenExercise(f"{file}:1: it is no list: begin each mistake with `- name: …`")
    found = []
    for node, entry in zip(root.value, data, strict=True):
        line = node.start_mark.line + 1
        try:
            found.append((line, msgspec.convert(entry, _Mistake)))
        except msgspec.ValidationError as error:
            mend = "write `name: …`, `told: KIND: WORDS` and `changes:`, each with `old` and `new`"
            raise BrokenExercise(f"{file}:{line}: {error}: {mend}") from error
    return found


def _changed(text: str, change: _Change) -> str:
    """Return the script with a change made. Raises `ValueError` where it fits in no or in several places."""
    lines = text.splitlines()
    if change.old:
        old = dedent(change.old).splitlines()
        spans = [(at, at + len(old)) for at in range(len(lines) - len(old) + 1)]
        places = [(a, b) for a, b in spans if dedent("\n".join(lines[a:b])).splitlines() == old]
        what = f"`old` ({change.old.strip().partition(chr(10))[0][:40]} …)"
        mend = "take the lines from there, and with them enough others"
    else:
        begins = [at + 1 for at, line in enumerate(lines) if line.strip() == BEGIN]
        places = list(zip(begins, (at for at, line in enumerate(lines) if line.strip() == END), strict=False))
        what, mend = "a hole", "say by `old` which lines are changed"
    if len(places) != 1:
        raise ValueError(f"{what} stands {len(places)} times in solution.py, not once: {mend}")
    first, last = places[0]
    margin = min((len(it) - len(it.lstrip()) for it in lines[first:last] if it.strip()), default=0)
    new = indent(dedent(change.new), " " * margin).splitlines()
    return "\n".join([*lines[:first], *new, *lines[last:]]) + "\n"
