"""`teachrun tour`: a deck that teaches the keys by having you press them."""

from __future__ import annotations

import argparse
from pathlib import Path

from tui.command_line import arguments
from tui.start.presenting import present

TOUR = Path("courses", "tour.md")


def configure(parser: argparse.ArgumentParser) -> None:
    arguments.add_theme(parser)


def main(args: argparse.Namespace) -> int:
    """A class like any other, but for its name: it is not one that somebody would go on with."""
    import slides
    from runtime import paths

    presenting = argparse.ArgumentParser()
    arguments.add_presenting(presenting)
    deck = str(Path(slides.__file__).parent / TOUR)
    words = [deck, "--class", f"{paths.TOUR}{paths.new_class_id()}"]
    return present(presenting.parse_args([*words, *(["--theme", args.theme] if args.theme else [])]))
