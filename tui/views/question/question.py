"""A question on its slide: stem, what it is answered with, and after the reveal what was right and why.

The key is only ever taken from the class's state, which has it from the reveal on: an audience's question has
none, and a teacher's screen must not show it early.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import product

from quiz.answer_key import graded, held
from quiz.grade import Grade
from quiz.question import Question
from runtime.classroom.question_state import QuestionState
from slides.drawing import cells
from slides.drawing.text import Line, Span, Style
from tui.views.question import most_frequent_answers, picture, votes
from tui.views.question.answer_rows import plain_words
from tui.views.question.large import SHORT, SIZES, SLIM, letters_of, lines_in_letters, paragraphs
from tui.views.question.line_below import Told, foot
from tui.views.question.markdown import headed, markdown
from tui.views.question.picture import AIRS, Air, Asked, Picture

FAINT, HEAD = Style("faint"), Style("heading", bold=True)
_STEM_ROWS = 3  # of letters, at most
_LETTERS_FROM = 28  # rows from which on answers in letters without air may have more than half of them
_ALL_FROM = 36  # rows of a screen from which on all explanations are in letters, which are scrolled
_SHORT_FROM = 88  # cells from which on letters of two rows may be: on a smaller screen a row is as large
_ASKED_FROM = 18  # rows from which on only what is asked may be in letters
_ASKED = re.compile(r"(?<=[.!?:])\s+(?=\S+\s+\S)")  # before a sentence of two words and more
SAYS_ALL = Told()
MOST_ABOVE, MOST_BETWEEN = 5, 3  # empty rows over the stem (of a high screen more), and below it
Draws = Callable[[str, int], list[Line]]


def question_lines(
    question: Question,
    state: QuestionState | None,
    picked: tuple[int, ...],
    width: int,
    height: int = 0,
    *,
    typed: tuple[str, ...] = (),
    told: Told = SAYS_ALL,
    measured: Sequence[Sequence[Line]] = (),
    reserve: tuple[int, int] = (0, 0),
    everything: bool = False,
    letters: bool = True,
    draw: Draws = markdown,
) -> list[Line]:
    """The question in at most `width` cells.

    With a `height` it has these rows, and its answers stand in the same places before and after the reveal;
    0: as high as it needs. `picked` are 0-based options, places or lines, `typed` what was written; `told` is
    what this screen may say besides. `measured` stands above the explanation of the whole, in the first of
    its ways that has room; `reserve` are the rows kept for it, and those it can do with. `everything`: all
    explanations, each below its option; `letters` False where words must be found. `draw` writes what may
    hold pictures. Before the reveal neither key nor counts are shown: who sees the majority follows it.
    """
    width = max(1, width)
    revealed = state if state is not None and state.phase == "revealed" else None
    if revealed is not None:
        question = held(question, revealed.key, revealed.accepted)
    asked = Asked(question, state, picked, typed, width, _own(question, revealed, picked, typed), told.say)
    look = picture.of(question.kind)
    if height > 0 and not (everything and revealed is not None):
        return _in_room(look, asked, told, height, [*map(list, measured)], reserve, letters, draw)
    if letters and height >= _ALL_FROM and (large := _all_in_letters(look, asked, measured, draw)):
        return [*(cells.clip(line, width) for line in (*large, ())), *cells.wrap(foot(asked, told), width)]
    asked = asked.narrowed
    head, *below = look.listed(asked) or [()]
    lines = [*_stem(look, asked, Air(), draw), *([head, *below] if below else [])]
    lines += _after(asked, list(measured[0]) if measured else [], draw)
    below_all = foot(asked, told)
    return [*(cells.clip(line, width) for line in (*lines, ())), *cells.wrap(below_all, width)]


def _own(
    question: Question, revealed: QuestionState | None, picked: tuple[int, ...], typed: tuple[str, ...]
) -> Grade | None:
    """What the answer given here is worth by the key that was told; None: there is neither."""
    if revealed is None or not (picked or any(typed)):
        return None
    return graded(question, revealed.undecided, picked, typed)


def _in_room(
    look: Picture,
    asked: Asked,
    told: Told,
    height: int,
    measured: list[list[Line]],
    reserve: tuple[int, int],
    letters: bool,
    draw: Draws,
) -> list[Line]:
    """As roomily as it goes in `height` rows, the line of keys in the last of them."""
    kept = look.kept(asked)
    room = height - 3 - max(reserve[0], kept)
    most = height - 3 - max(reserve[1], kept - look.spares)
    air = _air(look, asked, room, most, letters, draw)
    body, stem = _answers(look, asked, air), _stem(look, asked, air, draw)
    bare, whole = asked.bare, asked
    asked = asked.narrowed
    spare = max(0, room - len(_stem(look, bare, air, draw)) - len(_answers(look, bare, air)) - 1)
    lines = [*[()] * min(max(MOST_ABOVE, height // 5), spare // 3), *stem]
    lines += [*[()] * min(MOST_BETWEEN, 1 + spare // 6), *body] if body else []
    seen = measured[0] if measured else []
    reasons = look.told(asked, air)
    ways = [(reasons + _after(asked, seen, draw), False)]
    if air.words or air.stem:
        ways[:0] = [(lines, False) for lines in _after_in_letters(look, whole, air, reasons, measured, draw)]
    ways += _shortened(look, asked, air, reasons, measured, draw)
    apart = (1, 0) if air != Air() else (0,)
    # The ground of answers in letters parts them from what follows: more of that rather than an empty row.
    tried = product(ways, apart) if air.words else ((way, least) for least, way in product(apart, ways))
    for (after, dropped), least in tried:
        after = list(after)
        below = cells.wrap(foot(asked, told, dropped or look.untold(asked)), asked.width)
        # All of it is to be seen at once before it has air: first all rows between bars go; the first empty
        # row, which parts it from the answers, goes last.
        if len(lines) + len(after) + len(below) > height - 2:
            after = [line for line in after if line != most_frequent_answers.BETWEEN]
        while len(lines) + len(after) + len(below) > height - 2 and () in after[least:]:
            del after[len(after) - 1 - after[::-1].index(())]
        if len(lines) + len(after) + len(below) < height:
            break
    else:
        # What explains typical answers is known at the reveal only: rather smaller words than some unseen.
        if letters and air != Air():
            return _in_room(look, whole, told, height, measured, reserve, False, draw)
    lines += after
    if not told.hints and asked.revealed is None and (air.words or air.stem):
        large = lines_in_letters([tuple(foot(asked, told))], whole.width) or [[]]
        below = large[0] if len(lines) + 2 + len(large[0]) <= height and large[0] else below
    lines += [()] * max(1, height - 1 - len(lines) - len(below))
    return [*(cells.clip(line, whole.width) for line in lines), *below]


def _all_in_letters(
    look: Picture, asked: Asked, measured: Sequence[Sequence[Line]], draw: Draws
) -> list[Line]:
    """All that a reveal tells, each part below what it explains; empty where something has no letters."""
    revealed = asked.revealed
    body = look.all_in_letters(asked)
    stem = _lettered(look, asked, Air("whole", slim=True), draw)
    if revealed is None or not body or not stem:
        return []
    general = next(iter(paragraphs(revealed.general, asked.width)), None)
    seen = _after(asked, list(measured[0]) if measured else [], draw, told=general is None)
    return [*stem, (), *body, *[()] * bool(seen), *seen, *([(), *general] if general else [])]


def _shortened(
    look: Picture, asked: Asked, air: Air, reasons: list[Line], measured: list[list[Line]], draw: Draws
) -> list[tuple[list[Line], bool]]:
    """What stands below the answers where there is no room for all of it, from much of it to little, each
    with whether a key is to show the rest."""
    brief, least = look.told_in_brief(asked, air), look.least_told(asked)
    briefer = [one for one in (brief, least) if len(one) < len(reasons)]
    if not measured or not measured[0]:
        ways = [(one + _after(asked, [], draw), True) for one in briefer if look.spares]
        return ways + [(one + _after(asked, [], draw, told=False), True) for one in briefer[-1:] if air.words]
    # What was measured is to be seen at once, whatever explains it: that a key shows as well.
    *much, little = measured
    ways = [(reasons + _after(asked, one, draw), False) for one in much[1:]]
    ways += [(one + _after(asked, seen, draw), True) for one in briefer[:1] for seen in much]
    ways += [(one + _after(asked, little, draw), one != reasons) for one in (reasons, *briefer)]
    ways += [(one + _after(asked, little, draw, told=False), True) for one in (reasons, *briefer)]
    ways.append((_after(asked, much[-1] if much else little, draw), bool(reasons)))
    return [*ways, (_after(asked, little, draw, told=False), True)]


def _answers(look: Picture, asked: Asked, air: Air) -> list[Line]:
    """The answers in this air, or without any where a verdict has taken its room: never none of them."""
    body = look.body(asked if air.words else asked.narrowed, air)
    return (look.body(asked.narrowed, Air()) or []) if body is None else body


def _air(look: Picture, asked: Asked, room: int, most: int, letters: bool, draw: Draws) -> Air:
    """The roomiest way in which stem and answers have `room`: by the question alone, so that nothing moves
    when it is answered, locked or revealed. They have up to `most`, some of what is kept for the reveal,
    rather than touch, be smaller than the stem or in no letters."""
    found = _roomiest(look, asked, room, letters, draw)
    if look.spares and most > room:
        tried = _roomiest(look, asked, most, letters, draw)
        # What was measured gives way to letters for the answers, not to those for the stem alone.
        if _worth(tried) > _worth(found) and (tried.words or most - room <= look.spares):
            return tried
    return found


def _worth(air: Air) -> tuple[bool, bool, bool]:
    """What less room for the reveal is worth: letters for the answers, for the stem, room between them."""
    return air.words, bool(air.stem), not air.cramped


def _roomiest(look: Picture, asked: Asked, room: int, letters: bool, draw: Draws) -> Air:
    """The first of `AIRS` in which stem and answers have `room`."""
    bare = asked.bare
    for air in AIRS:
        if ((air.stem or air.words) and not letters) or (air.short and asked.width < _SHORT_FROM):
            continue
        if air.stem == "asked" and room + 3 < _ASKED_FROM:
            continue
        body = look.body(bare if air.words else bare.narrowed, air)
        touching = air.words and not (air.gap or air.short)
        if body is not None and touching and room + 3 < _LETTERS_FROM and 2 * len(body) > room:
            continue
        if body is None or (air.stem and not _lettered(look, bare, air, draw)):
            continue
        if len(_stem(look, bare, air, draw)) + 1 + len(body) <= room:
            return air
    return Air()


def _lettered(look: Picture, asked: Asked, air: Air, draw: Draws) -> list[Line]:
    """The stem, all of it or its last sentence in letters; empty where that is no words alone or too long."""
    stem, before = look.stem(asked), ""
    if any(sign in stem for sign in ("\n\n", "![", "$$", "```", "|", "\n- ")):
        return []
    if air.stem == "asked":
        ends = [found for found in _ASKED.finditer(stem) if _closed(stem[: found.start()])]
        if not (ends and stem.rstrip().endswith("?")):
            return []
        before, stem = stem[: ends[-1].start()], stem[ends[-1].end() :]
    words = plain_words(stem).replace("\u2026", "___")
    sizes = (*SIZES, *SLIM) if air.slim else SIZES
    if air.short == "both":
        sizes = SHORT[-1:] if air.slim else SHORT
    kept_together = letters_of(words, asked.width, _STEM_ROWS, sizes)
    rows = kept_together or letters_of(words.replace("\u00a0", " "), asked.width, _STEM_ROWS, sizes) or []
    lines: list[Line] = [(Span(row, HEAD),) if row else () for row in rows]
    return [*map(headed, draw(before, asked.narrowed.width)), (), *lines] if rows and before else lines


def _closed(text: str) -> bool:
    """Whether no mark of Markdown that begins in it ends behind it."""
    words = re.sub(r"`[^`]*`|\$[^$]*\$", "", text)
    return not any(words.count(mark) % 2 for mark in "`$*_") and words.count("[") == words.count("]")


def _stem(look: Picture, asked: Asked, air: Air, draw: Draws) -> list[Line]:
    if air.stem and (lines := _lettered(look, asked, air, draw)):
        return lines
    return [headed(line) for line in draw(look.stem(asked), asked.narrowed.width)]


def _after_in_letters(
    look: Picture, asked: Asked, air: Air, reasons: list[Line], measured: list[list[Line]], draw: Draws
) -> list[list[Line]]:
    """Why what is right is, and what there is to say of the whole, in letters: both, else the latter, else
    the former, below what was `measured` in the first of its ways that has room so. `reasons` are those in
    rows of one."""
    revealed = asked.revealed
    if revealed is None:
        return []
    large, general = look.told_in_letters(asked, air), paragraphs(revealed.general, asked.width)
    ways: list[list[Line]] = []
    for seen in measured or [[]]:
        other = _after(asked, seen, draw, told=False)
        last = [[*other, (), *lines] for lines in general]
        ways += [lines + below for lines in large for below in last]
        ways += [reasons + below for below in last]
        ways += [lines + _after(asked.narrowed, seen, draw) for lines in large if lines]
    return ways


def _after(asked: Asked, measured: list[Line], draw: Draws, *, told: bool = True) -> list[Line]:
    """What stands below the answers: two votes beside each other, hints, what was measured, and why if it
    is to be `told`."""
    question, state, revealed, width = asked.question, asked.state, asked.revealed, asked.width
    lines: list[Line] = []
    if revealed is not None and (won := votes.gain(question, revealed, width, asked.say)):
        lines += [*([()] if not measured else []), *won]
    if state is not None and state.hints and revealed is None:
        lines.append(())
        for n, hint in enumerate(state.hints, 1):
            lead = Span(f"{asked.say(f'hint {n}')}  ", Style("warning"))
            indent = cells.width(lead.text)
            first, *rest = markdown(hint, max(1, width - indent)) or [()]
            lines += [(lead, *first), *((Span(" " * indent), *line) for line in rest)]
    lines += measured
    if revealed is not None and revealed.general and told:
        lines += [(), *draw(revealed.general, width)]
    if revealed is not None and question.source:
        lines += [
            (),
            *cells.wrap([Span(f"{asked.say('from')}: {cells.clean(question.source)}", FAINT)], width),
        ]
    return lines
