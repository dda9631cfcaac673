"""What stands below the stem of a question that is answered by more than a pick among options: items to put
in order, pairs, a line to type, gaps, code. Before the reveal nothing but the answer given here.
"""

from __future__ import annotations

from collections.abc import Sequence

from quiz.question import Question
from runtime.questions import QuestionState
from slides import cells
from slides.text import Line, Span, Style
from tui.views import votes
from tui.views.numbers import DASH

DIM, FAINT = Style("dim"), Style("faint")
HEAD, ACCENT = Style("heading", bold=True), Style("accent", bold=True)
GOOD, BAD = Style("good", bold=True), Style("bad", bold=True)
CHIP = Style("text", "select", bold=True)
TAKEN = Style("background", "accent", bold=True)
LAST_ROOM = 14  # kept free at the right of an item for what the reveal says: nothing moves


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
        lines += _explained(revealed, n, 8, width)
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
        left = cells.fit((Span(_plain(prompt), HEAD if n == due_next else Style()),), column)
        answer = _side(given, texts, GOOD if same else BAD if key is not None and given >= 0 else ACCENT)
        line: Line = (pointer, *left, Span("  →  ", FAINT), *answer)
        if key is not None:
            line = (
                (*line, Span("  ✓", GOOD)) if same else (*line, Span("  ✗ ", BAD), *_side(key, texts, GOOD))
            )
        lines.append(cells.clip(line, width))
    lines.append(())
    for n, option in enumerate(question.options):
        used = n in picked
        lines += _row((Span("  "), Span(f" {n + 1} ", CHIP), Span("  ")), option.text, width, dim=used)
        lines += _explained(revealed, n, 7, width)
    return lines


def _side(n: int, texts: Sequence[str], style: Style) -> Line:
    return (Span(f"{n + 1} {texts[n]}", style),) if 0 <= n < len(texts) else (Span(DASH, FAINT),)


def typed(question: Question, state: QuestionState | None, text: Sequence[str], width: int) -> list[Line]:
    """A line to write on; after the reveal what was right and how the room answered."""
    revealed = state if state is not None and state.phase == "revealed" else None
    given = " ".join(text[0].split()) if text else ""
    good = revealed is not None and any(votes.fits(one, given) for one in revealed.accepted)
    ink = GOOD if good else BAD if revealed and revealed.accepted and given else HEAD
    lines: list[Line] = []
    room = max(8, min(width - 8, 48))
    rows = cells.wrap([Span(cells.clean(given), ink)], room) if given else [()]
    for n, row in enumerate(rows):
        lead = Span("   ✎  " if n == 0 else "      ", ACCENT)
        lines.append((lead, *(row or (Span("_" * room, FAINT),))))
    if revealed is None:
        return [cells.clip(line, width) for line in lines]
    for n, accepted in enumerate(revealed.accepted):
        lines.append(())
        lines.append((Span("   ✓  ", GOOD), Span(cells.clean(accepted), GOOD)))
        lines += _explained(revealed, n, 6, width)
    unit = unit_of(revealed)
    numbers = votes.values(revealed, unit) if question.kind == "numeric" else []
    if len(numbers) > 1:
        lines += [(), *votes.strip(numbers, _band(revealed), unit, width)]
    elif question.kind != "essay":
        lines += _after_gap(votes.frequent(question, revealed, width))
    return [cells.clip(line, width) for line in lines]


def unit_of(state: QuestionState) -> str:
    """The unit of the key, else the one that most have written."""
    from quiz import quantity
    from quiz.kinds import number

    for accepted in state.accepted:
        if (found := number(accepted)) is not None:
            return found.unit
    written = [
        read.unit for text in state.texts.values() if text and (read := quantity.read(text[0])) and read.unit
    ]
    return max(written, key=written.count, default="")


def _band(state: QuestionState) -> tuple[float, float] | None:
    from quiz.kinds import number

    found = [one for accepted in state.accepted if (one := number(accepted)) is not None]
    return (found[0].low, found[0].high) if found else None


