"""A line to write on; after the reveal whether it was right, what was, and how the room answered."""

from __future__ import annotations

from quiz.kinds.registry import UNGRADED
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.question.answer_rows import (
    ACCENT,
    BAD,
    DIM,
    FAINT,
    GOOD,
    HEAD,
    after_gap,
    blocked,
    commented,
    explained,
)
from tui.views.question.large import WIDE, at_middle, inked, letters_of, lines_in_letters, paragraph
from tui.views.question.markdown import dimmed
from tui.views.question.most_frequent_answers import frequent, in_letters
from tui.views.question.picture import Air, Asked, Picture

_MOST, _MARKS = 48, 24  # cells of the line, and its signs in letters


class TypedPicture(Picture):
    """A line that is typed, and at the reveal what the room wrote."""

    reserve = 8

    def listed(self, asked: Asked) -> list[Line]:
        lines = [(), *_written(asked, _MOST), *self._told(asked)]
        return [cells.clip(line, asked.width) for line in lines]

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        if air.words or air.rows == 2:
            return None
        rows = _written(asked, asked.width)
        large = _in_letters(asked) if air.rows > 2 and asked.width >= WIDE else None
        return blocked(large or [(), *rows, ()], asked.width) if air.rows > 1 else rows

    def told(self, asked: Asked, air: Air) -> list[Line]:
        large = air.rows > 2 and asked.width >= WIDE
        return [cells.clip(line, asked.width) for line in self._told(asked, large)]

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        revealed = asked.revealed
        if revealed is None:
            return super().told_in_letters(asked, air)
        ways = [reasons] if (reasons := _reasons_in_letters(asked, revealed)) else []
        small = self._reasons(asked, revealed, asked.width >= WIDE)
        others = after_gap(self.others(asked, revealed))
        if self.answers_in_words(asked.question):
            both = [in_letters(asked, above) for above in (*ways, small)]
            return [way for each in both for way in each] + [above + others for above in ways]
        return [above + others for above in ways]

    def all_in_letters(self, asked: Asked) -> list[Line]:
        revealed = asked.revealed
        right = _right_in_letters(asked, revealed) if revealed is not None else None
        typical = _typical_in_letters(asked, revealed) if revealed is not None else None
        if revealed is None or right is None or typical is None:
            return []
        written = _in_letters(asked) or _written(asked, asked.width)
        return [*blocked(written, asked.width), *right, *typical, *after_gap(self.others(asked, revealed))]

    def _told(self, asked: Asked, large: bool = False) -> list[Line]:
        revealed = asked.revealed
        if revealed is None:
            return []
        return self._reasons(asked, revealed, large) + after_gap(self.others(asked, revealed))

    def _reasons(self, asked: Asked, revealed: QuestionState, large: bool) -> list[Line]:
        lines: list[Line] = []
        for texts, reason in _reasons(revealed):
            lines.append(())
            others = (Span(f"  or {cells.clean(', '.join(texts[1:]))}", DIM),) if len(texts) > 1 else ()
            letters = letters_of(cells.clean(texts[0]), asked.width - 6, 1) if large else None
            if letters is None:
                lines.append((Span("   ✓  ", GOOD), Span(cells.clean(texts[0]), GOOD), *others))
            else:
                lines += [(Span("      "), *row) for row in inked(letters, GOOD)]
                lines += [(Span("      "), *others)] if others else []
            lines += explained(reason, 6, asked.width)
        return lines + commented(asked.question, revealed, asked.typed, asked.width, asked.say)

    def answers_in_words(self, question: Question) -> bool:
        """Whether the most frequent answers are listed as they were written."""
        return question.kind not in UNGRADED

    def others(self, asked: Asked, revealed: QuestionState) -> list[Line]:
        """How the room answered."""
        if not self.answers_in_words(asked.question):
            return []
        return frequent(asked.question, revealed, asked.width, asked.say)


def _written(asked: Asked, most: int) -> list[Line]:
    """What was typed, or a line to write on."""
    given, ink = _given(asked)
    room = max(8, min(asked.width - 8, most))
    rows = cells.wrap([Span(cells.clean(given), ink)], room) if given else [()]
    return [
        (Span("   ✎  " if n == 0 else "      ", ACCENT), *(row or (Span("_" * min(room, _MOST), FAINT),)))
        for n, row in enumerate(rows)
    ]


def _in_letters(asked: Asked) -> list[Line] | None:
    """What was typed in one row of letters made of blocks; None where it has no room so."""
    given, ink = _given(asked)
    drawn = letters_of(cells.clean(given) or "_" * _MARKS, asked.width - 8, 1)
    return at_middle(Span("   ✎  ", ACCENT), inked(drawn, ink if given else FAINT)) if drawn else None


def _reasons_in_letters(asked: Asked, revealed: QuestionState) -> list[Line] | None:
    """What is right and why in letters, with what there is to say of typical answers; None where there are no
    letters for it."""
    right = _right_in_letters(asked, revealed)
    if right is None:
        return None
    return right + commented(asked.question, revealed, asked.typed, asked.width, asked.say)


def _right_in_letters(asked: Asked, revealed: QuestionState) -> list[Line] | None:
    """What is right and why; None where there are no letters for it."""
    lines: list[Line] = []
    for texts, reason in _reasons(revealed):
        others = (Span(f"  or {cells.clean(', '.join(texts[1:]))}", DIM),) if len(texts) > 1 else ()
        told = lines_in_letters([(Span(cells.clean(texts[0]), GOOD), *others)], asked.width - 6)
        why = paragraph(reason, asked.width - 6) if reason else []
        if told is None or why is None:
            return None
        lines += [(), *((Span("      "), *row) for row in (*told[0], *map(dimmed, why)))]
    return lines


def _typical_in_letters(asked: Asked, revealed: QuestionState) -> list[Line] | None:
    """What there is to say of typical answers; None where there are no letters for it."""
    lines: list[Line] = []
    for one in revealed.comments:
        sign, ink = ("   ✓  ", GOOD) if one.right else ("   ✗  ", BAD)
        told = lines_in_letters([(Span(cells.clean(one.text), ink),)], asked.width - 6)
        why = paragraph(one.explain, asked.width - 6) if one.explain else []
        if told is None or why is None:
            return None
        lines += [(), *at_middle(Span(sign, ink), told[0]), *((Span("      "), *dimmed(row)) for row in why)]
    return lines


def _given(asked: Asked) -> tuple[str, Style]:
    """What was typed, on one line, in the colour of what it is worth."""
    right = asked.own.right if asked.own is not None else None
    given = " ".join(asked.typed[0].split()) if asked.typed else ""
    return given, HEAD if right is None else GOOD if right else BAD


def _reasons(revealed: QuestionState) -> list[tuple[list[str], str]]:
    """The right texts, those together that one explanation explains."""
    found: list[tuple[list[str], str]] = []
    for n, accepted in enumerate(revealed.accepted):
        reason = revealed.explain[n] if n < len(revealed.explain) else ""
        if found and found[-1][1] == reason:
            found[-1][0].append(accepted)
        else:
            found.append(([accepted], reason))
    return found


PICTURE = TypedPicture()
