"""A row of the terminal in as few bytes as say it: over a slow line each of them counts.

Textual sets every piece of a row from nothing, ink and ground and all, and takes all of it back behind it:
around 45 bytes for a single blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple
from zlib import crc32

from rich.color import Color, ColorSystem
from rich.console import Console
from rich.style import Style
from textual.strip import Strip

from slides.drawing import cells
from slides.drawing.text import Line, Span
from tui.rendering import ambiguous_width
from tui.rendering.fewer_colours import shown

SYSTEMS = {
    "standard": ColorSystem.STANDARD,
    "256": ColorSystem.EIGHT_BIT,
    "truecolor": ColorSystem.TRUECOLOR,
    "windows": ColorSystem.WINDOWS,
}


class Look(NamedTuple):
    """How cells look, in the terminal's codes: the marks that are on, ink and ground. Empty: its default."""

    marks: frozenset[str]
    ink: str
    ground: str

    @property
    def seen_on_blanks(self) -> bool:
        """Whether a blank shows more of it than its ground: a line, or the ink in the place of the ground."""
        return not self.marks.isdisjoint(("4", "7", "9"))


PLAIN = Look(frozenset(), "", "")


@lru_cache(4096)
def look(style: Style | None, system: ColorSystem) -> Look:
    """Return the codes of a style in the colours that the terminal has."""
    if style is None:
        return PLAIN
    on = {"1": style.bold, "2": style.dim, "3": style.italic, "4": style.underline, "7": style.reverse,
          "9": style.strike}  # fmt: skip
    ink, ground = (
        ";".join(shown(colour, system).get_ansi_codes(foreground)) if colour is not None else ""
        for colour, foreground in ((style.color, True), (style.bgcolor, False))
    )
    return Look(frozenset(code for code, is_on in on.items() if is_on), ink, ground)


def codes_of(colour: str, system: ColorSystem, foreground: bool) -> str:
    """Return the codes of `#rrggbb` as ink or as ground, in the colours that the terminal has."""
    return ";".join(shown(Color.parse(colour), system).get_ansi_codes(foreground))


@lru_cache(4096)
def change(was: Look, now: Look) -> str:
    """What makes the terminal go over from one look to another."""
    if was == now:
        return ""
    if was.marks - now.marks or (was.ink and not now.ink) or (was.ground and not now.ground):
        codes, was = ["0"], PLAIN
    else:
        codes = []
    codes += sorted(now.marks - was.marks)
    codes += [code for code, before in ((now.ink, was.ink), (now.ground, was.ground)) if code != before]
    return f"\x1b[{';'.join(codes)}m"


_WITHOUT_LINKS = ("", "dumb", "unknown", "linux", "cons25", "vt100", "vt220")


def links_shown(environ: Mapping[str, str]) -> bool:
    """Whether a terminal is sent links (OSC 8). Most that know none leave them out, but not all of these;
    `FORCE_HYPERLINK=0` is how other programs are told as well."""
    asked = environ.get("FORCE_HYPERLINK", "")
    if asked:
        return asked != "0"
    vte = environ.get("VTE_VERSION", "")
    old = vte.isdigit() and int(vte) < 5000  # it crashed by them
    return environ.get("TERM", "") not in _WITHOUT_LINKS and not old


@lru_cache(1024)
def opened(address: str) -> str:
    """What begins a link, or with "" ends one. Parts of it on several rows are one by their id."""
    named = f"id={crc32(address.encode()):x}" if address else ""
    return f"\x1b]8;{named};{address}\x1b\\"


class RowStrip(Strip):
    """A strip that says a look where it changes, and of it what changes; blanks need only their ground."""

    __slots__ = ("_written",)
    _written: str

    def crop(self, start: int, end: int | None = None) -> Strip:
        """The cells from `start` up to `end`, as a strip that writes alike."""
        part = super().crop(start, end)
        return part if part is self else RowStrip(part, part.cell_length)

    def render(self, console: Console) -> str:
        try:
            return self._written
        except AttributeError:
            self._written = self._render(console, None)
            return self._written

    def render_at(self, console: Console, x: int) -> str:
        """The same where it is known in which column of the terminal it begins: letters of disputed width
        then shift nothing behind them."""
        if not any(map(ambiguous_width.disputed, self.texts())):
            return RowStrip.render(self, console)
        return self._render(console, x)

    def texts(self) -> Iterable[str]:
        """Return the text of each of its parts."""
        return [text for text, _, _ in self]

    def _render(self, console: Console, x: int | None) -> str:
        system = SYSTEMS.get(console.color_system or "", ColorSystem.TRUECOLOR)
        at, link = PLAIN, ""
        written: list[str] = []
        segments = list(self)
        texts = [segment.text for segment in segments]
        for step in enumerate(texts) if x is None else ambiguous_width.steps(texts):
            if isinstance(step, int):
                written.append(f"\x1b[{(x or 0) + step + 1}G")
                continue
            text, style = step[1], segments[step[0]].style
            if not text:
                continue
            then = look(style, system)
            if text.isspace() and not (at.seen_on_blanks or then.seen_on_blanks):
                then = Look(at.marks, at.ink, then.ground)
            leads = (style.link if style else None) or ""
            if leads != link:
                written.append(opened(leads))
            written += (change(at, then), text)
            at, link = then, leads
        return "".join(written) + change(at, PLAIN) + (opened("") if link else "")


class WholeRow(RowStrip):
    """A row from the first column of the terminal on."""

    __slots__ = ()

    def render(self, console: Console) -> str:
        return self.render_at(console, 0)


def moving(line: Line) -> bool:
    """Whether a picture stands in a line that is gone in a moment."""
    return any(type(span) is not Span for span in line)


def unmoved(line: Line) -> Line:
    """Return a line whose spans say all of it, to be cut or coloured."""
    if not moving(line):
        return line
    from slides.scenes.painting.picture import flat

    return flat(line)


def changed(was: Line, now: Line) -> tuple[int, int]:
    """The columns from and up to which two lines differ, to the width of a span or a letter of it."""
    before, after = cells.line_width(was), cells.line_width(now)
    first = min(_alike(was, now), before, after)
    if before != after:
        return first, max(before, after)
    return first, max(first, after - _alike(was[::-1], now[::-1], -1))


def _alike(was: Line, now: Line, step: int = 1) -> int:
    """Cells that are the same in both from the beginning on; of reversed lines from the end (`step` -1)."""
    same = 0
    for (old, old_style), (new, new_style) in zip(was, now, strict=False):
        if old_style != new_style:
            break
        if old == new:
            same += cells.width(new)
            continue
        if old.isascii() and new.isascii():  # of other letters one may depend on the next
            pairs = zip(old[::step], new[::step], strict=False)
            same += next((n for n, (a, b) in enumerate(pairs) if a != b), min(len(old), len(new)))
        break
    return same
