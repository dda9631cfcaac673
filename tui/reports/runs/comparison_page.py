"""A comparison as one HTML page: the table, and its memory and step times as drawings. Nothing is loaded.

Drawings repeat what the table says, so they are hidden from screen readers; the table has it all in words.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from runtime.protocol.figures import Comparison, Strategy
from slides.drawing import cells
from slides.palette import THEMES
from tui.figures import categories, numbers

_WIDTH, _ROW, _LABEL = 900, 34, 200


def page(
    table: Comparison, caption: str, place: str, made: str, machine: str, explained: Sequence[str] = ()
) -> str:
    """The whole page as text. `made` and `machine` say when and where it was measured, `explained` what its
    figures are."""
    title = "Strategies side by side"
    style = Path(__file__).with_name("comparison.css").read_text("utf-8")
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{title}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
        "style-src 'unsafe-inline'\">"
        f"<style>{style}</style><h1>{title}</h1><p>{_text(caption)}</p>"
        f"{_table(table.rows)}{_explained(explained)}{_memory(table.rows)}{_times(table.rows)}"
        f"<footer>{_text(place)}. Measured {_text(made)} on {_text(machine)}.</footer></html>\n"
    )


def _text(words: str) -> str:
    return escape(cells.clean(words))


def _explained(lines: Sequence[str]) -> str:
    return "".join(f"<p>{_text(line)}</p>" for line in lines)


_SAME = {True: "same", False: "differs", None: numbers.DASH}
COLUMNS: tuple[tuple[str, Callable[[Strategy], str]], ...] = (
    ("strategy", lambda row: row.label),
    ("peak of a rank", lambda row: numbers.size(row.peak_bytes)),
    ("sum of its kinds", lambda row: numbers.size(row.memory_bytes)),
    ("step, median", lambda row: numbers.ms(row.step_s)),
    ("lowest to highest", lambda row: f"{numbers.ms(row.step_low_s)} to {numbers.ms(row.step_high_s)}"),
    ("tokens/s", lambda row: numbers.rate(row.tokens_s)),
    ("payload a step", lambda row: numbers.size(row.payload)),
    ("on the wire a step", lambda row: numbers.size(row.wire)),
    ("theory a step", lambda row: numbers.size(row.theory)),
    ("exposed", lambda row: numbers.percent(row.exposed)),
    ("loss", lambda row: numbers.loss(row.loss)),
    ("same loss", lambda row: _SAME[row.same]),
    ("used when", lambda row: f"{row.state}: {row.why}" if row.why else row.when),
)
"""Every figure of a strategy with its name, for documents."""


def _table(rows: Sequence[Strategy]) -> str:
    head = "".join(f'<th scope="col">{name}</th>' for name, _ in COLUMNS)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(figure(row))}</td>" for _, figure in COLUMNS) + "</tr>" for row in rows
    )
    return f"<table><caption>What was measured</caption><tr>{head}</tr>{body}</table>"


def _memory(rows: Sequence[Strategy]) -> str:
    """A stacked bar a strategy, on one scale."""
    most = max((row.memory_bytes or 0 for row in rows), default=0)
    if not most:
        return ""
    inks = THEMES["light"]
    scale = (_WIDTH - _LABEL - 90) / most
    used = [kind for kind in categories.MEMORY if any(row.memory.get(kind.field) for row in rows)]
    parts = []
    for number, row in enumerate(rows):
        x, y = float(_LABEL), number * _ROW
        parts.append(_label(row.label, y))
        for kind in used:
            width = row.memory.get(kind.field, 0) * scale
            ink = inks.colour(kind.ink)
            parts.append(f'<rect x="{x:.1f}" y="{y + 6}" width="{width:.1f}" height="20" fill="{ink}"/>')
            x += width
        parts.append(f'<text x="{x + 8:.1f}" y="{y + 21}">{_text(numbers.size(row.memory_bytes))}</text>')
    key = "".join(
        f'<span class="key" style="background:{inks.colour(kind.ink)}"></span>{kind.word}' for kind in used
    )
    return _figure(f"Memory of the rank that holds most {key}", parts, len(rows))


def _times(rows: Sequence[Strategy]) -> str:
    """A dot at the median of the runs, a line from the lowest to the highest."""
    most = max((row.step_high_s or 0 for row in rows), default=0)
    if not most:
        return ""
    scale = (_WIDTH - _LABEL - 90) / most
    parts = []
    for number, row in enumerate(rows):
        y = number * _ROW
        parts.append(_label(row.label, y))
        if row.step_s is None or row.step_low_s is None or row.step_high_s is None:
            continue
        low, middle, high = (_LABEL + s * scale for s in (row.step_low_s, row.step_s, row.step_high_s))
        parts += [
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y + 16}" y2="{y + 16}" stroke="currentColor"/>',
            f'<circle cx="{middle:.1f}" cy="{y + 16}" r="6" fill="{THEMES["light"].colour("compute")}"/>',
            f'<text x="{high + 12:.1f}" y="{y + 21}">{_text(numbers.ms(row.step_s))}</text>',
        ]
    return _figure("Time of a step: median of the runs, lowest to highest", parts, len(rows))


def _label(words: str, y: int) -> str:
    return f'<text x="0" y="{y + 21}">{_text(cells.clip_text(words, 26))}</text>'


def _figure(caption: str, parts: Sequence[str], rows: int) -> str:
    """`caption` is markup of this module."""
    box = f"0 0 {_WIDTH} {rows * _ROW}"
    drawing = f'<svg viewBox="{box}" aria-hidden="true">{"".join(parts)}</svg>'
    return f"<figure><figcaption>{caption}</figcaption>{drawing}</figure>"
