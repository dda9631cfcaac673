"""What of an estimate can be turned, as lines: on its screen, and beside its bars on a slide."""

from __future__ import annotations

from runtime.estimate import sliders
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Request
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style

CHOSEN = "select"
_TRACK = (6, 16)  # cells of a track, at least and at most
_NAMES = (18, 15)  # cells of a slider's name, and in a column narrower than `_CLOSE`
_CLOSE = 40
# The first slider of the machine, below those of the model.
_MACHINE = next(n for n, slider in enumerate(sliders.SLIDERS) if slider.key == "gpu")
_WORDS = {
    "zero": {0: "DDP", 1: "ZeRO-1", 2: "ZeRO-2", 3: "FSDP (ZeRO-3)"},
    "shard": {0: "all"},
    "flash": {0: "no", 1: "yes"},
}


def slider_column(asked: Request, row: int, width: int, height: int) -> list[Line]:
    """All sliders under each other, those around `row` where not all have room."""
    lines: list[Line] = []
    for number, slider in enumerate(sliders.SLIDERS):
        lines.append(slider_line(slider, asked, width, chosen=number == row))
    if height > len(lines) + 1:
        lines.insert(_MACHINE, ())  # the model above, the machine below
    at = row + (1 if height > len(sliders.SLIDERS) + 1 and row >= _MACHINE else 0)
    first = min(max(0, at - height + 1), max(0, len(lines) - height))
    return lines[first : first + height]


def slider_line(slider: sliders.Slider, asked: Request, width: int, *, chosen: bool) -> Line:
    """One slider: its name, where it stands of what it can be, and its value."""
    value, place = sliders.current(slider, asked), sliders.place(slider, asked)
    words = said(slider.key, value)
    name = _NAMES[0] if width >= _CLOSE else _NAMES[1]
    title_of = slider.title if width >= _CLOSE else slider.title.removesuffix(" parallel")
    ground = CHOSEN if chosen else ""
    title = Span(f" {title_of:<{name - 1}}", Style("accent" if chosen else "dim", ground, bold=chosen))
    track = min(_TRACK[1], max(0, width - name - 9))
    if slider.scale and track >= _TRACK[0] and place is not None:
        on = max(1, round(track * place / (len(slider.notches) - 1)))
        drawn = (Span("━" * on, Style("accent", ground)), Span("─" * (track - on), Style("faint", ground)))
        line: Line = (title, *drawn, Span(f" {words}", Style(ground=ground, bold=True)))
    else:
        line = (title, Span(f"‹ {words} ›" if chosen else words, Style(ground=ground, bold=True)))
    return cells.fit(cells.clip(line, width), width, Style(ground=ground))


def said(key: str, value: object) -> str:
    """The value of a slider as it is read."""
    if value is None:
        return "–"
    if key == "bandwidth" and isinstance(value, float | int):
        return f"{engineering(value * 8, 'b')}/s"
    if isinstance(value, int) and value in _WORDS.get(key, {}):
        return _WORDS[key][value]
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)
