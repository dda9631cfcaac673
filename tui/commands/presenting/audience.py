"""`teachrun audience`: follow a class in another terminal. No notes, no keys of quizzes, no deck file."""

from __future__ import annotations

import argparse
import time

from runtime import paths
from tui.command_line import arguments, refusals
from tui.command_line.exit_codes import INTERRUPTED
from tui.start import joining

POLL_S = 0.3


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_following(parser)


def main(args: argparse.Namespace) -> int:
    if problem := ("" if args.plain else refusals.no_terminal()) or refusals.check_class(args.class_id):
        return refusals.complain(problem)
    if not args.class_id and not paths.live_classes():
        # The second terminal is often ready first: it waits for the teacher instead of failing, and never
        # takes an older class whose host died for the one that is about to begin.
        print("waiting for a class to begin (Ctrl-C stops)", flush=True)
        try:
            while not paths.live_classes():
                time.sleep(POLL_S)
        except KeyboardInterrupt:
            return INTERRUPTED
    return joining.join(args, "audience")
