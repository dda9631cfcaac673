"""Folders as CONTRIBUTING promises them: a short README each, no long lists, journeys of real files."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from sources import ROOMS, ROOT, imports

README_LINES = 20
MOST_MODULES = 15
# Plain torchrun scripts import their neighbours by plain names, so they lie beside each other.
LONG_ON_PURPOSE = ("runtime/demos",)
JOURNEYS = 4
EVERYBODYS = re.compile(
    r"runtime/(paths|atomic_write)|slides/problems|tui/figures(/.*)?"
)  # leaves, which need no word


def folders() -> list[Path]:
    """Packages of ours; an exercise is a folder of scripts that its own page explains."""
    return sorted({file.parent for room in ROOMS for file in (ROOT / room).rglob("__init__.py")})


def journeys() -> dict[str, list[list[str]]]:
    """The files that each journey names, stop by stop, as they are written."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    part = text.partition("## Four journeys")[2].partition("\n## ")[0]
    found: dict[str, list[list[str]]] = {}
    for title, stops in re.findall(r"^\*\*(.+?)\*\*\n((?:\d+\. .+\n?)+)", part, re.MULTILINE):
        found[title] = [re.findall(r"`([\w/]+(?:\.py|/))`", stop) for stop in stops.splitlines()]
    return found


def missing(stops: list[list[str]]) -> list[str]:
    """Names of a journey that are no file, whole or below the folder named before, its parent or its room."""
    absent, near = [], ROOT
    for name in (name for stop in stops for name in stop):
        if "KIND" in name:
            continue
        whole = ROOT / name
        room = ROOT / near.relative_to(ROOT).parts[0] if near != ROOT else ROOT
        places = [whole, near / name, near.parent / name, room / name]
        if not any(place.exists() for place in places):
            absent.append(name)
        if "/" in name and whole.exists():
            near = whole if whole.is_dir() else whole.parent
    return absent


def test_each_folder_says_in_a_few_lines_what_lives_there() -> None:
    silent = [
        str(folder.relative_to(ROOT))
        for folder in folders()
        if not (folder / "README.md").exists()
        or (folder / "README.md").read_text("utf-8").count("\n") > README_LINES
    ]
    assert silent == []


def test_no_folder_is_a_long_flat_list() -> None:
    counts = {folder.relative_to(ROOT).as_posix(): len(list(folder.glob("[!_]*.py"))) for folder in folders()}
    long = {name: n for name, n in counts.items() if n > MOST_MODULES and name not in LONG_ON_PURPOSE}
    assert long == {}


def test_all_journeys_are_read() -> None:
    assert len(journeys()) == JOURNEYS
    assert all(len(stops) > 5 for stops in journeys().values())


@pytest.mark.parametrize("title", journeys())
def test_a_journey_names_files_that_exist(title: str) -> None:
    assert missing(journeys()[title]) == []


def imported(folder: Path) -> set[str]:
    """Modules of its own room that the files of a folder import, as paths; what lies in the folder aside."""
    found = set()
    for file in folder.glob("*.py"):
        for node in imports(file)[1]:
            if isinstance(node, ast.ImportFrom) and node.module:
                above = node.module.replace(".", "/")
                for name in node.names:
                    whole = ROOT / above / name.name
                    is_module = whole.with_suffix(".py").exists() or whole.is_dir()
                    found.add(f"{above}/{name.name}" if is_module else above)
    here = folder.relative_to(ROOT).as_posix()
    room = f"{here.split('/')[0]}/"
    mine = {name for name in found if name.startswith(room) and not EVERYBODYS.fullmatch(name)}
    return {name for name in mine if not f"{name}/".startswith(f"{here}/")}


def may_import(folder: Path) -> set[str] | None:
    """The words of a README's line, with those of the folder it refers to; None: everything, or no line."""
    text = (folder / "README.md").read_text("utf-8")
    said = re.search(r"\*\*May import\*\*:(.*?)(?=\n- |\n\n|\Z)", text, re.DOTALL)
    if said is None or "Everything" in said[1]:
        return None
    words = set(re.findall(r"`([^`]+)`", said[1]))
    for name in re.findall(r"(?:what|As) `([\w/]+)`(?: may|\.)", said[1]):
        room = ROOT / folder.relative_to(ROOT).parts[0]
        theirs = may_import(next(place for place in (ROOT / name, room / name) if place.is_dir()))
        if theirs is None:
            return None
        words |= theirs | {name}
    return words


def is_named(module: str, words: set[str]) -> bool:
    """Whether a module, or a folder it is in, is among these words of a README."""
    parts = module.split("/")
    runs = {"/".join(parts[a:b]) for a in range(len(parts)) for b in range(a + 1, len(parts) + 1)}
    return bool(words & (runs | {f"{run}.py" for run in runs} | {run.replace("/", ".") for run in runs}))


def test_a_folder_imports_of_its_room_only_what_its_readme_says() -> None:
    more, held = {}, 0
    for folder in folders():
        if (words := may_import(folder)) is None:
            continue
        held += 1
        if unsaid := {module for module in imported(folder) if not is_named(module, words)}:
            more[folder.relative_to(ROOT).as_posix()] = sorted(unsaid)
    assert more == {} and held > 90


def test_what_is_written_by_hand_has_the_lines_that_are_told() -> None:
    """The table of CONTRIBUTING: who decides again between ours and a library sees what it is about."""
    part = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## What is ours")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ([^|]*`[^|]*) \| ([\d,]+) \|", part, re.MULTILINE)
    assert len(rows) > 15
    wrong = {}
    for what, told in rows:
        places = re.findall(r"`([^`]+)`", what)
        files = [
            file for place in places for file in ROOT.glob(place if ".py" in place else f"{place}/**/*.py")
        ]
        lines = sum(file.read_text("utf-8").count("\n") for file in files)
        if abs(lines - int(told.replace(",", ""))) > max(10, lines / 10):
            wrong[what] = lines
    assert wrong == {}


def test_a_file_that_is_gone_is_noticed() -> None:
    assert missing([["tui/app.py", "no_such_file.py"]]) == ["no_such_file.py"]
