"""`teachrun path NAME`: the file of a demo or lesson, alone on a line, for other commands to use."""

from __future__ import annotations

import argparse

from slides.problems import did_you_mean
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.deck.built_in import lessons


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a demo such as ddp, or a lesson such as 05-ddp")


def main(args: argparse.Namespace) -> int:
    from runtime.catalog import registry

    known = {name: spec.file for name, spec in registry.DEMOS.items()} | lessons()
    path = known.get(args.name) or registry.demo_file(args.name)
    if path is None:
        close = did_you_mean(args.name, known)
        mend = f"did you mean {close}?" if close else f"write one of: {', '.join(known)}"
        return complain(f"there is no demo or lesson named {args.name!r}: {mend}")
    print(path)
    return DONE
