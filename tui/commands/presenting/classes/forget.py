"""`teachrun class forget ID`: forget who sat where in a class; what was answered is kept without names."""

from __future__ import annotations

import argparse
import sys

from tui.command_line import held_classes
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain
from tui.commands.presenting import classes


def configure(parser: argparse.ArgumentParser) -> None:
    classes.add_class(parser)
    parser.add_argument("--yes", action="store_true", help="without asking")


def main(args: argparse.Namespace) -> int:
    class_id = held_classes.find(args.class_id)
    if not class_id:
        return FAILED
    from runtime import paths
    from runtime.classroom import forgetting

    if paths.answers(paths.screen_socket(class_id)):
        return complain(
            f"class {class_id} is still running. End it first: `teachrun stop --class {class_id}`"
        )
    names, seats = forgetting.known(class_id)
    if not names and not seats:
        print(f"class {class_id}: nobody is named")
        return DONE
    said = f"class {class_id}: {len(names)} names and {seats} seats of phones"
    if not args.yes:
        if not sys.stdin.isatty():
            return complain(f"{said} would be forgotten; --yes does it without asking")
        if input(f"{said}. Forget them for good? [y/N] ").strip().lower() not in ("y", "yes"):
            return FAILED
    forgetting.forget(class_id)
    print(f"{said} are forgotten; the answers are kept")
    return DONE
