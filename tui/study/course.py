"""Which lessons there are: those that come with teachrun, a folder of somebody's own, single decks.

A course is a folder with `NN-name.md`; an `overture.md` beside them is shown before the first and counts as
none of them. A built-in lesson keeps its name (`distributed/05-ddp`) wherever it is
installed; any other is its file.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from slides.problems import did_you_mean, quoted
from slides.reading import front_matter
from slides.reading.from_disk.source import DeckError
from tui.classroom import pace
from tui.deck import languages
from tui.deck.built_in import courses
from tui.deck.contents import Contents, open_deck

_NUMBERED = re.compile(r"[0-9]+[-_ .].*\.md")
_ENDS = re.compile(r"^---\s*$", re.MULTILINE)
_ABOUT = {"readme", "index", "syllabus"}  # what stands beside lessons and tells of them
_HEAD = 1 << 16  # characters that are looked through for one


class Lesson(NamedTuple):
    """`id` is what progress is kept under; `slides` counts those of the talk. The rest its front matter says:
    planned minutes (0.0: not said), the language, what one has to know before, the ranks of its demos.
    `least` are the minutes without its optional slides."""

    course: str
    id: str
    path: Path
    title: str
    slides: int
    minutes: float = 0.0
    language: str = "en"
    prerequisites: str = ""
    ranks: str = ""
    least: float = 0.0

    @property
    def name(self) -> str:
        """What `teachrun path` and `study` know it by."""
        return self.path.stem

    @property
    def lasts(self) -> int:
        """Its minutes as they are told: whole ones, no fewer than it takes."""
        return math.ceil(self.minutes - 0.01)

    @property
    def short_cut(self) -> int:
        """The minutes without its optional slides, as they are told."""
        return math.ceil(self.least - 0.01)

    @property
    def number(self) -> int:
        """Its place in the course, as its file is named (`05-ddp`); 0: none."""
        digits, dash, _ = self.name.partition("-")
        return int(digits) if dash and digits.isdecimal() and len(digits) <= 3 else 0


class CourseError(Exception):
    """What was asked for is not a course and no lesson; the text says what there is."""


class Found(NamedTuple):
    """Lessons in their order, and a line for each that cannot be read."""

    lessons: list[Lesson]
    troubles: list[str]


def find(asked: Sequence[str], also: Sequence[str] = (), lang: str = "", *, openings: bool = False) -> Found:
    """The lessons of what was asked for. Where nothing was: all there are, and those of the ids `also` whose
    files are still there. `openings`: each course's overture stands before its lessons. Titles are in `lang`
    where there is such a translation. Raises `CourseError`."""
    of = _with_overture if openings else _numbered
    files: dict[Path, None] = {}
    for word in asked:
        files |= dict.fromkeys(_files(word, of))
    if not asked:
        for course in _courses().values():
            files |= dict.fromkeys(of(course))
        files |= dict.fromkeys(path for id in also if (path := file_of(id)) is not None)
    lessons, troubles = [], []
    for path in files:
        try:
            lessons.append(lesson(path, lang))
        except DeckError as error:
            troubles.append(str(error.problem))
    if not lessons:
        raise CourseError("; ".join(troubles) or "there is no lesson")
    return Found(lessons, troubles)


def lesson(path: Path, lang: str = "") -> Lesson:
    """Raises `DeckError` where the file cannot be read."""
    deck = open_deck(path, lang=lang)
    id = name_of(path)
    course = path.absolute().parent.name
    before, ranks = (deck.meta.get(key, "") for key in ("prerequisites", "ranks"))
    minutes, language = (deck.time_s or 0.0) / 60, deck.meta.get("lang", "en")
    contents = Contents(deck)
    least = pace.least_s(contents.plan) / 60
    slides = len(contents.visible)
    return Lesson(course, id, path, deck.title or path.stem, slides, minutes, language, before, ranks, least)


def overture(lessons: Sequence[Lesson]) -> Lesson | None:
    """What is shown before the first of them; None where no `overture.md` beside it can be read."""
    return opening(lessons)[0]


def opening(lessons: Sequence[Lesson]) -> tuple[Lesson | None, str]:
    """The same, and why it cannot be read; "" where it can, or there is none."""
    path = lessons[0].path.with_name("overture.md") if lessons else None
    try:
        return (lesson(path) if path is not None and path.is_file() else None), ""
    except DeckError as error:
        return None, str(error.problem)
    except OSError as error:
        return None, f"{path}: {error.strerror}"


def as_object(lesson: Lesson) -> dict[str, Any]:
    """What `--json` says of a lesson."""
    return {
        "name": lesson.name,
        "title": lesson.title,
        "course": lesson.course,
        "minutes": lesson.minutes,
        "minutes_at_least": round(lesson.least, 2),
        "slides": lesson.slides,
        "languages": [lesson.language, *languages.translations(lesson.path)],
        "prerequisites": lesson.prerequisites,
        "ranks": lesson.ranks,
        "path": str(lesson.path),
    }


def name_of(path: Path) -> str:
    """Return the name of a shipped lesson as in `courses/`, the absolute path of any other file."""
    whole = path.absolute()
    if whole.is_relative_to(courses()):
        return whole.relative_to(courses()).with_suffix("").as_posix()
    return str(whole)


def file_of(id: str) -> Path | None:
    """The file of a lesson that progress is kept of; None where it is gone."""
    path = Path(id) if id.startswith("/") else courses() / f"{id}.md"
    try:
        return path if path.is_file() else None
    except OSError:  # in a folder that is not ours to look into
        return None


def _courses() -> dict[str, Path]:
    return {folder.name: folder for folder in sorted(courses().iterdir()) if _numbered(folder)}


def names() -> list[str]:
    """The courses that come with teachrun."""
    return list(_courses())


def brought(name: str) -> Path | None:
    """The folder of a course that another package brings under this name; None where none does.

    Its entry point is a module in the folder of the lessons, or the path of that folder.

    Raises:
        CourseError: It brings none that can be used.
    """
    import teachrun

    try:
        found = teachrun.bring("courses", name)
    except teachrun.Unusable as error:
        raise CourseError(str(error)) from None
    if found is None:
        return None
    folder = Path(str(getattr(found, "__file__", None) or found))
    folder = folder.parent if folder.is_file() else folder
    if not _numbered(folder):
        bringer = teachrun.bringer("courses", name)
        raise CourseError(f"{bringer} brings the course {quoted(name)}, which has no NN-name.md")
    return folder


def without_number(asked: str) -> list[Path]:
    """The decks in the folder of a course that are no lessons of it, since their names begin with no number.
    What tells of the course (README.md), is named in capitals or has no slide's end is no deck."""
    folder = _folder(asked)
    if folder is None:
        return []
    known = {"overture.md", *(path.name for path in _numbered(folder))}
    others = (path for path in sorted(folder.glob("*.md")) if path.name not in known and path.is_file())
    return [path for path in others if not _is_about(path.stem) and _ENDS.search(_slides(path))]


