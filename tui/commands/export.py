"""`teachrun export DECK|CLASS --html|--pdf|--md|--png|--gif|--webp|--json`: what people take home.

Of a deck alone, or of a class that was held with it: with the figures of its own runs and how its questions
were answered. A class is named by its id or as `last`.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from runtime.atomic_write import put
from tui.command_line.arguments import add_format
from tui.command_line.exit_codes import DONE
from tui.command_line.refusals import complain
from tui.rendering.output_filter import dumps

if TYPE_CHECKING:
    from runtime.classroom.state import ClassState
    from slides.export.html import Section
    from tui.deck.contents import Contents
    from tui.export.handout import Handout


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what", metavar="DECK|CLASS", help="a Markdown deck, the id of a class, or `last`; or a .cast"
    )
    form = parser.add_mutually_exclusive_group(required=True)
    form.add_argument("--html", action="store_true", help="one page that stands alone")
    form.add_argument("--pdf", action="store_true", help="a page a slide, as the room saw it")
    form.add_argument(
        "--md", action="store_true", help="Markdown, with figures as tables and drawings as text"
    )
    form.add_argument("--png", action="store_true", help="a picture of each slide, into a folder")
    form.add_argument("--gif", action="store_true", help="a recording, or the steps of a --slide, that moves")
    form.add_argument("--webp", action="store_true", help="the same, smaller and in all its colours")
    form.add_argument(
        "--json", action="store_true", help="one object: id, title, steps, text and notes of each slide"
    )
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="where to (-: stdout; default: beside you, named after it)"
    )
    add_format(parser)
    parser.add_argument("--notes", action="store_true", help="with what the teacher says")
    parser.add_argument(
        "--no-answers", action="store_true", help="of a deck alone: without the keys of its questions"
    )
    parser.add_argument(
        "--size",
        metavar="100x30",
        help="of the screen, where pages or pictures are made (default: the deck's own)",
    )
    parser.add_argument("--slide", metavar="N|ID", help="with --gif or --webp: this one alone")
    parser.add_argument(
        "--theme",
        metavar="NAME",
        help="of pages and pictures: dark, light, projector, mono or your own",
    )


@dataclass
class Source:
    """What is exported: a deck, and the class that was held with it."""

    contents: Contents
    name: str
    state: ClassState | None = None
    ran: dict[str, list[str]] = field(default_factory=dict)
    facts: tuple[str, ...] = ()


def main(args: argparse.Namespace) -> int:
    from slides.reading.source import DeckError
    from tui.config import settings

    settings.find_themes()
    if args.gif or args.webp:
        from tui.export import animation

        cast = animation.recording(args.what)
        if cast is not None:
            return complain(cast) if isinstance(cast, str) else animation.of_recording(cast, args)
    try:
        source = find(args.what, args.format)
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

        return pictures(source, args)
    if args.gif or args.webp:
        return animation.of_slide(source, args)
    if args.pdf:
        from tui.export.pdf import document

        return document(source, args)
    return _document(source, args)


# --- what is meant ------------------------------------------------------------------------------------------


def find(what: str, format: str = "") -> Source | str:
    """The deck or class that is meant, or why there is none. Raises `DeckError`."""
    from runtime import paths
    from tui.deck.contents import Contents, open_deck

    if what != "last" and (Path(what).exists() or not paths.valid_class_id(what)):
        return Source(Contents(open_deck(what, format)), Path(what).stem)
    class_id = paths.newest_class() if what == "last" else what
    if class_id is None:
        return "no class was held here yet. Export a deck: teachrun export DECK --html"
    if not paths.journal_file(class_id).exists():
        return f"there is no deck and no class {what!r}. A class is named by its id or as `last`"
    return _class(class_id)


def _class(class_id: str) -> Source | str:
    """A class by its journal. Raises `DeckError` where its deck is gone."""
    import time

    from runtime import paths
    from runtime.classroom import actions, journal
    from runtime.classroom import state as class_state
    from tui.deck.contents import Contents, open_deck

    entries = journal.read(paths.journal_file(class_id))
    state = class_state.fold(entries)
    if not state.path:
        return f"class {class_id} never showed a deck"
    contents = Contents(open_deck(state.path))
    ran: dict[str, list[str]] = {}
    for entry in entries:
        if isinstance(entry.action, actions.Run) and entry.action.run not in ran.setdefault(
            entry.action.block, []
        ):
            ran[entry.action.block].append(entry.action.run)
    began = time.strftime("%Y-%m-%d %H:%M", time.localtime(entries[0].t))
    minutes = class_state.elapsed(state, entries[-1].t) / 60
    facts = [f"Class of {began}" + (f", {minutes:.0f} minutes" if minutes >= 1 else "")]
    if contents.rev != state.deck_rev:
        facts.append("The deck has changed since this class: slides are as they are now.")
    return Source(contents, class_id, state, ran, tuple(facts))


# --- documents ----------------------------------------------------------------------------------------------


def _document(source: Source, args: argparse.Namespace) -> int:
    from tui.export.handout import Handout
    from tui.rendering.offscreen import Offscreen

    suffix = "html" if args.html else "md"
    target = args.output or f"{source.name}-handout.{suffix}"
    deck = source.contents.deck
    if target != "-" and Path(target).resolve() == Path(deck.path).resolve():
        return complain(f"{target} is the deck itself. Give -o another file")
    handout = Handout(Offscreen(source.contents), source.state, source.ran, answers=not args.no_answers)
    text = html(source, handout, args.notes) if args.html else markdown(source, handout, args.notes, target)
    status = _put(text, target)
    if target != "-":
        count = len(source.contents.visible) + len(source.contents.backup)
        slides = "1 slide" if count == 1 else f"{count} slides"
        told = {0: "no demo with figures", 1: "1 demo with figures"}.get(
            handout.shown, f"{handout.shown} demos with figures"
        )
        from slides.problems import one_line

        print(f"{one_line(str(target))}: {slides}, {told}, {len(text.encode()) / 1e3:.0f} kB")
    return status


def sections(contents: Contents) -> list[Section]:
    """The slides of the talk, then those behind its end; hidden ones are nobody's."""
    from slides.export.html import Section

    shown = (*contents.visible, *contents.backup)
    return [Section(contents.slide(n), contents.label(n), contents.section(n)) for n in shown]


