"""The terminal: its size, colours, characters, how quickly it answers, and what tmux makes of it."""

from __future__ import annotations

import codecs
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping

from slides.drawing.cells import clean, width
from tui.graphics import protocol_choice
from tui.graphics.terminal_replies import LAST, QUESTIONS, Ear, Facts
from tui.health.finding import Finding
from tui.health.terminal_queries import Terminal
from tui.panes.edges import footer_lines
from tui.terminal.over_ssh import over_ssh

AREA = "terminal"
SLOW_S = 0.15  # to answer: keys are felt to be late
_TMUX_WITHIN_S = 2.0
_LAG_MS = 50  # that tmux may wait for the rest of an escape sequence
# What slides are made of: lines, blocks, dots, signs that some terminals give two cells, letters.
SAMPLES = {
    "lines and blocks": ("─│┌┘", "▇▓▒░", "⣿⠁", "━┃"),
    "signs": ("●", "▶", "✓", "→", "…", "×", "θ", "∑", "·"),
    "wide letters": ("漢字", "日本", "한글"),
    "joined letters": ("e\u0301", "क्ष", "👩\u200d🔬"),
    "vowel signs": ("समझो ज़रा", "நீ", "❤\ufe0f", "🇮🇳"),
}


def findings(asked: Terminal | None, environ: Mapping[str, str] = os.environ) -> Iterator[Finding]:
    """Report on the terminal; `asked` is None where input or output is not a terminal."""
    yield _kind(environ)
    yield _size()
    yield _encoding()
    if asked is None:
        mend = "Run it in the terminal of the class, without a pipe."
        yield Finding(AREA, "answers", "warning", "not asked: input or output is not a terminal", mend)
    else:
        seconds = asked.round_trip_s()
        yield _answers(seconds)
        if seconds is not None:
            yield _colours(asked, environ)
            yield _pixels(asked, environ)
            yield _scenes(environ)
            yield from _widths(asked)
    if environ.get("TMUX"):
        yield from _tmux(environ)
    elif environ.get("STY"):
        mend = "Use tmux, or no multiplexer: screen has 256 colours."
        yield Finding(AREA, "screen", "warning", "GNU screen is in the way", mend)


def _kind(environ: Mapping[str, str]) -> Finding:
    term = environ.get("TERM", "")
    if term in ("", "dumb", "unknown"):
        mend = "Use a terminal emulator, or say which it is: export TERM=xterm-256color"
        return Finding(AREA, "kind", "bad", f"TERM is {term or 'not set'}: no colours, no cursor", mend)
    program = environ.get("TERM_PROGRAM", "")
    return Finding(AREA, "kind", "good", f"{term} {program}".strip())


def _size() -> Finding:
    columns, rows = shutil.get_terminal_size((0, 0))
    if not (columns and rows):
        return Finding(AREA, "size", "warning", "not known", "Run it in the terminal of the class.")
    said = f"{columns}x{rows} cells"
    if columns < footer_lines.MIN_WIDTH or rows < footer_lines.MIN_HEIGHT:
        least = f"{footer_lines.MIN_WIDTH}x{footer_lines.MIN_HEIGHT}"
        mend = f"Enlarge the window or make its font smaller: at least {least}."
        return Finding(AREA, "size", "bad", said, mend)
    if columns < 100 or rows < 30:
        mend = "It works; 100x30 and more show slide and panel together. Make the font smaller."
        return Finding(AREA, "size", "warning", said, mend)
    return Finding(AREA, "size", "good", said)


def _encoding() -> Finding:
    name = sys.stdout.encoding or "ascii"
    try:
        unicode = codecs.lookup(name).name.startswith("utf")
    except LookupError:
        unicode = False
    if unicode:
        return Finding(AREA, "encoding", "good", name)
    mend = "Choose a UTF-8 locale: export LC_ALL=C.UTF-8"
    return Finding(AREA, "encoding", "bad", f"{name}: blocks and letters become ?", mend)


def _answers(seconds: float | None) -> Finding:
    if seconds is None:
        mend = "Colours and widths are taken on trust. Look at teachrun doctor --card."
        return Finding(AREA, "answers", "warning", "it does not answer questions", mend)
    said = f"in {1000 * seconds:.0f} ms"
    if seconds > SLOW_S:
        return Finding(
            AREA, "answers", "warning", said, "Keys will lag: use a nearer machine or a faster line."
        )
    return Finding(AREA, "answers", "good", said)


def _colours(asked: Terminal, environ: Mapping[str, str]) -> Finding:
    """Whether a colour that was set is the one the terminal has (DECRQSS), and whether we are told so."""
    answer = asked.ask(b"\x1b[48;2;17;34;51m\x1bP$qm\x1b\\\x1b[0m")
    held = re.search(rb"48[:;]2[:;]*:?17[:;]34[:;]51", answer) is not None
    said = environ.get("COLORTERM", "").lower() in ("truecolor", "24bit")
    said = said or environ.get("TERM", "").endswith("-direct")
    if said:
        return Finding(AREA, "colours", "good", "16 million" + (", as measured" if held else ""))
    if held:
        mend = "It can do more than it says: export COLORTERM=truecolor"
        return Finding(AREA, "colours", "warning", "16 million, but COLORTERM is not set", mend)
    mend = "If it has true colours, export COLORTERM=truecolor. Else try --theme projector."
    return Finding(AREA, "colours", "warning", "256 or fewer: themes come out coarse", mend)


