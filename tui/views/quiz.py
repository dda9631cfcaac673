"""A question on its slide: stem, numbered options, and after the reveal what was right and why.

The key is only ever taken from the class's state, which has it from the reveal on: an audience's question has
none, and a teacher's screen must not show it early.
"""

from __future__ import annotations

from collections.abc import Sequence

from quiz.question import Question
from runtime.liveclass import QuestionState
from slides import cells
from slides.text import Line, Span, Style
from tui.views.numbers import DASH

DIM, FAINT, HEAD = Style("dim"), Style("faint"), Style("heading", bold=True)
KEY = Style("accent", bold=True)
GUTTER = 7  # "●  1   ": mark, number, blank
RIGHT = "  ✓ right"


def question_lines(
    question: Question,
    state: QuestionState | None,
    picked: tuple[int, ...],
    width: int,
    *,
    hints: bool = True,
) -> list[Line]:
    """The question in at most `width` cells. `picked` are 0-based options, `hints` False leaves keys unsaid.

    Before the reveal neither key nor counts are shown: a room that sees the majority follows it.
    """
    width = max(1, width)
    phase = state.phase if state is not None else "open"
    revealed = state if state is not None and state.phase == "revealed" else None
    lines = [*(_headed(line) for line in _markdown(question.stem, width)), ()]
    for n, option in enumerate(question.options):
        lines += _option(n, option.text, n in picked, revealed, width)
        if n < len(question.options) - 1 and len(question.options) <= 6:
            lines.append(())
    if revealed is not None and revealed.general:
        lines += [(), *_markdown(revealed.general, width)]
    lines.append(())
    foot = _foot(question, state, phase, picked, hints)
    return [*(cells.clip(line, width) for line in lines), *cells.wrap(foot, width)]


def _option(n: int, text: str, picked: bool, state: QuestionState | None, width: int) -> list[Line]:
    """One option: mark and number, its text, after the reveal the verdict and the explanation below it."""
    right = state is not None and n in state.key
    wrong = state is not None and picked and not right
    chip = Style("background", "good" if right else "bad" if wrong else "accent", bold=True)
    number = Span(f" {n + 1} ", chip if right or wrong or picked else Style("text", "select", bold=True))
    mark = Span("● " if picked else "  ", Style("bad" if wrong else "good" if right else "accent", bold=True))
    verdict = Span(RIGHT, Style("good", bold=True)) if right else Span("  ✗", Style("bad", bold=True))
    room = max(1, width - GUTTER - cells.width(RIGHT))  # kept free before the reveal too: nothing moves
    body = _markdown(text, room) or [()]
    if picked or right:
        body = [_headed(line) for line in body]
    first = (mark, number, Span("  "), *body[0])
    if right or wrong:
        first = (*first, verdict)
    if state is not None:
        first = (*first, *_votes(state, n, cells.line_width(first), width))
    indent = Span(" " * GUTTER)
    lines: list[Line] = [first, *((indent, *line) for line in body[1:])]
    if state is not None and n < len(state.explain) and state.explain[n]:
        below = _markdown(state.explain[n], max(1, width - GUTTER))
        lines += [(indent, *_dimmed(line)) for line in below]
    return lines


def _votes(state: QuestionState, n: int, used: int, width: int) -> Line:
    """How many chose it, as a bar and a figure, once more than one has answered."""
    total = sum(state.counts)
    most = max(state.counts, default=0)
    room = width - 34
    if total < 2 or n >= len(state.counts) or room < used + 2 or width < 60:
        return ()
    count = state.counts[n]
    bar = round(24 * count / most)
    style = Style("good" if n in state.key else "dim")
    return (Span(" " * (room - used)), Span("▇" * bar, style), Span(f" {count}", DIM))


def _foot(
    question: Question, state: QuestionState | None, phase: str, picked: Sequence[int], hints: bool
) -> list[Span]:
    """What to do next, or how it went."""
    dot = Span(" · ", FAINT)
    if phase == "revealed" and state is not None:
        if state.points is None:
            return [Span("revealed", DIM)]
        out_of = question.points if state.out_of is None else state.out_of
        full = state.points >= out_of
        word = "point" if out_of == 1 else "points"
        return [
            Span("✓ " if full else "✗ ", Style("good" if full else "bad", bold=True)),
            Span(f"{state.points:g} of {out_of:g} {word}", Style("good" if full else "text", bold=True)),
        ]
    if phase == "locked":
        spans = [Span("locked", Style("warning", bold=True))]
        if not picked:
            spans += [dot, Span("no answer given", DIM)]
        return [*spans, dot, Span("e", KEY), Span(" reveals", DIM)] if hints else spans
    if not hints:
        return []  # what is picked in the room is not shown to the room
    choice = ", ".join(str(n + 1) for n in sorted(picked)) or DASH
    spans = [Span("answer ", DIM), Span(choice, HEAD)]
    many = " one or more" if question.kind == "multi" else ""
    last = len(question.options)
    keys = f"1-{last}" if last > 1 else "1"
    return [
        *spans,
        dot,
        Span(keys, KEY),
        Span(f" pick{many}", DIM),
        dot,
        Span("Enter", KEY),
        Span(" locks", DIM),
    ]


def _markdown(text: str, width: int) -> list[Line]:
    from slides.layout import layout_blocks
    from slides.parse import parse_blocks

    return layout_blocks(parse_blocks(text), 0, max(1, width))


def _headed(line: Line) -> Line:
    """Plain text as a heading's; code and links keep their inks."""
    return tuple(
        Span(text, style._replace(ink="heading", bold=True)) if style.ink == "text" else Span(text, style)
        for text, style in line
    )


def _dimmed(line: Line) -> Line:
    return tuple(
        Span(text, style._replace(ink="dim")) if style.ink == "text" else Span(text, style)
        for text, style in line
    )
