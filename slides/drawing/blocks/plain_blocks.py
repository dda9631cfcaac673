"""Blocks that others draw better, in plain words; and the box in place of one that cannot be shown."""

from __future__ import annotations

from slides import deck
from slides.drawing.blocks.frames import NARROWEST, boxed
from slides.drawing.cells import clean, clip, wrap
from slides.drawing.text import Line, Span, Style
from slides.reading.questions_without_key import told_to_all

_ACCENT, _DIM = Style("accent"), Style("dim")


def estimate(block: deck.Estimate, width: int) -> list[Line]:
    """Its words, where nobody computes it."""
    return wrap([Span(clean(" ".join((block.name, *block.words))), _DIM)], width)


def exercise(block: deck.Exercise, width: int) -> list[Line]:
    """Its name, where nobody knows exercises."""
    return wrap([Span(clean(f"exercise {block.name}"), _DIM)], width)


def demo(block: deck.Demo, width: int) -> list[Line]:
    """Its name and its parameters."""
    name = Span(clean(f"demo {block.name} "), Style("accent", bold=True))
    params = " ".join(f"{key}={value}" for key, value in block.params.items())
    return wrap([name, Span(clean(params), _DIM)], width)


def quiz(block: deck.Quiz, width: int) -> list[Line]:
    """The question without its key and explanations: the reader may be the audience."""
    lines: list[Line] = []
    number = 0
    for raw in told_to_all(block):
        text = clean(raw).strip()
        if text.startswith("- [ ]"):
            number += 1
            lines += wrap([Span(f"{number}  ", _ACCENT), Span(text[5:].strip())], width)
        elif text or lines:
            lines += wrap([Span(text)], width)
    while lines and not lines[-1]:
        lines.pop()
    return lines


def box(block: deck.Box, width: int) -> list[Line]:
    """What is wrong, where, and what to write instead; the author's text below it, cut short."""
    problem = block.problem
    # The file's name alone: the folders of who teaches are nothing for the room.
    name = problem.file.rpartition("/")[2]
    place = clean(f"{name}:{problem.line}" if name else f"line {problem.line}")
    inner = max(width - 4, 1) if width >= NARROWEST else width
    lines = wrap([Span(clean(problem.message))], inner)
    if problem.mend:
        lines += wrap([Span(clean(problem.mend), _ACCENT)], inner)
    raw = block.raw.strip("\n").split("\n") if block.raw.strip() else []
    if raw:
        shown = raw[:_RAW_LINES]
        lines += [(), *(clip((Span(clean(text[:_RAW_WIDEST]), _DIM),), inner) for text in shown)]
        if len(raw) > len(shown):
            lines.append((Span(f"… {len(raw) - len(shown)} more lines", _DIM),))
    if width < NARROWEST:
        return [*wrap([Span(place, Style("warning", bold=True))], width), *lines]
    return boxed(lines, width, Style("warning"), place)


_RAW_LINES = 6
_RAW_WIDEST = 1000
