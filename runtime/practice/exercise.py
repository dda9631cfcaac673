"""An exercise: a folder of text and files, read without running any of them.

task.md        title and task, in Markdown, behind a few lines `key: value`
checks.py      functions, each a check; the first line of its docstring is its title
hints.md       hints, with a line `---` between them
solution.py    a plain torchrun script; what a student is to write stands in its holes (holes.py)
start.py       what a student begins with, where it is not the solution with nothing in its holes
wrong.yaml     wrong solutions, and what a student is to be told of each: see wrong_solutions.py
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from runtime.practice import holes

EXERCISES_DIR = Path(__file__).parents[1] / "exercises"
FIRST_CHECK = "starts on {ranks} ranks"
RANKS = 4
_RULE = re.compile(r"^---\s*$", re.MULTILINE)
NEEDED = ("task.md", "checks.py", "hints.md", "solution.py")


class BrokenExercise(Exception):
    """A folder is no exercise; the text says which file, why, and what to do."""


@dataclass(frozen=True)
class Exercise:
    """One exercise. Files are read when they are asked for; `OSError` where they cannot be."""

    folder: Path
    name: str
    title: str
    task: str
    file: str  # what the student's copy is called
    ranks: int
    lesson: int  # of the course, 0: none
    minutes: int
    begins: str = ""  # of a smaller version: the text of its script

    @cached_property
    def start(self) -> str:
        """The text that a student begins with."""
        own = self.folder / "start.py"
        if self.begins or own.is_file():
            return self.begins or own.read_text("utf-8")
        return holes.emptied(self.solution.read_text("utf-8"))

    @property
    def solution(self) -> Path:
        """The script that passes all checks."""
        return self.folder / "solution.py"

    @property
    def checks_file(self) -> Path:
        """The checks that each rank makes."""
        return self.folder / "checks.py"

    @cached_property
    def checks(self) -> tuple[str, ...]:
        """Titles of all checks; the first is that the file starts at all."""
        return (FIRST_CHECK.format(ranks=self.ranks), *_titles(self.checks_file))

    @cached_property
    def hints(self) -> tuple[str, ...]:
        """The hints, from a nudge to nearly all."""
        parts = _RULE.split((self.folder / "hints.md").read_text("utf-8"))
        return tuple(part.strip() for part in parts if part.strip())


def read(folder: Path) -> Exercise:
    """Read an exercise. Raises `BrokenExercise` where files or keys are missing."""
    for name in NEEDED:
        if not (folder / name).is_file():
            raise BrokenExercise(f"{folder / name} is missing: an exercise has {', '.join(NEEDED)}")
    if not (folder / "start.py").is_file() and not holes.any_in((folder / "solution.py").read_bytes()):
        mend = f"mark what is to be written by `{holes.BEGIN}` and `{holes.END}`, or add start.py"
        raise BrokenExercise(f"{folder / 'solution.py'} has no hole: {mend}")
    try:
        text = (folder / "task.md").read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BrokenExercise(f"{folder / 'task.md'} is not UTF-8: {error.reason}") from error
    head, _, task = (
        text.removeprefix("---\n").partition("\n---\n") if text.startswith("---\n") else ("", "", text)
    )
    keys = dict(_key(line) for line in head.splitlines() if ":" in line)
    title = keys.get("title", "")
    if not title:
        raise BrokenExercise(f"{folder / 'task.md'} has no title: begin it with ---, `title: …` and ---")
    return Exercise(
        folder,
        folder.name,
        title,
        task.strip(),
        keys.get("file", f"{folder.name.replace('-', '_')}.py"),
        _number(keys, "ranks", RANKS, folder),
        _number(keys, "lesson", 0, folder),
        _number(keys, "minutes", 15, folder),
    )


def _key(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name.strip(), value.strip()


def _number(keys: dict[str, str], name: str, default: int, folder: Path) -> int:
    text = keys.get(name, "")
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and int(text) <= 64):
        raise BrokenExercise(f"{folder / 'task.md'}: {name}: {text[:40]} is not a whole number up to 64")
    return int(text)


def _titles(file: Path) -> list[str]:
    try:
        tree = ast.parse(file.read_bytes())
    except (SyntaxError, ValueError) as error:
        raise BrokenExercise(f"{file}: {error}") from error
    functions = [it for it in tree.body if isinstance(it, ast.FunctionDef) and not it.name.startswith("_")]
    return [(ast.get_docstring(it) or it.name.replace("_", " ")).splitlines()[0] for it in functions]


def listed() -> dict[str, Exercise]:
    """Return the exercises that come with teachrun, by name, in the order of the course."""
    folders = [it.parent for it in EXERCISES_DIR.glob("*/task.md")]
    found = sorted(map(read, folders), key=lambda it: (it.lesson, it.minutes, it.name))
    return {it.name: it for it in found}


def find(name: str) -> Exercise:
    """Return an exercise by its name, or by the path of its folder. Raises `BrokenExercise`.

    A folder that happens to have the name of one of ours is meant only as `./NAME`: what is opened by a name
    on a slide runs without anybody being asked.
    """
    if "/" in name or (Path(name).is_dir() and not (EXERCISES_DIR / name / "task.md").is_file()):
        return read(Path(name).resolve())
    return shipped(name)


def shipped(name: str) -> Exercise:
    """Return an exercise that comes with teachrun, by its name alone. Raises `BrokenExercise`."""
    folder = EXERCISES_DIR / name
    if re.fullmatch(r"[a-z0-9-]+", name) and (folder / "task.md").is_file():
        return read(folder)
    import difflib

    names = list(listed())
    close = difflib.get_close_matches(name, names, 1) or [it for it in names if name and name in it]
    mend = f"did you mean {' or '.join(close[:3])}?" if close else "`teachrun list exercises` names them"
    raise BrokenExercise(f"there is no exercise {name[:60]!r}: {mend}")
