"""`::: duel model=llama3-70b gpu=h100 gpus=64` on a slide: two layouts, and who has the shorter step."""

from __future__ import annotations

from runtime.estimate import duel
from runtime.estimate.advice import binding
from runtime.estimate.duel import SIDES, Duel, Terms
from runtime.estimate.estimate import Estimate
from runtime.estimate.keys import MODELS, meant
from runtime.estimate.model_by_name import preset
from runtime.estimate.quantities import engineering
from runtime.estimate.request import Refused
from runtime.estimate.strategies import Strategy
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts import estimate_bars as bars
from tui.views.parts.estimate_sliders import said
from tui.views.parts.headline import headline

HEAD, DIM, TEXT, BOLD = Style("heading"), Style("dim"), Style(), Style(bold=True)
TURNED = Style("accent", "select", bold=True)
BESIDE = (100, 42)  # cells from which choices stand beside the bars, and how many they have
_NAME, _VALUE = 18, 10  # cells of a choice's name and of a side's value


def read(words: tuple[str, ...]) -> Terms:
    """The terms of a block. Refused: they cannot be, or name a file (a deck reads none)."""
    found = duel.terms(words)
    model = preset(str(found.common["model"]))
    if model not in MODELS:
        raise Refused(f"there is no model {model[:40]!r}", meant(model, MODELS))
    for side in SIDES:
        duel.of_side(found, side)
    return found


def duel_lines(
    words: tuple[str, ...],
    width: int,
    slider: str = "",
    pitch: int = 1,
    *,
    told: bool = False,
    say: bars.Say = str,
) -> list[Line]:
    """The block at `width` cells, `pitch` rows from a bar to the next. `slider` is what keys turn, such as
    `a.tp`; `told`: what each side chose is in letters over the bars, if it has letters. Refused as `read`."""
    terms = read(words)
    found = duel.duel(terms)
    rows = _rows(found, slider, say)
    chosen = [headline(line, width) for line in _short(terms, found, slider)] if told else []
    large = chosen if all(chosen) else []
    beside = width >= BESIDE[0] and not large
    right = width - BESIDE[1] if beside else width
    of, low = bars.columns(rows, right, pitch), pitch == 1
    drawn: list[Line] = [
        bars.limit_line(rows, of, right, say),
        *bars.thick(bars.memory_rows(rows, of, low, say), of, pitch, bars.limit_mark(rows, of)),
    ]
    drawn += [bars.memory_legend(right), (), bars.step_title(of, say)]
    drawn += [*bars.thick(bars.step_rows(rows, of, low), of, pitch), bars.step_legend(right)]
    choices = _choices(terms, found, slider, say)
    if beside:
        height = max(len(choices), len(drawn))
        drawn = [
            (*cells.fit(_at(choices, n), BESIDE[1] - 2), Span("│ ", Style("line")), *_at(drawn, n))
            for n in range(height)
        ]
    elif large:
        drawn = [*(row for side in large for row in side), (), *drawn]
    else:
        drawn = [*_short(terms, found, slider), *drawn]
    layout = found.asked.layout
    assert found.asked.subject.model is not None and found.asked.gpu is not None
    title = f"{found.asked.subject.model.name} on {layout.devices} x {found.asked.gpu.title}"
    many = say(f"{duel.batch(terms)} sequences of {layout.seq} a step")
    what = f"  {many}, {say(bars.COMPUTED)}"
    lines: list[Line] = [*cells.wrap((Span(cells.clean(title), HEAD), Span(what, DIM)), width), *drawn]
    lines += [()] * (pitch > 1)
    for number, sentence in enumerate(found.why):
        line: Line = (Span(cells.clean(say(sentence)), BOLD if "wins" in sentence else TEXT),)
        drawn = headline(line, width, 2) if of.large and "wins" in sentence else []
        lines += [(), *drawn, ()] if drawn else cells.wrap(line, width)
        if number == len(found.why) - 1 and found.best is None and not terms.best:
            lines += cells.wrap((Span(say("The best layout known is not shown yet."), DIM),), width)
    return [cells.clip(line, width) for line in lines]


