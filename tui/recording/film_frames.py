"""A recording as the screens that the viewer of its GIF or WebP sees. Needs pyte, the extra `film`.

Still stretches are short, what played faster plays as fast, with the same mark as on the page of a recording.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from slides.drawing.cells import clean, width
from slides.export.drawings.animation_writer import Film, Frame, Row
from slides.export.drawings.png import GROUND, INK, Cell, cells
from tui.recording.cast import OURS, CastError, Event, read
from tui.recording.finished_recording import survey
from tui.recording.scenes_and_chapters import Played

RATE_S = 0.1  # between two frames, at least
STILL_S = 3.0  # that nothing changes, at most
MOST_FRAMES = 4000
_NAMES = ("black", "red", "green", "brown", "blue", "magenta", "cyan", "white")
_BASIC = ("#1c1f26", "#ff6b6b", "#6fd08c", "#ffb454", "#5aa9ff", "#c39bff", "#2f8f9d", "#d6dde8")


def available() -> bool:
    """Tell whether the packages for films, Pillow and pyte, are installed."""
    return find_spec("PIL") is not None and find_spec("pyte") is not None


class Stretch(NamedTuple):
    """A part of what is played, in seconds."""

    start: float
    end: float


def film(cast: Path, slide: str = "", progress: Callable[[float], None] = lambda part: None) -> Film:
    """The whole recording, or what it shows of `slide` (its number, as `4` or `+1`).

    Raises:
        CastError: it is no recording, or nothing of that slide is in it.
        OSError: it cannot be read.
    """
    header, _ = read(cast)
    marks, played, length = survey(cast, lambda part: progress(part / 2))
    ours = header.get(OURS)
    faster = _faster(ours, played)
    wanted = _stretches([(played(t), text) for t, text in marks], slide, played(length))
    if not wanted:
        raise CastError(f"{cast.name} shows nothing of slide {slide}")
    screen = _Terminal(header)
    frames: list[Frame] = []
    columns, height = screen.size
    shown: tuple[Row, ...] = ()
    for at, until in _moments(cast, played, screen, progress, length):
        inside = next((part for part in wanted if part.start < until and at < part.end), None)
        if inside is None:
            continue
        seconds = min(until, inside.end) - max(at, inside.start)
        speed = next((speed for start, end, speed in faster if start <= at < end), 1.0)
        rows = _marked(screen.rows(), screen.size[0], speed)
        if rows == shown and frames:
            frames[-1] = Frame(min(STILL_S, frames[-1].seconds + seconds), rows)
        else:
            frames.append(Frame(min(STILL_S, seconds), rows))
        shown = rows
        columns, height = max(columns, screen.size[0]), max(height, screen.size[1])
        if len(frames) >= MOST_FRAMES:
            break
    return Film(frames, columns, height, screen.ground)


def _faster(ours: object, played: Played) -> list[tuple[float, float, float]]:
    """Where it plays faster; a recording that was finished says so in its header."""
    told = ours.get("faster") if isinstance(ours, dict) else None
    if not isinstance(told, list):
        return played.faster
    return [(float(a), float(b), float(speed)) for a, b, speed in told]


def _stretches(marks: list[tuple[float, str]], slide: str, end: float) -> list[Stretch]:
    end += STILL_S  # that the last screen is shown
    if not slide:
        return [Stretch(0.0, end)]
    ends = [*[start for start, _ in marks][1:], end]
    parts = zip(marks, ends, strict=True) if marks else ()
    return [Stretch(start, until) for (start, text), until in parts if text.split(" · ")[0] == slide]


def _moments(
    cast: Path, played: Played, screen: _Terminal, progress: Callable[[float], None], length: float
) -> Iterator[tuple[float, float]]:
    """(from, to) in played seconds of every screen; it is on `screen` meanwhile."""
    since: float | None = None
    for event in read(cast)[1]:
        if event.code not in ("o", "r"):
            continue
        at = played(event.t)
        if since is not None and at - since >= RATE_S:
            yield since, at
            since = at
        since = at if since is None else since
        screen.take(event)
        progress(0.5 + 0.5 * event.t / max(length, 1e-6))
    if since is not None:
        yield since, max(played(length), since) + STILL_S


def _marked(rows: tuple[Row, ...], columns: int, speed: float) -> tuple[Row, ...]:
    """With `▸▸ ×8` in the upper right corner while it plays so much faster."""
    if speed <= 1 or not rows:
        return rows
    text = f" ▸▸ ×{speed:g} "
    room, kept, used = columns - width(text), [], 0
    for cell in rows[0]:
        if used + cell.width > room:
            break
        kept.append(cell)
        used += cell.width
    mark = cells(text, Cell("", 1, GROUND, INK, bold=True))
    return ((*kept, *(Cell(" ", 1, GROUND, GROUND),) * (room - used), *mark), *rows[1:])


class _Terminal:
    """What a terminal shows that is written what was recorded."""

    def __init__(self, header: dict[str, Any]) -> None:
        import pyte

        from runtime.snippets.emulator import UNKNOWN, Screen

        self._unknown = UNKNOWN
        theme = header.get("theme") if isinstance(header.get("theme"), dict) else {}
        assert isinstance(theme, dict)
        self.ground, self._ink = str(theme.get("bg") or GROUND), str(theme.get("fg") or INK)
        palette = str(theme.get("palette") or "").split(":")
        basic = [*palette, *("",) * 16][:16]
        self._named = {"default": ""}
        for n, name in enumerate(_NAMES):
            self._named[name] = basic[n] or _BASIC[n]
            self._named[f"bright{name}"] = basic[8 + n] or _BASIC[n]
        columns, rows = max(1, int(header.get("width", 80))), max(1, int(header.get("height", 24)))
        self._screen = Screen(columns, rows, lambda answer: None)
        self._stream = pyte.Stream(self._screen)
        self._rows: dict[int, Row] = {}

    @property
    def size(self) -> tuple[int, int]:
        return self._screen.columns, self._screen.lines

    def take(self, event: Event) -> None:
        if event.code == "r":
            columns, _, rows = event.data.partition("x")
            if columns.isdigit() and rows.isdigit():
                self._screen.resize(max(1, min(int(rows), 500)), max(1, min(int(columns), 1000)))
                self._rows.clear()
        else:
            self._stream.feed(self._unknown.sub("", event.data))

    def rows(self) -> tuple[Row, ...]:
        for y in self._screen.dirty:
            self._rows.pop(y, None)
        self._screen.dirty.clear()
        for y in range(self._screen.lines):
            if y not in self._rows:
                self._rows[y] = tuple(self._row(self._screen.buffer[y]))
        return tuple(self._rows[y] for y in range(self._screen.lines))

    def _row(self, line: Any) -> Iterator[Cell]:
        for x in range(self._screen.columns):
            char = line[x]
            if not char.data:  # the second half of a wide one
                continue
            ink, ground = self._colour(char.fg, self._ink), self._colour(char.bg, self.ground)
            if char.reverse:
                ink, ground = ground, ink
            marks = char.bold, char.italics, char.underscore, char.strikethrough
            data = clean(char.data) or " "
            yield Cell(data, max(1, width(data)), ink, ground, *marks)

    def _colour(self, name: str, default: str) -> str:
        if (found := self._named.get(name)) is not None:
            return found or default
        return f"#{name}" if re.fullmatch("[0-9a-f]{6}", name) else default