def html(source: Source, handout: Handout, notes: bool) -> str:
    from slides.export.html import Options, page

    made_by = "Made by teachrun. Figures were measured where and when their badges say."
    options = Options(source.facts, notes, made_by)
    return page(source.contents.deck, sections(source.contents), handout.special, options)


def markdown(source: Source, handout: Handout, notes: bool, target: str) -> str:
    from slides.export.markdown import page

    folder = Path.cwd() if target == "-" else Path(target).absolute().parent
    return page(source.contents.deck, sections(source.contents), handout.special, source.facts, notes, folder)


def as_object(contents: Contents) -> dict[str, Any]:
    """A deck for other programs. Text holds no keys of questions; notes are Markdown."""
    from slides.export.plain_words import text

    deck = contents.deck
    slides = [contents.slide(n) for n in range(len(contents))]
    return {
        "format": deck.format,
        "title": deck.title,
        "meta": deck.meta,
        "time_s": deck.time_s,
        "slides": [
            {
                "id": slide.id,
                "title": slide.title,
                "section": contents.section(slide.index),
                "line": slide.line,
                "steps": slide.steps,
                "time_s": slide.time_s,
                "optional": slide.optional,
                "hidden": slide.hidden,
                "backup": contents.heads[slide.index].backup,
                "text": text(slide.blocks),
                "notes": "\n\n".join(note.markdown for note in slide.notes),
            }
            for slide in slides
        ],
    }


def _put(text: str, where: str) -> int:
    """Raises `OSError`, of which the command line makes a sentence."""
    if where == "-":
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        put(where, text)
    return DONE
