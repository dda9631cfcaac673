"""A text with gaps: what can be chosen for each, after the reveal what belongs there and how the room filled
them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from quiz.answers.option_labels import labels
from quiz.kinds.cloze import alternatives
from quiz.question import Question
from slides.drawing import cells
from slides.drawing.text import Line, Span
from tui.figures.numbers import DASH
from tui.views.question.answer_rows import CHIP, DIM, FAINT, GOOD, HEAD, after_gap, commented
from tui.views.question.large import SHORT, SIZES, SLIM, lines_in_letters, numbered, stacked
from tui.views.question.most_frequent_answers import frequent, in_letters
from tui.views.question.picture import Air, Asked, Picture

_CHIP = 9  # cells of the number of a gap in letters, with those beside it
_TO_WRITE = 10  # cells of a line to write on
_WHOLE = 32  # cells of a gap that is never parted


class ClozePicture(Picture):
    """Gaps within the words, filled as they are answered."""

    reserve = 6

    def stem(self, asked: Asked) -> str:
        return _stem_with_gaps(asked.question, asked.typed, asked.own.parts if asked.own else None)

    def listed(self, asked: Asked) -> list[Line]:
        return [(), *_gaps(asked, 0), *self._told(asked)]

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        return _in_letters(asked, air) if air.words else _gaps(asked, air.gap)

    def told(self, asked: Asked, air: Air) -> list[Line]:
        return self._told(asked)

    def _told(self, asked: Asked) -> list[Line]:
        if asked.revealed is None:
            return []
        lines = commented(asked.question, asked.revealed, asked.typed, asked.width, asked.say)
        return lines + after_gap(frequent(asked.question, asked.revealed, asked.width, asked.say))

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        revealed, width = asked.revealed, asked.narrowed.width
        return in_letters(
            asked, commented(asked.question, revealed, asked.typed, width, asked.say) if revealed else []
        )


def _in_letters(asked: Asked, air: Air) -> list[Line] | None:
    """A row of letters made of blocks a gap, all of one size; None where one has no room so."""
    told, room, sizes = _told_of_gaps(asked), asked.width - _CHIP, SHORT if air.short else (*SIZES, *SLIM)
    bare = lines_in_letters(_told_of_gaps(asked.bare), room, sizes)
    if bare is None and asked.bare == asked:
        return None
    large = lines_in_letters(told, room, sizes) if bare else None
    small = [[(), spans, ()] for spans in told]
    if bare and not large:
        small = [rows[: len(bare[0])] for rows in small]  # as high as they were
    blocks = [numbered(n, CHIP, rows) for n, rows in enumerate(large or small)]
    return stacked(blocks, asked.width, air.gap)


def _told_of_gaps(asked: Asked) -> list[Line]:
    """What there is to say of each gap: what it is chosen from, or from the reveal on what belongs there."""
    found: list[Line] = []
    for n, gap in enumerate(asked.question.gaps):
        spans: list[Span] = []
        if asked.revealed is not None and n < len(asked.revealed.accepted):
            first, *others = alternatives(asked.revealed.accepted[n]) or [DASH]
            spans += [Span("✓ ", GOOD), Span(cells.clean(first), GOOD)]
            spans += [Span(f"  or {cells.clean(', '.join(others))}", DIM)] if others else []
        elif gap.offered:
            for label, offered in zip(labels(gap.offered), gap.offered, strict=True):
                spans += [Span("  ·  ", FAINT)] if spans else []
                spans += [Span(f"{label} ", DIM), Span(cells.clean(offered))]
        else:
            said = " ".join(cells.clean(asked.typed[n]).split()) if n < len(asked.typed) else ""
            spans = [Span(said, HEAD) if said else Span("_" * _TO_WRITE, FAINT)]
        found.append(tuple(spans))
    return found


def _gaps(asked: Asked, apart: int) -> list[Line]:
    """A row a gap."""
    lines: list[Line] = []
    for n, spans in enumerate(_told_of_gaps(asked)):
        chip: Line = (Span(f" {n + 1} ", CHIP), Span("  "))
        lines += [()] * (apart if lines else 0)
        for at, row in enumerate(cells.wrap(spans, max(1, asked.width - 5))):
            lines.append((*(chip if not at else (Span(" " * 5),)), *row))
    return lines


def _stem_with_gaps(question: Question, text: Sequence[str], parts: Sequence[float] | None = None) -> str:
    """The stem as Markdown, each gap as what was typed into it or a line; with the share that each has earned
    (`parts`) marked."""
    stem = question.stem
    for n in range(len(question.gaps)):
        before, mark, after = stem.partition(f"{{{{{n + 1}}}}}")
        if not mark:
            continue
        literal = _literal(before)
        said = " ".join(cells.clean(text[n]).split()) if n < len(text) else ""
        given = said if literal else _escaped(said)
        if given and parts is not None and n < len(parts):
            given += " ✓" if parts[n] >= 1.0 else " ✗"
        opened, closed = ("[", "]") if literal else ("\\[", "\\]")  # else `(n)` behind it makes a link
        gap = f"{opened} {n + 1}: {given or chr(0x2026)} {closed}"
        if not literal and cells.width(gap) <= _WHOLE:
            gap = gap.replace(" ", "\u00a0")  # its brackets stand on one row
        stem = f"{before}{gap}{after}"
    return stem


def _literal(before: str) -> bool:
    """Whether what follows stands in code or in a formula, where a backslash shows."""
    paragraph = before.rsplit("\n\n", 1)[-1].replace("\\$", "").replace("\\`", "")
    return paragraph.count("`") % 2 == 1 or paragraph.replace("$$", "$").count("$") % 2 == 1


def _escaped(text: str) -> str:
    """Typed words as Markdown that shows them as they are."""
    return re.sub(r"([\\`*_{}\[\]<>#|$~!])", r"\\\1", " ".join(cells.clean(text).split()))


PICTURE = ClozePicture()
