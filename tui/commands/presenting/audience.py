"""`teachrun audience`: follow a class in another terminal. No notes, no keys of quizzes, no deck file."""

from __future__ import annotations

import argparse
import time

from tui.command_line import arguments, refusals
from tui.command_line.exit_codes import INTERRUPTED
from tui.start import joining

POLL_S = 0.3


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_following(parser)


def main(args: argparse.Namespace) -> int:
    if problem := ("" if args.plain else refusals.no_terminal()) or refusals.check_class(args.class_id):
        return refusals.complain(problem)
    if not args.class_id and not joining.class_to_join():
        # The second terminal is often ready first: it waits for the teacher instead of failing.
        print("waiting for a class to begin (Ctrl-C stops)", flush=True)
        try:
            while not joining.class_to_join():
                time.sleep(POLL_S)
        except KeyboardInterrupt:
            return INTERRUPTED
    return joining.join(args, "audience")
