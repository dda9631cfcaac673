"""`teachrun attach`: come back to a class with its slide, step, clock and demo, or join as a console."""

from __future__ import annotations

import argparse

from tui.commands import audience, present


def configure(parser: argparse.ArgumentParser) -> None:
    audience.configure(parser)
    parser.add_argument(
        "--console", action="store_true", help="begin with notes and up next beside the slide"
    )


def main(args: argparse.Namespace) -> int:
    if problem := ("" if args.plain else present.no_terminal()) or present.check_class(args.class_id):
        return present.complain(problem)
    return audience.join(args, "console")
