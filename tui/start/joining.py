"""A class that is there, joined by one more screen or in lines."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from tui.command_line import arguments
from tui.command_line.refusals import complain
from tui.start import terminal_screen

if TYPE_CHECKING:
    from runtime.classroom.actions import Role
    from tui.terminal import crash_restart

MOST_NAME = 32  # cells


def join(args: argparse.Namespace, role: Role) -> int:
    """Follow a class as one more screen of it, which comes back should it crash."""
    from tui.classroom import host_link
    from tui.terminal import crash_restart

    screen = host_link.new_screen_name()
    if args.plain:
        return follow(args, role, screen)
    return crash_restart.kept_up(lambda was: follow(args, role, screen, was))


def follow(args: argparse.Namespace, role: Role, screen: str, was: crash_restart.Screen | None = None) -> int:
    """Show a class that is there as one more screen of it; after a crash as that screen `was`."""
    newer = begun_since()  # before it is chosen: all that follows takes seconds where a machine is busy
    class_id = (was.class_id if was is not None else "") or args.class_id or class_to_join()
    if not class_id:
        return complain("no class is running. Start one with `teachrun present`")

    from tui.config import settings

    mine = settings.take(args)
    if was is not None:  # what it has come to look like since it began
        mine = mine._replace(text=was.text or mine.text, console=False)
    theme = (was.theme if was is not None else "") or args.theme
    plain = getattr(args, "plain", False)
    app_class = None if plain else terminal_screen.prepare(theme or "system")  # whatever the deck asks for
    from slides.drawing import cells
    from slides.reading.split import split
    from tui.classroom import host_link
    from tui.classroom.session import Session
    from tui.deck.contents import Contents, parse_received
    from tui.terminal import crash_restart

    whose = f"Class {class_id}" if role == "console" else "One moment"  # a class's name is no room's business
    waiting = split(f"# {whose}\n\nwaiting for the slides\n", "")
    name = cells.clip_text(cells.clean(args.name), MOST_NAME)
    answers = role == "audience" and (args.answer or bool(name))
    session = Session(Contents(waiting, parse_received), role=role, screen=screen, answers=answers)
    session.hosts = arguments.hosts(args)
    connect = host_link.to_host(
        class_id, role, screen, name, name if answers else None, getattr(args, "me", False)
    )
    if app_class is None:
        from tui.plain import loop

        return loop.main(session, connect, joining=True)
    app = app_class(
        session,
        connect,
        theme=theme,
        joining=True,
        console=was is None and getattr(args, "console", False),
        layout=was.layout if was is not None else "",
        notes_size=int(was.notes) if was is not None else 0,
        watch_tty=True,
        greeting=crash_restart.greeting() if was is not None and role == "console" else "",
    )
    if role == "audience" and not args.class_id:
        app.arrival.newer = newer
    app.actions.preferences.begin_with(mine)
    return terminal_screen.show(app)


def begun_since() -> Callable[[], bool]:
    """What tells whether the newest class has begun since this was called; nobody follows a study."""
    from runtime import paths

    here = set(paths.live_classes())

    def newer() -> bool:
        newest = next(iter(paths.live_classes()), "")
        return newest not in {"", *here} and not newest.startswith((paths.TOUR, paths.STUDY))

    return newer


def class_to_join() -> str:
    """The newest class that goes on; else the newest whose host died before it ended; "" without one."""
    from runtime import paths
    from runtime.classroom import journal, state

    for class_id in paths.live_classes():
        return class_id
    newest = paths.newest_class()
    if newest is None or state.fold(journal.read(paths.journal_file(newest))).ended:
        return ""
    return newest
