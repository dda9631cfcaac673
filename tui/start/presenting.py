"""A deck shown to a class that begins with it."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from slides.palette import asked_for
from tui.command_line import arguments, refusals
from tui.command_line.refusals import complain
from tui.start import terminal_screen

if TYPE_CHECKING:
    from runtime.protocol.messages import OpenPhones


def present(args: argparse.Namespace) -> int:
    """Show a deck, in lines or on a screen that comes back after a crash; the exit status.

    Args:
        args: as of `tui.command_line.arguments.add_presenting`.
    """
    if problem := ("" if args.plain else refusals.no_terminal()) or refusals.check_class(args.class_id):
        return complain(problem)
    try:
        wish = arguments.phones(args)
        arguments.hosts(args)
    except ValueError as error:
        return complain(str(error))
    from runtime import paths
    from tui.classroom import host_link
    from tui.terminal import crash_restart

    fresh = args.class_id is None
    class_id = args.class_id or paths.new_class_id(args.rehearse)
    screen = host_link.new_screen_name()

    def run(was: crash_restart.Screen | None) -> int:
        if was is None or not was.class_id:  # or it crashed before it was in its class, which has no deck
            from tui.rendering import first_paint

            try:
                return begin(args, class_id, screen, offers=fresh and not args.rehearse, phones=wish)
            except BaseException:
                first_paint.undo()  # what is said of it is to be read
                raise
        from tui.start import joining

        return joining.follow(args, "console", screen, was)

    return run(None) if args.plain else crash_restart.kept_up(run)


def begin(
    args: argparse.Namespace, class_id: str, screen: str, offers: bool, phones: OpenPhones | None
) -> int:
    """Show a deck; `offers`: to go on with its last class, should that have stopped on its way. `phones`:
    let them in, so and so."""
    from slides.reading.from_disk.source import DeckError
    from tui.deck import built_in
    from tui.deck.contents import Contents, open_deck

    if not args.plain:
        terminal_screen.without_collecting()
    try:
        file = args.deck or built_in.first_lesson()
        deck = open_deck(file, args.format)
        if args.lang:
            from tui.deck import languages

            if why := languages.unknown(file, deck, args.lang):
                return complain(why)
            deck = open_deck(file, args.format, args.lang)
    except DeckError as error:
        return complain(str(error.problem))

    from tui.classroom import host_link
    from tui.config import settings

    mine = settings.take(args)
    contents = Contents(deck)
    dropped: tuple[str, ...] | None = ()
    if args.minutes is not None:
        from tui.classroom import pace

        dropped = pace.cut(contents.plan, 60 * args.minutes)
        if dropped is None:
            least = pace.least_s(contents.plan) / 60
            return complain(
                f"even without any optional slides it takes {least:g} minutes:"
                f" use --minutes {least:g} or more"
            )
        contents.within_s = 60 * args.minutes
        del contents.plan  # it is made anew, with that
    theme = args.theme or asked_for(deck.meta)
    if not args.plain and not (args.console or mine.console) and mine.text in ("", "normal"):
        from tui.rendering import first_paint

        first_paint.paint(contents, theme)
    app_class = None if args.plain else terminal_screen.prepare(theme)
    if args.trust:
        from tui.deck import consent_question

        while consent_question.agree(contents, consent_question.unasked(contents)):
            contents = consent_question.trusted(contents)
    from runtime.classroom.actions import Drop
    from tui.classroom.session import Session

    session = Session(contents, screen=screen)
    session.hosts = arguments.hosts(args)
    if dropped:
        session.act(Drop(dropped))
    if app_class is None:
        from tui.plain import loop

        return loop.main(session, host_link.to_host(class_id, "console", screen, args.name), phones)
    from runtime import paths
    from tui import app_start

    def others() -> list[str]:
        try:
            return [other for other in paths.live_classes() if other != class_id]
        except paths.PathError:
            return []  # the link to the host says why

    def way(to: str) -> host_link.Connect:
        return host_link.to_host(to, "console", screen, args.name)

    app = app_class(
        session,
        way(class_id),
        theme=args.theme,
        console=args.console,
        stopped=app_start.offer_of(deck.path, args.format) if offers else None,
        again=way,
        others=others,
        watch_tty=True,
        greeting=_of_machines(session.hosts),
    )
    app.actions.preferences.begin_with(mine)
    if phones is not None:
        app.room.phones.ask(phones)
    return terminal_screen.show(app)


def _of_machines(hosts: Sequence[str]) -> str:
    """Where it is seen what will run on them, "" without any."""
    from tui.keys.table import key_of

    where = f"press {key_of('palette')} and type machines to see what, and to check them"
    return f"demos with nodes={len(hosts)} run on {', '.join(hosts)}: {where}" if hosts else ""