def told(words: tuple[str, ...]) -> list[str]:
    """The same in sentences, for a class in lines."""
    terms = read(words)
    found = duel.duel(terms)
    rows = [f"side {side.upper()}: {duel.chosen_words(e)}; {_figures(e)}" for side, e in found.sides.items()]
    return [*rows, *found.why]


def _figures(e: Estimate) -> str:
    fits = "fits" if e.fits else "does not fit"
    step = f", a step {engineering(e.time.step, 's')}, {e.mfu:.1%} MFU" if e.time and e.mfu else ""
    return f"{engineering(e.memory.total, 'B')}, {fits}{step}, binds: {binding(e)}"


def _rows(found: Duel, slider: str, say: bars.Say) -> list[Strategy]:
    """A row of bars for each side, and one for the best where it is shown."""
    turned, wins = slider.partition(".")[0], f"  {say('wins')}"
    rows = [
        Strategy(f"{side.upper()}{wins if side == found.winner else ''}", "", "", e, side == turned)
        for side, e in found.sides.items()
    ]
    if found.best is not None:
        rows.append(Strategy(say("best known"), "", "", found.best.best[0], False))
    return rows


def _choices(terms: Terms, found: Duel, slider: str, say: bars.Say) -> list[Line]:
    """What each side chose, beside each other; what follows from it below."""
    columns = [*found.sides.values(), *([found.best.best[0]] if found.best else [])]
    names = [*(side.upper() for side in SIDES), *(["best"] if found.best else [])]
    wide = min(_VALUE, (BESIDE[1] - 2 - _NAME) // len(columns))
    lines: list[Line] = [
        (Span(" " * _NAME), *(Span(f"{name:>{wide}}", HEAD) for name in names)),
    ]
    for key, title in _titles(terms).items():
        row: list[Span] = [Span(f" {title:<{_NAME - 1}}", DIM)]
        for side, e in zip((*SIDES, ""), columns, strict=False):
            text = _value(key, e)
            row.append(Span(f"{text[: wide - 1]:>{wide}}", TURNED if slider == f"{side}.{key}" else TEXT))
        lines.append(tuple(row))
    lines.append(())
    for title, attribute in (("data parallel", "dp"), ("micro-batches", "micro_batches")):
        values = [f"{getattr(e.request.layout, attribute)}" for e in columns]
        lines.append((Span(f" {title:<{_NAME - 1}}", DIM), *(Span(f"{v:>{wide}}", DIM) for v in values)))
    scores = [f"{duel.score(e):.1%}" if e.fits else say("no fit") for e in columns]
    lines.append((Span(f" {'score (MFU)':<{_NAME - 1}}", DIM), *(Span(f"{v:>{wide}}", BOLD) for v in scores)))
    return lines


def _short(terms: Terms, found: Duel, slider: str) -> list[Line]:
    """A line for each side, where there is no room for columns."""
    lines = []
    for side, e in found.sides.items():
        line: list[Span] = [Span(f"{side.upper()} ", HEAD)]
        for key, title in _titles(terms).items():
            style = TURNED if slider == f"{side}.{key}" else TEXT
            text = _value(key, e)
            words = text if key == "zero" else f"{title.split()[0] if key == 'recompute' else key} {text}"
            line += [Span(words, style), Span("  ")]
        lines.append((*line, Span(f"dp {e.request.layout.dp}", DIM)))
    return lines


def _titles(terms: Terms) -> dict[str, str]:
    return {slider.key: slider.title for _, slider in duel.sliders(terms)}


def _value(key: str, e: Estimate) -> str:
    return said(key, getattr(e.request.layout, key)).partition(" (")[0]


def _at(lines: list[Line], n: int) -> Line:
    return lines[n] if n < len(lines) else ()