def _pixels(asked: Terminal, environ: Mapping[str, str]) -> Finding:
    """How pictures of a deck are shown here, as a class finds it out."""
    none = "none that a slide can use: pictures are half blocks"
    if environ.get("TMUX"):
        from tui.graphics import tmux

        around = tmux.look(environ.get("TMUX_PANE", ""))
        if around.fit:
            return Finding(AREA, "pixels", "good", "kitty's protocol, through tmux")
        hint = "" if around.passes else " (kitty's, with `set -g allow-passthrough on` in ~/.tmux.conf)"
        return Finding(AREA, "pixels", "good", none + hint)
    facts = Facts()
    if protocol_choice.may_ask(environ):
        ear = Ear()
        questions = QUESTIONS.removesuffix(LAST)  # it asks the last one itself
        ear.take(asked.ask(questions.encode()).decode("utf-8", "replace"))
        facts = ear.facts
    name = protocol_choice.chosen(facts, away=over_ssh(environ))
    said = {"kitty": "kitty's protocol", "iterm2": "inline images", "sixel": "sixels"}.get(name, none)
    return Finding(AREA, "pixels", "good", f"{said}, {clean(facts.name)}" if facts.name else said)


def _scenes(environ: Mapping[str, str]) -> Finding:
    """What scenes are painted with here, and whether they move."""
    from tui.config import settings
    from tui.graphics import terminal_glyphs
    from tui.rendering.motion_allowed import motion_allowed

    given = settings.given()
    surface = terminal_glyphs.chosen(environ, given.scenes)
    moves = given.motion == "on" if given.motion in ("on", "off") else motion_allowed(environ)
    still = "" if moves else ', and stand still: `motion = "on"` in config.toml has them move'
    return Finding(AREA, "scenes", "good", f"painted with {_SURFACES[surface]}{still}")


_SURFACES = {
    "sextants": "sextants, 2 x 3 a cell",
    "quadrants": "quadrants, 2 x 2 a cell",
    "halves": "half blocks, 1 x 2 a cell",
    "characters": "characters",
}


def _widths(asked: Terminal) -> Iterator[Finding]:
    """What a terminal gives another width than we do tears every line that holds it."""
    for name, samples in SAMPLES.items():
        taken = asked.widths(list(samples))
        if None in taken:
            yield Finding(AREA, name, "warning", "not measured: it does not say where its cursor is",
                          "Look at teachrun doctor --card.")  # fmt: skip
            return
        wrong = [
            f"{text} takes {cells} cells, not {width(text)}"
            for text, cells in zip(samples, taken, strict=True)
            if cells != width(text)
        ]
        if not wrong:
            yield Finding(AREA, name, "good", f"{' '.join(samples)} as wide as they should be")
        elif name in ("lines and blocks", "signs"):
            mend = "Set characters of ambiguous width to narrow in the terminal's settings."
            yield Finding(AREA, name, "bad", ", ".join(wrong), mend)
        elif name == "vowel signs":
            mend = "Text in columns after them stays aligned. kitty uses teachrun's widths."
            yield Finding(AREA, name, "warning", ", ".join(wrong), mend)
        else:
            mend = "Lines with such letters may come out crooked: use another terminal, or avoid them."
            yield Finding(AREA, name, "warning", ", ".join(wrong), mend)


def _tmux(environ: Mapping[str, str]) -> Iterator[Finding]:
    features = ask_tmux("display-message", "-p", "#{version} #{client_termfeatures}")
    if features is None:
        yield Finding(AREA, "tmux", "warning", "it does not answer", "Check tmux: tmux info")
        return
    version, _, known = features.partition(" ")
    if "RGB" in known.split(","):
        yield Finding(AREA, "tmux", "good", f"{version}, passes true colours on")
    else:
        mend = "In ~/.tmux.conf: set -as terminal-features ',*:RGB'  (then: tmux kill-server)"
        yield Finding(AREA, "tmux", "warning", f"{version}: true colours do not get through", mend)
    lag = ask_tmux("show-options", "-sv", "escape-time") or ""
    if lag.isdigit() and int(lag) > _LAG_MS:
        mend = "In ~/.tmux.conf: set -s escape-time 10"
        yield Finding(AREA, "Esc in tmux", "warning", f"comes {lag} ms late", mend)


def ask_tmux(*words: str) -> str | None:
    """What a command of tmux prints; None where there is none, or it does not answer."""
    try:
        done = subprocess.run(
            ["tmux", *words],
            capture_output=True,
            text=True,
            timeout=_TMUX_WITHIN_S,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
