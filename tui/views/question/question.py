"""A question on its slide: stem, what it is answered with, and after the reveal what was right and why.

The key is only ever taken from the class's state, which has it from the reveal on: an audience's question has
none, and a teacher's screen must not show it early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from quiz.answer_key import graded, held
from quiz.grade import Grade
from quiz.kinds.registry import TYPED
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.parts.numbers import DASH, clock
from tui.views.question import answers, votes
from tui.views.question.markdown import dimmed, headed, markdown

DIM, FAINT, HEAD = Style("dim"), Style("faint"), Style("heading", bold=True)
KEY = Style("accent", bold=True)
GUTTER = 7  # "●  1   ": mark, number, blank
RIGHT = "  ✓ right"
OPEN = "  ≈ open"
_DOT = Span(" · ", FAINT)


def question_lines(
    question: Question,
    state: QuestionState | None,
    picked: tuple[int, ...],
    width: int,
    *,
    typed: tuple[str, ...] = (),
    hints: bool = True,
    locks: bool = True,
    left_s: int | None = None,
    people: int = 0,
    measured: Sequence[Line] = (),
    draw: Callable[[str, int], list[Line]] = markdown,
) -> list[Line]:
    """The question in at most `width` cells.

    `picked` are 0-based options, places or lines, `typed` what was written; `hints` False leaves keys unsaid,
    `locks` those that only the driver has.
    `left_s`: whole seconds until it locks; `people`: how many of the room could answer by key; `measured`
    stands above the explanation of the whole; `draw` writes what may hold pictures. Before the reveal neither
    key nor counts are shown: a room that sees the majority follows it.
    """
    width = max(1, width)
    revealed = state if state is not None and state.phase == "revealed" else None
    if revealed is not None:
        question = held(question, revealed.key, revealed.accepted)
    own = _own(question, revealed, picked, typed)
    stem = question.stem
    if question.kind == "cloze":
        stem = answers.stem_with_gaps(question, typed, own.parts if own else None)
    head, *below = _answers(question, state, picked, typed, width, own.right if own else None) or [()]
    lines = [*(headed(line) for line in draw(stem, width)), *([head, *below] if below else [])]
    if revealed is not None and (won := votes.gain(question, revealed, width)):
        lines += [*([()] if not measured else []), *won]
    if state is not None and state.hints and revealed is None:
        lines.append(())
        for n, hint in enumerate(state.hints, 1):
            lead = Span(f"hint {n}  ", Style("warning"))
            first, *rest = markdown(hint, max(1, width - 8)) or [()]
            lines += [(lead, *first), *((Span(" " * 8), *line) for line in rest)]
    lines += measured
    if revealed is not None and revealed.general:
        lines += [(), *draw(revealed.general, width)]
    if revealed is not None and question.source:
        lines += [(), *cells.wrap([Span(f"from: {cells.clean(question.source)}", FAINT)], width)]
    foot = _foot(question, state, picked, typed, hints, locks, left_s, people, own)
    return [*(cells.clip(line, width) for line in (*lines, ())), *cells.wrap(foot, width)]


def _own(
    question: Question, revealed: QuestionState | None, picked: tuple[int, ...], typed: tuple[str, ...]
) -> Grade | None:
    """What the answer given here is worth by the key that was told; None: there is neither."""
    if revealed is None or not (picked or any(typed)):
        return None
    return graded(question, revealed.undecided, picked, typed)


def _answers(
    question: Question,
    state: QuestionState | None,
    picked: tuple[int, ...],
    typed: tuple[str, ...],
    width: int,
    right: bool | None,
) -> list[Line]:
    """What stands below the stem: an empty line, or the heads of two votes, then the answers."""
    revealed = state if state is not None and state.phase == "revealed" else None
    lines: list[Line] = [()]
    match question.kind:
        case "order":
            lines += answers.order(question, state, picked, width)
        case "match":
            lines += answers.match(question, state, picked, width)
        case "numeric" | "text" | "essay":
            return lines + answers.typed(question, state, typed, width, right)
        case "cloze":
            return lines + answers.cloze(question, state, width, typed)
        case "line":
            return lines + answers.code(question, state, picked, width)
        case "description":
            return []
        case _:
            return _options(question, revealed, picked, width)
    if revealed is not None and (told := votes.frequent(question, revealed, width)):
        lines += [(), *told]
    return lines


def _options(
    question: Question, revealed: QuestionState | None, picked: tuple[int, ...], width: int
) -> list[Line]:
    """Every option; after the reveal with its verdict, how many chose it, and why it is right or wrong."""
    drawn = [_option(n, o.text, n in picked, revealed, width) for n, o in enumerate(question.options)]
    ends = [cells.line_width(rows[-1]) for rows in drawn]
    bars = votes.placed(revealed, ends, width) if revealed is not None else None
    # Where both votes or what was measured are to be seen, or a reason parts them, there is no air between.
    parted = revealed is not None and len(revealed.explain) == len(drawn) > 2 and all(revealed.explain)
    tight = len(drawn) > 6 or parted or (revealed is not None and bool(revealed.before or revealed.samples))
    lines: list[Line] = [votes.heads(revealed, bars) if revealed is not None and bars is not None else ()]
    for n, (rows, end) in enumerate(zip(drawn, ends, strict=True)):
        lines += rows
        if revealed is not None and n < len(revealed.votes):
            if bars is None:
                lines += votes.below(revealed, n, GUTTER, width)
            else:
                before = lines.pop() if end + 3 <= bars.start else ()
                lines.append((*cells.pad(before, bars.start), *votes.beside(revealed, n, bars)))
        if revealed is not None and n < len(revealed.explain) and revealed.explain[n]:
            below = markdown(revealed.explain[n], max(1, width - GUTTER))
            lines += [(Span(" " * GUTTER), *dimmed(line)) for line in below]
        if n < len(drawn) - 1 and not tight:
            lines.append(())
    return lines


def _option(n: int, text: str, picked: bool, state: QuestionState | None, width: int) -> list[Line]:
    """One option: mark and number, its text, after the reveal the verdict."""
    right = state is not None and n in state.key
    open_ = state is not None and str(n + 1) in state.undecided
    wrong = state is not None and picked and bool(state.key or state.undecided) and not (right or open_)
    chip = Style("background", "good" if right else "bad" if wrong else "accent", bold=True)
    number = Span(f" {n + 1} ", chip if right or wrong or picked else Style("text", "select", bold=True))
    mark = Span("● " if picked else "  ", Style("bad" if wrong else "good" if right else "accent", bold=True))
    verdict = Span(RIGHT, Style("good", bold=True)) if right else Span("  ✗", Style("bad", bold=True))
    # Room for the verdict is kept free before the reveal too: nothing moves. On a thumbnail words go first.
    room = max(1, width - GUTTER - cells.width(RIGHT), min(width - GUTTER, answers.LEAST_WORDS))
    body = markdown(text, room) or [()]
    if picked or right:
        body = [headed(line) for line in body]
    first = (mark, number, Span("  "), *body[0])
    if right or wrong:
        first = (*first, verdict)
    elif open_:
        first = (*first, Span(OPEN, Style("warning")))
    return [first, *((Span(" " * GUTTER), *line) for line in body[1:])]


# --- the line below -------------------------------------------------------------------------------------


def _foot(
    question: Question,
    state: QuestionState | None,
    picked: Sequence[int],
    typed: Sequence[str],
    hints: bool,
    locks: bool,
    left_s: int | None,
    people: int,
    own: Grade | None,
) -> list[Span]:
    """What to do next, or how it went."""
    phase = state.phase if state is not None else "open"
    if phase == "revealed" and state is not None:
        return _earned(question, state, own, picked, typed, people)
    vote = [Span("second vote", Style("warning")), _DOT] if state is not None and state.before else []
    count = _count(state, people) if hints else []
    if phase == "locked":
        spans = [*vote, Span("locked", Style("warning", bold=True)), *count]
        if not picked and not any(typed) and not count:
            spans += [_DOT, Span("no answer given", DIM)] if hints else []
        return [*spans, _DOT, Span("e", KEY), Span(" reveals", DIM)] if hints and locks else spans
    time = (
        [Span(clock(left_s), Style("warning", bold=left_s <= 10)), Span(" left", DIM)]
        if left_s is not None
        else []
    )
    if not hints:
        return [*vote, *time]  # what is picked in the room is not shown to the room
    given = _given(question, picked, typed)
    spans = [*vote, Span("answer ", DIM), Span(given or DASH, HEAD), *count]
    full = question.kind == "match" and len(picked) == len(question.prompts) and -1 not in picked
    for key, word in _keys(question, bool(given), locks, full):
        spans += [_DOT, Span(key, KEY), Span(f" {word}", DIM)]
    return [*time, _DOT, *spans] if time else spans


def _count(state: QuestionState | None, people: int) -> list[Span]:
    """How many of the room are in."""
    if state is None:
        return [_DOT, Span(f"0 of {people} answered", Style("text"))] if people else []
    if not (state.people or state.hands or people):
        return []
    if state.hands:
        told = f"{sum(state.hands)} hands" + (f", {len(state.people)} by key" if state.people else "")
    else:
        told = f"{len(state.people)} of {max(people, len(state.people))} answered"
    return [_DOT, Span(told, Style("text"))]


def _given(question: Question, picked: Sequence[int], typed: Sequence[str]) -> str:
    if question.kind == "order":
        return " ".join(str(n + 1) for n in picked)
    if question.kind == "match":
        return " ".join(str(n + 1) if n >= 0 else DASH for n in picked)
    if question.kind in TYPED:
        return cells.clip_text(cells.clean("; ".join(" ".join(text.split()) for text in typed)), 24)
    return ", ".join(str(n + 1) for n in sorted(picked))


def _keys(question: Question, given: bool, locks: bool, full: bool) -> list[tuple[str, str]]:
    """The keys of an open question and their words."""
    keys = [*_own_keys(question, given, full), ("Enter", "locks")]
    return keys if locks and (given or question.kind not in TYPED) else keys[:-1]


def _own_keys(question: Question, given: bool, full: bool) -> list[tuple[str, str]]:
    last = len(question.options)
    digits = f"1-{last}" if last > 1 else "1"
    match question.kind:
        case "order":
            return [(digits, "next, again: back")]
        case "match":
            return [(digits, "again: back" if full else "for ▸")]
        case "line":
            return [("↑ ↓", "or its number")]
        case kind if kind in TYPED:
            return [("I", "writes again" if given else "writes")]
        case _:
            many = " one or more" if question.kind == "multi" else ""
            return [(digits, f"pick{many}")]


def _earned(
    question: Question,
    state: QuestionState,
    own: Grade | None,
    picked: Sequence[int],
    typed: Sequence[str],
    people: int,
) -> list[Span]:
    """What the driver's answer earned, and how the room did. Of somebody of the room only whether all was
    right: shares of the points are part of the key, and are not told."""
    share = (
        votes.right_share(question, state, state.undecided) if not state.before else None
    )  # else both stand above
    room = [_DOT, Span(share.words, DIM)] if share is not None and votes.several(state) else []
    if room and people > state.answered > 0:
        room += [_DOT, Span(f"{state.answered} of {people} answered", DIM)]
    if state.points is not None and state.out_of:
        full = state.points >= state.out_of
        word = "point" if state.out_of == 1 else "points"
        said = f"{state.points:.3g} of {state.out_of:g} {word}"
    elif own is not None:
        full, said = own.right, "right" if own.right else "not right"
    elif state.undecided and (picked or any(typed)):
        neither = Span("neither right nor wrong: the runs do not tell")
        return [Span("≈ ", Style("warning", bold=True)), neither, *room]
    else:
        return [Span("revealed", DIM), *room]
    spans = [
        Span("✓ " if full else "✗ ", Style("good" if full else "bad", bold=True)),
        Span(said, Style("good" if full else "text", bold=True)),
    ]
    parts = state.parts or (own.parts if own else ())
    if parts and not full:
        right = sum(part >= 1.0 for part in parts)
        what = {"order": "in sequence", "match": "pairs", "cloze": "gaps"}.get(question.kind, "parts")
        spans += [_DOT, Span(f"{right} of {len(parts)} {what}", DIM)]
    if question.kind == "multi" and picked and not full and state.key:
        hit, others = len({*picked} & {*state.key}), len({*picked} - {*state.key})
        told = f"{hit} of {len(state.key)} right ones" + (f", {others} too many" if others else "")
        spans += [_DOT, Span(told, DIM)]
    return spans + room
