"""Options to pick from: single, multi, true or false, a poll. After the reveal how many chose each."""

from __future__ import annotations

from itertools import product

from quiz.kinds.registry import SEVERAL, UNGRADED
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.question import votes
from tui.views.question.answer_rows import CHIP, LEAST_WORDS, after_gap, blocked, plain_words, why
from tui.views.question.large import (
    SHORT,
    SIZES,
    SLIM,
    WIDE,
    inked,
    letters_of_all,
    numbered,
    paragraph,
    paragraphs,
    widest,
)
from tui.views.question.markdown import dimmed, headed, markdown
from tui.views.question.over_bar import SIDES, over_bar
from tui.views.question.picture import Air, Asked, Picture

GUTTER = 7  # "●  1   ": mark, number, blank
RIGHT = "  ✓ right"  # as wide as it is in any language
_LEAST_BAR = 40  # cells of one that stands for all who answered, where an option has a block of its own

_MOST_ROWS = 2  # of letters, of an option
_ONE_DIGIT = 9  # options at most, for a narrow number of each
_MANY = 6  # options, from which on those in letters may stand without empty rows between
_EDGE = 2  # blank cells at the right of a block
_VERDICT = 24  # cells kept behind an option for its verdict
_LEAD, _NARROW_LEAD = 10, 7  # cells of the number of an option in letters, and of those before its words


