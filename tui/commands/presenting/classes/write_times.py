"""`teachrun class report --write`: the minutes that a class took, put back into its deck."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from runtime.atomic_write import put
from slides.drawing.cells import clean
from tui.command_line.exit_codes import DONE, FAILED
from tui.command_line.refusals import complain

if TYPE_CHECKING:
    from tui.reports.classes.class_time import ClassReport

LEAST_S = 5.0  # a slide that was left sooner was only passed


def write(report: ClassReport, deck: str, yes: bool) -> int:
    """Show what would change and change it once that is agreed to; exit status 0: written, or nothing to
    write; 1: not written."""
    from slides.deck import NATIVE
    from slides.drawing.screen_reader_lines import many
    from slides.reading.from_disk.source import DeckError
    from slides.slide_times import retimed
    from tui.deck.contents import open_deck

    path = Path(deck).resolve()
    try:
        found = open_deck(path)
        if found.format != NATIVE:
            return _fail(
                f"{deck} is a deck of {found.format}: `teachrun convert` makes one of ours, that holds times"
            )
        data = path.read_bytes()
        text = data.decode()
    except DeckError as error:
        return _fail(str(error.problem))
    except OSError as error:
        return _fail(f"{deck} cannot be read: {error.strerror or error}")
    except UnicodeDecodeError:
        return _fail(f"{deck} is not UTF-8: nothing else in it could stay as it is")
    spent = {
        slide.slide: slide.spent_s for slide in report.slides if slide.visits and slide.spent_s >= LEAST_S
    }
    new = retimed(text, spent)
    for slide in new.left:
        print(f"teachrun: the time of slide {clean(slide)} has to be written by hand", file=sys.stderr)
    if not new.changed:
        print("the deck has these times already")
        return DONE
    print("\n".join(_diff(text, new.text, deck)))
    if not yes and not _agreed(f"Write {many(len(new.changed), 'time')} into {deck}?"):
        return FAILED
    return _replace(path, data, new.text.encode())


def _diff(before: str, after: str, name: str) -> Iterator[str]:
    for line in difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, name, "as it is", "new", n=1, lineterm=""
    ):
        yield clean(line)


def _agreed(question: str) -> bool:
    if not (sys.stdin is not None and sys.stdin.isatty()):
        print("nothing was written; --yes writes without asking", file=sys.stderr)
        return False
    with suppress(EOFError, KeyboardInterrupt):
        return input(f"{clean(question)} [y/N] ").strip().lower() in ("y", "yes")
    return False


def _replace(path: Path, before: bytes, after: bytes) -> int:
    """All of the file at once, and only if it is still what was shown."""
    try:
        if path.read_bytes() != before:
            return _fail(f"{path} has changed in the meantime; nothing was written")
        put(path, after)
    except OSError as error:
        return _fail(f"{path} cannot be written: {error.strerror or error}")
    print(f"written: {clean(str(path))}")
    return DONE


def _fail(why: str) -> int:
    return complain(clean(why), FAILED)
