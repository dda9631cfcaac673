"""A snippet: the line above its code, and the pane of what it prints. Printed text is untrusted and clean."""

from __future__ import annotations

from slides.deck import Code
from slides.drawing import cells
from slides.drawing.blocks.listing import hashed, headed
from slides.drawing.text import Line, Span, Style
from tui.classroom.runs.snippet_outputs import Heard
from tui.figures import numbers
from tui.keys.table import key_of
from tui.views.parts.frame import framed, spread

DIM, FAINT, TEXT = Style("dim"), Style("faint"), Style()
HEAD, KEY = Style("heading", bold=True), Style("accent", bold=True)
MARKS = {
    "launching": ("◌", "starting", "accent"),
    "running": ("●", "running", "good"),
    "stopping": ("◌", "stopping", "warning"),
    "done": ("✓", "exit code 0", "good"),
    "failed": ("✗", "failed", "bad"),
    "stopped": ("■", "stopped", "warning"),
    "lost": ("✗", "lost", "bad"),
}


def label(block: Code, heard: Heard | None, width: int, *, chosen: bool, hints: bool) -> Line:
    """What stands above the code: what runs it, from which file it is, how its newest run went.

    It is drawn once and kept: nothing in it moves by itself. `chosen`: the key would run this one.
    """
    side = "  " if width >= 24 else ""
    lit = chosen and hints
    left: list[Span] = [Span(side), Span("▶ " if lit else "▷ ", KEY if lit else DIM)]
    left.append(Span(cells.clean(block.lang), TEXT))
    if block.path:
        left += [Span("  ", DIM), Span(cells.clean(block.path), DIM)]
    if lit:
        alive = heard is not None and heard.alive
        does = "types" if block.terminal else "stops" if alive else "runs"
        left += [Span(f"   {key_of('run_code')}", KEY), Span(f" {does}", DIM)]
    right = hashed(block)
    if heard is not None:
        mark, word, ink = MARKS.get(heard.output.state, ("", heard.output.state, "dim"))
        right = Span(f"{mark} {ended(heard) or word}", Style(ink))
    return headed(tuple(left), right, side, width)


def pane(heard: Heard, width: int, height: int, *, top: int | None, full: bool, hints: bool) -> list[Line]:
    """Exactly `height` lines of exactly `width` cells. `top`: rows above those shown; None: the newest."""
    margin = 2 if width >= 96 else 1 if width >= 60 else 0
    inner = max(1, width - 2 * margin)
    body, above, below = window(heard, inner, height - 1, top)
    lines = [_head(heard, inner, above, below, full, hints), *((Span(text),) for text in body)]
    if not len(heard) and height > 1:
        word = "nothing printed yet" if heard.alive else "nothing was printed"
        lines.append((Span(word, FAINT),))
    side = Span(" " * margin)
    return framed([(side, *line) if margin and line else line for line in lines], width, height)


def window(heard: Heard, width: int, height: int, top: int | None) -> tuple[list[str], int, int]:
    """(rows shown, rows above, rows below): long lines are broken, never cut."""
    height = max(0, height)
    if top is None:
        # From the end: only what is looked at is broken.
        rows: list[str] = []
        at = len(heard)
        while at > 0 and len(rows) < height:
            at -= 1
            rows = [*_broken(heard.rows(at, 1)[0], width), *rows]
        spare = max(0, len(rows) - height)
        return rows[spare:], at + spare, 0
    rows = []
    for text in heard.rows(top, height):
        rows += _broken(text, width)
    return rows[:height], min(top, len(heard)), max(0, len(heard) - top - height)


def last_top(heard: Heard, height: int) -> int:
    """The `top` from which on nothing is below."""
    return max(0, len(heard) - max(1, height - 1))


def _broken(text: str, width: int) -> list[str]:
    return ["".join(span.text for span in line) for line in cells.chop((Span(text),), width)] or [""]


def _head(heard: Heard, width: int, above: int, below: int, full: bool, hints: bool) -> Line:
    output = heard.output
    mark, word, ink = MARKS.get(output.state, ("", output.state, "dim"))
    state = ended(heard) or word
    left: list[Span] = [Span("OUTPUT", HEAD), Span(f"  {cells.clean(output.lang)}   ", DIM)]
    left += [Span(f"{mark} ", Style(ink, bold=True)), Span(state, Style(ink))]
    left.append(Span(f"  {output.ran_s:.1f} s", TEXT))
    if heard.alive:
        left.append(Span(f" of {numbers.clock(output.timeout_s)} at most", DIM))
    keys: list[Span] = []
    if above or below:
        keys.append(Span(f"{'↑' if above else ' '}{'↓' if below else ' '} ", KEY))
    if hints and (above or below):
        both = f"{key_of('scrub_back')} {key_of('scrub_forward')}"
        keys += [Span(both, KEY), Span(" scroll   ", DIM)]
    if hints:
        keys += [Span(key_of("panel"), KEY), Span(" back" if full else " full", DIM)]
    dropped = [Span(f"{heard.first:,} lines before   ", DIM)] if heard.first else []
    room = width - cells.line_width(left)
    # Of what does not fit beside the state, the arrows go last.
    fitting = (spans for spans in ([*dropped, *keys], keys, keys[:1]) if cells.line_width(spans) < room)
    right = next(fitting, [])
    return cells.clip(spread(tuple(left), tuple(right), width), width)


def ended(heard: Heard) -> str:
    """How it ended, in words; "" while it runs."""
    output = heard.output
    if output.state == "failed":
        return cells.clean(output.why)
    return "stopped" if output.state == "stopped" else ""
