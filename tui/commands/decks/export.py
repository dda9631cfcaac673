"""`teachrun export DECK|CLASS --html|--pdf|--md|--png|--gif|--webp|--json`: what people take home.

Of a deck alone, or of a class that was held with it: with the figures of its own runs and how its questions
were answered. A class is named by its id or as `last`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from runtime.atomic_write import put
from slides.drawing.screen_reader_lines import many
from tui.command_line.arguments import add_format, add_lang
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.deck.built_in import deck_file
from tui.export.deck_or_class import Options, find
from tui.export.documents import as_object, html, markdown
from tui.rendering.escape_filter import dumps

if TYPE_CHECKING:
    from tui.export.deck_or_class import Source


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        type=deck_file,
        metavar="DECK|CLASS",
        help="a Markdown deck, the name of a lesson, the id of a class, `last`, or a recording (.cast)",
    )
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--html", action="store_true", help="one page with everything in it")
    form.add_argument("--pdf", action="store_true", help="one page per slide, as the room saw it")
    form.add_argument(
        "--md", action="store_true", help="Markdown, with figures as tables and drawings as text"
    )
    form.add_argument("--png", action="store_true", help="a picture of each slide, into a folder")
    form.add_argument(
        "--gif", action="store_true", help="a moving picture of a recording, or of the steps of a --slide"
    )
    form.add_argument("--webp", action="store_true", help="the same, smaller and in full colour")
    form.add_argument(
        "--json", action="store_true", help="one object: id, title, steps, text and notes of each slide"
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="file to write (-: stdout; default: in this folder, named after the deck)",
    )
    add_format(parser)
    add_lang(parser)
    parser.add_argument("--notes", action="store_true", help="include the speaker notes")
    parser.add_argument(
        "--no-answers", action="store_true", help="for a deck: leave out the answers to its questions"
    )
    parser.add_argument(
        "--size",
        metavar="100x30",
        help="the terminal size that pages and pictures are drawn for (default: the deck's own)",
    )
    parser.add_argument("--slide", metavar="N|ID", help="with --gif or --webp: only this slide")
    parser.add_argument(
        "--theme",
        metavar="NAME",
        help="colours of pages and pictures: a theme that `present --help` names, or your own",
    )


# What an option is for; with another format it would be left out without a word.
_FOR = {
    "notes": ("html", "md", "pdf"),
    "no_answers": ("html", "md"),
    "size": ("pdf", "png", "gif", "webp"),
    "slide": ("gif", "webp"),
    "theme": ("html", "pdf", "png", "gif", "webp"),
}


def _left_out(args: argparse.Namespace) -> None:
    """Say which options mean nothing to the format that is written."""
    for option, formats in _FOR.items():
        if getattr(args, option) and not any(getattr(args, format) for format in formats):
            meant = ", ".join(f"--{format}" for format in formats)
            print(
                f"teachrun: --{option.replace('_', '-')} is for {meant}, and left out here", file=sys.stderr
            )


def main(args: argparse.Namespace) -> int:
    from slides.reading.from_disk.source import DeckError
    from tui.config import settings

    _left_out(args)

    settings.find_themes()
    options = Options(
        args.output or "", args.notes, size=args.size or "", slide=args.slide or "", theme=args.theme or ""
    )
    film: Literal["gif", "webp"] = "gif" if args.gif else "webp"
    if args.gif or args.webp:
        from tui.export import animation

        cast = animation.recording(args.what)
        if cast is not None:
            return complain(cast) if isinstance(cast, str) else animation.of_recording(cast, film, options)
    try:
        source = find(args.what, args.format, args.lang)
    except DeckError as error:
        return complain(str(error.problem))
    if isinstance(source, str):
        return complain(source)
    for fact in source.facts[1:]:
        print(f"teachrun: {fact}", file=sys.stderr)
    if args.json:
        return _put(dumps(as_object(source.contents)) + "\n", args.output or "-")
    if args.png:
        from tui.export.screen_images import pictures

        return pictures(source, options)
    if args.gif or args.webp:
        return animation.of_slide(source, film, options)
    if args.pdf:
        from tui.export.pdf import document

        return document(source, options)
    return _document(source, args)


def _document(source: Source, args: argparse.Namespace) -> int:
    from tui.export.handout import Handout
    from tui.export.theme import UnknownTheme, worn
    from tui.rendering.pages.offscreen import Offscreen

    suffix = "html" if args.html else "md"
    target = args.output or f"{source.name}-handout.{suffix}"
    deck = source.contents.deck
    if target != "-" and Path(target).resolve() == Path(deck.path).resolve():
        return complain(f"{target} is the deck itself. Give -o another file")
    try:
        theme = worn(deck, args.theme or "", "the reader's light or dark") if args.html else ""
    except UnknownTheme as error:
        return complain(str(error))
    handout = Handout(Offscreen(source.contents), source.state, source.ran, answers=not args.no_answers)
    text = (
        html(source, handout, args.notes, theme)
        if args.html
        else markdown(source, handout, args.notes, target)
    )
    status = _put(text, target)
    if target != "-":
        count = len(source.contents.visible) + len(source.contents.backup)
        slides = many(count, "slide")
        told = {0: "no demo with figures", 1: "1 demo with figures"}.get(
            handout.shown, f"{handout.shown} demos with figures"
        )
        from slides.problems import one_line

        print(f"{one_line(str(target))}: {slides}, {told}, {len(text.encode()) / 1e3:.0f} kB")
    return status


def _put(text: str, where: str) -> int:
    """Raises `OSError`, which the command line turns into a sentence."""
    if where == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        put(where, text)
    return DONE