class OptionsPicture(Picture):
    """Options as blocks, with bars when they are revealed."""

    reserve = 6
    spares = 3

    def kept(self, asked: Asked) -> int:
        if asked.question.kind in UNGRADED:
            return 0  # of a poll nothing is told
        # Many options are worth more in letters than room for long reasons, of which two are told at most.
        return self.reserve - 2 * (len(asked.question.options) > _MANY)

    def listed(self, asked: Asked) -> list[Line]:
        """Every option; after the reveal with its verdict, how many chose it, and why it is right or not."""
        revealed, width = asked.revealed, asked.width
        drawn = [_option(asked, n, width) for n in range(len(asked.question.options))]
        # Where both votes or what was measured are to be seen, or reasons part them, no air is between.
        parted = revealed is not None and len(revealed.explain) == len(drawn) > 2 and all(revealed.explain)
        tight = (
            len(drawn) > 6 or parted or (revealed is not None and bool(revealed.before or revealed.samples))
        )
        touching = tight and not (revealed is not None and any(revealed.explain))
        lines, rows = _with_bars(asked, drawn, votes.TOUCHING if touching else votes.BAR)
        for n, row in enumerate(rows):
            lines += row
            if reason := why(revealed, n):
                below = markdown(reason, max(1, width - GUTTER))
                lines += [(Span(" " * GUTTER), *dimmed(line)) for line in below]
            if n < len(drawn) - 1 and not tight:
                lines.append(())
        return lines

    def body(self, asked: Asked, air: Air) -> list[Line] | None:
        count = len(asked.question.options)
        if air.words:
            blocks = _in_letters(asked, air)
            if blocks is None:
                return None
            found = blocks
        elif air.rows > 1:
            found = [_block(asked, n, air) for n in range(count)]
        else:
            drawn = [_option(asked, n, asked.width) for n in range(count)]
            # Measured before the reveal, whose verdicts are in `RIGHT`: the same air must fit after it.
            bare = [_option(asked.bare, n, asked.width) for n in range(count)]
            ends = [max(map(cells.line_width, rows)) + cells.width(RIGHT) for rows in bare]
            if air != Air() and not votes.has_room_beside(ends, asked.width):
                return None  # bars would move what stands below them
            found = _with_bars(asked, drawn, votes.BAR if air.gap else votes.TOUCHING)[1]
        return [line for n, block in enumerate(found) for line in [*[()] * (n and air.gap), *block]]

    def told(self, asked: Asked, air: Air) -> list[Line]:
        """Why what is right is, and why what most have chosen, or who answers here, is not."""
        return self._reasons(asked, _spoken_of(asked))

    def told_in_brief(self, asked: Asked, air: Air) -> list[Line]:
        return self._reasons(asked, _spoken_of(asked, all_if_alone=False))

    def least_told(self, asked: Asked) -> list[Line]:
        """Why what is right is."""
        key = asked.revealed.key if asked.revealed is not None else ()
        return self._reasons(asked, [n for n in _spoken_of(asked) if n in key])

    @staticmethod
    def _reasons(asked: Asked, options: list[int]) -> list[Line]:
        lines: list[Line] = []
        for n in options:
            ink = _chip_of_reason(asked, n)
            rows = markdown(why(asked.revealed, n), max(1, asked.width - GUTTER)) or [()]
            lead = (Span("  "), Span(f" {n + 1} ", ink), Span("  "))
            lines += [(*lead, *rows[0]), *((Span(" " * GUTTER), *row) for row in rows[1:])]
        return after_gap(lines)

    def told_in_letters(self, asked: Asked, air: Air) -> list[list[Line]]:
        spoken, right = _spoken_of(asked), asked.revealed.key if asked.revealed is not None else ()
        others = [n for n in spoken if n not in right]
        small = self._reasons(asked.narrowed, others)
        whole = self._in_letters(asked, spoken)
        if not small or len(others) == len(spoken):
            return whole
        # What is right is worth more than that all of it has one size.
        return whole + [large + small for large in self._in_letters(asked, [n for n in spoken if n in right])]

    @staticmethod
    def _in_letters(asked: Asked, options: list[int]) -> list[list[Line]]:
        found: list[list[Line]] = []
        drawn = [paragraphs(why(asked.revealed, n), asked.width - 10) for n in options]
        for of_all in zip(*drawn, strict=False):
            lines: list[Line] = []
            for n, rows in zip(options, of_all, strict=True):
                lines += numbered(n, _chip_of_reason(asked, n), [dimmed(row) for row in rows], 3)
            found.append(after_gap(lines))
        return found if options else [[]]

    def all_in_letters(self, asked: Asked) -> list[Line]:
        lines: list[Line] = []
        for n, option in enumerate(asked.question.options):
            words = paragraph(option.text, asked.width - _LEAD - _VERDICT)
            reason = why(asked.revealed, n)
            below = paragraph(reason, asked.width - _LEAD) if reason else []
            if words is None or below is None or asked.revealed is None:
                return []
            _, chip, verdict, _ = _look(asked, n)
            said = (*verdict[:1], *votes.figure(asked.revealed, n)) if votes.told(asked.revealed) else verdict
            room = asked.width - _EDGE - _LEAD - max(map(cells.line_width, words))
            beside = votes.beside_rows((Span("  "), *said), len(words), room)
            rows = [(*cells.pad(row, asked.width - _EDGE - _LEAD - room), *more)
                    for row, more in zip(words, beside, strict=True)]  # fmt: skip
            lines += [*[()] * bool(lines), *blocked(numbered(n, chip, rows, 3), asked.width)]
            lines += [(Span(" " * _LEAD), *dimmed(row)) for row in below]
        return lines

    def given(self, asked: Asked) -> str:
        return ", ".join(str(n + 1) for n in sorted(asked.picked))

    def keys(self, asked: Asked) -> list[tuple[str, str]]:
        last = len(asked.question.options)
        many = " one or more" if asked.question.kind in SEVERAL else ""
        return [(f"1-{last}" if last > 1 else "1", f"pick{many}")]

    def untold(self, asked: Asked) -> bool:
        explained = {n for n in range(len(asked.question.options)) if why(asked.revealed, n)}
        return bool(explained - {*_spoken_of(asked)})


def _spoken_of(asked: Asked, *, all_if_alone: bool = True) -> list[int]:
    """The options whose explanations are told at once: right ones, the wrong one that most have chosen, and
    those picked here; of a poll all, and where no votes are to be compared, if `all_if_alone`."""
    state = asked.revealed
    if state is None:
        return []
    explained = [n for n in range(len(asked.question.options)) if why(state, n)]
    if asked.question.kind in UNGRADED or (all_if_alone and not votes.told(state)):
        return explained  # of one who answers alone all are to be read
    wrong = {n: count for n, count in enumerate(state.votes) if n not in state.key and count}
    most = max(wrong.values(), default=0)
    chosen = [n for n, count in wrong.items() if count == most][:1]
    return [n for n in explained if n in state.key or n in chosen or n in asked.picked]


