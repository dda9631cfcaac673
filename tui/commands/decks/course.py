"""`teachrun course`: the lessons of a course, what each takes and needs, and whether all of them are right.

A course is a folder with `01-name.md`, `02-name.md`, …: one that comes with teachrun, by
its name, or anybody's.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tui.command_line.arguments import add_lang, terminal_size
from tui.command_line.exit_codes import DONE, FAILED, USAGE
from tui.command_line.refusals import complain
from tui.deck.built_in import courses, deck_file
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from pathlib import Path

    from slides.problems import Problem
    from slides.screen_size import Size
    from tui.study.course import Lesson

DOES = {
    "list": "the courses that come with teachrun",
    "show": "the lessons of a course: minutes, slides, ranks, and what to know beforehand",
    "check": "check every lesson as `teachrun check` does, and that they fit together",
    "handout": "a syllabus and a hand-out of each lesson, to print or to give away, in a folder",
    "new": "make a folder with an overture and two lessons, for you to change",
    "translate": "a file for translating a deck: to start from, or to continue after a change",
}


_NO_NUMBER = "a deck whose name does not begin with a number, as 03-name.md does, is no lesson of the course"
_NUMBER_IT = "Call it 03-name.md, or put it into a folder of its own"


def configure(parser: argparse.ArgumentParser) -> None:
    parts = parser.add_subparsers(dest="what", metavar="PART", required=True)
    for name, line in DOES.items():
        part = parts.add_parser(name, help=line, description=line[0].upper() + line[1:] + ".")
        if name == "new":
            part.add_argument("folder", metavar="FOLDER", help="the folder to make; its name is the course's")
            continue
        if name == "translate":
            part.add_argument("deck", type=deck_file, metavar="DECK", help="a deck, or the name of a lesson")
            part.add_argument("--lang", required=True, metavar="TAG", help="a BCP 47 tag: fr, hi-Latn, …")
            continue
        if name != "list":
            what = "its name, a folder of lessons, or the name of one lesson"
            part.add_argument("course", metavar="COURSE", nargs="?", help=what)
        if name == "handout":
            _configure_handout(part)
            continue
        if name == "check":
            part.add_argument(
                "--size", type=terminal_size, metavar="100x30", help="the smallest terminal it is shown on"
            )
        part.add_argument("--json", action="store_true", help="one JSON object")


def _configure_handout(part: argparse.ArgumentParser) -> None:
    form = part.add_mutually_exclusive_group()
    form.add_argument("--html", dest="form", action="store_const", const="html", help="pages (the default)")
    form.add_argument("--md", dest="form", action="store_const", const="md", help="Markdown")
    form.add_argument("--pdf", dest="form", action="store_const", const="pdf", help="one page per slide")
    part.add_argument(
        "-o", "--output", metavar="FOLDER", help="folder to write into (default: COURSE-handouts)"
    )
    part.add_argument("--notes", action="store_true", help="include the speaker notes")
    part.add_argument("--no-answers", action="store_true", help="without the keys of its questions")
    add_lang(part)
    part.set_defaults(form="html")


def main(args: argparse.Namespace) -> int:
    from tui.study import course

    if args.what == "new":
        return _new(args.folder)
    if args.what == "translate":
        return _translate(args.deck, args.lang)
    asked = getattr(args, "course", None)
    try:
        found = course.find((asked,) if asked else ())
    except course.CourseError as error:
        return complain(str(error))
    for trouble in found.troubles:
        complain(trouble)
    if args.what == "list":
        theirs = course.of_packages()
        for trouble in theirs.troubles:
            complain(trouble)
        _list([*found.lessons, *theirs.lessons], args.json)
    elif args.what == "show":
        _show(found.lessons, args.json, asked or "")
        for path in course.without_number(asked) if asked else ():
            complain(f"{path.name}: {_NO_NUMBER}. {_NUMBER_IT}")
    elif args.what == "handout":
        return _handout(found.lessons, args)
    else:
        opening, trouble = course.opening(found.lessons)
        if trouble:
            complain(trouble)
        bad = bool(found.troubles or trouble)
        others = course.without_number(asked) if asked else []
        return max(_check(found.lessons, opening, others, args.size, args.json), FAILED if bad else DONE)
    return FAILED if found.troubles else DONE


def _handout(lessons: list[Lesson], args: argparse.Namespace) -> int:
    from pathlib import Path

    from runtime.practice.exercise import listed
    from slides.drawing.cells import clean
    from slides.reading.from_disk.source import DeckError
    from tui.config import settings
    from tui.deck import languages
    from tui.export import course_handouts
    from tui.study import course

    settings.find_themes()
    lang = languages.tag(args.lang) if args.lang else ""
    folder = Path(args.output or f"{lessons[0].course}-handouts")
    opening = course.overture(lessons) if args.course is None or len(lessons) > 1 else None
    whole = [*([opening] if opening else []), *lessons]
    asked = course_handouts.Asked(args.form, lang, args.notes, not args.no_answers)
    ours = lessons[0].path.is_relative_to(courses())  # only these are numbered as exercises are
    exercises = [(one.lesson, name, one.title) for name, one in listed().items()] if ours else []
    count = 0
    try:
        for file in course_handouts.write(folder, whole, exercises, asked):
            count += 1
            if args.form != "pdf":  # that says more of itself
                print(clean(str(file)))
    except course_handouts.Missing:
        return USAGE
    except DeckError as error:
        return complain(str(error.problem))
    except OSError as error:
        return complain(f"{clean(str(folder))} cannot be written: {error.strerror or error}")
    return DONE if count else FAILED


def _new(name: str) -> int:
    """Make the folder of a course, whole or not at all."""
    import shutil
    from pathlib import Path

    import slides
    from slides.drawing.cells import clean

    folder, shown = Path(name), clean(name)
    words = " ".join(clean(folder.name).replace("-", " ").replace("_", " ").split())
    if not words:
        return complain(f"{shown!r} cannot name a folder")
    try:
        folder.mkdir()
    except FileExistsError:
        return complain(f"{shown} exists already and is left as it is. Choose another folder")
    except OSError as error:
        return complain(f"{shown} cannot be made: {error.strerror}")
    try:
        for file in sorted((Path(slides.__file__).parent / "templates" / "course").glob("*.md")):
            text = file.read_text("utf-8").replace("My course", words[:1].upper() + words[1:])
            (folder / file.name).write_text(text, "utf-8")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        return complain(f"{shown} cannot be written: {error.strerror}")
    print(f"{shown}: an overture and two lessons")
    print(f"show it:  teachrun present {shown}/01-first.md")
    print(f"check it: teachrun course check {shown}")
    return DONE


def _translate(name: str, lang: str) -> int:
    """Write the skeleton of a translation; slides that are translated already stay as they are."""
    from runtime.atomic_write import put
    from slides.drawing.cells import clean
    from slides.languages.new_translation import skeleton
    from slides.languages.same_shape import untouched
    from slides.reading.from_disk.source import DeckError
    from slides.reading.split import load
    from tui.deck import languages
    from tui.deck.contents import open_deck

    tag = languages.tag(lang)
    if not languages.TAG.fullmatch(tag):
        return complain(f"{clean(lang)!r} is not a language tag. Write one of BCP 47: fr, pt-BR, hi-Latn")
    try:
        deck = open_deck(name)
        file = languages.file_of(name, tag)
        before = load(file) if file.exists() else None
        file.parent.mkdir(exist_ok=True)
        put(file, skeleton(deck, tag, before))
        table = languages.write_untold(deck, tag)
    except DeckError as error:
        return complain(str(error.problem))
    except OSError as error:
        return complain(f"it cannot be written: {error.strerror}")
    new = sum(untouched(head.raw) for head in load(file).slides)
    count = f"{len(deck.slides)} slide{'s' * (len(deck.slides) != 1)}"
    print(clean(f"{file}: {count}, {new} to translate"))
    if table is not None:
        print(clean(f"{table}: what its scenes say, to be put into words between the second quotes"))
    print(
        clean(f"show it: teachrun present {name} --lang {tag}; `teachrun check {name}` says what is missing")
    )
    return DONE


def _list(lessons: list[Lesson], as_json: bool) -> None:
    from slides.drawing.cells import clean

    counts = Counter(lesson.course for lesson in lessons)
    minutes = {name: sum(one.minutes for one in lessons if one.course == name) for name in counts}
    if as_json:
        rows = [{"name": name, "lessons": counts[name], "minutes": minutes[name]} for name in counts]
        print(dumps({"courses": rows}))
        return
    for name in counts:
        print(f"{clean(name)}  {counts[name]} lessons, {minutes[name]:.0f} minutes")


def _show(lessons: list[Lesson], as_json: bool, asked: str) -> None:
    from slides.drawing.cells import clean
    from tui.study import course

    opening = course.overture(lessons)
    if as_json:
        before = {"overture": course.as_object(opening)} if opening else {}
        print(dumps({**before, "lessons": [course.as_object(lesson) for lesson in lessons]}))
        return
    width = max(len(lesson.name) for lesson in lessons)
    for lesson in (*([opening] if opening else []), *lessons):
        cut = f" ({lesson.short_cut})" if lesson.least < lesson.minutes - 0.5 else ""
        length = f"{lesson.lasts:3}{cut:5} min  {lesson.slides:2} slides"
        print(clean(f"{lesson.name:<{width}}  {length}  {lesson.title}"))
        needs = [
            f"{key}: {text}"
            for key, text in (("before", lesson.prerequisites), ("ranks", lesson.ranks))
            if text
        ]
        if needs:
            print(clean(f"{'':<{width}}  {'; '.join(needs)}"))
    count = f"{len(lessons)} lesson{'s' if len(lessons) > 1 else ''}"
    print(f"{count}, {sum(lesson.minutes for lesson in lessons):.0f} minutes")
    if sum(lesson.least for lesson in lessons) < sum(lesson.minutes for lesson in lessons) - 0.5:
        least = sum(lesson.least for lesson in lessons)
        words = f"`teachrun present {_word(lessons[0], asked)} --minutes 40`"
        print(clean(f"{least:.0f} without what is optional, in brackets: {words}"))


def _word(lesson: Lesson, asked: str) -> str:
    """By which `present` finds a lesson of the course that was asked for."""
    file = str(lesson.path)
    return next((word for word in (lesson.name, f"{asked}/{lesson.name}") if deck_file(word) == file), file)


def _check(
    lessons: list[Lesson], opening: Lesson | None, others: list[Path], size: Size | None, as_json: bool
) -> int:
    from slides.check import in_order, with_columns
    from slides.drawing.cells import clean
    from slides.problems import Problem
    from slides.screen_size import USUAL, Size, declared_size
    from tui.config import settings
    from tui.deck import languages
    from tui.deck.contents import Contents, open_deck
    from tui.health.deck_findings import examine

    settings.find_themes()
    found = [*together(lessons), *(Problem(str(path), 1, _NO_NUMBER, f"{_NUMBER_IT}.") for path in others)]
    for lesson in (*([opening] if opening else []), *lessons):
        deck = open_deck(str(lesson.path))
        declared = declared_size(deck)
        least = size or (declared if isinstance(declared, Size) else USUAL)
        found += [] if isinstance(declared, Size) else [declared]
        found += with_columns(in_order(examine(Contents(deck), least)))
        for lang in languages.translations(lesson.path):
            found += languages.problems(deck, lang)
    if as_json:
        problems = [dict(zip(problem._fields, problem, strict=True)) for problem in found]
        print(dumps({"lessons": len(lessons), "problems": problems}))
    else:
        print("\n".join(clean(str(problem)) for problem in found) or f"{len(lessons)} lessons, no problem")
    return FAILED if found else DONE


def together(lessons: list[Lesson]) -> Iterator[Problem]:
    """What is wrong between lessons: a number twice, no length, one needed that comes later or never."""
    from slides.problems import Problem

    before: dict[str, str] = {}
    for lesson in lessons:
        file = str(lesson.path)
        number = re.match(r"[0-9]+", lesson.name)
        here = number[0] if number else lesson.name
        if here in before:
            why = f"{before[here]} has the number {here}, too"
            yield Problem(file, 1, why, "Number the lessons in their order.")
        if not lesson.minutes:
            yield Problem(
                file, 1, "how long this lesson takes is not known", "Write `time: 45m` in its front matter."
            )
        for needed in re.findall(r"\b[0-9]{2}-[\w-]+", lesson.prerequisites):
            if needed not in before.values():
                why = f"it needs {needed}, which is not a lesson before it"
                yield Problem(file, 1, why, "Write the name of an earlier lesson, as its file has it.")
        before[here] = lesson.name
