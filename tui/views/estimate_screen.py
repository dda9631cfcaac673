"""The screen of an estimate: sliders, memory and step of each strategy, why, and what to change first.

Pure: a request, the slider chosen and a size to lines. Nothing here is measured, and it says so.
"""

from __future__ import annotations

from runtime.estimate import advice, explained_figures
from runtime.estimate.quantities import engineering, shown
from runtime.estimate.request import Request
from runtime.estimate.strategies import Strategy, strategies
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.estimate_scale import scale
from tui.views.parts import estimate_bars as bars
from tui.views.parts.estimate_sliders import slider_column
from tui.views.parts.headline import FROM, headline

HEAD, DIM, TEXT, ACCENT = Style("heading", bold=True), Style("dim"), Style(), Style("accent")
BOLD, LINE = Style(bold=True), Style("line")
TITLE = "will it fit, what does it cost, and what would you change first"
ROOMY = 30  # rows from which on a blank one stands between two formulas
FORMULA_KEYS = "↑↓ on and back  f sliders  q close"
SCALE_KEYS = "←→ more and fewer devices  s sliders  q close"
KEYS = "↑↓ choose  ←→ change  f formula  s scale  m measure  q close"
COMPUTED = ("every figure is computed unless it says measured", "computed, not measured", "all is computed")
_LEFT = (31, 52)
PITCHES = ((4, 4), (3, 3), (2, 2), (2, 1))  # rows from a bar to the next: memory and steps


