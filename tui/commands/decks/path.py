"""`teachrun path NAME`: the file of a demo or lesson, alone on a line, for other commands to use."""

from __future__ import annotations

import argparse
from pathlib import Path

from slides.problems import did_you_mean
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.deck.built_in import deck_file, lessons


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a demo such as ddp, or a lesson: 05-ddp, acme/01-first")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog import registry

    known = {name: spec.file for name, spec in registry.DEMOS.items()} | lessons()
    path = known.get(args.name) or registry.demo_file(args.name)
    if path is None and (file := deck_file(args.name)) != args.name:  # of a course that a package brings
        path = Path(file)
    if path is None:
        close = did_you_mean(args.name, known)
        mend = f"did you mean {close}?" if close else f"write one of: {', '.join(known)}"
        return complain(f"there is no demo or lesson named {args.name!r}: {mend}")
    print(path)
    return DONE
