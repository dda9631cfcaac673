"""`teachrun replay [CLASS]`: a class that was held, walked again; on a screen, in lines, or as one page."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tui.command_line import arguments, refusals
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain

if TYPE_CHECKING:
    from tui.replay.moment_drawing import Walk


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "class_id",
        nargs="?",
        default="last",
        metavar="CLASS",
        help="a class, last (default), or rehearsal: the last one",
    )
    arguments.add_output(parser, "write it as one self-contained HTML page, instead of showing it")
    parser.add_argument("--plain", action="store_true", help="as lines of text: when, where, what")
    arguments.add_theme(parser)


def main(args: argparse.Namespace) -> int:
    """Exit status 1 where there is no such class, or nothing of it is left."""
    from tui.command_line.held_classes import find

    class_id = find(args.class_id)
    if not class_id:
        return FAILED
    shows = not (args.plain or args.output)
    if shows and (problem := refusals.no_terminal()):
        return complain(problem)
    from tui.replay.moment_drawing import NoReplay, Walk

    try:
        walk = Walk(class_id)
    except NoReplay as why:
        print(f"teachrun: {class_id} cannot be replayed: {why}", file=sys.stderr)
        return FAILED
    if args.output:
        return _page(walk, args.output, args.theme)
    if args.plain:
        return _told(walk)
    from tui.start.replaying import show

    return show(walk, args.theme)


def _told(walk: Walk) -> int:
    from slides.drawing.cells import clean
    from tui.figures.numbers import clock

    print(f"{clean(walk.title)}, {clock(walk.length_s)}")
    for number, moment in enumerate(walk.moments):
        print(f"{clock(moment.at):>8}  {clean(walk.place(number))}: {clean(moment.what)}")
    return DONE


def _page(walk: Walk, output: str, theme: str) -> int:
    from runtime.atomic_write import put
    from tui.replay.page import page

    try:
        put(output, page(walk, theme or "dark"))
    except OSError as error:
        print(f"teachrun: {output} cannot be written: {error.strerror or error}", file=sys.stderr)
        return FAILED
    print(f"{output}: {len(walk.moments)} moments")
    return DONE
