"""`teachrun tour`: a deck that teaches the keys by having you press them."""

from __future__ import annotations

import argparse

from tui.command_line import arguments
from tui.deck import built_in
from tui.start.presenting import present


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_theme(parser)


def main(args: argparse.Namespace) -> int:
    """A class like any other, but for its name: it is not one that somebody would go on with."""
    from runtime import paths

    presenting = argparse.ArgumentParser()
    arguments.add_presenting(presenting)
    deck = str(built_in.tour())
    words = [deck, "--class", f"{paths.TOUR}{paths.new_class_id()}"]
    return present(presenting.parse_args([*words, *(["--theme", args.theme] if args.theme else [])]))