def screen(asked: Request, row: int, width: int, height: int, checked: str = "") -> list[Line]:
    """Exactly `height` lines of at most `width` cells; `row` is the slider chosen, `checked` what was
    measured on this machine, the only line here that is no estimate."""
    rows = strategies(asked)
    foot = _why(asked, rows, width, max(3, height // (4 if height >= 30 else 5)))
    if checked:
        foot.append((Span("Measured    ", HEAD), Span(f" {cells.clean(checked)}", Style("good"))))
    inner = max(0, height - 4 - len(foot) - 1)
    left = min(_LEFT[1], max(_LEFT[0], width // 3))
    beside = slider_column(asked, row, left - 2, inner)
    if width >= FROM[0] and len(found := _found(rows, left - 3)) + len(beside) + 1 <= inner:
        beside += [(), *found]
    right = _bars(rows, width - left - 2, inner)
    body = [
        (
            *cells.fit(beside[n] if n < len(beside) else (), left),
            Span("│ ", LINE),
            *(right[n] if n < len(right) else ()),
        )
        for n in range(inner)
    ]
    head = _titled("Estimate", TITLE, width)
    lines = [*head, *body, head[-1], *foot, _footer(width)]
    return _exactly(lines, width, height)


def formulas(asked: Request, first: int, width: int, height: int) -> list[Line]:
    """Every figure with its formula, its numbers and its source, from the `first` on, then what sources
    disagree about."""
    lines = _titled("Formulas", "with their numbers and where they are from", width)
    for block in _explained(asked, width, height >= ROOMY)[first:]:
        lines += block
    return _exactly([*lines[: height - 1], _footer(width, FORMULA_KEYS)], width, height)


def formula_count(asked: Request) -> int:
    """How many there are to go through."""
    return len(_explained(asked, 80, False))


def _explained(asked: Request, width: int, roomy: bool) -> list[list[Line]]:
    from runtime.estimate.estimate import estimate

    found, blocks = estimate(asked), []
    for term in explained_figures.terms(found):
        lines: list[Line] = [(Span(f"{term.name} ", ACCENT), Span(f"= {shown(term.value, term.unit)}", BOLD))]
        for said, style in ((term.formula, TEXT), (term.numbers, TEXT), (term.source, DIM)):
            wrapped = cells.wrap((Span(said, style),), width - 4) if said else []
            lines += [(Span("    "), *line) for line in wrapped]
        blocks.append([*lines, *[()] * roomy])
    others = (
        (Span("sources disagree: ", ACCENT), Span(said, TEXT))
        for said in explained_figures.disagreements(found)
    )
    return [*blocks, *(cells.wrap(line, width) for line in others)]


def scaled(asked: Request, width: int, height: int) -> list[Line]:
    """The same training from one device to 16 384."""
    lines = _titled("Scale", "where each strategy stops making sense, and what did it", width)
    table = scale(asked, width, height - len(lines) - 1)
    return _exactly([*lines, *table, _footer(width, SCALE_KEYS)], width, height)


def _titled(title: str, says: str, width: int) -> list[Line]:
    return [(Span(title, HEAD), Span(f"  {says}", DIM)), (Span("─" * width, LINE),)]


def _exactly(lines: list[Line], width: int, height: int) -> list[Line]:
    short = [*lines[:-1], *[()] * (height - len(lines)), lines[-1]] if len(lines) < height else lines[:height]
    return [cells.clip(line, width) for line in short[:height]]


def _footer(width: int, keys: str = KEYS) -> Line:
    """The keys, and that nothing here is measured, in as many words as there is room for."""
    for said in COMPUTED:
        gap = width - cells.width(keys) - cells.width(said)
        if gap > 1:
            return (Span(keys, DIM), Span(" " * gap + said, DIM))
    return (Span(keys, DIM),)


def _found(rows: list[Strategy], width: int) -> list[Line]:
    """The answer in letters: the memory of the strategy chosen, whether it fits, and its step."""
    chosen = next(row for row in rows if row.chosen).estimate
    verdict = {True: (" fits", "good"), False: (" does not fit", "bad"), None: ("", "")}[chosen.fits]
    said: list[tuple[str, Line]] = [
        ("memory", (Span(engineering(chosen.memory.total, "B"), HEAD), Span(verdict[0], Style(verdict[1]))))
    ]
    if chosen.time is not None:
        said.append(("one step", (Span(engineering(chosen.time.step, "s"), HEAD),)))
    lines: list[Line] = []
    for name, line in said:
        drawn = headline(line, width)
        lines += [(Span(f" {name}", DIM),), *((Span(" "), *each) for each in drawn), ()] if drawn else []
    return lines[:-1]


# --- the right: bars ------------------------------------------------------------------------------------


def _bars(rows: list[Strategy], width: int, height: int) -> list[Line]:
    """Memory and steps of as many strategies as there is room for: the same of both."""
    rows = bars.most_of(rows, (height - 2) // 2)
    room = height - 2 * (1 + len(rows))  # beside two heads and the bars
    legends = min(2, max(0, room))
    gap = room >= 4
    spare = (room - legends - gap) // len(rows)
    memory, step = next(((m, s) for m, s in PITCHES if m + s - 2 <= spare), (1, 1))
    of = bars.columns(rows, width, memory)
    parts = [
        bars.limit_line(rows, of, width),
        *bars.thick(bars.memory_rows(rows, of, memory == 1), of, memory, bars.limit_mark(rows, of)),
        *([bars.memory_legend(width)] if legends else []),
        *([()] if gap else []),
    ]
    of, close = bars.columns(rows, width, step), step == 1
    below = [bars.step_title(of), *bars.thick(bars.step_rows(rows, of, close), of, step)]
    below += [bars.step_legend(width, rows, close)] if legends > 1 else []
    return [*parts, *below][:height]


# --- below: why -----------------------------------------------------------------------------------------


def _why(asked: Request, rows: list[Strategy], width: int, most: int) -> list[Line]:
    chosen = next(row for row in rows if row.chosen).estimate
    terms = {term.name: term for term in explained_figures.terms(chosen)}
    lines: list[Line] = [(Span(f"Why {engineering(chosen.memory.total, 'B')}", HEAD),)]
    parts = chosen.memory._asdict()
    for name in sorted(parts, key=lambda name: -float(parts[name]))[:4]:
        term = terms[f"memory.{name}"]
        if term.value:
            value = engineering(term.value, "B")
            layer = terms.get("activations.per_layer") if name == "activations" else None
            formula = f"{layer.formula}, {layer.numbers}" if layer else term.numbers
            lines.append((Span(f" {name:<12}", DIM), Span(f"{value:>10}  "), Span(formula, TEXT)))
    said = advice.advice(chosen) or ["no single change makes it better"]
    first = said[-1 if chosen.fits else 0]
    lever: Line = (Span("First lever ", HEAD), Span(f" {first}", TEXT))
    binds: Line = (Span("Binds       ", HEAD), Span(f" {advice.binding(chosen)}", TEXT))
    return [*lines[: max(1, most - 2)], binds, lever]
