"""`teachrun class results [ID]`: how a class answered, from its journal. Nothing leaves the machine."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from slides.drawing.linear import many
from tui.command_line.exit_codes import DONE, FAILED, USAGE
from tui.commands import classes
from tui.rendering.output_filter import dumps
from tui.views.parts.numbers import quantity

if TYPE_CHECKING:
    from quiz.question import Question
    from tui.reports.result_types import Change, QuestionResult, Results, Said

STEM, LABEL, BAR, FIGURE, MOST = 56, 40, 20, 12, 9


def configure(parser: argparse.ArgumentParser) -> None:
    classes.add_class(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="one JSON object")
    form.add_argument("--csv", action="store_true", help="every answer as a row")
    form.add_argument("--html", action="store_true", help="one page that loads nothing")
    parser.add_argument("-o", "--output", metavar="FILE", help="where to, instead of the terminal")
    parser.add_argument(
        "--names", action="store_true", help="the names people chose, instead of person 1, person 2, …"
    )
    parser.add_argument(
        "--regrade",
        metavar="DECK",
        help="by the keys this deck has now, and which questions that changes; the journal stays as it is",
    )


def main(args: argparse.Namespace) -> int:
    class_id = classes.find(args.class_id)
    if not class_id:
        return FAILED
    try:
        found, changed = read(class_id, args.regrade)
    except ValueError as error:
        print(f"teachrun: {error}", file=sys.stderr)
        return USAGE
    people = called(found, args.names)
    if args.html:
        from tui.reports.results_page import page

        told = page(found, changed, people)
    elif args.csv:
        told = table(found, people)
    elif args.json:
        told = dumps(as_json(found, changed, people)) + "\n"
    else:
        told = "".join(f"{line}\n" for line in text(found, changed, people))
    if args.output:
        from tui.commands.quiz.files import Refused, replace_file

        try:
            replace_file(args.output, told.encode("utf-8", "replace"))
        except Refused as error:
            print(f"teachrun: {error}", file=sys.stderr)
            return FAILED
    else:
        sys.stdout.write(told)
    return DONE


def read(class_id: str, regrade: str | None = None) -> tuple[Results, tuple[Change, ...] | None]:
    """The results of a class; with a deck to regrade by, what that changes too. Raises ValueError where that
    deck cannot be read; the class's own may be gone."""
    from runtime import paths
    from runtime.classroom import journal
    from runtime.classroom import state as class_state
    from tui.reports.class_results import changes, results

    entries = journal.read(paths.journal_file(class_id))
    state = class_state.fold(entries)
    try:
        own = questions(state.path, state.seed) if state.path else {}
    except ValueError:
        own = {}
    shown = results(entries, own)
    if regrade is None:
        return shown, None
    now = results(entries, own | questions(regrade, state.seed), regrade=True)
    return now, changes(shown, now)


def questions(path: str, seed: str) -> dict[str, Question]:
    """The questions of a deck by id, in the arrangement of a class. Raises ValueError."""
    from quiz.shuffle import arranged
    from slides.reading.source import DeckError
    from tui.deck.contents import Contents, open_deck
    from tui.export import question_parts

    try:
        contents = Contents(open_deck(path))
    except DeckError as error:
        raise ValueError(str(error.problem)) from error
    found = {}
    for block in (block for index in range(len(contents)) for block in contents.quizzes(index)):
        question = question_parts.question(block)
        if question is not None:
            found[block.id] = arranged(question, seed)
    return found


def called(found: Results, names: bool) -> dict[str, str]:
    """What each screen is called: `console`, the name chosen there if names are asked for, else a number."""
    told: dict[str, str] = {}
    number = 0
    for person in found.people:
        if person.console:
            told[person.screen] = "console"
        else:
            number += 1
            told[person.screen] = (names and person.name) or f"person {number}"
    return told


# --- as people read it -------------------------------------------------------------------------------


def text(found: Results, changed: tuple[Change, ...] | None, people: dict[str, str]) -> Iterator[str]:
    """Line by line. What comes from a deck or from the room is cleaned."""
    from slides.drawing.cells import clean

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
    from slides.drawing.cells import clean
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


def facts(question: QuestionResult) -> list[str]:
    """Figures of a question in words; what is not known is left out, but for the facility, and for the
    discrimination, whose dash says why."""
    from tui.reports.class_results import FEWEST

    hands = question.rounds[question.counts - 1].hands
    told = [f"facility {percent(question.facility)}"]
    told.append(f"{question.answered} answered" + (f", {hands} by hand" if hands else ""))
    if question.median_s is not None:
        told.append(f"median {question.median_s:.0f} s to answer")
    for block, values in question.measured.items():
        runs = ", ".join("-" if value is None else quantity(value) for value in values)
        told.append(f"measured {block}: {runs}")
    if question.discrimination is not None:
        told.append(f"discrimination {figure(question.discrimination)}")
    elif question.key:
        told.append(f"discrimination - (it takes {FEWEST} people and two questions)")
    return told