def _is_about(stem: str) -> bool:
    return stem.isupper() or stem.lower() in _ABOUT


def _slides(path: Path) -> str:
    """What begins a file, without its front matter: that ends as a slide does."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            lines = file.read(_HEAD).split("\n")
    except OSError:
        return ""
    return "\n".join(lines[front_matter.length(lines) :])


def of_packages() -> Found:
    """The lessons of all courses that other packages bring, and a line for each that cannot be read."""
    import teachrun

    lessons: list[Lesson] = []
    troubles: list[str] = []
    for name in teachrun.brought("courses"):
        if name in _courses():
            continue
        try:
            folder = brought(name)
            lessons += [lesson(path)._replace(course=name) for path in _numbered(folder)] if folder else []
        except (CourseError, DeckError) as error:
            troubles.append(str(error))
    return Found(lessons, troubles)


def _numbered(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    return [path for path in sorted(folder.iterdir()) if _NUMBERED.fullmatch(path.name)]


def _with_overture(folder: Path) -> list[Path]:
    opening = folder / "overture.md"
    return [*([opening] if opening.is_file() else []), *_numbered(folder)]


def _folder(word: str) -> Path | None:
    """The folder that a word means: itself, or that of the course of this name. Raises `CourseError`."""
    return Path(word) if Path(word).is_dir() else _courses().get(word) or brought(word)


def _files(word: str, of: Callable[[Path], list[Path]]) -> Iterator[Path]:
    """The files that a word means; `of` gives those of the folder of a course."""
    import teachrun

    path = Path(word)
    if path.is_file():
        yield path.absolute()
    elif (folder := _folder(word)) is not None:
        if not _numbered(folder):
            mend = "Call its lessons 01-name.md, 02-name.md"
            raise CourseError(f"{quoted(word)} is not a course: it has no NN-name.md. {mend}")
        yield from (lesson.absolute() for lesson in of(folder))
    else:
        known = _courses()
        named = {path.stem: path for folder in known.values() for path in _with_overture(folder)}
        if word not in named:
            names = (*known, *teachrun.brought("courses"), *named)
            close = did_you_mean(word, names)
            mend = f"Did you mean {close}?" if close else f"There are {', '.join(names)}"
            raise CourseError(f"{quoted(word)} is not a course, folder or deck. {mend}")
        yield named[word]
