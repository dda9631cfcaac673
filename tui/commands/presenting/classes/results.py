"""`teachrun class results [ID]`: how a class answered, from its journal. Nothing leaves the machine."""

from __future__ import annotations

import argparse
import sys

from runtime.atomic_write import put
from tui.command_line import held_classes
from tui.command_line.arguments import add_output
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain
from tui.commands.presenting import classes
from tui.rendering.escape_filter import dumps
from tui.reports.classes.results_and_regrading import called, read
from tui.reports.classes.results_json_and_csv import as_json, table
from tui.reports.classes.results_text import text


def configure(parser: argparse.ArgumentParser) -> None:
    classes.add_class(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--csv", action="store_true", help="every answer as a row")
    form.add_argument("--html", action="store_true", help="one page that loads nothing")
    add_output(parser, "file to write, instead of the terminal")
    parser.add_argument(
        "--names", action="store_true", help="the names people chose, instead of person 1, person 2, …"
    )
    parser.add_argument(
        "--regrade",
        metavar="DECK",
        help="grade again by the keys this deck has now, and say which questions change; the journal stays "
        "as it is",
    )


def main(args: argparse.Namespace) -> int:
    class_id = held_classes.find(args.class_id)
    if not class_id:
        return FAILED
    try:
        found, changed = read(class_id, args.regrade)
    except ValueError as error:
        return complain(str(error))
    people = called(found, args.names)
    if args.html:
        from tui.reports.classes.results_page import page

        told = page(found, changed, people)
    elif args.csv:
        told = table(found, people)
    elif args.json:
        told = dumps(as_json(found, changed, people)) + "\n"
    else:
        told = "".join(f"{line}\n" for line in text(found, changed, people))
    if args.output:
        try:
            put(args.output, told.encode("utf-8", "replace"))
        except OSError as error:
            why = f"{args.output} cannot be written ({error.strerror or error})"
            return complain(why, FAILED)
    else:
        sys.stdout.write(told)
    return DONE
