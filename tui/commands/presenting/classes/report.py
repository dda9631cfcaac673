"""`teachrun class report [ID]`: planned against spent, slide by slide."""

from __future__ import annotations

import argparse

from tui.command_line import held_classes
from tui.command_line.exit_codes import DONE, FAILED
from tui.commands.presenting import classes
from tui.rendering.escape_filter import dumps
from tui.reports.classes.class_time_text import read, text


def configure(parser: argparse.ArgumentParser) -> None:
    classes.add_class(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object")
    parser.add_argument(
        "--write",
        nargs="?",
        const="",
        metavar="DECK",
        help="put the minutes spent back into the deck (default: that of the class), after showing them",
    )
    parser.add_argument("--yes", action="store_true", help="write without asking")


def main(args: argparse.Namespace) -> int:
    class_id = held_classes.find(args.class_id)
    if not class_id:
        return FAILED
    found = read(class_id)
    if args.write is not None:
        from runtime import paths
        from runtime.classroom import journal, state
        from tui.commands.presenting.classes import write_times

        deck = args.write or state.fold(journal.read(paths.journal_file(class_id))).path
        return write_times.write(found, deck, args.yes)
    print(dumps(found.as_json()) if args.json else "\n".join(text(found)))
    return DONE
