"""`teachrun check DECK`: everything that would go wrong in the class, before it.

What is written, what does not fit the size the deck is made for, and with `--run` whether every demo and
every runnable snippet starts. Problems go to stdout, a line each; progress of `--run` to stderr.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from slides.deck import NATIVE
from slides.drawing.cells import clean
from slides.drawing.screen_reader_lines import many
from tui.command_line.arguments import add_format, add_lang, terminal_size
from tui.command_line.exit_codes import DONE, FAILED, USAGE
from tui.command_line.refusals import complain
from tui.deck.built_in import deck_file
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from slides.deck import Deck
    from slides.problems import Problem
    from slides.screen_size import Size


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "deck",
        type=deck_file,
        metavar="DECK",
        help="a Markdown deck, the name of a lesson, or the folder of an exercise",
    )
    add_format(parser)
    add_lang(parser)
    parser.add_argument(
        "--size",
        type=terminal_size,
        metavar="100x30",
        help="the smallest terminal it is shown on (default: `minimum:` of its front matter, or 100x30)",
    )
    parser.add_argument("--run", action="store_true", help="try every demo and runnable snippet briefly")
    parser.add_argument(
        "--trust", action="store_true", help="with --run: also run code that the deck brings with it"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object")


def main(args: argparse.Namespace) -> int:
    from slides.check import in_order, with_columns
    from slides.dialects import plugins
    from slides.dialects.unsupported import lost
    from slides.reading.from_disk.source import DeckError, normalise, read
    from slides.screen_size import USUAL, Size, declared_size
    from tui.config import settings
    from tui.deck import languages, scene_files
    from tui.deck.contents import Contents, open_deck
    from tui.health.deck_findings import examine, replaced, unmeasured, unrecorded, unrun
    from tui.practice.exercise_proof import check as check_exercise
    from tui.practice.exercise_proof import is_exercise

    if is_exercise(args.deck):
        return check_exercise(args.deck, args.json)
    settings.find_themes()
    try:
        deck = open_deck(args.deck, args.format)
        if args.lang and (why := languages.unknown(args.deck, deck, args.lang)):
            return complain(why)
        deck = open_deck(args.deck, args.format, args.lang) if args.lang else deck
    except DeckError as error:
        if args.json:
            print(dumps({"format": None, "title": None, "slides": 0, "problems": [_object(error.problem)]}))
            return USAGE
        return complain(str(error.problem))
    contents = Contents(deck)
    contents = scene_files.run_agreed(contents, trusted=args.run and args.trust) or contents
    declared = declared_size(deck)
    size = args.size or (declared if isinstance(declared, Size) else USUAL)
    found = [] if isinstance(declared, Size) else [declared]
    found += examine(contents, size)
    if args.run:
        from tui.health.deck_trial import tried

        found += tried(contents, trusted=args.trust)
    if not args.lang:
        for lang in languages.translations(args.deck):
            found += languages.problems(deck, lang)
    found = list(with_columns(in_order(found)))
    notes = [*unrun(contents), *unrecorded(contents), *unmeasured(contents), *replaced(contents)]
    if deck.format == NATIVE:
        notes += plugins.suspected(deck.source, deck.path)
    else:
        notes += lost(normalise(read(Path(args.deck))[0]), deck.format, deck.path, looks=False)
    if args.json:
        print(dumps(report(deck, found) | {"notes": [_object(note) for note in notes]}))
    else:
        print("\n".join((*(clean(f"note: {note}") for note in notes), *_lines(deck, found, size))))
    return FAILED if found else DONE


def report(deck: Deck, found: list[Problem]) -> dict[str, Any]:
    """What `--json` prints."""
    return {
        "format": deck.format,
        "title": deck.title,
        "slides": len(deck.slides),
        "problems": [_object(problem) for problem in found],
    }


def _object(problem: Problem) -> dict[str, Any]:
    return dict(zip(problem._fields, problem, strict=True))


def _lines(deck: Deck, found: list[Problem], size: Size) -> Iterator[str]:

    for problem in found:
        yield clean(str(problem))
    slides = many(len(deck.slides), "slide")
    problems = {0: "no problem", 1: "1 problem"}.get(len(found), f"{len(found)} problems")
    yield clean(f"{deck.path}: {slides}, {problems} at {size}")
