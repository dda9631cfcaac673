"""`teachrun completion SHELL`: what a shell needs to complete our words, by shtab; or the manual page.

Both are made of the parsers themselves, so that no command and no option is written down a second time.
"""

from __future__ import annotations

import argparse

from teachrun import install, install_extra
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain

SHELLS = ("bash", "zsh", "tcsh")


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        metavar="SHELL",
        choices=(*SHELLS, "man"),
        help=f"{', '.join(SHELLS)}, or man for the manual page",
    )


def main(args: argparse.Namespace) -> int:
    """Exit status 2 where the package that writes it is missing."""
    try:
        print(manual() if args.what == "man" else script(args.what))
    except ImportError:
        if args.what == "man":
            missing = f"the manual page is written by argparse-manpage: {install_extra('man')}"
        else:
            missing = f"completion is written by shtab: {install('shtab')}"
        return complain(missing)
    return DONE


def script(shell: str) -> str:
    """The script that a shell reads to complete our words (`shell`: one of `SHELLS`)."""
    import shtab

    from tui.cli import ALL, build_parser

    parser = build_parser(ALL)
    for action in _every_action(parser):
        # What no choices are known of is the name of a file more often than not.
        if action.metavar in ("DECK", "FILE", "FOLDER", "COURSE", "DECK|CLASS") and action.choices is None:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
    return shtab.complete(parser, shell)


def manual() -> str:
    """The page in troff: every command with its options."""
    from argparse_manpage.manpage import Manpage

    from tui.cli import ALL, build_parser, version

    parser = build_parser(ALL)
    parser.man_short_description = parser.description  # type: ignore[attr-defined]
    page = Manpage(parser, format="pretty")
    page.version = version()
    page.manual = "teachrun"
    return str(page)


def _every_action(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    found = list(parser._actions)
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in dict.fromkeys(action.choices.values()):
                found += _every_action(command)
    return found
