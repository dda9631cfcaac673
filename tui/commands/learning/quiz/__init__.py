"""`teachrun quiz`: questions without a class: taken, checked, imported, exported.

What taking needs to show a question is only imported when one is taken.
"""

from __future__ import annotations

import argparse

from tui.commands.learning.quiz import files
from tui.deck.built_in import deck_file
from tui.deck.question_files import FORMATS_READ
from tui.plain.question_asking import STOP


def configure(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="quiz_command", metavar="COMMAND", required=True)
    _take(commands)
    files.configure(commands)


def _take(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    take = commands.add_parser(
        "take",
        help="answer the questions of a deck or a file",
        description="Asks every question of a deck, or of a file of questions (GIFT, Moodle XML, QTI, "
        "Aiken, CSV, Anki's notes), and says the score. An answer is a line: `2`, `1,3`, `16.6 GB`, empty to "
        f"skip, `{STOP}` to stop. Without a terminal each line of the input is one "
        "answer, and the questions left at its end are skipped.",
        epilog="Exit code: 0 when the pass mark is reached, 1 when not, 2 when the file or an answer cannot "
        "be read.",
    )
    what = "a Markdown deck, the name of a lesson, or a file of questions"
    take.add_argument("deck", type=deck_file, metavar="FILE", help=what)
    take.add_argument("--format", choices=FORMATS_READ, default="", help="the format of FILE")
    take.add_argument(
        "--json", action="store_true", help="print one object; options are counted from 1 in it"
    )
    take.add_argument(
        "--answers", metavar="ANSWERS", help="take the answers from a file instead of standard input"
    )
    take.add_argument("--seed", default="", help="seed for shuffling orders and pairs")
    take.add_argument(
        "--pass",
        dest="pass_mark",
        metavar="PERCENT",
        type=_percent,
        default=50.0,
        help="share of all points that passes (50%%)",
    )


def _percent(text: str) -> float:
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        share = -1.0
    if share != 0 and not 1 <= share <= 100:  # 0.6 would be meant as 60 %
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a share. Write a percentage from 0 to 100, as in 60%"
        )
    return share


def main(args: argparse.Namespace) -> int:
    if args.quiz_command != "take":
        return files.main(args)
    from tui.commands.learning.quiz import take as quiz_take

    return quiz_take.main(args)
