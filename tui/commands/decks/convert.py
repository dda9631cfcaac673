"""`teachrun convert DECK`: a deck of another program, written in our own format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.atomic_write import put
from slides.deck import NATIVE
from slides.drawing.cells import clean
from slides.drawing.screen_reader_lines import many
from tui.command_line.arguments import add_format, add_output
from tui.command_line.exit_codes import DONE, FAILED, USAGE
from tui.command_line.refusals import complain

if TYPE_CHECKING:
    from slides.problems import Problem


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("deck", metavar="DECK", help="a Markdown deck of another program")
    add_format(parser)
    add_output(parser, "file to write (default: stdout)")
    parser.add_argument("--force", action="store_true", help="overwrite an existing file")


def main(args: argparse.Namespace) -> int:
    from slides.reading.from_disk.source import DeckError
    from tui.deck.contents import open_deck

    try:
        deck = open_deck(args.deck, args.format)
    except DeckError as error:
        return _say(str(error.problem), USAGE)
    problems = [*deck.problems, *_lost(args.deck, deck.format)]
    for problem in sorted(problems, key=lambda problem: problem.line):
        print(clean(str(problem)), file=sys.stderr)
    count = many(len(deck.slides), "slide")
    was = "a deck of ours already" if deck.format == NATIVE else f"written for {deck.format}"
    words = f"{args.deck}: {was}, {count}"
    if args.output is None:
        sys.stdout.write(deck.source.rstrip("\n") + "\n")
        return _say(words, DONE)
    output = Path(args.output)
    if why := _refusal(output, Path(args.deck), args.force):
        return _say(why, USAGE)
    try:
        put(output, deck.source.rstrip("\n") + "\n")
    except OSError as error:
        return _say(f"{output} cannot be written: {error.strerror}", FAILED)
    if output.resolve().parent != Path(args.deck).resolve().parent:
        words += "; pictures and files are looked for beside the new one"
    return _say(f"{words} -> {output}", DONE)


def _lost(path: str, format: str) -> Sequence[Problem]:
    """What of the deck is not in ours."""
    from slides.dialects.unsupported import lost
    from slides.reading.from_disk.source import normalise, read

    return [] if format == NATIVE else list(lost(normalise(read(Path(path))[0]), format, path))


def _refusal(output: Path, deck: Path, force: bool) -> str:
    """Why the text is not written there, or ""."""
    if output.is_dir():
        return f"{output} is a folder. Name a file in it"
    if output.exists() and output.samefile(deck):
        return f"{output} is the deck itself. Write to another file: a deck is not lost that way"
    if output.exists() and not force:
        return f"{output} is there already. Name another file, or say --force"
    return ""


def _say(words: str, status: int) -> int:

    return complain(clean(words), status)