def stem_with_gaps(question: Question, state: QuestionState | None, text: Sequence[str]) -> str:
    """The stem as Markdown, each gap as what was typed into it or a line."""
    revealed = state is not None and state.phase == "revealed"
    stem = question.stem
    for n in range(len(question.gaps)):
        given = _escaped(text[n]) if n < len(text) and text[n].strip() else ""
        if revealed and state is not None and n < len(state.accepted):
            good = bool(given) and n < len(state.parts) and state.parts[n] >= 1.0
            given = f"{given} ✓" if good else f"{given} ✗" if given else ""
        stem = stem.replace(f"{{{{{n + 1}}}}}", f"**[ {n + 1}: {given or chr(0x2026)} ]**")
    return stem


def cloze(question: Question, state: QuestionState | None, width: int) -> list[Line]:
    """What can be chosen for each gap; after the reveal what belongs into it."""
    revealed = state if state is not None and state.phase == "revealed" else None
    lines: list[Line] = []
    for n, gap in enumerate(question.gaps):
        spans: list[Span] = [Span(f" {n + 1} ", CHIP), Span("  ")]
        if revealed is not None and n < len(revealed.accepted):
            spans += [Span("✓ ", GOOD), Span(cells.clean(revealed.accepted[n]), GOOD)]
        elif gap.offered:
            for at, offered in enumerate(gap.offered):
                spans += [Span("  ·  ", FAINT)] if at else []
                spans += [Span(f"{at + 1} ", DIM), Span(cells.clean(offered))]
        else:
            continue
        lines += cells.wrap(spans, width)
    if revealed is not None:
        lines += _after_gap(votes.frequent(question, revealed, width))
    return lines


def code(question: Question, state: QuestionState | None, picked: Sequence[int], width: int) -> list[Line]:
    """The code with the numbers of its lines; the chosen one is marked."""
    from slides.code import highlight

    revealed = state if state is not None and state.phase == "revealed" else None
    rows = highlight(question.lang, question.code)
    digits = len(str(len(rows)))
    lines: list[Line] = []
    counts = (
        state.votes if revealed and state is not None and sum(state.votes) > 1 and not state.before else ()
    )
    side = 18 if counts and width >= 60 else 0
    for n, row in enumerate(rows):
        here, right = n in picked, revealed is not None and n in revealed.key
        style = GOOD if right else BAD if here and revealed else ACCENT
        mark = "✓ " if right else "✗ " if here and revealed else "▸ " if here else "  "
        ground = "select" if here or right else "panel"
        number = Span(f"{n + 1:>{digits}}  ", Style("text" if here or right else "faint"))
        spans = [Span(mark, style), number, *row]
        inked = tuple(Span(text, look.on(look.ground or ground)) for text, look in spans)
        line = cells.fit(inked, max(1, width - side), Style(ground=ground))
        if side and n < len(counts) and counts[n]:
            line = (*line, Span("  "), *votes.bar(counts[n], max(counts), 10, right))
        lines.append(cells.clip(line, width))
    return lines


# --- rows -----------------------------------------------------------------------------------------------


def _row(lead: Line, text: str, width: int, bold: bool = False, dim: bool = False) -> list[Line]:
    """`lead` and Markdown beside it, with room at the right for a verdict."""
    from tui.views.markdown import dimmed, headed, markdown

    indent = cells.line_width(lead)
    body = markdown(text, max(1, width - indent - LAST_ROOM)) or [()]
    body = [headed(line) for line in body] if bold else [dimmed(line) for line in body] if dim else body
    return [(*lead, *body[0]), *((Span(" " * indent), *line) for line in body[1:])]


def _explained(state: QuestionState | None, n: int, indent: int, width: int) -> list[Line]:
    from tui.views.markdown import dimmed, markdown

    if state is None or n >= len(state.explain) or not state.explain[n]:
        return []
    below = markdown(state.explain[n], max(1, width - indent))
    return [(Span(" " * indent), *dimmed(line)) for line in below]


def _after_gap(lines: list[Line]) -> list[Line]:
    return [(), *lines] if lines else []


def _plain(text: str) -> str:
    """Markdown as one line of plain words."""
    from slides.layout import layout_blocks
    from slides.parse import parse_blocks
    from slides.text import plain

    return " ".join(" ".join(plain(line) for line in layout_blocks(parse_blocks(text), 0, 400)).split())


def _escaped(text: str) -> str:
    """Typed words as Markdown that shows them as they are."""
    import re

    return re.sub(r"([\\`*_{}\[\]<>#|$~!])", r"\\\1", " ".join(cells.clean(text).split()))
