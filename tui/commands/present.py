"""`teachrun present [DECK]`: show a deck and drive a class."""

from __future__ import annotations

import argparse
import gc
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import teachrun
from slides.palette import asked_for, names
from tui.commands.check import add_format

if TYPE_CHECKING:
    from tui.app import TeachApp

LESSON = Path("courses", "distributed", "05-ddp.md")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "deck", nargs="?", metavar="DECK", help="a Markdown file (default: the built-in lesson)"
    )
    parser.add_argument(
        "--class", dest="class_id", metavar="ID", help="name of the class (default: a new one)"
    )
    parser.add_argument(
        "--console", action="store_true", help="begin with notes and up next beside the slide"
    )
    parser.add_argument(
        "--rehearse", action="store_true", help="no class: at its end the minutes spent, slide by slide"
    )
    add_name(parser)
    add_format(parser)
    parser.add_argument(
        "--trust", action="store_true", help="agree that the scripts this deck names may run on this machine"
    )
    add_theme(parser)
    add_plain(parser)


def add_name(parser: argparse.ArgumentParser, what: str = "what other consoles call this screen") -> None:
    parser.add_argument("--name", default="", metavar="NAME", help=what)


def add_plain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--plain",
        action="store_true",
        help="text in lines, commands in lines: for screen readers, dumb terminals and pipes",
    )


class Themes(tuple[str, ...]):
    """Those that are known, and, where none of them is meant, what another package brings."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name) or name not in teachrun.brought("themes"):
            return super().__contains__(name)
        from tui.config import user_theme

        user_theme.bring(str(name))
        return name in names()


def add_theme(parser: argparse.ArgumentParser) -> None:
    from tui.config import settings

    settings.find_themes()
    parser.add_argument(
        "--theme",
        default="mono" if os.environ.get("NO_COLOR") else "",
        choices=Themes(names()),
        help="colours (default: the deck's, else dark; mono where NO_COLOR is set; system asks the terminal)",
    )


def complain(text: str) -> int:
    """Say what is wrong and what to do instead; the exit status of wrong usage."""
    print(f"teachrun: {text}", file=sys.stderr)
    return 2


def no_terminal() -> str:
    """Why a screen cannot be shown here, or ""."""
    if not (sys.stdin is not None and sys.stdin.isatty() and sys.stdout is not None and sys.stdout.isatty()):
        return (
            "a screen needs a terminal at both ends, and input or output is redirected. Run it in a terminal "
            "(with ssh: `ssh -t`), or with `--plain` in lines; `teachrun run` and `teachrun quiz` need none"
        )
    if os.environ.get("TERM") == "dumb":
        return (
            "this terminal says that it can only write lines (TERM=dumb). Add `--plain`, or run it in another"
        )
    return ""


def check_class(class_id: str | None) -> str:
    from runtime import paths

    if class_id is None or paths.valid_class_id(class_id):
        return ""
    return f"--class {class_id!r} is no name for a class. Use letters, digits, - and _"


def main(args: argparse.Namespace) -> int:
    if problem := ("" if args.plain else no_terminal()) or check_class(args.class_id):
        return complain(problem)
    from runtime import paths
    from tui.classroom import link
    from tui.terminal import crash_restart

    fresh = args.class_id is None
    class_id = args.class_id or paths.new_class_id(args.rehearse)
    screen = link.new_screen_name()

    def run(was: crash_restart.Screen | None) -> int:
        if was is None:
            from tui.rendering import first_paint

            try:
                return begin(args, class_id, screen, offers=fresh and not args.rehearse)
            except BaseException:
                first_paint.undo()  # what is said of it is to be read
                raise
        from tui.commands import audience

        return audience.follow(args, "console", screen, was._replace(class_id=was.class_id or class_id))

    return run(None) if args.plain else crash_restart.kept_up(run)


def begin(args: argparse.Namespace, class_id: str, screen: str, offers: bool) -> int:
    """Show a deck; `offers`: to go on with its last class, should that have stopped on its way."""
    import slides
    from slides.reading.source import DeckError
    from tui.deck.contents import Contents, open_deck

    if not args.plain:
        without_collecting()
    try:
        deck = open_deck(args.deck or Path(slides.__file__).parent / LESSON, args.format)
    except DeckError as error:
        return complain(str(error.problem))

    from tui.classroom import link
    from tui.config import settings

    mine = settings.take(args)
    contents = Contents(deck)
    theme = args.theme or asked_for(deck.meta)
    if not args.plain and not (args.console or mine.console) and mine.text in ("", "normal"):
        from tui.rendering import first_paint

        first_paint.paint(contents, theme)
    app_class = None if args.plain else prepare(theme)
    if args.trust:
        from tui.deck import consent

        while consent.agree(contents, consent.unasked(contents)):
            contents = consent.trusted(contents)
    from tui.classroom.session import Session

    session = Session(contents, screen=screen)
    if app_class is None:
        from tui.plain import loop

        return loop.main(session, link.to_host(class_id, "console", screen, args.name))
    from runtime import paths
    from tui import app_start

    def others() -> list[str]:
        try:
            return [other for other in paths.live_classes() if other != class_id]
        except paths.PathError:
            return []  # the link to the host says why

    def way(to: str) -> link.Connect:
        return link.to_host(to, "console", screen, args.name)

    app = app_class(
        session,
        way(class_id),
        theme=args.theme,
        console=args.console,
        stopped=app_start.offer_of(deck.path, args.format) if offers else None,
        again=way,
        others=others,
        watch_tty=True,
    )
    settings.wear(app, mine)
    return show(app)


def without_collecting() -> None:
    """What is imported is no garbage: nothing is collected until `prepare` is through with it."""
    gc.disable()


def prepare(theme: str) -> type[TeachApp]:
    """Import the screen, with what must be settled before Textual is imported."""
    without_collecting()
    # Esc is told from the keys that begin with it by waiting; 25 ms is enough on any line, 100 is felt.
    os.environ.setdefault("ESCDELAY", "25")
    # What Textual would believe instead of us: a size left over from another shell (the terminal knows its
    # own), and a wish for no colour, which has chosen the theme already.
    known = any(os.get_terminal_size(sys.stdout.fileno()))
    for variable in ("NO_COLOR", *(("COLUMNS", "LINES") if known else ())):
        os.environ.pop(variable, None)
    if theme == "system":
        from tui.rendering.themed_strips import ask_terminal

        ask_terminal()
    from tui.app import TeachApp

    gc.enable()
    return TeachApp


def show(app: TeachApp) -> int:
    """Run the screen until it is left; say what it has to say when the terminal is back to normal."""
    from tui.terminal import crash_restart

    teachrun.be_quick()
    with crash_restart.crash_log(app):
        word = app.run(mouse=False)
    if word:
        print(word)
    if app.room.ended and app.session.role == "console":
        tell_rehearsal(app.room.class_id)
    if "studio" in app.__dict__:
        app.studio.farewell()
    return app.return_code or 0


def tell_rehearsal(class_id: str) -> None:
    """The minutes of a rehearsal that is over; nothing of a class."""
    from runtime import paths

    if paths.is_rehearsal(class_id):
        from tui.commands.classes import report

        print("\n".join(report.text(report.read(class_id))))
