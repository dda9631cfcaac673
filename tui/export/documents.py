"""A deck or a class as a page, as Markdown and as an object for other programs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from slides.export.html import Section
    from tui.deck.contents import Contents
    from tui.export.deck_or_class import Source
    from tui.export.handout import Handout


def sections(source: Source) -> list[Section]:
    """The slides of the talk, then those behind its end; hidden ones are nobody's."""
    from slides.export.html import Section

    contents = source.contents
    numbers = {n: contents.label(n) if source.counted else "" for n in (*contents.visible, *contents.backup)}
    return [Section(contents.slide(n), label, contents.section(n)) for n, label in numbers.items()]


def html(source: Source, handout: Handout, notes: bool, theme: str = "") -> str:
    """Return the deck as one HTML page, with the results that `handout` puts in place of blocks. It wears
    `theme`, one of `slides.palette.THEMES`; "": the reader's light or dark."""
    from slides.export.html import Options, page
    from slides.palette import THEMES

    made_by = "Made by teachrun. Figures were measured where and when their badges say."
    options = Options(source.facts, notes, made_by, THEMES.get(theme))
    return page(source.contents.deck, sections(source), handout.special, options)


def markdown(source: Source, handout: Handout, notes: bool, target: str) -> str:
    """Return the deck as Markdown, its links relative to the folder of `target` ("-": the current one)."""
    from slides.export.markdown import page

    folder = Path.cwd() if target == "-" else Path(target).absolute().parent
    return page(source.contents.deck, sections(source), handout.special, source.facts, notes, folder)


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
