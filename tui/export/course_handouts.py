"""A course on paper: a syllabus and a hand-out of each lesson, in a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runtime.atomic_write import put
from slides.deck import NATIVE
from slides.reading.split import made_of
from tui.deck.contents import Contents, open_deck
from tui.export.deck_or_class import Options, Source
from tui.export.handout import Handout
from tui.export.syllabus import syllabus

if TYPE_CHECKING:
    from tui.study.course import Lesson

SYLLABUS = "syllabus"
PAGE = "100x60"  # a sheet of a syllabus as PDF: longer than a screen


class Asked(NamedTuple):
    """`form` is html, md or pdf; `lang` a tag, "" the lessons' own; `answers`: with the keys of questions."""

    form: str = "html"
    lang: str = ""
    notes: bool = False
    answers: bool = True
    theme: str = ""


def write(
    folder: Path, lessons: Sequence[Lesson], exercises: Sequence[tuple[int, str, str]], asked: Asked
) -> Iterator[Path]:
    """Write the syllabus and the hand-outs, and yield each file once it is there. `exercises` are (number of
    the lesson, name, title). Raises `DeckError`, `OSError`, and `Missing` where a PDF cannot be made."""
    folder.mkdir(parents=True, exist_ok=True)
    read = [(lesson, Contents(open_deck(lesson.path, lang=asked.lang))) for lesson in lessons]
    title = _title(lessons)
    text = syllabus(title, read, exercises, asked.lang or "en", asked.form)
    places = tuple(range(1, text.count("\n") + 2))
    deck = made_of(text, str(folder / f"{SYLLABUS}.md"), NATIVE, places, ())
    yield _one(Source(Contents(deck), SYLLABUS, counted=False), folder, asked, PAGE)
    for lesson, contents in read:
        yield _one(Source(contents, lesson.name), folder, asked, "")


class Missing(Exception):
    """What is needed for this form is not installed, or the theme is unknown; it has been said."""


def _one(source: Source, folder: Path, asked: Asked, size: str) -> Path:
    from tui.export.documents import html, markdown
    from tui.rendering.pages.offscreen import Offscreen

    target = folder / f"{source.name}.{asked.form}"
    if asked.form == "pdf":
        from tui.export.pdf import document

        options = Options(str(target), asked.notes, size, theme=asked.theme, answers=asked.answers)
        if document(source, options):
            raise Missing
        return target
    handout = Handout(Offscreen(source.contents), answers=asked.answers)
    if asked.form == "html":
        put(target, html(source, handout, asked.notes, asked.theme))
    else:
        put(target, markdown(source, handout, asked.notes, str(target)))
    return target


def _title(lessons: Sequence[Lesson]) -> str:
    """What the front matter of the overture calls the course, else its folder's name."""
    overture = lessons[0].path.with_name("overture.md")
    if overture.is_file() and (named := open_deck(overture).meta.get("course")):
        return named
    words = lessons[0].course.replace("-", " ").replace("_", " ")
    return words[:1].upper() + words[1:]
