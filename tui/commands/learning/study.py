"""`teachrun study [COURSE|DECK…]`: a lesson alone, its questions brought back when they are due."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.atomic_write import put
from slides.drawing.cells import clean
from slides.drawing.screen_reader_lines import many
from tui.command_line import refusals
from tui.command_line.arguments import add_lang, add_mouse, add_theme
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain
from tui.rendering.escape_filter import dumps
from tui.start import terminal_screen

if TYPE_CHECKING:
    from tui.config.settings import Settings
    from tui.screens.study import StudyApp
    from tui.study.course import Found, Lesson
    from tui.study.home_and_end_pages import End, Row
    from tui.study.lessons_and_rounds import Desk
    from tui.study.study_session import Opened, Sitting

MOST_WRONG = 5  # answers that are told one by one


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "courses",
        nargs="*",
        metavar="COURSE",
        help="a course by name, a folder with NN-name.md, or decks (default: every built-in course)",
    )
    parser.add_argument("--due", action="store_true", help="ask what is due today, from all lessons")
    parser.add_argument("--export", metavar="FILE", help="write all progress as JSON, - for standard output")
    parser.add_argument(
        "--import",
        dest="taken",
        metavar="FILE",
        help="add the progress from an exported file, - for standard input",
    )
    parser.add_argument("--delete", action="store_true", help="delete all progress (asks first)")
    parser.add_argument(
        "--plain", action="store_true", help="ask what is due as plain lines, without a screen"
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="let the scripts of these lessons run on this machine",
    )
    add_lang(parser)
    add_theme(parser)
    add_mouse(parser)


def main(args: argparse.Namespace) -> int:
    from runtime import paths
    from tui.study.lessons_and_rounds import FILE

    path = paths.data_path() / FILE
    with suppress(paths.PathError):  # the store says why nothing can be kept there, and goes on without
        path = paths.data_dir() / FILE
    if args.export:
        return export(path, args.export)
    if args.taken:
        return take_in(path, args.taken)
    if args.delete:
        return delete(path)
    if not args.plain and (problem := refusals.no_terminal()):
        return complain(problem)
    from tui.study import course

    try:
        found = course.find(args.courses, lang=args.lang, openings=True)
    except course.CourseError as error:
        return complain(str(error))
    return study(args, path, found)


def study(args: argparse.Namespace, path: Path, found: Found) -> int:
    """Study the lessons that were found; the exit code."""
    from tui.config import settings
    from tui.study import course
    from tui.study.lessons_and_rounds import Desk

    args.name = ""
    mine = settings.take(args)
    desk = Desk(path, found.lessons, lambda: datetime.now().astimezone(), whoami(), args.lang)
    if not args.courses:  # the user's own decks that were studied before
        desk.lessons = course.find((), desk.begun(), args.lang, openings=True).lessons
    words = list(found.troubles)
    try:
        code = sittings(args, mine, desk, words)
    finally:
        left = desk.close()
        for word in words:
            print(clean(word))
        if left:
            complain(left)
    return code or int(bool(left))


def sittings(args: argparse.Namespace, mine: Settings, desk: Desk, words: list[str]) -> int:
    """One after the other, with home between them, until somebody has had enough; the exit status."""
    from tui.study import course

    if args.plain:
        from tui.plain import studying

        return studying.main(desk)
    if args.due or (len(args.courses) == 1 and len(desk.lessons) == 1):
        code = sit(args, mine, desk, None if args.due else desk.lessons[0], words, home=False)
        return code if isinstance(code, int) else 0
    while (chosen := at_home(args, desk)) is not None:
        if chosen.target in ("exercise", "again"):
            from tui.start import practising

            if chosen.target == "exercise":
                practising.named(chosen.lesson, args.theme)
            elif (review := practising.again(chosen.lesson, args.theme)) is not None:
                from tui.practice import reviews

                desk.save(reviews.answer(review, desk.now()))
            continue
        lesson = next((one for one in desk.lessons if one.id == chosen.lesson), None)
        left = sit(args, mine, desk, lesson, words)
        while isinstance(left, course.Lesson):  # without home between them
            left = sit(args, mine, desk, left, words)
        if left is not None:
            return left
    return DONE


def at_home(args: argparse.Namespace, desk: Desk) -> Row | None:
    """The row that was chosen, None to quit."""
    terminal_screen.prepare(args.theme)
    from slides.languages.program_words import say_in
    from tui.deck import languages
    from tui.practice import reviews
    from tui.practice.next_exercises import following
    from tui.screens.home import HomeApp

    hands = () if args.courses else (*reviews.rows(desk), *following())
    say = say_in(languages.tag(args.lang))
    app = HomeApp(replace(desk.home(), hands=hands), args.theme, say=say, watch_tty=True)
    row = app.run(mouse=False)
    args.theme = app.look if app.changed else args.theme
    return row


def sit(
    args: argparse.Namespace,
    mine: Settings,
    desk: Desk,
    lesson: Lesson | None,
    words: list[str],
    home: bool = True,
) -> int | Lesson | None:
    """One sitting on the screen, of what is due where there is no `lesson`. An exit status ends it all, a
    lesson is the next one, None leads back `home`; what is to be said at last is added to `words`."""
    from slides.reading.from_disk.source import DeckError

    try:
        opened = desk.open_lesson(lesson) if lesson is not None else desk.open_round()
    except DeckError as error:
        return complain(str(error.problem))
    if opened is None:
        words.append(desk.home().rest)
        return None
    if args.trust and trust(opened) and lesson is not None:
        opened = desk.open_lesson(lesson)  # it shows more now
    terminal_screen.prepare(args.theme)
    app = seated(desk, opened, args.theme, home)
    app.actions.preferences.begin_with(mine)
    words += [word for word in (app.run(mouse=False),) if word]
    if not (app.home_again and sys.stdin.isatty()):
        return app.return_code or 0
    return desk.following(lesson) if app.onward and lesson is not None else None


def trust(opened: Opened) -> bool:
    """Agree to all that a sitting brings along; whether its slides look different now. Raises `OSError`."""
    from runtime.host import consent
    from tui.deck import consent_question

    if opened.lesson is not None:
        contents = opened.session.contents
        return consent_question.agree(contents, consent_question.unasked(contents))
    for deck, scripts in opened.unasked().items():
        consent.agree(deck, scripts)
    return False


def seated(desk: Desk, opened: Opened, theme: str, home: bool) -> StudyApp:
    """The app of a sitting, where that was left."""
    from runtime import paths
    from tui.classroom import host_link
    from tui.screens.study import StudyApp

    def keep(at: Sitting) -> None:
        if opened.lesson is not None:
            desk.keep_lesson(opened.lesson, at)
        else:
            desk.keep_round(at)

    async def card(at: Sitting) -> End:
        after = await asyncio.to_thread(desk.following, opened.lesson) if opened.lesson is not None else None
        card = await desk.end(opened.title, at)
        return replace(card, home=home, onward=after.title if after is not None and home else "")

    return StudyApp(
        opened,
        host_link.to_host(f"{paths.STUDY}{paths.new_class_id()}", "console", desk.screen),
        save=desk.save,
        keeps_place=keep,
        card=card,
        trouble=lambda: desk.trouble,
        theme=theme,
        notes=opened.lesson is not None,
        watch_tty=True,
    )


def whoami() -> str:
    """Who holds the store, in words for another process that wants it."""
    from tui.classroom.host_link import whereabouts

    return f"process {os.getpid()} on {whereabouts()}"


def export(path: Path, file: str) -> int:
    """Write all progress as JSON to `file`, or with `-` to stdout; the exit code."""
    from quiz.study.store import Progress
    from quiz.study.store_file import StoreError

    if not path.exists():
        return complain(f"there is no progress yet: {path} does not exist")
    progress = Progress(path, whoami())
    try:
        text = dumps(progress.export(), indent=1)
    except StoreError as error:
        return complain(f"progress cannot be exported: {error}", FAILED)
    finally:
        progress.close()
    if not progress.known:
        return complain(f"progress cannot be exported: {progress.trouble}", FAILED)
    if file == "-":
        print(text)
        return DONE
    try:
        put(file, text + "\n")
    except OSError as error:
        return complain(f"{file} cannot be written: {error.strerror or error}")
    return DONE


def take_in(path: Path, file: str) -> int:
    """Add what is missing from an export in `file`, or with `-` from stdin; the exit code."""
    from quiz.study import merging_two_stores
    from quiz.study.store import Progress
    from slides.reading.from_disk.source import MAX_FILE, read_bytes

    try:
        text = sys.stdin.read() if file == "-" else read_bytes(Path(file), MAX_FILE).decode("utf-8-sig")
        export = merging_two_stores.read(text)
    except (OSError, UnicodeDecodeError) as error:
        return complain(f"{file} cannot be read: {getattr(error, 'strerror', '') or error}")
    except merging_two_stores.MergeError as error:
        return complain(f"{file}: {error}")
    from tui.study import answers_of_others

    export, wrong = answers_of_others.without_impossible(export)
    progress = Progress(path, whoami())
    try:
        merged = progress.take_in(export)
    finally:
        progress.close()
    if merged is None:
        return complain(f"nothing was imported: {progress.trouble}", FAILED)
    places = f", {many(merged.places, 'lesson')} further on" if merged.places else ""
    print(f"{many(merged.new, 'answer')} new, {merged.same} there already{places}: {path}")
    for why in wrong[:MOST_WRONG]:
        complain(f"not imported: {why}")
    if len(wrong) > MOST_WRONG:
        complain(f"not imported: {many(len(wrong) - MOST_WRONG, 'more answer')}")
    return FAILED if wrong else DONE


def delete(path: Path) -> int:
    """Delete all progress after asking; the exit code."""
    from quiz.study import store_file

    if not path.exists():
        print("There is no progress to delete.")
        return DONE
    print(f"All answers, cards and places in {path} are lost. Delete them? [y/N] ", end="", flush=True)
    try:
        said = sys.stdin.readline() if sys.stdin is not None else ""
    except KeyboardInterrupt:
        said = ""
    if said.strip().casefold() not in ("y", "yes"):
        print("Nothing was deleted.")
        return FAILED
    try:
        store_file.delete(path, whoami())
    except store_file.StoreError as error:
        return complain(str(error))
    print("Deleted.")
    return DONE
