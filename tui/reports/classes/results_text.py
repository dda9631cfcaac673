"""The results of a class for a terminal, line by line."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from slides.drawing.cells import clean, clip_text, width
from slides.drawing.screen_reader_lines import many
from tui.reports.classes.results_words import asked, facts, figure, percent, readable, unlisted

if TYPE_CHECKING:
    from tui.reports.classes.result_types import Change, QuestionResult, Results, Said


STEM, LABEL, BAR, FIGURE, MOST = 56, 40, 20, 12, 9


def text(found: Results, changed: tuple[Change, ...] | None, people: dict[str, str]) -> Iterator[str]:
    """Line by line. What comes from a deck or from the room is cleaned."""

    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.began)) if found.began else "never begun"
    yield f"{clean(found.title) or 'no deck'} · class {found.class_id} · {when}"
    if not found.questions:
        yield "no question was asked in it"
        return
    parts = [many(len(found.questions), "question"), _people_in(len(found.people)) + " answered"]
    yield " · ".join([*parts, f"facility {percent(found.facility)}"])
    for question in found.questions:
        yield ""
        yield from _question(question)
    yield from _people(found, people)
    if changed is not None:
        yield ""
        yield (
            f"Regraded: {many(len(changed), 'key')} changed" if changed else "Regraded: no key has changed"
        )
        known = {question.question: question for question in found.questions}
        for change in changed:
            was, now = (readable(known[change.question], key) for key in (change.was, change.now))
            yield f"  {clean(change.question)}: right was {_cut(was)}, is {_cut(now)}"
            share = f"facility {percent(change.facility_was)} to {percent(change.facility_now)}"
            yield f"      {share}, {many(change.changed, 'answer')} with other points"


def _question(question: QuestionResult) -> Iterator[str]:
    from tui.export.question_parts import words

    stem = _cut(asked(question), STEM)
    yield f"{clean(question.question)} · {question.kind}" + (f" · {stem}" if stem else "")
    if not any(vote.answered for vote in question.rounds):
        yield "      nobody answered"
        return
    for part in question.parts:
        yield f"      {_cut(part[:2] + words(part[2:]), STEM)}"
    room = BAR // 2 if len(question.rounds) > 1 else BAR
    if len(question.rounds) > 1:
        heads = [f"vote {n}".ljust(room + FIGURE) for n in range(1, len(question.rounds) + 1)]
        yield f"{'':6}{'':{LABEL}} {' '.join(heads)}".rstrip()
    for n, said in enumerate(question.said[:MOST], 1):
        yield _bars(n, said, question.shares(said), room, readable(question, said.text))
    if len(question.said) > MOST:  # there are never as many options
        yield f"      and {many(len(question.said) - MOST, 'other answer')}"
    if unlisted(question):
        yield f"      right is {_cut(question.key, STEM)}"
    yield "      " + " · ".join(facts(question))
    if len(question.rounds) > 1:
        shares = ", then ".join(percent(vote.right) for vote in question.rounds)
        yield f"      right: {shares} · gain {figure(question.gain)}"


def _bars(n: int, said: Said, shares: Sequence[float | None], room: int, text: str) -> str:
    """A bar is as much of its room as of those who answered said this; without a share there is none."""

    label = _cut(text)
    mark = "*" if said.right else " "
    rounds = []
    for votes, share in zip(said.votes, shares, strict=True):
        cells = max(round(room * share), 1) if votes and share else 0
        told = f"{votes} ({percent(share)})" if share is not None else str(votes)
        rounds.append(f"{'▇' * cells}{' ' if cells else ''}{told}".ljust(room + FIGURE))
    return f"{mark}{n:>4} {label}{' ' * (LABEL - width(label))} {' '.join(rounds)}".rstrip()


def _people(found: Results, people: dict[str, str]) -> Iterator[str]:

    if not found.people:
        return
    yield ""
    yield f"{'':5} {'who':30} {'points':>12} {'answered':>9}"
    for person in found.people:
        points = f"{person.points:.4g} of {person.out_of:.4g}"
        name = _cut(clean(people[person.screen]), 30)
        yield f"{'':5} {name}{' ' * (30 - width(name))} {points:>12} {person.answered:>9}"


def _cut(text: str, size: int = LABEL) -> str:
    """The first line, clean, in at most `size` cells."""

    first = next((line for line in text.splitlines() if line.strip()), "")
    return clip_text(clean(" ".join(first.split())), size)


def _people_in(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"