def _chip_of_reason(asked: Asked, n: int) -> Style:
    right = asked.revealed is not None and n in asked.revealed.key
    return Style("background", "good" if right else "dim", bold=True)


def _with_bars(asked: Asked, drawn: list[list[Line]], sign: str) -> tuple[list[Line], list[list[Line]]]:
    """Options with their bars of `sign` beside or below them, under heads of two votes or an empty row."""
    revealed, width = asked.revealed, asked.width
    ends = [cells.line_width(rows[-1]) for rows in drawn]
    bars = votes.placed(revealed, ends, width) if revealed is not None else None
    # Bars beside some and below others would push the rest down.
    parted = revealed is not None and bars is not None and max(ends) + 3 > bars.start
    if revealed is not None and parted and (figured := _figured(revealed, drawn, ends, width)):
        return [()], figured
    found: list[list[Line]] = []
    for n, (rows, end) in enumerate(zip(drawn, ends, strict=True)):
        lines = list(rows)
        if revealed is not None and n < len(revealed.votes):
            if bars is None:
                lines += votes.below(revealed, n, GUTTER, width, asked.say)
            else:
                before = lines.pop() if end + 3 <= bars.start else ()
                lines.append((*cells.pad(before, bars.start), *votes.beside(revealed, n, bars, sign)))
        found.append(lines)
    heads = votes.heads(revealed, bars, asked.say) if revealed is not None and bars is not None else ()
    return [heads], found


def _figured(
    revealed: QuestionState, drawn: list[list[Line]], ends: list[int], width: int
) -> list[list[Line]] | None:
    """Options with how many chose each at the right end of its last row; None where one has no room there, or
    there are two votes to compare."""
    if len(votes.told(revealed)) != 1:
        return None
    found: list[list[Line]] = []
    for n, (rows, end) in enumerate(zip(drawn, ends, strict=True)):
        figure = votes.figure(revealed, n)
        if end + 2 + cells.line_width(figure) > width:
            return None
        found.append([*rows[:-1], (*cells.pad(rows[-1], width - cells.line_width(figure)), *figure)])
    return found


def _option(asked: Asked, n: int, width: int) -> list[Line]:
    """One option: mark and number, its text, after the reveal the verdict."""
    mark, number, verdict, strong = _look(asked, n)
    # Room for the verdict is kept free before the reveal too: nothing moves. On a thumbnail words go first.
    room = max(1, width - GUTTER - cells.width(RIGHT), min(width - GUTTER, LEAST_WORDS))
    body = markdown(asked.question.options[n].text, room) or [()]
    if strong:
        body = [headed(line) for line in body]
    first = (mark, Span(f" {n + 1} ", number), Span("  "), *body[0], *verdict)
    return [first, *((Span(" " * GUTTER), *line) for line in body[1:])]


def _look(asked: Asked, n: int) -> tuple[Span, Style, Line, bool]:
    """Of an option the mark if it was picked, the look of its number, its verdict, whether it stands out."""
    state, picked = asked.revealed, n in asked.picked
    right = state is not None and n in state.key
    left_open = state is not None and str(n + 1) in state.undecided
    wrong = state is not None and picked and bool(state.key or state.undecided) and not (right or left_open)
    chip = Style("background", "good" if right else "bad" if wrong else "accent", bold=True)
    number = chip if right or wrong or picked else CHIP
    mark = Span("● " if picked else "  ", Style("bad" if wrong else "good" if right else "accent", bold=True))
    verdict: Line = ()
    if right or wrong:
        verdict = (
            Span(f"  ✓ {asked.say('right')}", Style("good", bold=True))
            if right
            else Span("  ✗", Style("bad", bold=True)),
        )
    elif left_open:
        verdict = (Span(f"  ≈ {asked.say('undecided')}", Style("warning")),)
    return mark, number, verdict, picked or right


