"""Pairs: the prompts with what each was given, then the right sides with their digits."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from slides.drawing import cells
from slides.drawing.large.letters import Size
from slides.drawing.text import Line, Span, Style
from tui.figures.numbers import DASH
from tui.views.question.answer_rows import (
    ACCENT,
    BAD,
    CHIP,
    FAINT,
    GOOD,
    HEAD,
    after_gap,
    blocked,
    explained,
    plain_words,
    row,
    why,
)
from tui.views.question.large import (
    SHORT,
    SIZES,
    SLIM,
    WIDE,
    at_middle,
    at_most,
    inked,
    letters_of,
    letters_of_all,
    numbered,
    stacked,
    widest,
)
from tui.views.question.most_frequent_answers import frequent, in_letters
from tui.views.question.picture import Air, Asked, Picture

_APART = 3  # cells between the two columns of letters
_SIDE = 11  # of the right one besides its letters: digit, blanks
_BESIDE = 24 + _APART + _SIDE  # of both: the arrow and two digits, too


class MatchPicture(Picture):
    """Prompts with the letters of what belongs to them."""

    reserve = 4

    def listed(self, asked: Asked) -> list[Line]:
        lines: list[Line] = [()]
        for n in range(len(asked.question.prompts)):
            lines += _pair(asked, n, asked.width)
        lines.append(())
        for n in range(len(asked.question.options)):
            lines += _side(asked, n)
            lines += explained(why(asked.revealed, n), 7, asked.width)
        return lines + after_gap(self._others(asked))

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        if air.words:
            return _in_letters(asked, air)
        if air.rows == 2:
            return None
        grounded, lines = air.rows > 1, list[Line]()
        for n in range(len(asked.question.prompts)):
            rows = _pair(asked, n, asked.width - 2)
            rows = blocked([(), *rows, ()], asked.width) if grounded else rows
            lines += [*[()] * (n and air.gap), *rows]
        lines += [()] * (1 + air.gap)
        for n in range(len(asked.question.options)):
            lines += [*[()] * (n and air.gap), *_side(asked, n)]
        return lines

    def told(self, asked: Asked, air: Air) -> list[Line]:
        return self._reasons(asked) + after_gap(self._others(asked))

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        return in_letters(asked, self._reasons(asked.narrowed))

    def _reasons(self, asked: Asked) -> list[Line]:
        lines: list[Line] = []
        for n in range(len(asked.question.options)):
            if text := why(asked.revealed, n):
                first, *more = explained(text, 7, asked.width)
                lines += [(Span("  "), Span(f" {n + 1} ", CHIP), Span("  "), *first[1:]), *more]
        return after_gap(lines)

    def _others(self, asked: Asked) -> list[Line]:
        if asked.revealed is None:
            return []
        return frequent(asked.question, asked.revealed, asked.width, asked.say)

    def given(self, asked: Asked) -> str:
        return " ".join(str(n + 1) if n >= 0 else DASH for n in asked.picked)

    def keys(self, asked: Asked) -> list[tuple[str, str]]:
        last = len(asked.question.options)
        full = len(asked.picked) == len(asked.question.prompts) and -1 not in asked.picked
        return [(f"1-{last}" if last > 1 else "1", "again takes it back" if full else "for ▸")]


def _pair(asked: Asked, n: int, width: int) -> list[Line]:
    """A prompt, and what it was given; from the reveal on what belongs to it."""
    question, revealed, picked = asked.question, asked.revealed, asked.picked
    texts = [plain_words(option.text) for option in question.options]
    lefts = [plain_words(prompt) for prompt in question.prompts]
    due_next = next((n for n in range(len(lefts)) if n >= len(picked) or picked[n] < 0), None)
    column = min(max(map(cells.width, lefts), default=0), max(8, width // 2 - 6))
    given = picked[n] if n < len(picked) else -1
    key = revealed.key[n] if revealed and n < len(revealed.key) else None
    same = key is not None and given >= 0 and texts[given : given + 1] == texts[key : key + 1]
    pointer = Span("▸ " if asked.open and n == due_next else "  ", ACCENT)
    answer = list(_said(given, texts, GOOD if same else BAD if key is not None and given >= 0 else ACCENT))
    if key is not None:
        wrong = [*answer, Span("  ✗ ", BAD)] if given >= 0 else []  # who gave none was not wrong
        answer = [*answer, Span("  ✓", GOOD)] if same else [*wrong, *_said(key, texts, GOOD)]
    ink = HEAD if n == due_next else Style()
    left_rows = cells.wrap([Span(lefts[n], ink)], column) or [()]
    right_rows = cells.wrap(answer, max(8, width - column - 7))
    lines: list[Line] = []
    for at, (left, right) in enumerate(zip_longest(left_rows, right_rows, fillvalue=())):
        lead = (pointer, *cells.fit(left, column), Span("  →  " if not at else " " * 5, FAINT))
        lines.append(cells.clip((*(lead if not at else (Span("  "), *lead[1:])), *right), width))
    return lines


def _side(asked: Asked, n: int) -> list[Line]:
    lead = (Span("  "), Span(f" {n + 1} ", CHIP), Span("  "))
    return row(lead, asked.question.options[n].text, asked.width, dim=n in asked.picked)


def _in_letters(asked: Asked, air: Air) -> list[Line] | None:
    """Prompts and right sides in letters made of blocks, beside each other; None where there is no room."""
    lefts = [plain_words(prompt) for prompt in asked.question.prompts]
    rights = [plain_words(option.text) for option in asked.question.options]
    both, room, gap = [*lefts, *rights], asked.width - _BESIDE, air.gap
    sizes = SHORT if air.short else (*SIZES, *SLIM)
    drawn = letters_of_all(both, room, beside=len(lefts), sizes=sizes)
    if drawn is None:
        return _below_each_other(asked, lefts, rights, gap, sizes)
    prompts, sides = drawn[: len(lefts)], drawn[len(lefts) :]
    left_width = widest(prompts) + _BESIDE - _SIDE - _APART
    right_width = asked.width - left_width - _APART
    lines: list[Line] = []
    for n in range(max(len(prompts), len(sides))):
        left = _prompt(asked, n, prompts[n], widest(prompts)) if n < len(prompts) else []
        right = _large_side(asked, n, sides[n]) if n < len(sides) else []
        high = max(len(left), len(right))
        grounds = [
            blocked(rows, width) if rows else [(Span(" " * width),)] * high
            for rows, width in ((left, left_width), (right, right_width))
        ]
        joined = [(*row, Span(" " * _APART), *other) for row, other in zip(*grounds, strict=True)]
        lines += [*[()] * (n and gap), *joined]
    return lines


def _below_each_other(
    asked: Asked, lefts: Sequence[str], rights: Sequence[str], gap: int, sizes: tuple[Size, ...]
) -> list[Line] | None:
    """The same where both are too long for one row: the prompts over the right sides, if they have room."""
    prompts = letters_of_all(lefts, asked.width - _BESIDE + _SIDE + _APART, sizes=sizes)
    sides = letters_of_all(rights, asked.width - _SIDE, sizes=sizes)
    if prompts is None or sides is None or (asked.width < WIDE and sizes != SHORT):
        return None
    upper = [_prompt(asked, n, rows, widest(prompts)) for n, rows in enumerate(prompts)]
    lower = [_large_side(asked, n, rows) for n, rows in enumerate(sides)]
    return [*stacked(upper, asked.width, gap), *[()] * (gap + 1), *stacked(lower, asked.width, gap)]


def _prompt(asked: Asked, n: int, rows: list[str], column: int) -> list[Line]:
    """A prompt in letters and the digit that it was given; from the reveal on the one that belongs to it."""
    picked, revealed = asked.picked, asked.revealed
    due_next = next(
        (n for n in range(len(asked.question.prompts)) if n >= len(picked) or picked[n] < 0), None
    )
    given = picked[n] if n < len(picked) else -1
    key = revealed.key[n] if revealed and n < len(revealed.key) else None
    options = asked.question.options
    same = key is not None and given >= 0 and options[given].text == options[key].text
    ink = ACCENT if key is None or given < 0 else GOOD if same else BAD
    blank, sizes = [""] * len(rows), at_most(len(rows), SIZES)
    digit = (letters_of(str(given + 1), 6, 1, sizes) if given >= 0 else None) or blank
    arrow = letters_of("→", 5, 1, sizes) or blank
    truth = blank if key is None else letters_of("✓" if same else str(key + 1), 6, 1, sizes) or blank
    now = asked.open and n == due_next
    lines: list[Line] = [
        (
            Span(row.ljust(column), HEAD if now else Style()),
            Span(f"  {arrow[at].ljust(5)}", ACCENT if now else FAINT),
            Span(digit[at].ljust(6), ink),
            Span(truth[at].ljust(6), GOOD),
        )
        for at, row in enumerate(rows)
    ]
    return at_middle(Span("▸ " if now else "  ", ACCENT), lines)


def _large_side(asked: Asked, n: int, rows: list[str]) -> list[Line]:
    """A right side in letters behind its digit."""
    return numbered(n, CHIP, inked(rows, Style("dim") if n in asked.picked else Style()))


def _said(n: int, texts: Sequence[str], style: Style) -> Line:
    return (Span(f"{n + 1} {texts[n]}", style),) if 0 <= n < len(texts) else (Span(DASH, FAINT),)


PICTURE = MatchPicture()
