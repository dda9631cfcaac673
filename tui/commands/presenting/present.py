"""`teachrun present [DECK]`: show a deck and drive a class."""

from __future__ import annotations

import argparse

from tui.command_line import arguments
from tui.start.presenting import present


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_presenting(parser)


def main(args: argparse.Namespace) -> int:
    return present(args)
