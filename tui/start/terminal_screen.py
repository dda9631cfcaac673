"""The screen of a command: Textual imported with what must be settled before it, run, and left again."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

import teachrun
from tui.graphics import terminal_glyphs
from tui.terminal import xterm_colours

if TYPE_CHECKING:
    from tui.app import TeachApp


# A frame of a moving picture makes some thousand things that are gone with it. By Python's own numbers
# looking for circles among them took a fifteenth of its time.
COLLECT_AT = (20_000, 20, 50)


def without_collecting() -> None:
    """What is imported is no garbage: nothing is collected until `prepare` is through with it."""
    gc.disable()


def prepare(theme: str) -> type[TeachApp]:
    """Import the screen, with what must be settled before Textual is imported."""
    without_collecting()
    # Esc is told from the keys that begin with it by waiting; 25 ms is enough on any line, 100 is felt.
    os.environ.setdefault("ESCDELAY", "25")
    terminal_glyphs.settle_letters(os.environ)
    # What Textual would believe instead of us: a size left over from another shell (the terminal knows its
    # own), and a wish for no colour, which has chosen the theme already.
    known = any(os.get_terminal_size(sys.stdout.fileno()))
    for variable in ("NO_COLOR", *(("COLUMNS", "LINES") if known else ())):
        os.environ.pop(variable, None)
    if xterm_colours.has_all(os.environ):
        os.environ["COLORTERM"] = "truecolor"
    late = False
    if theme == "system":
        from tui.terminal import background_colour

        late = background_colour.ask()
    from tui.app import TeachApp

    if late:  # or it would be read as keys: `ESC [ ? 1 ; 2 c` answers a question
        from tui.graphics.terminal_replies import Ear
        from tui.rendering import textual_private

        ear = Ear()
        ear.expect()
        textual_private.listen(ear)

    gc.enable()
    gc.set_threshold(*COLLECT_AT)
    return TeachApp


def prepare_page(theme: str) -> str:
    """The same for a page that is no class, with the user's keys; returns `theme`, or the user's for ""."""
    from tui.config import settings
    from tui.keys import table

    mine = settings.given()
    if mine.keys is not None:
        table.rebind(mine.keys)
    prepare(theme := theme or mine.theme)
    return theme


def show(app: TeachApp) -> int:
    """Run the screen until it is left; say what it has to say when the terminal is back to normal."""
    from tui.terminal import crash_restart

    teachrun.be_quick()
    with crash_restart.crash_log(app):
        word = app.run(mouse=False)
    if word:
        print(word)
    if app.room.ended and app.session.role == "console":
        tell_rehearsal(app.room.class_id)
    if "studio" in app.__dict__:
        app.studio.farewell()
    return app.return_code or 0


def tell_rehearsal(class_id: str) -> None:
    """The minutes of a rehearsal that is over; nothing of a class."""
    from runtime import paths

    if paths.is_rehearsal(class_id):
        from tui.reports.classes import class_time_text

        print("\n".join(class_time_text.text(class_time_text.read(class_id))))
