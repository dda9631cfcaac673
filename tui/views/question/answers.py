"""What stands below the stem of a question that is answered by more than a pick among options: items to put
in order, pairs, a line to type, gaps, code. Before the reveal nothing but the answer given here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from quiz.answer_key import fits
from quiz.answers.option_labels import labels
from quiz.kinds.cloze import alternatives
from quiz.question import Question
from runtime.classroom.question_state import QuestionState, said
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.numbers import DASH
from tui.views.question import votes

DIM, FAINT = Style("dim"), Style("faint")
HEAD, ACCENT = Style("heading", bold=True), Style("accent", bold=True)
GOOD, BAD = Style("good", bold=True), Style("bad", bold=True)
CHIP = Style("text", "select", bold=True)
TAKEN = Style("background", "accent", bold=True)
LAST_ROOM = 14  # kept free at the right of an item for what the reveal says: nothing moves
LEAST_WORDS = 16  # cells that an item has all the same, where there are so many


def order(question: Question, state: QuestionState | None, picked: Sequence[int], width: int) -> list[Line]:
    """The items with their digits; at the left the place that each was given."""
    revealed = state if state is not None and state.phase == "revealed" else None
    place = {item: at + 1 for at, item in enumerate(picked)}
    right = {item: at + 1 for at, item in enumerate(revealed.key)} if revealed else {}
    lines: list[Line] = []
    for n, option in enumerate(question.options):
        given, due = place.get(n), right.get(n)
        good = due is not None and given == due
        mark = Span(f"{given}. " if given else "   ", BAD if due and given and not good else ACCENT)
        if due is not None and (good or not given):
            mark = Span(f"{due}. ", GOOD)
        chip = Span(f" {n + 1} ", TAKEN if given and not revealed else CHIP)
        lines += _row((mark, chip, Span("  ")), option.text, width, bold=bool(given))
        if due is not None and given:
            verdict = Span("  ✓", GOOD) if good else Span(f"  ✗ is {due}.", BAD)
            lines[-1] = (*lines[-1], verdict)
        lines += _explained(_why(revealed, n), 8, width)
    if revealed and revealed.key:
        said = " ".join(str(n + 1) for n in revealed.key)
        lines += [(), (Span("right order  ", DIM), Span(said, GOOD))]
    return lines


def match(question: Question, state: QuestionState | None, picked: Sequence[int], width: int) -> list[Line]:
    """The prompts with what each was given, then the right sides with their digits."""
    revealed = state if state is not None and state.phase == "revealed" else None
    phase = state.phase if state is not None else "open"
    lines: list[Line] = []
    texts = [_plain(option.text) for option in question.options]
    due_next = next((n for n in range(len(question.prompts)) if n >= len(picked) or picked[n] < 0), None)
    column = min(max((cells.width(_plain(p)) for p in question.prompts), default=0), max(8, width // 2 - 6))
    for n, prompt in enumerate(question.prompts):
        given = picked[n] if n < len(picked) else -1
        key = revealed.key[n] if revealed and n < len(revealed.key) else None
        same = key is not None and given >= 0 and texts[given : given + 1] == texts[key : key + 1]
        pointer = Span("▸ " if phase == "open" and n == due_next else "  ", ACCENT)
        answer = list(
            _side(given, texts, GOOD if same else BAD if key is not None and given >= 0 else ACCENT)
        )
        if key is not None:
            wrong = [*answer, Span("  ✗ ", BAD)] if given >= 0 else []  # who gave none was not wrong
            answer = [*answer, Span("  ✓", GOOD)] if same else [*wrong, *_side(key, texts, GOOD)]
        ink = HEAD if n == due_next else Style()
        lefts = cells.wrap([Span(_plain(prompt), ink)], column) or [()]
        rights = cells.wrap(answer, max(8, width - column - 7))
        for at, (left, right) in enumerate(zip_longest(lefts, rights, fillvalue=())):
            lead = (pointer, *cells.fit(left, column), Span("  →  " if not at else " " * 5, FAINT))
            lines.append(cells.clip((*(lead if not at else (Span("  "), *lead[1:])), *right), width))
    lines.append(())
    for n, option in enumerate(question.options):
        used = n in picked
        lines += _row((Span("  "), Span(f" {n + 1} ", CHIP), Span("  ")), option.text, width, dim=used)
        lines += _explained(_why(revealed, n), 7, width)
    return lines


def _side(n: int, texts: Sequence[str], style: Style) -> Line:
    return (Span(f"{n + 1} {texts[n]}", style),) if 0 <= n < len(texts) else (Span(DASH, FAINT),)


def typed(
    question: Question,
    state: QuestionState | None,
    text: Sequence[str],
    width: int,
    right: bool | None = None,
) -> list[Line]:
    """A line to write on; after the reveal whether it was `right` (None: nobody knows), what was, and how the
    room answered."""
    revealed = state if state is not None and state.phase == "revealed" else None
    given = " ".join(text[0].split()) if text else ""
    ink = HEAD if right is None else GOOD if right else BAD
    lines: list[Line] = []
    room = max(8, min(width - 8, 48))
    rows = cells.wrap([Span(cells.clean(given), ink)], room) if given else [()]
    for n, row in enumerate(rows):
        lead = Span("   ✎  " if n == 0 else "      ", ACCENT)
        lines.append((lead, *(row or (Span("_" * room, FAINT),))))
    if revealed is None:
        return [cells.clip(line, width) for line in lines]
    for texts, why in _reasons(revealed):
        lines.append(())
        others = (Span(f"  or {cells.clean(', '.join(texts[1:]))}", DIM),) if len(texts) > 1 else ()
        lines.append((Span("   ✓  ", GOOD), Span(cells.clean(texts[0]), GOOD), *others))
        lines += _explained(why, 6, width)
    lines += _commented(question, revealed, text, width)
    if question.kind == "numeric":
        lines += _after_gap(_numbers(revealed, width))
    elif question.kind != "essay":
        lines += _after_gap(votes.frequent(question, revealed, width))
    return [cells.clip(line, width) for line in lines]


def _commented(question: Question, revealed: QuestionState, text: Sequence[str], width: int) -> list[Line]:
    """What there is to say of typical answers; one that was given here stands out."""
    lines: list[Line] = []
    for one in revealed.comments:
        own = one.gap < len(text) and fits(question, one.text, text[one.gap])
        sign = Span("   ✓  " if one.right else "   ✗  ", (GOOD if one.right else BAD) if own else FAINT)
        gap = (Span(f"gap {one.gap + 1}: ", DIM),) if question.kind == "cloze" else ()
        yours = (Span("  your answer", DIM),) if own else ()
        said = Span(cells.clean(one.text), Style("text", bold=own))
        lines += [(), (sign, *gap, said, *yours), *_explained(one.explain, 6, width)]
    return lines


def _reasons(revealed: QuestionState) -> list[tuple[list[str], str]]:
    """The right texts, those together that one explanation explains."""
    found: list[tuple[list[str], str]] = []
    for n, accepted in enumerate(revealed.accepted):
        why = revealed.explain[n] if n < len(revealed.explain) else ""
        if found and found[-1][1] == why:
            found[-1][0].append(accepted)
        else:
            found.append(([accepted], why))
    return found


def _numbers(revealed: QuestionState, width: int) -> list[Line]:
    """The numbers of the room on an axis; those of a prediction stand on that of what was measured."""
    unit = unit_of(revealed)
    given = votes.values(revealed, unit)
    before = votes.values(revealed.before[-1], unit) if revealed.before else []
    if revealed.samples or len(given) + len(before) < 2:
        return []
    lines = votes.strip(given, _band(revealed), unit, width, before=before)
    if others := sum(each.count for each in said(revealed)) - len(given):
        what = "answer is" if others == 1 else "answers are"
        lines.append((Span(f" {others} other {what} not in {unit or 'numbers'}", FAINT),))
    return lines


def unit_of(state: QuestionState) -> str:
    """The unit of the key, else the one that most have written."""
    from quiz.answers import quantity
    from quiz.answers.tolerance import number

    for accepted in state.accepted:
        if (found := number(accepted)) is not None:
            return found.unit
    written: Counter[str] = Counter()
    for each in said(state):
        if each.text and (read := quantity.read(each.text[0])) and read.unit:
            written[read.unit] += each.count
    return max(written, key=lambda unit: written[unit], default="")


def _band(state: QuestionState) -> tuple[float, float] | None:
    from quiz.answers.tolerance import number

    found = [one for accepted in state.accepted if (one := number(accepted)) is not None]
    return (found[0].low, found[0].high) if found else None


def stem_with_gaps(question: Question, text: Sequence[str], parts: Sequence[float] | None = None) -> str:
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
        stem = f"{before}{opened} {n + 1}: {given or chr(0x2026)} {closed}{after}"
    return stem


def _literal(before: str) -> bool:
    """Whether what follows stands in code or in a formula, where a backslash shows."""
    paragraph = before.rsplit("\n\n", 1)[-1].replace("\\$", "").replace("\\`", "")
    return paragraph.count("`") % 2 == 1 or paragraph.replace("$$", "$").count("$") % 2 == 1


def cloze(
    question: Question, state: QuestionState | None, width: int, text: Sequence[str] = ()
) -> list[Line]:
    """What can be chosen for each gap; after the reveal what belongs there, and how the room filled them."""
    revealed = state if state is not None and state.phase == "revealed" else None
    lines: list[Line] = []
    for n, gap in enumerate(question.gaps):
        spans: list[Span] = []
        if revealed is not None and n < len(revealed.accepted):
            first, *others = alternatives(revealed.accepted[n]) or [DASH]
            spans += [Span("✓ ", GOOD), Span(cells.clean(first), GOOD)]
            spans += [Span(f"  or {cells.clean(', '.join(others))}", DIM)] if others else []
        elif gap.offered:
            for label, offered in zip(labels(gap.offered), gap.offered, strict=True):
                spans += [Span("  ·  ", FAINT)] if spans else []
                spans += [Span(f"{label} ", DIM), Span(cells.clean(offered))]
        else:
            continue
        chip: Line = (Span(f" {n + 1} ", CHIP), Span("  "))
        for at, row in enumerate(cells.wrap(spans, max(1, width - 5))):
            lines.append((*(chip if not at else (Span(" " * 5),)), *row))
    if revealed is not None:
        lines += _commented(question, revealed, text, width)
        lines += _after_gap(votes.frequent(question, revealed, width))
    return lines


def code(question: Question, state: QuestionState | None, picked: Sequence[int], width: int) -> list[Line]:
    """The code with the numbers of its lines; the chosen one is marked."""
    from slides.highlighting.highlight import highlight

    revealed = state if state is not None and state.phase == "revealed" else None
    rows = highlight(question.lang, question.code)
    digits = len(str(len(rows)))
    lines: list[Line] = []
    bars = _code_bars(revealed, [cells.line_width(row) for row in rows], digits + 4, width)
    for n, row in enumerate(rows):
        here, right = n in picked, revealed is not None and n in revealed.key
        style = GOOD if right else BAD if here and revealed else ACCENT
        mark = "✓ " if right else "✗ " if here and revealed else "▸ " if here else "  "
        ground = "select" if here or right else "panel"
        number = Span(f"{n + 1:>{digits}}  ", Style("text" if here or right else "faint"))
        spans = [Span(mark, style), number, *row]
        inked = tuple(Span(text, look.on(look.ground or ground)) for text, look in spans)
        chosen = revealed is not None and bars is not None and any(one[n] for one in bars.votes)
        room = bars.start if chosen and bars is not None else width
        line = cells.fit(inked, max(1, room), Style(ground=ground))
        if chosen and bars is not None:
            for one in bars.votes:
                drawn = votes.bar(one[n], sum(one), bars.room, right)
                beside = cells.fit((Span(" "), *drawn), bars.step)
                line = (*line, *(Span(text, look.on("panel")) for text, look in beside))
        lines.append(cells.clip(line, width))
    return lines


class _CodeBars(NamedTuple):
    """Bars beside the lines that somebody chose, from the cell `start` on, those of another vote `step`
    cells further; one of all who answered has `room` cells."""

    votes: list[tuple[int, ...]]
    start: int
    step: int
    room: int


def _code_bars(
    revealed: QuestionState | None, used: Sequence[int], lead: int, width: int
) -> _CodeBars | None:
    """Of these lines none is cut, as far as bars can be short."""
    told = votes.told(revealed) if revealed is not None else []
    if not told or width < 40:
        return None
    chosen = [lead + cells_ for n, cells_ in enumerate(used) if any(n < len(one) and one[n] for one in told)]
    free = (width - max(chosen, default=0)) // len(told)
    room = max(1, min(10, free - votes.FIGURE))
    step = room + votes.FIGURE
    return _CodeBars([one + (0,) * len(used) for one in told], width - step * len(told), step, room)


# --- rows -----------------------------------------------------------------------------------------------


def _row(lead: Line, text: str, width: int, bold: bool = False, dim: bool = False) -> list[Line]:
    """`lead` and Markdown beside it, with room at the right for a verdict."""
    from tui.views.question.markdown import dimmed, headed, markdown

    indent = cells.line_width(lead)
    body = markdown(text, max(1, width - indent - LAST_ROOM, min(width - indent, LEAST_WORDS))) or [()]
    body = [headed(line) for line in body] if bold else [dimmed(line) for line in body] if dim else body
    return [(*lead, *body[0]), *((Span(" " * indent), *line) for line in body[1:])]


def _explained(why: str, indent: int, width: int) -> list[Line]:
    from tui.views.question.markdown import dimmed, markdown

    if not why:
        return []
    return [(Span(" " * indent), *dimmed(line)) for line in markdown(why, max(1, width - indent))]


def _why(state: QuestionState | None, n: int) -> str:
    return state.explain[n] if state is not None and n < len(state.explain) else ""


def _after_gap(lines: list[Line]) -> list[Line]:
    return [(), *lines] if lines else []


def _plain(text: str) -> str:
    """Markdown as one line of plain words."""
    from slides.drawing.layout import layout_blocks
    from slides.drawing.text import plain
    from slides.reading.parse import parse_blocks

    return " ".join(" ".join(plain(line) for line in layout_blocks(parse_blocks(text), 0, 400)).split())


def _escaped(text: str) -> str:
    """Typed words as Markdown that shows them as they are."""
    import re

    return re.sub(r"([\\`*_{}\[\]<>#|$~!])", r"\\\1", " ".join(cells.clean(text).split()))
