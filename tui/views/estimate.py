"""The screen of an estimate: sliders, memory and step of each strategy, why, and what to change first.

Pure: a request, the slider chosen and a size to lines. Nothing here is measured, and it says so.
"""

from __future__ import annotations

from runtime.estimate import advice, explain, sliders
from runtime.estimate.quantities import engineering, shown
from runtime.estimate.request import Request
from runtime.estimate.strategies import Strategy, strategies
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts import estimate_bars as bars

HEAD, DIM, TEXT, ACCENT = Style("heading", bold=True), Style("dim"), Style(), Style("accent")
BOLD, LINE = Style(bold=True), Style("line")
CHOSEN = "select"
TITLE = "will it fit, what does it cost, and what would you change first"
KEYS = "↑↓ choose  ←→ change  f formula  m measure  q close"
COMPUTED = "every figure is computed unless it says measured"
_LEFT, _TRACK = (31, 52), (6, 16)
_WORDS = {
    "zero": {0: "DDP", 1: "ZeRO-1", 2: "ZeRO-2", 3: "FSDP (ZeRO-3)"},
    "flash": {0: "no", 1: "yes"},
}


def screen(asked: Request, row: int, width: int, height: int, checked: str = "") -> list[Line]:
    """Exactly `height` lines of at most `width` cells; `row` is the slider chosen, `checked` what was
    measured on this machine, the only line here that is no estimate."""
    rows = strategies(asked)
    foot = _why(asked, rows, width, max(3, height // (4 if height >= 30 else 5)))
    if checked:
        foot.append((Span("Measured    ", HEAD), Span(f" {cells.clean(checked)}", Style("good"))))
    inner = max(0, height - 4 - len(foot) - 1)
    left = min(_LEFT[1], max(_LEFT[0], width // 3))
    beside = _sliders(asked, row, left - 2, inner)
    right = _bars(rows, width - left - 2, inner)
    body = [
        (
            *cells.fit(beside[n] if n < len(beside) else (), left),
            Span("│ ", LINE),
            *(right[n] if n < len(right) else ()),
        )
        for n in range(inner)
    ]
    rule = (Span("─" * width, LINE),)
    head = (Span("Estimate", HEAD), Span(f"  {TITLE}", DIM))
    lines = [head, rule, *body, rule, *foot, _footer(width)]
    return _exactly(lines, width, height)


def formulas(asked: Request, first: int, width: int, height: int) -> list[Line]:
    """Every figure with its formula, its numbers and its source, from term `first` on."""
    from runtime.estimate.estimate import estimate

    found = estimate(asked)
    lines: list[Line] = [
        (Span("Formulas", HEAD), Span("  ↑↓ on, f or Esc back", DIM)),
        (Span("─" * width, LINE),),
    ]
    for term in explain.terms(found)[first:]:
        lines.append((Span(f"{term.name} ", ACCENT), Span(f"= {shown(term.value, term.unit)}", BOLD)))
        for said, style in ((term.formula, TEXT), (term.numbers, TEXT), (term.source, DIM)):
            wrapped = cells.wrap((Span(said, style),), width - 4) if said else []
            lines += [(Span("    "), *line) for line in wrapped]
    for said in explain.disagreements(found):
        lines += cells.wrap((Span("sources disagree: ", ACCENT), Span(said, TEXT)), width)
    return _exactly([*lines[: height - 1], _footer(width)], width, height)


def _exactly(lines: list[Line], width: int, height: int) -> list[Line]:
    short = [*lines[:-1], *[()] * (height - len(lines)), lines[-1]] if len(lines) < height else lines[:height]
    return [cells.clip(line, width) for line in short[:height]]


def _footer(width: int) -> Line:
    gap = width - cells.width(KEYS) - cells.width(COMPUTED)
    return (Span(KEYS, DIM), Span(" " * gap + COMPUTED, DIM)) if gap > 1 else (Span(KEYS, DIM),)


# --- the left: what can be turned -----------------------------------------------------------------------


def _sliders(asked: Request, row: int, width: int, height: int) -> list[Line]:
    lines: list[Line] = []
    for number, slider in enumerate(sliders.SLIDERS):
        lines.append(_slider(slider, asked, width, chosen=number == row))
    if height > len(lines) + 1:
        lines.insert(6, ())  # the model above, the machine below
    at = row + (1 if height > len(sliders.SLIDERS) + 1 and row >= 6 else 0)
    first = min(max(0, at - height + 1), max(0, len(lines) - height))
    return lines[first : first + height]


def _slider(slider: sliders.Slider, asked: Request, width: int, *, chosen: bool) -> Line:
    value, place = sliders.current(slider, asked), sliders.place(slider, asked)
    said = _said(slider, value)
    name = 18
    ground = CHOSEN if chosen else ""
    title = Span(f" {slider.title:<{name - 1}}", Style("accent" if chosen else "dim", ground, bold=chosen))
    track = min(_TRACK[1], max(0, width - name - 9))
    if slider.scale and track >= _TRACK[0] and place is not None:
        on = max(1, round(track * place / (len(slider.notches) - 1)))
        drawn = (Span("━" * on, Style("accent", ground)), Span("─" * (track - on), Style("faint", ground)))
        line: Line = (title, *drawn, Span(f" {said}", Style(ground=ground, bold=True)))
    else:
        line = (title, Span(f"‹ {said} ›" if chosen else said, Style(ground=ground, bold=True)))
    return cells.fit(cells.clip(line, width), width, Style(ground=ground))


def _said(slider: sliders.Slider, value: object) -> str:
    if value is None:
        return "–"
    if slider.key == "bandwidth" and isinstance(value, float | int):
        return f"{engineering(value * 8, 'b')}/s"
    if slider.key in _WORDS and isinstance(value, int):
        return _WORDS[slider.key][value]
    return f"{value:,}".replace(",", " ") if isinstance(value, int) else str(value)


# --- the right: bars ------------------------------------------------------------------------------------


def _bars(rows: list[Strategy], width: int, height: int) -> list[Line]:
    memory, steps = bars.memory_rows(rows, width), bars.step_rows(rows, width)
    parts = [bars.limit_line(rows, width), *memory]
    below = [(Span("one step", DIM),), *steps]
    spare = height - len(parts) - len(below)
    if spare >= 1:
        parts.append(bars.memory_legend(width))
    if spare >= 2:
        below.append(bars.step_legend(width))
    if spare >= 2 * len(memory) + 4:
        parts = [parts[0], *(line for drawn in parts[1:] for line in (drawn, ()))]
        below = [below[0], *(line for drawn in below[1:] for line in (drawn, ()))]
    elif spare >= len(memory) + 4:
        parts = [parts[0], *(line for drawn in parts[1:] for line in (drawn, ()))]
    elif spare >= 4:
        parts.append(())
    return [*parts, *below][:height]


# --- below: why -----------------------------------------------------------------------------------------


def _why(asked: Request, rows: list[Strategy], width: int, most: int) -> list[Line]:
    chosen = next(row for row in rows if row.chosen).estimate
    terms = {term.name: term for term in explain.terms(chosen)}
    lines: list[Line] = [(Span(f"Why {engineering(chosen.memory.total, 'B')}", HEAD),)]
    parts = chosen.memory._asdict()
    for name in sorted(parts, key=lambda name: -float(parts[name]))[:4]:
        term = terms[f"memory.{name}"]
        if term.value:
            value = engineering(term.value, "B")
            layer = terms.get("activations.per_layer") if name == "activations" else None
            formula = f"{layer.formula}, {layer.numbers}" if layer else term.numbers
            lines.append((Span(f" {name:<12}", DIM), Span(f"{value:>10}  "), Span(formula, TEXT)))
    said = advice.advice(chosen) or ["nothing is better by a single change"]
    first = said[-1 if chosen.fits else 0]
    lever: Line = (Span("First lever ", HEAD), Span(f" {first}", TEXT))
    binds: Line = (Span("Binds       ", HEAD), Span(f" {advice.binding(chosen)}", TEXT))
    return [*lines[: max(1, most - 2)], binds, lever]
