"""`teachrun quiz`: questions without a class: taken, checked, imported, exported."""

from __future__ import annotations

import argparse


def configure(parser: argparse.ArgumentParser) -> None:
    from tui.commands import quizfiles, quiztake

    commands = parser.add_subparsers(dest="quiz_command", metavar="COMMAND", required=True)
    quiztake.configure(commands)
    quizfiles.configure(commands)


def main(args: argparse.Namespace) -> int:
    from tui.commands import quizfiles, quiztake

    return quiztake.main(args) if args.quiz_command == "take" else quizfiles.main(args)
