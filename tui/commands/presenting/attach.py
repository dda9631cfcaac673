"""`teachrun attach`: come back to a class with its slide, step, clock and demo, or join as a console."""

from __future__ import annotations

import argparse

from tui.command_line import arguments, refusals
from tui.start import joining


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_following(parser)
    parser.add_argument(
        "--console", action="store_true", help="start with the notes and the next slide beside this one"
    )


def main(args: argparse.Namespace) -> int:
    if problem := ("" if args.plain else refusals.no_terminal()) or refusals.check_class(args.class_id):
        return refusals.complain(problem)
    return joining.join(args, "console")