def _block(asked: Asked, n: int, air: Air) -> list[Line]:
    """An option over a row for its bar; with `air` on a ground of its own."""
    rows = _option(asked, n, asked.width - _EDGE)
    bar: Line = ()
    if asked.revealed is not None:
        bar = votes.across(asked.revealed, n, GUTTER, asked.width - _EDGE, say=asked.say)
    if not air.gap:
        return [*rows, bar]
    rows = [*([()] if air.rows > 2 else []), *rows, bar]
    return blocked(rows, asked.width)


def _in_letters(asked: Asked, air: Air) -> list[list[Line]] | None:
    """The options in letters made of blocks; None where their words have no room so. Bars stand beside them
    where the words leave room, else behind them; only the former, of many options, have no row between."""
    words, parted = [plain_words(option.text) for option in asked.question.options], air.gap > 0
    lead = _LEAD if asked.width >= WIDE or len(words) > _ONE_DIGIT else _NARROW_LEAD
    room = asked.width - lead - _EDGE
    if parted or len(words) > _MANY:
        sizes = SHORT if air.short else SLIM if air.slim else SIZES
        drawn = letters_of_all(words, room - _LEAST_BAR - votes.FIGURE, sizes=sizes)
        if drawn is not None:
            start = lead + widest(drawn) + 3
            blocks = [_beside_bar(asked, n, rows, lead, start, parted) for n, rows in enumerate(drawn)]
            return [blocked(block, asked.width) for block in blocks]
    narrow = asked.width - _NARROW_LEAD - _EDGE - SIDES[-1]
    if not (parted or air.short) or narrow < _LEAST_BAR:
        return None
    rooms = [(lead, side, room - side) for side in SIDES] + [(_NARROW_LEAD, SIDES[-1], narrow)]
    rooms = rooms if len(words) <= _ONE_DIGIT else rooms[:-1]
    if air.short and air.slim:
        rooms = rooms[-1:]  # as few rows as can be
    for most, of in product(range(1, _MOST_ROWS + 1), air.sizes):
        for before, side, cells_ in rooms:
            drawn = letters_of_all(words, cells_ - 1, most=most, sizes=of)
            if drawn is not None:
                blocks = [_over_bar(asked, n, rows, before, side) for n, rows in enumerate(drawn)]
                # Without rows between them every other one has a ground.
                return [
                    blocked(one, asked.width) if parted or not n % 2 else one for n, one in enumerate(blocks)
                ]
    return None


def _over_bar(asked: Asked, n: int, drawn: list[str], lead: int, side: int) -> list[Line]:
    """An option in letters with its bar behind them, its mark or its figures at their right."""
    mark, chip, verdict, strong = _look(asked, n)
    words = inked(drawn, Style("heading" if strong else "text", bold=strong))
    rows = [cells.pad(row, asked.width - _EDGE - side - 1) for row in _numbered(n, chip, words, lead)]
    if asked.revealed is not None:
        return over_bar(rows, asked.revealed, n, cells.width(rows[0][0].text), side, verdict, asked.say)
    return [(*row, Span(" "), mark) if at == len(rows) // 2 else row for at, row in enumerate(rows)]


def _numbered(n: int, chip: Style, rows: list[Line], lead: int) -> list[Line]:
    return numbered(n, chip, rows, 3) if lead == _LEAD else numbered(n, chip, rows, 2, 3)


def _beside_bar(asked: Asked, n: int, drawn: list[str], lead: int, start: int, parted: bool) -> list[Line]:
    """An option in letters, from the cell `start` on its mark or its bar."""
    mark, chip, verdict, strong = _look(asked, n)
    words = inked(drawn, Style("heading" if strong else "text", bold=strong))
    lines = [cells.pad(line, start) for line in _numbered(n, chip, words, lead)]
    if asked.revealed is None:
        return [(*line, mark) if at == len(lines) // 2 else line for at, line in enumerate(lines)]
    right = asked.width - _EDGE - start
    bars = votes.tall(asked.revealed, n, len(lines), right, verdict, parted=parted, say=asked.say)
    return [(*line, *bar) for line, bar in zip(lines, bars, strict=True)]


PICTURE = OptionsPicture()