def asked(question: QuestionResult) -> str:
    """The stem in words, on one line, its gaps by number."""
    import re

    from tui.export.question_parts import words

    return words(re.sub(r"\{\{(\d+)\}\}", r"\\[\1]", question.stem))


def unlisted(question: QuestionResult) -> bool:
    """Whether what is right is not marked among the answers that are listed."""
    from quiz.question import CHOICES

    listed = any(said.right for said in question.said)
    return bool(question.key) and (not listed or question.kind not in (*CHOICES, "line"))


def readable(question: QuestionResult, text: str) -> str:
    """An option as it reads; what somebody typed, and a line of code, as it is."""
    from quiz.question import CHOICES
    from tui.export.question_parts import words

    return words(text) if question.kind in CHOICES else text


def _bars(n: int, said: Said, shares: Sequence[float | None], room: int, text: str) -> str:
    """A bar is as much of its room as of those who answered said this; without a share there is none."""
    from slides.drawing.cells import width

    label = _cut(text)
    mark = "*" if said.right else " "
    rounds = []
    for votes, share in zip(said.votes, shares, strict=True):
        cells = max(round(room * share), 1) if votes and share else 0
        told = f"{votes} ({percent(share)})" if share is not None else str(votes)
        rounds.append(f"{'▇' * cells}{' ' if cells else ''}{told}".ljust(room + FIGURE))
    return f"{mark}{n:>4} {label}{' ' * (LABEL - width(label))} {' '.join(rounds)}".rstrip()


def _people(found: Results, people: dict[str, str]) -> Iterator[str]:
    from slides.drawing.cells import clean

    if not found.people:
        return
    yield ""
    yield f"{'':5} {'who':30} {'points':>12} {'answered':>9}"
    for person in found.people:
        points = f"{person.points:.4g} of {person.out_of:.4g}"
        name = _cut(clean(people[person.screen]), 30)
        yield f"{'':5} {name}{' ' * (30 - _width(name))} {points:>12} {person.answered:>9}"


def _width(text: str) -> int:
    from slides.drawing.cells import width

    return width(text)


def _cut(text: str, size: int = LABEL) -> str:
    """The first line, clean, in at most `size` cells."""
    from slides.drawing.cells import clean, clip_text

    first = next((line for line in text.splitlines() if line.strip()), "")
    return clip_text(clean(" ".join(first.split())), size)


def percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.0f} %"


def figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _people_in(count: int) -> str:
    return "1 person" if count == 1 else f"{count} people"


# --- as other programs read it -----------------------------------------------------------------------


def as_json(found: Results, changed: tuple[Change, ...] | None, people: dict[str, str]) -> dict[str, object]:
    """The whole, without what screens are called inside; options and rounds count from 1."""
    from dataclasses import asdict

    rows = []
    for question in found.questions:
        row = asdict(question)
        row["said"] = [{"n": n, **said} for n, said in enumerate(row["said"], 1)]
        row["given"] = [{"person": people[g.pop("screen")], **_less(g, "question")} for g in row["given"]]
        rows.append(row)
    told: dict[str, object] = {
        "class": found.class_id,
        "title": found.title,
        "began": found.began,
        "facility": found.facility,
        "questions": rows,
        "people": [{"person": people[p.screen], **_less(asdict(p), "screen", "name")} for p in found.people],
    }
    if changed is not None:
        told["regraded"] = [asdict(change) for change in changed]
    return told


def _less(row: dict[str, object], *names: str) -> dict[str, object]:
    return {name: value for name, value in row.items() if name not in names}


def table(found: Results, people: dict[str, str]) -> str:
    """A row for every answer of every round, and for the hands counted for each option."""
    import csv
    import io

    from quiz.formats.table.rows import cell

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = "class,question,kind,round,person,answer,count,right,points,out_of,seconds"
    writer.writerow(head.split(","))
    for q in found.questions:
        for g in q.given:
            right = "" if g.right is None else int(g.right)
            points = "" if g.points is None else f"{g.points:g}"
            seconds = "" if g.seconds is None else f"{g.seconds:.1f}"
            who, words = cell(people[g.screen]), cell(g.words)
            writer.writerow(
                [found.class_id, q.question, q.kind, g.round, who, words, 1, right, points, q.points, seconds]
            )
        for at, said in enumerate(q.said, 1):
            right = "" if said.right is None else int(said.right)
            words = cell(f"{at} {said.text}")
            for n, raised in enumerate(said.hands, 1):
                if raised:
                    writer.writerow(
                        [
                            found.class_id,
                            q.question,
                            q.kind,
                            n,
                            "hands",
                            words,
                            raised,
                            right,
                            "",
                            q.points,
                            "",
                        ]
                    )
    return out.getvalue()
