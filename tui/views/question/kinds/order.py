"""Items to put in order: at the left of each the place that it was given."""

from __future__ import annotations

from slides.drawing.text import Line, Span, Style
from tui.views.question.answer_rows import (
    ACCENT,
    BAD,
    CHIP,
    DIM,
    GOOD,
    HEAD,
    TAKEN,
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
    at_middle,
    at_most,
    inked,
    letters_of,
    letters_of_all,
    numbered,
    stacked,
)
from tui.views.question.most_frequent_answers import frequent, in_letters
from tui.views.question.picture import Air, Asked, Picture

_PLACE = 7  # cells of the place of an item in letters


class OrderPicture(Picture):
    """Items that are put in order by their letters."""

    reserve = 7

    def listed(self, asked: Asked) -> list[Line]:
        lines: list[Line] = [()]
        for n in range(len(asked.question.options)):
            lines += _item(asked, n, asked.width)
            lines += explained(why(asked.revealed, n), 8, asked.width)
        lines += self._order(asked)
        return lines + after_gap(self._others(asked))

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        if air.words:
            return _in_letters(asked, air)
        if air.rows == 2:
            return None  # no bar stands below an item
        lines: list[Line] = []
        for n in range(len(asked.question.options)):
            rows = _item(asked, n, asked.width - 2)
            spare = max(0, air.rows - len(rows))
            rows = [*[()] * (spare // 2), *rows, *[()] * (spare - spare // 2)]
            gap = n and air.gap
            lines += [*[()] * gap, *(blocked(rows, asked.width) if air.rows > 1 and air.gap else rows)]
        return lines

    def told(self, asked: Asked, air: Air) -> list[Line]:
        return self._reasons(asked) + after_gap(self._others(asked))

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        # Beside items in letters stand their places.
        order = [] if air.words else self._order(asked)
        return in_letters(asked, order + self._explained(asked.narrowed))

    def _reasons(self, asked: Asked) -> list[Line]:
        return self._order(asked) + self._explained(asked)

    def _explained(self, asked: Asked) -> list[Line]:
        lines: list[Line] = []
        for n in range(len(asked.question.options)):
            if text := why(asked.revealed, n):
                first, *more = explained(text, 8, asked.width)
                lines += [(Span("    "), Span(f" {n + 1} ", CHIP), Span(" "), *first[1:]), *more]
        return lines

    def _order(self, asked: Asked) -> list[Line]:
        if asked.revealed is None or not asked.revealed.key:
            return []
        said = " ".join(str(n + 1) for n in asked.revealed.key)
        return [(), (Span("right order  ", DIM), Span(said, GOOD))]

    def _others(self, asked: Asked) -> list[Line]:
        if asked.revealed is None:
            return []
        return frequent(asked.question, asked.revealed, asked.width, asked.say)

    def given(self, asked: Asked) -> str:
        return " ".join(str(n + 1) for n in asked.picked)

    def keys(self, asked: Asked) -> list[tuple[str, str]]:
        last = len(asked.question.options)
        return [(f"1-{last}" if last > 1 else "1", "next, again takes it back")]


def _item(asked: Asked, n: int, width: int) -> list[Line]:
    revealed, picked = asked.revealed, list(asked.picked)
    given = picked.index(n) + 1 if n in picked else None
    due = revealed.key.index(n) + 1 if revealed is not None and n in revealed.key else None
    good = due is not None and given == due
    mark = Span(f"{given}. " if given else "   ", BAD if due and given and not good else ACCENT)
    if due is not None and (good or not given):
        mark = Span(f"{due}. ", GOOD)
    chip = Span(f" {n + 1} ", TAKEN if given and not revealed else CHIP)
    lines = row((mark, chip, Span("  ")), asked.question.options[n].text, width, bold=bool(given))
    if due is not None and given:
        verdict = Span("  ✓", GOOD) if good else Span(f"  ✗ belongs at {due}.", BAD)
        lines[-1] = (*lines[-1], verdict)
    return lines


def _in_letters(asked: Asked, air: Air) -> list[Line] | None:
    """All items in letters made of blocks; None where their words have no room so."""
    words = [plain_words(option.text) for option in asked.question.options]
    drawn = letters_of_all(words, asked.width - 38, sizes=SHORT if air.short else SIZES)
    blocks: list[list[Line]] = []
    for n, rows in enumerate(drawn or ()):
        mark, chip, *_ = _item(asked, n, asked.width)[0]
        place = letters_of(mark.text.strip(), _PLACE, 1, at_most(len(rows), ("bold",))) or [""] * len(rows)
        look = HEAD if n in asked.picked else Style()
        verdict = _verdict(asked, n, len(rows))
        told = [(*row, *said) for row, said in zip(inked(rows, look), verdict, strict=True)]
        item = numbered(n, chip.style, told, 3)
        placed = zip(place, item, strict=True)
        blocks.append([(Span(f" {cells_}".ljust(_PLACE), mark.style), *row) for cells_, row in placed])
    return stacked(blocks, asked.width, air.gap) if drawn else None


def _verdict(asked: Asked, n: int, high: int) -> list[Line]:
    """What the reveal says of an item that was given a place, in `high` rows."""
    key = asked.revealed.key if asked.revealed is not None else ()
    if n not in key or n not in asked.picked:
        return [()] * high
    due = key.index(n) + 1
    good = list(asked.picked).index(n) + 1 == due
    said, ink = ("  ", GOOD) if good else ("  belongs at ", BAD)
    sign = letters_of("✓" if good else str(due), 8, 1, at_most(high, SIZES)) or [""] * high
    return at_middle(Span(said, ink), inked(sign, ink))


PICTURE = OrderPicture()
